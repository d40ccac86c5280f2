//! Register contents as numbers, for display.

use serde::Serialize;
use visakit::isa::{DataType, DataTypeClass, GeneralId, Operand, Region, VecOperand, predefined};
use visakit::object::Routine;
use visakit::rt::{FieldRef, OperandRef};

use visakit_kernels::layout::Layout;
use visakit_machine::scalar::{Number, Scalar};
use visakit_machine::thread::Thread;

/// Largest number of displayed elements of a raw operand per channel.
const MOST_OF_RAW: usize = 4;

/// Value of an instruction's operand for one work item.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OperandValue {
    /// Name of the variable.
    pub name: String,
    /// Elements of the work item: one, or several of a message's payload.
    pub values: Vec<Number>,
}

/// A routine and the layout of its variables.
pub(super) struct Places<'a> {
    pub(super) routine: &'a Routine,
    pub(super) layout: Layout,
}

/// Channel whose element is displayed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lane {
    /// Channel number within the instruction.
    pub(super) lane: u32,
    /// Number of channels of the instruction.
    pub(super) channels: u32,
    /// Channel number within the thread.
    pub(super) channel: u32,
}

/// Returns the number type for a register type.
pub(super) fn scalar_of(data_type: DataType) -> Scalar {
    let sizes = match (data_type.class(), data_type) {
        (DataTypeClass::Float, DataType::Bf) | (DataTypeClass::Unsigned | DataTypeClass::Boolean, _) => {
            [Scalar::U8, Scalar::U16, Scalar::U32, Scalar::U64]
        }
        (DataTypeClass::Float, _) => [Scalar::U8, Scalar::F16, Scalar::F32, Scalar::F64],
        (DataTypeClass::Signed, _) => [Scalar::I8, Scalar::I16, Scalar::I32, Scalar::I64],
    };
    sizes[(data_type.bits().div_ceil(8).clamp(1, 8).ilog2()) as usize]
}

impl Places<'_> {
    /// Returns an operand's value for a channel; `None` for constants, labels and references.
    pub(super) fn value(&self, operand: &OperandRef<'_>, thread: &Thread, lane: Lane) -> Option<OperandValue> {
        let used = operand.used()?;
        let values = match operand.value {
            FieldRef::Vector(vector) => self.vector(vector, thread, lane)?,
            FieldRef::Raw(raw) => self.raw(raw.id, raw.offset.into(), thread, lane)?,
            FieldRef::Predicate(predicate) => vec![self.predicate(predicate.id.into(), thread, lane)?],
            _ => return None,
        };
        Some(OperandValue { name: self.routine.name_of(used.table, used.id), values })
    }

    /// Returns the elements of a variable, at most `most`.
    pub(super) fn elements(&self, id: GeneralId, thread: &Thread, most: usize) -> Vec<Number> {
        let Some(variable) = self.layout.variable(id) else { return Vec::new() };
        let scalar = scalar_of(variable.data_type);
        let index = id.0.checked_sub(predefined::DECLARED).map(|n| n as usize);
        let count = index.and_then(|n| self.routine.variables.get(n)).map_or(1, |of| usize::from(of.num_elements));
        numbers(thread, variable.offset.into(), scalar, count.min(most)).unwrap_or_default()
    }

    /// Returns a channel's bit of a predicate.
    pub(super) fn predicate(&self, id: u32, thread: &Thread, lane: Lane) -> Option<Number> {
        let bits = *thread.predicates.get(self.layout.predicate(id)? as usize)?;
        Some(Number::Integer(i128::from(bits >> lane.channel.min(31) & 1)))
    }

    fn vector(&self, operand: &VecOperand, thread: &Thread, lane: Lane) -> Option<Vec<Number>> {
        let (at, data_type) = match &operand.operand {
            Operand::General(general) => {
                let variable = self.layout.variable(general.id)?;
                let size = u64::from(variable.data_type.bits().div_ceil(8));
                let first = u64::from(variable.offset)
                    + u64::from(general.row_offset) * u64::from(self.layout.grf_bytes)
                    + u64::from(general.col_offset) * size;
                (first + element(&general.region, lane.lane) * size, variable.data_type)
            }
            Operand::Indirect(indirect) => {
                let data_type = indirect.bit_properties.type_;
                let Region { vertical_stride, width, .. } = indirect.region;
                // Without a vertical stride, each row has its own address.
                let rows = match (vertical_stride.elements(), width.elements()) {
                    (None, Some(width)) => lane.lane / width.max(1),
                    _ => 0,
                };
                let address = self.address(indirect.id.0, u32::from(indirect.addr_offset) + rows, thread)?;
                let size = u64::from(data_type.bits().div_ceil(8));
                let at = i64::from(address) + i64::from(indirect.indirect_offset);
                (u64::try_from(at).ok()? + element(&indirect.region, lane.lane) * size, data_type)
            }
            Operand::Address(address) => {
                let value = self.address(address.id.0, u32::from(address.offset), thread)?;
                return Some(vec![Number::Integer(value.into())]);
            }
            Operand::Predicate(predicate) => {
                return Some(vec![self.predicate(predicate.value.id.into(), thread, lane)?]);
            }
            Operand::State(_) | Operand::Immediate(_) => return None,
        };
        numbers(thread, at, scalar_of(data_type), 1)
    }

    fn address(&self, id: u32, element: u32, thread: &Thread) -> Option<u32> {
        let at = self.layout.address(id)? + element * 4;
        thread.registers.holds(at, 4).then(|| thread.registers.get(at))
    }

    /// Returns a channel's elements of a message payload: the first, and the following ones at a
    /// distance of one row of channels.
    fn raw(&self, id: GeneralId, offset: u64, thread: &Thread, lane: Lane) -> Option<Vec<Number>> {
        let variable = self.layout.variable(id)?;
        let scalar = scalar_of(variable.data_type);
        let index = id.0.checked_sub(predefined::DECLARED).map(|n| n as usize);
        let declared = index.and_then(|n| self.routine.variables.get(n));
        let bytes = declared.map_or(scalar.size(), |of| usize::from(of.num_elements) * scalar.size()) as u64;
        let step = u64::from(lane.channels) * scalar.size() as u64;
        let first = offset + u64::from(lane.lane) * scalar.size() as u64;
        let rows = (0..MOST_OF_RAW as u64).map(|row| first + row * step);
        let inside = rows.take_while(|at| at + scalar.size() as u64 <= bytes);
        Some(inside.filter_map(|at| numbers(thread, u64::from(variable.offset) + at, scalar, 1)).flatten().collect())
    }
}

/// Returns the index of a channel's element in a region.
fn element(region: &Region, lane: u32) -> u64 {
    let number = |stride: visakit::isa::Stride| stride.elements().map(u64::from);
    let (lane, horizontal) = (u64::from(lane), number(region.horizontal_stride).unwrap_or(0));
    match (number(region.vertical_stride), number(region.width).filter(|&width| width > 0)) {
        (Some(vertical), Some(width)) => lane / width * vertical + lane % width * horizontal,
        (None, Some(width)) => lane % width * horizontal,
        _ => lane * horizontal,
    }
}

fn numbers(thread: &Thread, at: u64, scalar: Scalar, count: usize) -> Option<Vec<Number>> {
    let (at, bytes) = (u32::try_from(at).ok()?, count * scalar.size());
    thread.registers.holds(at, bytes).then(|| scalar.numbers(&thread.registers.bytes(at)[..bytes]).collect())
}
