//! The interface between the code and its caller in Rust: the frame, exits, and functions that the
//! code calls.

pub(crate) mod exit;
pub(crate) mod frame;
pub(crate) mod offset;

use crate::ir::Operands;
use crate::ir::function::Body;

/// Calls a function for the code.
pub(crate) extern "C" fn call(operands: &mut Operands, body: &Body) {
    body(operands);
}
