//! Layout of a routine's variables in the register file of a thread.
//!
//! ```text
//! | payload, inputs | predefined variables | declared variables | addresses | constants | slack |
//! ```
//!
//! A variable with an input in the payload stays in the payload. An alias is located in its base
//! variable.

use std::collections::HashSet;
use std::ops::Range;

use crate::limits::REGISTER_BYTES;
use visakit::isa::{
    AliasScope, DataType, GeneralId, InputClass, Operand, Platform, VarInfo, VecOperand, predefined,
    predefined_sampler, predefined_surface,
};
use visakit::limits::ALIAS_DEPTH;
use visakit::object::Routine;
use visakit::rt::{FieldRef, Visitor};
use visakit_machine::activation::Function;
use visakit_machine::thread::ones;

/// A general variable with its location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Offset in the register file in bytes.
    pub offset: u32,
    /// Element type.
    pub data_type: DataType,
    /// Variable that owns the storage: itself unless it is an alias.
    pub root: GeneralId,
}

/// A copy from the payload, for a variable larger than its input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Copy {
    /// Offset in the payload.
    pub from: u32,
    /// Offset of the variable.
    pub to: u32,
    /// Size in bytes.
    pub size: u32,
}

/// Locations of all variables of a routine on a platform.
#[derive(Clone, Debug)]
pub struct Layout {
    /// Size of a register in bytes.
    pub grf_bytes: u32,
    /// Size of the payload in bytes, including inputs past its end.
    pub payload_bytes: u32,
    /// Copies made when a thread starts.
    pub copies: Vec<Copy>,
    /// Size in bytes of everything before the address variables.
    pub len: u32,
    /// Offset of the constants in the register file.
    pub constants_at: u32,
    /// Byte range of the routine's own variables.
    registers: Range<u32>,
    predefined: Vec<Variable>,
    declared: Vec<Variable>,
    /// Added to predicate ids.
    predicates: u32,
    /// Highest predicate number.
    predicate_end: u32,
    /// Elements of each of the routine's own predicates, one bit each.
    predicate_elements: Vec<u32>,
    /// Register offset of each address variable, then the end of the last.
    addresses: Vec<u32>,
    /// First element of each surface, including predefined ones, then the total number of elements.
    surfaces: Vec<u32>,
    /// First element of each sampler, after the surfaces' elements, then the end of the last
    /// sampler.
    samplers: Vec<u32>,
}

impl Layout {
    /// Lays out the variables. `payload` is the size of the payload in bytes.
    ///
    /// # Errors
    /// A description of the defect in the routine's tables.
    pub fn new(routine: &Routine, platform: Platform, payload: u32) -> Result<Self, String> {
        Self::with_functions(routine, &[], platform, payload).map(|mut layouts| layouts.swap_remove(0))
    }

    /// Lays out the variables of a kernel and of the functions that it may call. They share the
    /// predefined variables. Returns one layout per routine, the kernel's first.
    ///
    /// # Errors
    /// As [`Layout::new`].
    pub fn with_functions(
        kernel: &Routine,
        functions: &[&Routine],
        platform: Platform,
        payload: u32,
    ) -> Result<Vec<Self>, String> {
        let mut used = used_variables(kernel);
        let of_functions: Vec<_> = functions.iter().map(|function| used_variables(function)).collect();
        let predefined = |id: &&GeneralId| id.0 < predefined::DECLARED;
        used.extend(of_functions.iter().flat_map(|used| used.iter().filter(predefined)));
        let mut layouts = vec![Self::of_kernel(kernel, &used, platform, payload)?];
        for (function, used) in functions.iter().zip(&of_functions) {
            let next = layouts[layouts.len() - 1].of_function(function, used)?;
            layouts.push(next);
        }
        // The register bounds of operands cover the variables of all routines.
        let len = layouts[layouts.len() - 1].len;
        let mut end = len.next_multiple_of(64);
        for (layout, routine) in layouts.iter_mut().zip(std::iter::once(&kernel).chain(functions)) {
            layout.len = len;
            layout.addresses = starts(routine.addresses.iter().map(|a| a.num_elements), end, ADDRESS_BYTES);
            end = layout.addresses().end;
        }
        layouts.iter_mut().for_each(|layout| layout.constants_at = end.next_multiple_of(64));
        Ok(layouts)
    }

    /// Returns the layout of a function whose variables follow those of this routine.
    fn of_function(&self, routine: &Routine, used: &HashSet<GeneralId>) -> Result<Self, String> {
        let mut space = Space { next: self.len, grf: self.grf_bytes };
        let mut declared = Vec::with_capacity(routine.variables.len());
        for (index, variable) in routine.variables.iter().enumerate() {
            let id = GeneralId(predefined::DECLARED + index as u32);
            declared.push(declare(&mut space, variable, id, used, None, &mut Vec::new())?);
        }
        let mut layout = Self {
            len: space.next,
            registers: self.len..space.next,
            declared,
            copies: Vec::new(),
            predicates: self.predicate_count(),
            predicate_end: self.predicate_count() + routine.predicates.len() as u32,
            predicate_elements: predicate_elements(routine),
            ..self.clone()
        };
        layout.place_states(routine, self.state_count() as u32);
        layout.resolve_aliases(routine)?;
        Ok(layout)
    }

    /// Assigns elements to state variables, starting at `first`.
    fn place_states(&mut self, routine: &Routine, first: u32) {
        let predefined = (0..predefined_surface::DECLARED).map(|_| 1);
        self.surfaces = starts(predefined.chain(routine.surfaces.iter().map(|s| s.num_elements)), first, 1);
        let behind = self.surfaces.last().copied().unwrap_or(first);
        // The bindless sampler follows the others, regardless of its number.
        self.samplers = starts(routine.samplers.iter().map(|s| s.num_elements).chain([1]), behind, 1);
    }

    fn of_kernel(
        routine: &Routine,
        used: &HashSet<GeneralId>,
        platform: Platform,
        payload: u32,
    ) -> Result<Self, String> {
        let grf = platform.register_bytes();
        let mut space = Space { next: 0, grf };
        let inputs = inputs(routine)?;
        let mut area = payload;
        for input in inputs.iter().flatten() {
            area = area.max(input.from.saturating_add(input.size));
        }
        space.take(u64::from(area))?;
        let predefined = predefined_variables(&mut space, used)?;
        let mut copies = Vec::new();
        let mut declared = Vec::with_capacity(routine.variables.len());
        for (index, variable) in routine.variables.iter().enumerate() {
            let id = GeneralId(predefined::DECLARED + index as u32);
            declared.push(declare(&mut space, variable, id, used, inputs[index], &mut copies)?);
        }
        let mut layout = Self {
            grf_bytes: grf,
            payload_bytes: area,
            copies,
            len: space.next,
            constants_at: 0,
            registers: 0..space.next,
            predefined,
            declared,
            predicates: 0,
            predicate_end: routine.predicates.len() as u32,
            predicate_elements: predicate_elements(routine),
            addresses: Vec::new(),
            surfaces: Vec::new(),
            samplers: Vec::new(),
        };
        layout.place_states(routine, 0);
        layout.resolve_aliases(routine)?;
        Ok(layout)
    }

    /// Returns the parts of the thread state that belong to the routine; its blocks are left empty.
    pub fn own(&self) -> Function {
        Function {
            registers: [self.registers.clone(), self.addresses()],
            predicates: self.predicates as usize + 1..self.predicate_end as usize + 1,
            states: self.surfaces.first().map_or(0, |&n| n as usize)..self.state_count(),
            ..Function::default()
        }
    }

    /// Returns a variable by its id; `None` if the id is out of range.
    #[inline]
    pub fn variable(&self, id: GeneralId) -> Option<Variable> {
        match id.0.checked_sub(predefined::DECLARED) {
            Some(index) => self.declared.get(index as usize).copied(),
            None => self.predefined.get(id.0 as usize).copied(),
        }
    }

    /// Returns the global number of a predicate; 0 stands for none.
    #[inline]
    pub fn predicate(&self, id: u32) -> Option<u32> {
        (1..=self.predicate_end - self.predicates).contains(&id).then(|| self.predicates + id)
    }

    /// Returns the elements of a predicate of the routine, one bit each.
    #[inline]
    pub fn predicate_elements(&self, id: u32) -> u32 {
        let index = (id as usize).checked_sub(1);
        index.and_then(|index| self.predicate_elements.get(index)).copied().unwrap_or(0)
    }

    /// Returns the highest predicate number.
    pub fn predicate_count(&self) -> u32 {
        self.predicate_end
    }

    /// Returns the register offset of an address variable. Each element is a dword: an offset into
    /// the general registers.
    #[inline]
    pub fn address(&self, id: u32) -> Option<u32> {
        self.addresses.get(id as usize).copied().filter(|_| (id as usize) + 1 < self.addresses.len())
    }

    /// Returns the bytes of the routine's address variables.
    pub fn addresses(&self) -> Range<u32> {
        let end = self.addresses.last().copied().unwrap_or(0);
        self.addresses.first().copied().unwrap_or(end)..end
    }

    /// Returns the index of a surface variable's first element among all state elements.
    #[inline]
    pub fn surface(&self, id: u32) -> Option<u32> {
        self.surfaces.get(id as usize).copied().filter(|_| (id as usize) + 1 < self.surfaces.len())
    }

    /// Returns the index of a sampler variable's first element among all state elements.
    #[inline]
    pub fn sampler(&self, id: u32) -> Option<u32> {
        let declared = self.samplers.len().checked_sub(2)?;
        let index = if id == predefined_sampler::S31.0 { declared } else { id as usize };
        self.samplers.get(index).copied().filter(|_| index < declared || id == predefined_sampler::S31.0)
    }

    /// Returns the number of state elements: surfaces, then samplers.
    pub fn state_count(&self) -> usize {
        self.samplers.last().map_or(0, |&n| n as usize)
    }

    /// Locates aliases in their base variables. An alias may refer to another alias, earlier or
    /// later in the table.
    fn resolve_aliases(&mut self, routine: &Routine) -> Result<(), String> {
        for index in 0..routine.variables.len() {
            let (mut at, mut offset, mut steps) = (index, 0_u64, 0);
            let root = loop {
                let variable = &routine.variables[at];
                if variable.alias_index.0 == 0 {
                    break self.declared[at];
                }
                offset += u64::from(variable.alias_offset);
                steps += 1;
                match variable.alias_index.0.checked_sub(predefined::DECLARED) {
                    None => break self.predefined[variable.alias_index.0 as usize],
                    Some(_) if steps > ALIAS_DEPTH => {
                        return Err(format!(
                            "variable {index} is an alias of itself, or its chain of aliases is \
                             longer than {ALIAS_DEPTH}"
                        ));
                    }
                    Some(next) if (next as usize) < routine.variables.len() => {
                        at = next as usize;
                    }
                    Some(_) => return Err(format!("variable {index} is an alias of an undeclared variable")),
                }
            };
            if steps > 0 {
                let offset = u32::try_from(u64::from(root.offset) + offset).unwrap_or(u32::MAX);
                self.declared[index].offset = offset;
                self.declared[index].root = root.root;
            }
        }
        Ok(())
    }
}

/// Allocates a declared variable.
fn declare(
    space: &mut Space,
    variable: &VarInfo,
    id: GeneralId,
    used: &HashSet<GeneralId>,
    input: Option<Copy>,
    copies: &mut Vec<Copy>,
) -> Result<Variable, String> {
    let data_type = variable.bit_properties.type_;
    let bytes = u64::from(variable.num_elements) * u64::from(data_type.bits().max(8) / 8);
    if variable.alias_scope_specifier == AliasScope::Global {
        return Err(format!("variable {} is an alias of a variable of the file, which is not supported yet", id.0));
    }
    let is_alias = variable.alias_index.0 != 0;
    let offset = match input {
        // An alias is located later; an unused variable gets no space.
        _ if is_alias || !used.contains(&id) => 0,
        Some(input) if bytes <= u64::from(input.size) => input.from,
        input => {
            let offset = space.take(bytes)?;
            copies.extend(input.map(|input| Copy { to: offset, ..input }));
            offset
        }
    };
    Ok(Variable { offset, data_type, root: id })
}

/// Bump allocator of register space.
struct Space {
    next: u32,
    grf: u32,
}

impl Space {
    /// Allocates `bytes` bytes. The alignment serves host cache lines; no operand depends on it.
    fn take(&mut self, bytes: u64) -> Result<u32, String> {
        let offset = u64::from(self.next).next_multiple_of(if bytes >= 32 { 64 } else { 8 });
        let end = offset + bytes;
        match u32::try_from(end) {
            Ok(next) if end <= REGISTER_BYTES => self.next = next,
            _ => return Err(format!("the variables of the routine exceed {} MiB", REGISTER_BYTES >> 20)),
        }
        Ok(offset as u32)
    }
}

/// Returns the input of each declared variable, if it has one.
fn inputs(routine: &Routine) -> Result<Vec<Option<Copy>>, String> {
    let mut inputs = vec![None; routine.variables.len()];
    for input in &routine.inputs {
        if input.kind.class != InputClass::General {
            return Err(format!("inputs of the class {} are not supported yet", input.kind.class.name()));
        }
        let place = input.id.checked_sub(predefined::DECLARED).and_then(|index| inputs.get_mut(index as usize));
        let (Some(place), Ok(from)) = (place, u32::try_from(input.offset)) else {
            return Err(format!("the input for variable {} at offset {} is out of range", input.id, input.offset));
        };
        *place = Some(Copy { from, to: from, size: u32::from(input.size) });
    }
    Ok(inputs)
}

/// Returns the variables that instructions use, and their base variables.
fn used_variables(routine: &Routine) -> HashSet<GeneralId> {
    struct Uses(HashSet<GeneralId>);
    impl Visitor<'_> for Uses {
        fn field(&mut self, _: usize, value: FieldRef<'_>) {
            match value {
                FieldRef::Vector(VecOperand { operand: Operand::General(general), .. }) => self.0.insert(general.id),
                FieldRef::Raw(raw) => self.0.insert(raw.id),
                _ => false,
            };
        }
    }
    let mut uses = Uses(HashSet::new());
    for instruction in &routine.instructions {
        instruction.visit(&mut uses);
    }
    let mut used = uses.0;
    let mut rest: Vec<GeneralId> = used.iter().copied().collect();
    while let Some(id) = rest.pop() {
        let index = id.0.checked_sub(predefined::DECLARED).map(|index| index as usize);
        let variable = index.and_then(|index| routine.variables.get(index));
        if let Some(base) = variable.map(|variable| variable.alias_index).filter(|base| base.0 != 0)
            && used.insert(base)
        {
            rest.push(base);
        }
    }
    used
}

/// Allocates the predefined variables; large ones only if they are used.
fn predefined_variables(space: &mut Space, used: &HashSet<GeneralId>) -> Result<Vec<Variable>, String> {
    let mut variables = Vec::with_capacity(predefined::DECLARED as usize);
    for id in 0..predefined::DECLARED {
        let root = GeneralId(id);
        let entry = predefined::ALL.iter().find(|entry| entry.id == id);
        variables.push(match entry {
            // Register 0 is the start of the payload.
            Some(entry) if root == predefined::R0 => Variable { offset: 0, data_type: entry.data_type, root },
            Some(entry) => {
                let bytes = entry.bytes(space.grf);
                let is_small = bytes <= 16 * entry.data_type.bits() / 8;
                let bytes = if is_small || used.contains(&root) { u64::from(bytes) } else { 0 };
                Variable { offset: space.take(bytes)?, data_type: entry.data_type, root }
            }
            None => Variable {
                offset: space.take(if used.contains(&root) { u64::from(space.grf) } else { 0 })?,
                data_type: DataType::Ud,
                root,
            },
        });
    }
    Ok(variables)
}

/// Returns the elements of each predicate, one bit each.
fn predicate_elements(routine: &Routine) -> Vec<u32> {
    routine.predicates.iter().map(|predicate| ones(predicate.num_elements.into())).collect()
}

/// Size of an element of an address variable.
const ADDRESS_BYTES: u32 = 4;

/// Returns running sums from `first`, `bytes` for each element: the start of each variable, and the
/// end of the last.
fn starts(sizes: impl Iterator<Item = u16>, first: u32, bytes: u32) -> Vec<u32> {
    let mut sum = first;
    let mut starts = vec![first];
    for size in sizes {
        sum += u32::from(size.max(1)) * bytes;
        starts.push(sum);
    }
    starts
}
