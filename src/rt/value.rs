//! Operations on operands for the generated code and its users.

use super::super::isa::{ConstOpnd, Modifier, Operand, VecOperand};

/// Returns true if a destination is saturated.
pub fn is_saturated(operand: &VecOperand) -> bool {
    operand.modifier == Modifier::Sat
}

/// Sets the saturation modifier of a destination.
pub fn saturate(operand: &mut VecOperand) {
    operand.modifier = Modifier::Sat;
}

/// Returns the immediate 0, which stands for an absent operand.
pub fn zero_operand() -> VecOperand {
    VecOperand { modifier: Modifier::None, operand: Operand::Immediate(ConstOpnd::default()) }
}

/// Returns the whole bit pattern of an immediate.
pub fn immediate_bits(constant: &ConstOpnd) -> u64 {
    u64::from(constant.low) | u64::from(constant.high.unwrap_or(0)) << 32
}
