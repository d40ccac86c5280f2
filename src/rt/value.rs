//! Operands as values: what the generated code and its users ask of them beside their fields.

use super::super::isa::{ConstOpnd, Modifier, Operand, VecOperand};

/// Whether a destination is saturated.
pub fn is_saturated(operand: &VecOperand) -> bool {
    operand.modifier == Modifier::Sat
}

/// Saturates a destination.
pub fn saturate(operand: &mut VecOperand) {
    operand.modifier = Modifier::Sat;
}

/// The immediate 0, which stands for an operand that is not there.
pub fn zero_operand() -> VecOperand {
    VecOperand { modifier: Modifier::None, operand: Operand::Immediate(ConstOpnd::default()) }
}

/// The whole bit pattern of an immediate.
pub fn immediate_bits(constant: &ConstOpnd) -> u64 {
    u64::from(constant.low) | u64::from(constant.high.unwrap_or(0)) << 32
}
