//! Liveness of loaded elements: the extent of a variable that instructions read.
//!
//! The compiler rounds a load that is uniform over channels up to a supported message size: for
//! three dwords it loads four and never reads the last. That dword may lie past the end of a
//! buffer, which is harmless on a device and not a fault of the program. The emulator therefore
//! does not load elements that no instruction reads.

use std::collections::HashMap;
use std::ops::Range;

use crate::lowering::layout::Layout;
use crate::lowering::shape::{channels, strides};
use visakit::isa::{ExecSize, GenOpnd, GeneralId, Operand, Stride, VecOperand, predefined};
use visakit::object::Routine;
use visakit::rt::{Bits, FieldRef, Role, Visitor, reflect};
use visakit_machine::lane::MAX_LANES;
use visakit_machine::region::Start;

/// Reads of each variable with its own storage; `None` if everything counts as read.
pub(crate) struct Reads(Option<HashMap<GeneralId, Places>>);

/// Locations in the register file.
#[derive(Default)]
struct Places {
    /// End of the last byte read as a single element; the maximum if the variable is read in any
    /// other way.
    end: u32,
    /// Byte ranges that may be read.
    ranges: Vec<Range<u32>>,
}

impl Reads {
    /// Collects the reads of a routine's instructions.
    pub(crate) fn of(routine: &Routine, layout: &Layout) -> Self {
        let mut look = Look { layout, fields: &[], lanes: 0, places: HashMap::new() };
        for instruction in &routine.instructions {
            (look.fields, look.lanes) = (instruction.form().fields, MAX_LANES);
            instruction.visit(&mut look);
        }
        Self(Some(look.places))
    }

    /// Treats everything as read.
    pub(crate) fn all() -> Self {
        Self(None)
    }

    /// Returns how many of `count` elements of `size` bytes from `start` are read; at least one.
    /// `root` is the variable that owns their storage. Predefined variables are shared with other
    /// routines and count as read.
    pub(crate) fn used(&self, root: GeneralId, start: u32, size: u32, count: usize) -> usize {
        let Some(places) = self.0.as_ref().filter(|_| root.0 >= predefined::DECLARED) else { return count };
        let end = places.get(&root).map_or(0, |places| places.end);
        (end.saturating_sub(start).div_ceil(size.max(1)) as usize).clamp(1, count.max(1))
    }

    /// Returns true if any of the bytes at `place` may be read.
    pub(crate) fn is_read(&self, root: GeneralId, place: &Range<u32>) -> bool {
        let Some(places) = self.0.as_ref().filter(|_| root.0 >= predefined::DECLARED) else { return true };
        let overlaps = |read: &Range<u32>| read.start < place.end && place.start < read.end;
        places.get(&root).is_some_and(|places| places.ranges.iter().any(overlaps))
    }
}

/// Visitor of instruction operands. The number of channels precedes the operands.
struct Look<'a> {
    layout: &'a Layout,
    fields: &'static [reflect::Field],
    /// Channels of the instruction.
    lanes: usize,
    places: HashMap<GeneralId, Places>,
}

impl Look<'_> {
    /// Notes a read of a variable, and the end of the element if it is a single one.
    fn read(&mut self, id: GeneralId, range: Range<u32>, end: Option<u32>) {
        if let Some(variable) = self.layout.variable(id) {
            let places = self.places.entry(variable.root).or_default();
            places.end = places.end.max(end.unwrap_or(u32::MAX));
            places.ranges.push(range);
        }
    }

    /// Returns the bytes that an operand may read; unbounded if this is unknown.
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

    /// Returns the end of the single element that an operand reads; `None` if it may read several.
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
