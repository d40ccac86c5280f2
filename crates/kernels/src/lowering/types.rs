//! Types of operands: their classes, sizes and bit patterns.

use crate::lowering::error::{LowerResult, illegal};
use visakit::isa::{DataType, DataTypeClass, Modifier, Operand, VecOperand};

/// Returns true if a destination saturates.
pub fn is_saturated(operand: &VecOperand) -> bool {
    visakit::rt::is_saturated(operand)
}

/// Returns the element size of an operand type in bytes.
pub fn element_bytes(data_type: DataType) -> LowerResult<u32> {
    match data_type.bits() {
        bits @ (8 | 16 | 32 | 64) => Ok(bits / 8),
        _ => illegal(format!("a variable of type {} cannot be an operand of this instruction", data_type.name())),
    }
}

/// Returns true for float types.
pub(crate) fn is_float(data_type: DataType) -> bool {
    data_type.class() == DataTypeClass::Float && data_type.packed().is_none()
}

/// Returns true for signed integer types.
pub(crate) fn is_signed(data_type: DataType) -> bool {
    data_type.class() == DataTypeClass::Signed && data_type.packed().is_none()
}

/// Returns the unsigned integer type of the same size, for values that are only moved.
pub(crate) fn pattern(data_type: DataType) -> DataType {
    match data_type.bits() {
        8 => DataType::Ub,
        16 => DataType::Uw,
        64 => DataType::Uq,
        _ => DataType::Ud,
    }
}

/// Returns true if a source modifier changes the operand's values. Constants are encoded with their
/// modifier applied.
pub(crate) fn is_modified(operand: &VecOperand) -> bool {
    operand.modifier != Modifier::None && !matches!(operand.operand, Operand::Immediate(_))
}
