//! Routine that contains the probed instructions: a variable of each type, and entries of every
//! other table. It is built twice from the model, as text and as an object.

use std::fmt::Write as _;
use visakit_codegen::anatomy::{Anatomy, Types};
use visakit_codegen::model::{
    CellValue, DataType, FieldKind, IndexKind, MemberType, Model, Predefined, SourceSpan, Structure, TypeId,
};
use visakit_codegen::template::Style;

use super::directive;
use super::meaning::{BitsKind, bits_of, named};
use super::sample::{Kind, Operand, Operands, Value, table_named};
use super::structure::{self, Data, members, numbers};
use visakit::isa::{DeclaredClass, TextDirective, TextKey};
use visakit::rt::Version;

/// Name of the routine; string 0.
pub(crate) const ROUTINE: &str = "probe";

/// First id of a routine's general variables. See *Predefined variables* in chapter 4.
const FIRST_GENERAL: u64 = 32;

/// Number of elements of a declared variable.
const ELEMENTS: u64 = 16;

/// Column of the elements of an address variable, by platform.
const ADDRESS_ELEMENTS: &str = "Address elements";

/// Number of addresses, predicates, samplers, surfaces and labels, each.
pub(crate) const OTHERS: u64 = 3;

/// Routine, and the names that its text uses.
pub(crate) struct World<'m> {
    pub(crate) model: &'m Model,
    pub(crate) anatomy: &'m Anatomy,
    pub(crate) operands: Operands<'m>,
    /// Size of a register.
    pub(crate) register_bytes: u64,
    /// Types of the declared variables.
    pub(crate) types: Vec<TypeId>,
    first_surface: u64,
}

impl<'m> World<'m> {
    /// Returns the predefined variables that string pools name.
    pub(crate) fn pool_variables(&self) -> &'m [visakit_codegen::model::Predefined] {
        let known = visakit::isa::limits::POOL_VARIABLES as usize;
        self.model.predefined.get(..known).unwrap_or(&self.model.predefined)
    }

    /// Returns the routine of a model; `None` if its chapters do not define operands.
    pub(crate) fn new(model: &'m Model) -> Option<Self> {
        let operands = Operands::new(model)?;
        // Only constants have packed types.
        let anatomy = operands.anatomy;
        let types = (0..model.types.len()).map(TypeId).filter(|t| of_variables(model, model.ty(*t))).collect();
        let first_surface = model.surfaces.iter().map(|s| s.id + 1).max().unwrap_or(0);
        Some(Self { model, anatomy, operands, register_bytes: 32, types, first_surface })
    }

    /// Returns the named limit of the pages and its place; zero without one.
    pub(crate) fn limit(&self, name: &str) -> (u64, SourceSpan) {
        let limit = self.model.limits.iter().find(|limit| limit.name == name);
        limit.map_or((0, SourceSpan::default()), |limit| (limit.value, limit.at))
    }

    /// Returns the number of elements of an address variable on a platform, with the place of the
    /// cell.
    pub(crate) fn address_elements(&self, platform: usize) -> Option<(u64, SourceSpan)> {
        let column = self.model.platform_columns.iter().position(|column| column.name == ADDRESS_ELEMENTS)?;
        let cell = self.model.platforms.get(platform)?.cells.get(column)?;
        match &cell.value {
            CellValue::Number(number) => Some((u64::try_from(*number).ok()?, cell.at)),
            _ => None,
        }
    }

    /// Returns the variable of a type.
    pub(crate) fn variable(&self, ty: TypeId) -> Option<u64> {
        let at = self.types.iter().position(|t| *t == ty)?;
        Some(FIRST_GENERAL + at as u64)
    }

    /// Returns the type of a general variable.
    pub(crate) fn type_of(&self, id: u64) -> Option<TypeId> {
        match id.checked_sub(FIRST_GENERAL) {
            Some(at) => self.types.get(at as usize).copied(),
            None => self.model.predefined.iter().find(|p| p.id == id).and_then(|p| p.ty.to),
        }
    }

    /// Returns true if the routine declares a general variable.
    pub(crate) fn is_declared(&self, id: u64) -> bool {
        id.checked_sub(FIRST_GENERAL).is_some_and(|at| at < self.types.len() as u64)
    }

    /// Returns true for the number of a general variable that a routine can declare.
    pub(crate) fn is_past_predefined(&self, id: u64) -> bool {
        id >= FIRST_GENERAL
    }

    /// Returns the element size of a variable in bytes.
    pub(crate) fn element_bytes(&self, id: u64) -> u64 {
        self.type_of(id).map_or(1, |ty| u64::from(self.ty(ty).bits.div_ceil(8)))
    }

    /// Returns the size of a general variable in bytes. The size of a predefined variable may
    /// depend on the register size.
    pub(crate) fn variable_bytes(&self, id: u64, register: u64) -> Option<u64> {
        let elements = match id.checked_sub(FIRST_GENERAL) {
            Some(at) => (at < self.types.len() as u64).then_some(ELEMENTS)?,
            None => self.model.predefined.iter().find(|p| p.id == id)?.elements_with(register).into(),
        };
        Some(elements * self.element_bytes(id))
    }

    /// Returns the first declared entry of a table.
    pub(crate) fn first(&self, kind: IndexKind) -> u64 {
        match kind {
            IndexKind::General => FIRST_GENERAL,
            IndexKind::Predicate => 1,
            IndexKind::Surface => self.first_surface,
            IndexKind::String | IndexKind::Address | IndexKind::Sampler | IndexKind::Label => 0,
        }
    }

    /// Returns true if a table entry is declared or predefined.
    pub(crate) fn has(&self, kind: IndexKind, id: u64) -> bool {
        let declared = match kind {
            IndexKind::General => self.types.len() as u64,
            IndexKind::String => 1,
            _ => OTHERS,
        };
        let first = self.first(kind);
        (first..first + declared).contains(&id) || self.predefined(kind, id).is_some_and(|p| !p.name.is_empty())
    }

    /// Returns a predefined entry of a table.
    pub(crate) fn predefined(&self, kind: IndexKind, id: u64) -> Option<&'m Predefined> {
        let table = match kind {
            IndexKind::General => &self.model.predefined,
            IndexKind::Surface => &self.model.surfaces,
            _ => return None,
        };
        table.iter().find(|p| p.id == id)
    }

    /// Returns the name of a table entry.
    pub(crate) fn name(&self, kind: IndexKind, id: u64) -> String {
        if let Some(entry) = self.predefined(kind, id) {
            return entry.name.clone();
        }
        let numbered = |class| format!("{}{id}", directive::letter(self.model, class));
        match kind {
            IndexKind::General => numbered(DeclaredClass::GeneralClass),
            IndexKind::Address => numbered(DeclaredClass::AddressClass),
            IndexKind::Predicate => numbered(DeclaredClass::PredicateClass),
            IndexKind::Sampler => numbered(DeclaredClass::SamplerClass),
            IndexKind::Surface => numbered(DeclaredClass::SurfaceClass),
            IndexKind::Label => format!("L{id}"),
            IndexKind::String if id == 0 => ROUTINE.to_owned(),
            IndexKind::String => format!("N{id}"),
        }
    }

    /// Returns the table of a state operand.
    pub(crate) fn state_table(&self, operand: &Operand) -> IndexKind {
        let class = self.anatomy.state.class;
        let Some(FieldKind::List(id)) = self.model.member(class).map(|m| m.shape) else { return IndexKind::Surface };
        table_named(self.model, id, self.operands.get(operand, class)).unwrap_or(IndexKind::Surface)
    }

    /// Returns true if an immediate has an upper half.
    pub(crate) fn is_wide(&self, operand: &Operand) -> bool {
        let high = self.model.member(self.anatomy.immediate.high);
        high.is_some_and(|m| self.operands.member_present(m, &operand.members))
    }

    /// Returns the type code of an indirect operand. The member also holds other bits.
    pub(crate) fn type_of_indirect(&self, operand: &Operand) -> u64 {
        let whole = self.operands.get(operand, self.anatomy.indirect.properties);
        bits_of(self.model, self.anatomy.properties.indirect_type).map_or(whole, |b| b.of(whole))
    }

    /// Returns the type of an operand, if the operand itself has one.
    pub(crate) fn operand_type(&self, operand: &Operand) -> Option<TypeId> {
        let by_code = |code| self.model.types.iter().position(|t| t.code == code).map(TypeId);
        match self.operands.kind(operand) {
            Kind::General => self.type_of(self.operands.get(operand, self.anatomy.general.id)),
            Kind::Indirect => by_code(self.type_of_indirect(operand)),
            Kind::Immediate => by_code(self.operands.get(operand, self.anatomy.immediate.ty)),
            Kind::Predicate => Some(self.anatomy.types.boolean),
            Kind::Address | Kind::State | Kind::Raw | Kind::Other => None,
        }
    }

    /// Returns a data type.
    pub(crate) fn ty(&self, id: TypeId) -> &'m DataType {
        self.model.ty(id)
    }

    /// Returns true if optional groups omit the operand: the null variable or the constant 0.
    pub(crate) fn is_nothing(&self, operand: &Operand) -> bool {
        match self.operands.kind(operand) {
            Kind::Immediate => self.constant(operand) == 0,
            Kind::Raw => *operand == self.operands.of_raw(),
            _ => Some(operand) == self.operands.of_kind(Kind::General).as_ref(),
        }
    }

    /// Returns the bits of a constant.
    pub(crate) fn constant(&self, operand: &Operand) -> u64 {
        let half = |id| self.operands.get(operand, id);
        let high = if self.is_wide(operand) { half(self.anatomy.immediate.high) << 32 } else { 0 };
        half(self.anatomy.immediate.low) | high
    }

    /// Returns the null operand.
    pub(crate) fn null(&self) -> Value {
        self.operands.of_kind(Kind::General).map_or(Value::Bits(0), Value::Operand)
    }

    /// Returns the constant 0.
    pub(crate) fn zero(&self) -> Value {
        self.operands.of_kind(Kind::Immediate).map_or(Value::Bits(0), Value::Operand)
    }

    /// Returns the variable number in the bits of a predicate.
    pub(crate) fn predicate_id(&self, whole: u64) -> u64 {
        bits_of(self.model, self.anatomy.predicate.id).map_or(0, |b| b.of(whole))
    }

    /// Returns the result of reading an operand's text in a format. Properties that the text omits
    /// follow from chapter 5 and the table of formats.
    pub(crate) fn read_operand(&self, operand: &Operand, format: Style, saturated: bool) -> Operand {
        let mut out = operand.clone();
        if let (Some(b), Some(tag)) = (&self.operands.modifier, operand.tag)
            && let BitsKind::Values(values) = b.what
            && named(values, b.of(tag)).is_some_and(|v| v.text.is_empty())
            && !saturated
        {
            out.tag = Some(b.set(tag, 0));
        }
        match (self.operands.kind(operand), format) {
            (Kind::General, Style::Bare | Style::Address) => self.operands.region(out, Some(0), Some(1), Some(0)),
            (Kind::General, Style::Packed) => self.operands.region(out, Some(1), Some(1), Some(0)),
            (Kind::Immediate, Style::Bare) => {
                self.operands.with(out, self.anatomy.immediate.ty, self.ty(self.anatomy.types.dword).code)
            }
            (Kind::Predicate, _) => {
                let member = self.anatomy.predicate_operand.value;
                let id = self.predicate_id(self.operands.get(operand, member));
                let whole = bits_of(self.model, self.anatomy.predicate.id).map_or(0, |b| b.set(0, id));
                self.operands.with(out, member, whole)
            }
            _ => out,
        }
    }

    /// Returns the text before the instructions.
    pub(crate) fn head(&self, version: Version) -> String {
        let mut out = directive::kernel(self.model, version, ROUTINE);
        for line in self.declarations() {
            let _ = writeln!(out, "{line}");
        }
        out
    }

    /// Returns the declarations, one per line.
    pub(crate) fn declarations(&self) -> Vec<String> {
        let mut out = Vec::new();
        for (at, ty) in (FIRST_GENERAL..).zip(&self.types) {
            let ty = self.ty(*ty).name.to_ascii_lowercase();
            out.push(directive::general(self.model, &self.name(IndexKind::General, at), &ty, ELEMENTS, &[]));
        }
        let others = [
            (IndexKind::Address, DeclaredClass::AddressClass, 0, 16),
            (IndexKind::Predicate, DeclaredClass::PredicateClass, 1, 32),
            (IndexKind::Sampler, DeclaredClass::SamplerClass, 0, 1),
            (IndexKind::Surface, DeclaredClass::SurfaceClass, self.first_surface, 1),
        ];
        for (kind, class, first, elements) in others {
            let elements = u64::to_string(&elements);
            for id in first..first + OTHERS {
                let name = self.name(kind, id);
                let values = [(TextKey::KeyElements, elements.as_str()), (TextKey::KeyShownName, &name)];
                out.push(directive::declaration(self.model, class, &name, &values));
            }
        }
        out
    }

    /// Returns the labels at the end of every text. Calls use the labels of subroutines, other
    /// instructions those of blocks.
    pub(crate) fn tail(&self) -> String {
        let blocks = (0..OTHERS).map(|n| format!("L{n}:\n"));
        let function = |n| directive::named(self.model, TextDirective::FunctionLine, &format!("L{n}"));
        blocks.chain((0..OTHERS).map(|n| format!("{}\nL{n}:\n", function(n)))).collect()
    }

    /// Returns the tables of the routine as members of its structure.
    fn tables(&self) -> Data {
        let a = self.anatomy;
        let mut strings = vec![ROUTINE.to_owned()];
        let mut string = |text: &str| match strings.iter().position(|s| s == text) {
            Some(at) => at as u64,
            None => {
                strings.push(text.to_owned());
                strings.len() as u64 - 1
            }
        };
        for entry in self.pool_variables().iter().chain(&self.model.surfaces).chain(&self.model.samplers) {
            string(&entry.name);
        }
        let variables = (FIRST_GENERAL..).zip(&self.types).map(|(id, ty)| {
            let (name, info) = (string(&format!("V{id}")), a.var_info);
            numbers([(info.name, name), (info.properties, self.ty(*ty).code), (info.elements, ELEMENTS)])
        });
        let variables = variables.collect();
        let mut others = |letter: char, first: u64, name, elements, count: u64| {
            let all = (first..first + OTHERS)
                .map(|id| numbers([(name, string(&format!("{letter}{id}"))), (elements, count)]));
            Data::List(all.collect())
        };
        let addresses = others('A', 0, a.address_info.name, a.address_info.elements, 16);
        let predicates = others('P', 1, a.predicate_info.name, a.predicate_info.elements, 32);
        let samplers = others('S', 0, a.sampler_info.name, a.sampler_info.elements, 1);
        let surfaces = others('T', self.first_surface, a.surface_info.name, a.surface_info.elements, 1);
        let labels = others('L', 0, a.label_info.name, a.label_info.kind, 0);
        let data = a.kernel_data;
        members([
            (data.strings, Data::List(strings.into_iter().map(Data::Text).collect())),
            (data.variables, Data::List(variables)),
            (data.addresses, addresses),
            (data.predicates, predicates),
            (data.labels, labels),
            (data.samplers, samplers),
            (data.surfaces, surfaces),
        ])
    }

    /// Returns an object with this routine and some code, if the model has the structures for it.
    pub(crate) fn object(&self, version: Version, code: &[u8]) -> Option<Vec<u8>> {
        let (model, a) = (self.model, self.anatomy);
        let kernel = model.structure(a.kernel_data.structure)?;
        let header = model.structure(a.header.structure)?;
        let is_code =
            |s: &Structure| s.members.iter().any(|m| m.storage.iter().any(|(_, t)| *t == MemberType::Instructions));
        if !is_code(kernel) {
            return None;
        }
        let tables = self.tables().with(a.kernel_data.size.position, code.len() as u64);
        let entry = structure::write(model, kernel, &tables, version).bytes.len();
        let tables = tables.with(a.kernel_data.entry.position, entry as u64);
        let mut part = structure::write(model, kernel, &tables, version);
        let inputs = part.start(a.kernel_data.input_count);
        part.bytes.extend(code);
        let name = ROUTINE.bytes().map(|b| Data::Number(b.into())).collect();
        let head = |offset: usize| {
            let number = |n: usize| Data::Number(n as u64);
            let info = members([
                (a.kernel_info.name, Data::List(Vec::clone(&name))),
                (a.kernel_info.offset, number(offset)),
                (a.kernel_info.size, number(part.bytes.len())),
                (a.kernel_info.input_offset, number(offset + inputs)),
            ]);
            let value = members([
                (a.header.magic, Data::Number(u32::from_le_bytes(*b"CISA").into())),
                (a.header.major, Data::Number(version.major.into())),
                (a.header.minor, Data::Number(version.minor.into())),
                (a.header.kernels, Data::List(vec![info])),
            ]);
            structure::write(model, header, &value, version).bytes
        };
        let mut out = head(head(0).len());
        out.extend(part.bytes);
        Some(out)
    }
}

/// Returns true if an object's variable can have a type. Types that pack several small numbers into
/// a constant are excluded.
pub(crate) fn of_variables(model: &Model, ty: &DataType) -> bool {
    model.object_type(ty).is_none() && !matches!(said_of(model, ty, |types| types.packed), Some(CellValue::Number(_)))
}

/// Returns the element type of a packed constant.
pub(crate) fn element(model: &Model, ty: TypeId) -> TypeId {
    let element = match said_of(model, model.ty(ty), |types| types.element) {
        Some(CellValue::Names(names)) => names.first(),
        _ => None,
    };
    element.and_then(|name| model.types.iter().position(|t| t.name == *name)).map_or(ty, TypeId)
}

/// Returns true for integer types.
pub(crate) fn is_integer(model: &Model, ty: TypeId) -> bool {
    let said = said_of(model, model.ty(ty), |types| types.class);
    let fraction = model.anatomy.as_ref().map(|a| &a.types.fraction);
    !matches!(said, Some(CellValue::Names(names)) if names.iter().any(|n| Some(n) == fraction))
}

/// Returns the cell of a further column in the table of data types.
fn said_of<'m>(model: &Model, ty: &'m DataType, column: fn(&Types) -> usize) -> Option<&'m CellValue> {
    ty.cells.get(column(&model.anatomy.as_ref()?.types)).map(|cell| &cell.value)
}
