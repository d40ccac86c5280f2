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
use visakit::isa::{ExecSize, GenOpnd, GeneralId, Instruction, LscUntyped, Operand, Stride, VecOperand, predefined};
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
        let mut look = Look { layout, fields: &[], lanes: 0, raw: u32::MAX, places: HashMap::new() };
        for instruction in &routine.instructions {
            (look.fields, look.lanes) = (instruction.form().fields, MAX_LANES);
            look.raw = raw_bytes(instruction, layout.grf_bytes);
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

/// Returns the number of bytes that an instruction reads of a raw operand at most.
fn raw_bytes(instruction: &Instruction, grf_bytes: u32) -> u32 {
    let (exec_size, size, count, address) = match instruction {
        Instruction::LscUntyped(LscUntyped::Access(inst)) => {
            (inst.exec_size, inst.data_size, inst.data_elems_per_addr.count(), inst.addr_size)
        }
        Instruction::LscUntyped(LscUntyped::Quad(inst)) => (inst.exec_size, inst.data_size, 4, inst.addr_size),
        _ => return u32::MAX,
    };
    let registers = |bytes: u32| (channels(exec_size) as u32 * bytes).next_multiple_of(grf_bytes);
    let data = registers(size.register_bytes()).saturating_mul(count);
    data.max(registers(address.bytes()))
}

/// Visitor of instruction operands. The number of channels precedes the operands.
struct Look<'a> {
    layout: &'a Layout,
    fields: &'static [reflect::Field],
    /// Channels of the instruction.
    lanes: usize,
    /// Bytes of the instruction's raw operands that are read at most.
    raw: u32,
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
                let start = first.saturating_add(operand.offset.into());
                self.read(operand.id, start..start.saturating_add(self.raw), None);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use visakit::isa::Platform;
    use visakit::text::{Options, parse};

    #[test]
    fn messages_read_the_registers_that_they_store() {
        let text = ".version 4.1\n.kernel \"k\"\n.decl V32 v_type=G type=d num_elts=96 align=GRF\n\
                    .decl V33 v_type=G type=d num_elts=16 align=GRF\n.kernel_attr Target=\"cm\"\n    \
                    lsc_store.slm (M1, 16)  flat[V33]:a32  V32:d32\n    \
                    lsc_store.slm (M1, 16)  flat[V33]:a32  V32.128:d32x2\n    ret (M1, 1)\n";
        let routine = parse(text, Options::default()).unwrap().routine;
        let layout = Layout::new(&routine, Platform::Pvc, 0).unwrap();
        let (reads, variable) =
            (Reads::of(&routine, &layout), layout.variable(GeneralId(predefined::DECLARED)).unwrap());
        let is_read = |register: u32| {
            let first = variable.offset + register * 64;
            reads.is_read(variable.root, &(first..first + 64))
        };
        assert_eq!([0, 1, 2, 3, 4].map(is_read), [true, false, true, true, false]);
    }
}
