//! The assembler: instructions of x86-64, labels, cold streams and constants.

pub(crate) mod assembler;
pub(crate) mod op;
pub(crate) mod operand;
pub(crate) mod stream;

mod pool;
