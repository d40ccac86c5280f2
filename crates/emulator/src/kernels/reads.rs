//! How much of a variable any instruction looks at.
//!
//! The compiler rounds a load that is the same for all channels up to a size that a message has: of three dwords it loads
//! four and never looks at the last. That one may lie behind the end of a buffer, which does no harm on a device and is no
//! fault of the program; so what nobody looks at is not loaded here.

use std::collections::HashMap;

use crate::kernels::layout::Layout;
use visakit::isa::{GeneralId, Operand, Stride, VecOperand, predefined};
use visakit::object::Routine;
use visakit::rt::{FieldRef, Role, Visitor, reflect};

/// For each variable with storage of its own, the place in the register file behind the last byte that is read as a single
/// element; the end of all registers where it is read in any other way.
pub(super) struct Reads(Option<HashMap<GeneralId, u32>>);

impl Reads {
    /// What the instructions of a routine read.
    pub(super) fn of(routine: &Routine, layout: &Layout) -> Self {
        let mut look = Look { layout, fields: &[], ends: HashMap::new() };
        for instruction in &routine.instructions {
            look.fields = instruction.form().fields;
            instruction.visit(&mut look);
        }
        Self(Some(look.ends))
    }

    /// Everything.
    pub(super) fn all() -> Self {
        Self(None)
    }

    /// How many of `count` elements of `size` bytes from `start` on are read, at least one. `root` is the variable whose
    /// storage they are in; the predefined ones are shared with other routines.
    pub(super) fn used(&self, root: GeneralId, start: u32, size: u32, count: usize) -> usize {
        let Some(ends) = self.0.as_ref().filter(|_| root.0 >= predefined::DECLARED) else { return count };
        let end = ends.get(&root).copied().unwrap_or(0);
        (end.saturating_sub(start).div_ceil(size.max(1)) as usize).clamp(1, count.max(1))
    }
}

struct Look<'a> {
    layout: &'a Layout,
    fields: &'static [reflect::Field],
    ends: HashMap<GeneralId, u32>,
}

impl Look<'_> {
    fn read(&mut self, id: GeneralId, end: Option<u32>) {
        if let Some(variable) = self.layout.variable(id) {
            let last = self.ends.entry(variable.root).or_default();
            *last = (*last).max(end.unwrap_or(u32::MAX));
        }
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
        let Some(role) = self.fields.get(position).and_then(|field| field.role) else { return };
        if role == Role::Write {
            return;
        }
        match value {
            FieldRef::Vector(operand) => {
                if let Operand::General(general) = &operand.operand {
                    self.read(general.id, self.scalar_end(operand, role));
                }
            }
            FieldRef::Raw(operand) => self.read(operand.id, None),
            _ => {}
        }
    }
}
