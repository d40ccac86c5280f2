//! How much of a variable any instruction looks at.
//!
//! The compiler rounds a load that is the same for all channels up to a size that a message has: of
//! three dwords it loads four and never looks at the last. That one may lie behind the end of a
//! buffer, which does no harm on a device and is no fault of the program; so what nobody looks at
//! is not loaded here.

use std::collections::HashMap;
use std::ops::Range;

use crate::layout::Layout;
use crate::lowering::{channels, strides};
use visakit::isa::{ExecSize, GenOpnd, GeneralId, Operand, Stride, VecOperand, predefined};
use visakit::object::Routine;
use visakit::rt::{Bits, FieldRef, Role, Visitor, reflect};
use visakit_machine::lane::MAX_LANES;
use visakit_machine::region::Start;

/// What is read of each variable with storage of its own.
pub(super) struct Reads(Option<HashMap<GeneralId, Places>>);

/// Places in the register file.
#[derive(Default)]
struct Places {
    /// Behind the last byte that is read as a single element; the end of all registers where it is
    /// read in any other way.
    end: u32,
    /// All that may be read.
    ranges: Vec<Range<u32>>,
}

impl Reads {
    /// What the instructions of a routine read.
    pub(super) fn of(routine: &Routine, layout: &Layout) -> Self {
        let mut look = Look { layout, fields: &[], lanes: 0, places: HashMap::new() };
        for instruction in &routine.instructions {
            (look.fields, look.lanes) = (instruction.form().fields, MAX_LANES);
            instruction.visit(&mut look);
        }
        Self(Some(look.places))
    }

    /// Everything.
    pub(super) fn all() -> Self {
        Self(None)
    }

    /// How many of `count` elements of `size` bytes from `start` on are read, at least one. `root`
    /// is the variable whose storage they are in; the predefined ones are shared with other
    /// routines.
    pub(super) fn used(&self, root: GeneralId, start: u32, size: u32, count: usize) -> usize {
        let Some(places) = self.0.as_ref().filter(|_| root.0 >= predefined::DECLARED) else { return count };
        let end = places.get(&root).map_or(0, |places| places.end);
        (end.saturating_sub(start).div_ceil(size.max(1)) as usize).clamp(1, count.max(1))
    }

    /// Whether any of some bytes may be read.
    pub(super) fn is_read(&self, root: GeneralId, place: &Range<u32>) -> bool {
        let Some(places) = self.0.as_ref().filter(|_| root.0 >= predefined::DECLARED) else { return true };
        let overlaps = |read: &Range<u32>| read.start < place.end && place.start < read.end;
        places.get(&root).is_some_and(|places| places.ranges.iter().any(overlaps))
    }
}

/// Looks at the operands of instructions, whose numbers of channels come before them.
struct Look<'a> {
    layout: &'a Layout,
    fields: &'static [reflect::Field],
    /// Channels of the instruction.
    lanes: usize,
    places: HashMap<GeneralId, Places>,
}

impl Look<'_> {
    /// Takes note of what is read of a variable, and of the end of a single element.
    fn read(&mut self, id: GeneralId, range: Range<u32>, end: Option<u32>) {
        if let Some(variable) = self.layout.variable(id) {
            let places = self.places.entry(variable.root).or_default();
            places.end = places.end.max(end.unwrap_or(u32::MAX));
            places.ranges.push(range);
        }
    }

    /// The bytes that an operand may read: from its first one to the end of all registers where
    /// that is not known.
    fn range(&self, general: &GenOpnd, role: Role) -> Range<u32> {
        let Some(variable) = self.layout.variable(general.id) else { return 0..0 };
        if role == Role::Reference {
            return 0..u32::MAX;
        }
        let size = variable.data_type.bits().max(8) / 8;
        let rows = u32::from(general.row_offset).saturating_mul(self.layout.grf_bytes);
        let start = variable.offset.saturating_add(rows).saturating_add(u32::from(general.col_offset) * size);
        let region = strides(&general.region, Start::At(start), size, self.lanes);
        start..u32::try_from(u64::from(start) + region.extent(size)).unwrap_or(u32::MAX)
    }

    /// Behind the only element that an operand reads; none when it may read several.
    fn scalar_end(&self, operand: &VecOperand, role: Role) -> Option<u32> {
        let Operand::General(general) = &operand.operand else { return None };
        let region = &general.region;
        let one_element = region.vertical_stride == Stride::N0 && region.width == Stride::N1;
        if role == Role::Reference || !one_element {
            return None;
        }
        let variable = self.layout.variable(general.id)?;
        let size = variable.data_type.bits().max(8) / 8;
        let elements = (u32::from(general.col_offset) + 1) * size;
        variable.offset.checked_add(u32::from(general.row_offset) * self.layout.grf_bytes + elements)
    }
}

impl Visitor<'_> for Look<'_> {
    fn field(&mut self, position: usize, value: FieldRef<'_>) {
        if let (Some(field), FieldRef::Bits(bits)) = (self.fields.get(position), &value)
            && field.is_exec_size()
        {
            self.lanes = ExecSize::from_bits(*bits).map_or(MAX_LANES, channels);
        }
        let Some(role) = self.fields.get(position).and_then(|field| field.role) else { return };
        if role == Role::Write {
            return;
        }
        match value {
            FieldRef::Vector(operand) => {
                if let Operand::General(general) = &operand.operand {
                    self.read(general.id, self.range(general, role), self.scalar_end(operand, role));
                }
            }
            FieldRef::Raw(operand) => {
                let first = self.layout.variable(operand.id).map_or(0, |variable| variable.offset);
                self.read(operand.id, first.saturating_add(operand.offset.into())..u32::MAX, None);
            }
            _ => {}
        }
    }
}
