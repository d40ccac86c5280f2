//! The routine that probed instructions stand in: a variable of each type, and some of everything else. It is made
//! twice from the model, as text and as an object.

use serde_json::{Value as Json, json};
use std::fmt::Write as _;
use visakit_codegen::model::{FieldKind, IndexKind, MemberType, Model, Predefined, Structure};
use visakit_codegen::template::Format;

use super::meaning::{BitsKind, bits, named};
use super::sample::{Operand, Operands, Value};
use super::structure;
use visakit::rt::Version;

/// Name of the routine; it is string 0.
pub(super) const ROUTINE: &str = "probe";

/// The first id of a routine's general variables, see *Predefined variables* in chapter 4.
const FIRST_GENERAL: u64 = 32;

/// Elements of a declared variable.
const ELEMENTS: u64 = 16;

/// How many addresses, predicates, samplers, surfaces and labels there are.
pub(super) const OTHERS: u64 = 3;

/// The routine and the names that its text has.
pub(super) struct World<'m> {
    pub(super) model: &'m Model,
    pub(super) operands: Operands<'m>,
    /// Size of a register.
    pub(super) register_bytes: u64,
    /// Types of the declared variables: name in capitals.
    types: Vec<&'m str>,
    first_surface: u64,
}

impl<'m> World<'m> {
    /// A routine for a model; `None` where its chapters define no operands.
    pub(super) fn new(model: &'m Model) -> Option<Self> {
        let operands = Operands::new(model)?;
        // Packed types are of constants only.
        let types = model.types.iter().map(|t| t.name.as_str()).filter(|t| !is_packed(t)).collect();
        let first_surface = model.surfaces.iter().map(|s| s.id + 1).max().unwrap_or(0);
        Some(Self { model, operands, register_bytes: 32, types, first_surface })
    }

    /// The variable of a type.
    pub(super) fn variable(&self, ty: &str) -> Option<u64> {
        let at = self.types.iter().position(|t| t.eq_ignore_ascii_case(ty))?;
        Some(FIRST_GENERAL + at as u64)
    }

    /// The type of a general variable.
    pub(super) fn type_of(&self, id: u64) -> Option<&'m str> {
        match id.checked_sub(FIRST_GENERAL) {
            Some(at) => self.types.get(at as usize).copied(),
            None => self.model.predefined.iter().find(|p| p.id == id).map(|p| p.ty.as_str()),
        }
    }

    /// Bytes of an element of a variable.
    pub(super) fn element_bytes(&self, id: u64) -> u64 {
        let ty = self.type_of(id).and_then(|name| self.model.types.iter().find(|t| t.name == name));
        ty.map_or(1, |t| u64::from(t.bits.div_ceil(8)))
    }

    /// Bytes of a general variable, for registers of so many bytes; a predefined one depends on them.
    pub(super) fn variable_bytes(&self, id: u64, register: u64) -> Option<u64> {
        let elements = match id.checked_sub(FIRST_GENERAL) {
            Some(at) => (at < self.types.len() as u64).then_some(ELEMENTS)?,
            None => {
                let (narrow, wide) = self.model.predefined.iter().find(|p| p.id == id)?.elements;
                u64::from(if register > 32 { wide } else { narrow })
            }
        };
        Some(elements * self.element_bytes(id))
    }

    /// The first declared entry of a table.
    pub(super) fn first(&self, kind: IndexKind) -> u64 {
        match kind {
            IndexKind::General => FIRST_GENERAL,
            IndexKind::Predicate => 1,
            IndexKind::Surface => self.first_surface,
            IndexKind::String | IndexKind::Address | IndexKind::Sampler | IndexKind::Label => 0,
        }
    }

    /// Whether an entry of a table is declared here or predefined.
    pub(super) fn has(&self, kind: IndexKind, id: u64) -> bool {
        let declared = match kind {
            IndexKind::General => self.types.len() as u64,
            IndexKind::String => 1,
            _ => OTHERS,
        };
        let first = self.first(kind);
        (first..first + declared).contains(&id) || self.predefined(kind, id).is_some_and(|p| !p.name.is_empty())
    }

    /// The predefined entry of a table.
    pub(super) fn predefined(&self, kind: IndexKind, id: u64) -> Option<&'m Predefined> {
        let table = match kind {
            IndexKind::General => &self.model.predefined,
            IndexKind::Surface => &self.model.surfaces,
            _ => return None,
        };
        table.iter().find(|p| p.id == id)
    }

    /// The name of an entry of a table.
    pub(super) fn name(&self, kind: IndexKind, id: u64) -> String {
        if let Some(entry) = self.predefined(kind, id) {
            return entry.name.clone();
        }
        match kind {
            IndexKind::General => format!("V{id}"),
            IndexKind::Address => format!("A{id}"),
            IndexKind::Predicate => format!("P{id}"),
            IndexKind::Sampler => format!("S{id}"),
            IndexKind::Surface => format!("T{id}"),
            IndexKind::Label => format!("L{id}"),
            IndexKind::String if id == 0 => ROUTINE.to_owned(),
            IndexKind::String => format!("N{id}"),
        }
    }

    /// The table of a state operand.
    pub(super) fn state_table(&self, operand: &Operand) -> IndexKind {
        let class = self.operands.get(operand, "class");
        let member = self.operands.structure(operand).and_then(|s| s.members.iter().find(|m| m.name == "class"));
        let name = match member.map(|m| m.shape) {
            Some(FieldKind::List(id)) => bits(self.model, id).into_iter().find_map(|b| match b.what {
                BitsKind::Values(values) => named(values, b.of(class)).map(|v| v.name.to_ascii_lowercase()),
                _ => None,
            }),
            _ => None,
        };
        match name.as_deref() {
            Some("sampler") => IndexKind::Sampler,
            _ => IndexKind::Surface,
        }
    }

    /// Whether an immediate has its upper half.
    pub(super) fn is_wide(&self, operand: &Operand) -> bool {
        let Some(structure) = self.operands.structure(operand) else { return false };
        let high = structure.members.iter().find(|m| m.name == "high");
        high.is_some_and(|m| self.operands.member_present(structure, m, &operand.members))
    }

    /// The type code of an indirect operand, among the bits that stand beside it.
    pub(super) fn type_of_indirect(&self, operand: &Operand) -> u64 {
        let whole = self.operands.get(operand, "bit_properties");
        let shape = self
            .model
            .structures
            .iter()
            .filter(|s| s.class.as_ref().is_some_and(|c| c.eq_ignore_ascii_case("indirect")))
            .flat_map(|s| &s.members)
            .find(|m| m.name == "bit_properties")
            .map(|m| m.shape);
        let Some(FieldKind::List(list)) = shape else { return whole };
        let code = bits(self.model, list).into_iter().find(|b| matches!(b.what, BitsKind::DataType));
        code.map_or(whole, |b| b.of(whole))
    }

    /// The type of an operand, in capitals, where it has one of its own.
    pub(super) fn operand_type(&self, operand: &Operand) -> Option<&'m str> {
        let by_code = |code| self.model.types.iter().find(|t| t.code == code).map(|t| t.name.as_str());
        match self.operands.class(operand) {
            "general" => self.type_of(self.operands.get(operand, "id")),
            "indirect" => by_code(self.type_of_indirect(operand)),
            "immediate" => by_code(self.operands.get(operand, "type")),
            "predicate" => Some("BOOL"),
            _ => None,
        }
    }

    /// Whether an operand is one that optional groups leave out: the null variable, or the constant 0.
    pub(super) fn is_nothing(&self, operand: &Operand) -> bool {
        if operand.tag.is_some() && self.operands.class(operand) == "immediate" {
            let high = if self.is_wide(operand) { self.operands.get(operand, "high") } else { 0 };
            return self.operands.get(operand, "low") == 0 && high == 0;
        }
        match operand.tag {
            None => *operand == self.operands.of_raw(),
            Some(_) => Some(operand) == self.operands.of_class("general").as_ref(),
        }
    }

    /// The operand that is not there.
    pub(super) fn null(&self) -> Value {
        self.operands.of_class("general").map_or(Value::Bits(0), Value::Operand)
    }

    /// The constant 0.
    pub(super) fn zero(&self) -> Value {
        self.operands.of_class("immediate").map_or(Value::Bits(0), Value::Operand)
    }

    /// What is read from the text of an operand in a format: what the text does not show is as chapter 5 and the
    /// table of formats say.
    pub(super) fn read_operand(&self, operand: &Operand, format: Format, saturated: bool) -> Operand {
        let mut out = operand.clone();
        if operand.tag.is_none() {
            return out;
        }
        if let (Some(b), Some(tag)) = (&self.operands.modifier, operand.tag)
            && let BitsKind::Values(values) = b.what
            && named(values, b.of(tag)).is_some_and(|v| v.text.is_empty())
            && !saturated
        {
            out.tag = Some(b.set(tag, 0));
        }
        match (self.operands.class(operand), format) {
            ("general", Format::Bare | Format::Address) => self.operands.region(out, "0", "1", "0"),
            ("general", Format::Packed) => self.operands.region(out, "1", "1", "0"),
            ("immediate", Format::Bare) => {
                let dword = self.model.types.iter().find(|t| t.name == "UD").map_or(0, |t| t.code);
                self.operands.with(out, "type", dword)
            }
            ("predicate", _) => {
                let Some(list) = self.model.shared_list("Predicate") else { return out };
                let value = self.operands.get(operand, "value");
                let id = bits(self.model, list).into_iter().find(|b| b.name == "id");
                self.operands.with(out, "value", id.map_or(0, |b| b.set(0, b.of(value))))
            }
            _ => out,
        }
    }

    /// The text in front of the instructions.
    pub(super) fn head(&self, version: Version) -> String {
        let mut out = format!(".version {version}\n.kernel \"{ROUTINE}\"\n");
        for line in self.declarations() {
            let _ = writeln!(out, "{line}");
        }
        out
    }

    /// The declarations, one a line.
    pub(super) fn declarations(&self) -> Vec<String> {
        let mut out = Vec::new();
        for (at, ty) in self.types.iter().enumerate() {
            let ty = ty.to_ascii_lowercase();
            out.push(format!(".decl V{} v_type=G type={ty} num_elts={ELEMENTS}", FIRST_GENERAL + at as u64));
        }
        for n in 0..OTHERS {
            out.push(format!(".decl A{n} v_type=A num_elts=16"));
        }
        for n in 1..=OTHERS {
            out.push(format!(".decl P{n} v_type=P num_elts=32"));
        }
        for n in 0..OTHERS {
            out.push(format!(".decl S{n} v_type=S num_elts=1 v_name=S{n}"));
        }
        for n in 0..OTHERS {
            let n = n + self.first_surface;
            out.push(format!(".decl T{n} v_type=T num_elts=1 v_name=T{n}"));
        }
        out
    }

    /// The labels, which every text ends with.
    pub(super) fn tail(&self) -> String {
        (0..OTHERS).map(|n| format!("L{n}:\n")).collect()
    }

    /// The tables of the routine as the members of its structure.
    fn tables(&self) -> Json {
        let mut strings = vec![ROUTINE.to_owned()];
        let mut string = |text: &str| match strings.iter().position(|s| s == text) {
            Some(at) => at,
            None => {
                strings.push(text.to_owned());
                strings.len() - 1
            }
        };
        for entry in self.model.predefined.iter().chain(&self.model.surfaces).chain(&self.model.samplers) {
            string(&entry.name);
        }
        let code = |ty: &str| self.model.types.iter().find(|t| t.name == ty).map_or(0, |t| t.code);
        let variables: Vec<Json> = (FIRST_GENERAL..)
            .zip(&self.types)
            .map(|(id, ty)| json!({"name_index": string(&format!("V{id}")), "bit_properties": code(ty), "num_elements": ELEMENTS}))
            .collect();
        let mut others = |letter: char, first: u64, elements: u64| -> Vec<Json> {
            (first..first + OTHERS)
                .map(|id| json!({"name_index": string(&format!("{letter}{id}")), "num_elements": elements}))
                .collect()
        };
        let addresses = others('A', 0, 16);
        let predicates = others('P', 1, 32);
        let samplers = others('S', 0, 1);
        let surfaces = others('T', self.first_surface, 1);
        let labels: Vec<Json> =
            (0..OTHERS).map(|id| json!({"name_index": string(&format!("L{id}")), "kind": 0})).collect();
        json!({
            "string_pool": strings, "var_info": variables, "address_info": addresses, "predicate_info": predicates,
            "label_info": labels, "sampler_info": samplers, "surface_info": surfaces,
        })
    }

    /// The object with this routine and some code, if the model has the structures for it.
    pub(super) fn object(&self, version: Version, code: &[u8]) -> Option<Vec<u8>> {
        self.object_of(version, self.tables(), code)
    }

    /// An object with one kernel of these tables.
    pub(super) fn object_of(&self, version: Version, mut tables: Json, code: &[u8]) -> Option<Vec<u8>> {
        let model = self.model;
        let kernel = structure::find(model, "kernel_data")?;
        let header = structure::find(model, "common_isa_header")?;
        let is_code =
            |s: &Structure| s.members.iter().any(|m| m.storage.iter().any(|(_, t)| *t == MemberType::Instructions));
        if !is_code(kernel) {
            return None;
        }
        tables["size"] = json!(code.len());
        tables["entry"] = json!(structure::write(model, kernel, &tables, version).bytes.len());
        let mut part = structure::write(model, kernel, &tables, version);
        let inputs = part.start(kernel, "num_inputs");
        part.bytes.extend(code);
        let magic = u32::from_le_bytes(*b"CISA");
        let name: Vec<u8> = ROUTINE.bytes().collect();
        let head = |offset: usize| {
            let info =
                json!({"name": name, "offset": offset, "size": part.bytes.len(), "input_offset": offset + inputs});
            let value = json!({
                "magic_number": magic, "major_version": version.major, "minor_version": version.minor, "kernel_info": [info],
            });
            structure::write(model, header, &value, version).bytes
        };
        let mut out = head(head(0).len());
        out.extend(part.bytes);
        Some(out)
    }
}

/// Whether a type packs several small numbers into a constant.
pub(super) fn is_packed(ty: &str) -> bool {
    matches!(ty, "V" | "UV" | "VF")
}
