//! Lowering: from analysed steps to instructions.

pub(crate) mod arithmetic;
pub(crate) mod cache;
pub(crate) mod control;
pub(crate) mod emitter;
pub(crate) mod host_registers;
pub(crate) mod macro_assembler;
pub(crate) mod masks;
pub(crate) mod memory;
pub(crate) mod patterns;
pub(crate) mod select;
pub(crate) mod state;
