//! Entities that the instructions of a routine may refer to. A variable is declared when an operand
//! first needs it.

use arbitrary::{Result, Unstructured};
use visakit::builder::{RoutineBuilder, Variable};
use visakit::isa::{
    AddressId, Alignment, DataType, GeneralId, Platform, PredicateId, SamplerId, StringId, SurfaceId, limits,
    predefined, predefined_sampler, predefined_surface,
};
use visakit::object::Routine;
use visakit::rt::Table;
use visakit::rt::reflect::{Cell, Predefined};

/// Names of functions and strings, and prefixes of variable names.
pub(crate) const NAMES: &[&str] = &["alpha", "beta", "gamma"];

/// Tables of a routine under construction.
#[derive(Clone, Debug)]
pub(crate) struct Scope {
    pub(crate) platform: Platform,
    pub(crate) builder: RoutineBuilder,
    /// Finished copy of the tables, as the rules read them.
    pub(crate) routine: Routine,
    pub(crate) addresses: Vec<AddressId>,
    pub(crate) predicates: Vec<PredicateId>,
    pub(crate) samplers: Vec<SamplerId>,
    pub(crate) surfaces: Vec<SurfaceId>,
    pub(crate) strings: Vec<StringId>,
    /// General variables available to operands, with their types and sizes in bytes; loop counters
    /// are excluded.
    variables: Vec<(GeneralId, DataType, u32)>,
}

impl Scope {
    /// Creates a routine with some entries in every table except general variables.
    pub(crate) fn new(mut builder: RoutineBuilder, platform: Platform, u: &mut Unstructured<'_>) -> Result<Self> {
        let some = |u: &mut Unstructured<'_>| u.int_in_range(1..=3_u16);
        let addresses = (0..some(u)?).map(|_| builder.address("", platform.address_elements() as u16)).collect();
        let mut predicates = Vec::new();
        for _ in 0..some(u)? {
            let bits = if u.ratio(3, 4)? { limits::PREDICATE_BITS } else { 1 << u.int_in_range(0..=5)? };
            predicates.push(builder.predicate("", bits as u16));
        }
        let samplers = (0..some(u)?).map(|_| builder.sampler("", 1)).collect();
        let surfaces = (0..some(u)?).map(|_| builder.surface("", 1)).collect();
        let strings = NAMES.iter().map(|name| builder.string(name)).collect();
        let mut out = Self {
            platform,
            builder,
            routine: Routine::default(),
            addresses,
            predicates,
            samplers,
            surfaces,
            strings,
            variables: Vec::new(),
        };
        out.refresh();
        Ok(out)
    }

    fn refresh(&mut self) {
        // The builder reports all errors when the routine is finished.
        self.routine = self.builder.clone().finish().unwrap_or_else(|e| panic!("the scope is wrong: {e}"));
    }

    /// Declares a loop counter and a predicate that no drawn operand uses.
    pub(crate) fn counter(&mut self, data_type: DataType) -> (GeneralId, PredicateId) {
        let id = self.builder.variable(Variable::new("", data_type, 1).align(Alignment::Grf));
        let predicate = self.builder.predicate("", 1);
        self.refresh();
        (id, predicate)
    }

    /// Declares an input at a byte offset of the register file.
    pub(crate) fn input(&mut self, data_type: DataType, elements: u16, offset: u32) {
        let id = self.builder.variable(Variable::new("", data_type, elements));
        self.builder.input(id, offset as i16);
        self.variables.push((id, data_type, data_type.bits() / 8 * u32::from(elements)));
        self.refresh();
    }

    /// Returns a variable of a type with at least `bytes` bytes.
    pub(crate) fn variable(
        &mut self,
        u: &mut Unstructured<'_>,
        data_type: DataType,
        bytes: u32,
    ) -> Result<GeneralId> {
        // Types that exist only in texts cannot be encoded.
        let data_type = data_type.object_type().unwrap_or(data_type);
        let fits = |(_, ty, has): &&(GeneralId, DataType, u32)| *ty == data_type && *has >= bytes;
        let known: Vec<_> = self.variables.iter().filter(fits).map(|(id, ..)| *id).collect();
        // Few variables per type make it likely that a read follows a write.
        if known.len() >= 4 || !known.is_empty() && u.ratio(3, 4)? {
            return Ok(*u.choose(&known)?);
        }
        let element = (data_type.bits() / 8).max(1);
        let registers = self.platform.register_bytes() / element;
        let least = bytes.div_ceil(element).max(1);
        let elements = match u.int_in_range(0..=2)? {
            0 => least,
            1 => least.next_multiple_of(registers),
            _ => least + u.int_in_range(0..=registers)?,
        };
        let alignment = if u.ratio(1, 8)? { *u.choose(Alignment::ALL)? } else { Alignment::Grf };
        // Most names are the usual ones.
        let name =
            if u.ratio(1, 8)? { format!("{}{}", u.choose(NAMES)?, self.variables.len()) } else { String::new() };
        let elements = elements.clamp(1, limits::ELEMENTS);
        let mut variable = Variable::new(name, data_type, elements as u16).align(alignment);
        if u.ratio(1, 8)?
            && let Some((of, offset)) = self.alias(u, element, elements * element)?
        {
            variable = variable.alias(of, offset);
        }
        let id = self.builder.variable(variable);
        self.variables.push((id, data_type, elements * element));
        self.refresh();
        Ok(id)
    }

    /// Draws a position in an existing variable for an alias of `bytes` bytes.
    fn alias(&self, u: &mut Unstructured<'_>, element: u32, bytes: u32) -> Result<Option<(GeneralId, u16)>> {
        // A variable that fills a register needs a stronger alignment than operands' variables
        // have.
        let register = self.platform.register_bytes();
        let fits = |(_, ty, has): &&(GeneralId, DataType, u32)| {
            *has >= bytes && ty.bits() / 8 >= element && bytes < register
        };
        let known: Vec<_> = self.variables.iter().filter(fits).collect();
        if known.is_empty() {
            return Ok(None);
        }
        let (id, _, has) = **u.choose(&known)?;
        let offset = u.int_in_range(0..=(has - bytes) / element)? * element;
        Ok(u16::try_from(offset).ok().map(|offset| (id, offset)))
    }

    /// Returns the size of a general variable in bytes.
    pub(crate) fn bytes(&self, id: GeneralId) -> Option<u32> {
        match id.0.checked_sub(predefined::DECLARED) {
            Some(at) => {
                let info = self.routine.variables.get(at as usize)?;
                Some(u32::from(info.num_elements) * info.bit_properties.type_.bits() / 8)
            }
            None => predefined::ALL.iter().find(|p| p.id == id.0).map(|p| self.predefined_bytes(p)),
        }
    }

    pub(crate) fn predefined_bytes(&self, variable: &Predefined) -> u32 {
        variable.bytes(self.platform.register_bytes())
    }

    /// Draws a declared or predefined entry of a table and returns its number.
    pub(crate) fn entry(&mut self, u: &mut Unstructured<'_>, table: Table) -> Result<u32> {
        let usual = |u: &mut Unstructured<'_>, all: &[Predefined], declared: Option<u32>| {
            // The pages do not define reserved entries.
            let means = |p: &&Predefined| p.cells.is_empty() || p.cells.iter().any(|cell| *cell != Cell::None);
            let predefined = all.iter().filter(means).map(|p| p.id);
            let all: Vec<u32> = declared.into_iter().chain(predefined).collect();
            if u.ratio(2, 3)? {
                all.first().copied().ok_or(arbitrary::Error::EmptyChoose)
            } else {
                u.choose(&all).copied()
            }
        };
        Ok(match table {
            Table::General => {
                let data_type = *u.choose(&[DataType::Ud, DataType::F, DataType::D])?;
                self.variable(u, data_type, 4)?.0
            }
            Table::Address => u.choose(&self.addresses)?.0,
            Table::Predicate => u.choose(&self.predicates)?.0,
            Table::Sampler => {
                let declared = u.choose(&self.samplers)?.0;
                usual(u, predefined_sampler::ALL, Some(declared))?
            }
            Table::Surface => {
                let declared = u.choose(&self.surfaces)?.0;
                usual(u, predefined_surface::ALL, Some(declared))?
            }
            Table::String => u.choose(&self.strings)?.0,
            // Labels are chosen by the plan of the routine.
            Table::Label => 0,
        })
    }
}
