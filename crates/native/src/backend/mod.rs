//! The back end for x86-64: from a routine to code that runs.

pub(crate) mod abi;
pub(crate) mod analysis;
pub(crate) mod asm;
pub(crate) mod code;
pub(crate) mod compiler;
pub(crate) mod lower;
pub(crate) mod memory;

pub use {
    code::{Code, Lent},
    compiler::compile,
    memory::{Memory, Slots},
};
