//! The intermediate representation: a routine as blocks of steps over a register file, independent
//! of any instruction set.
//!
//! Offsets are in bytes from the start of the register file.

mod expression;
pub(crate) mod function;
mod indirect;
mod mask;
mod routine;
mod simplify;
mod transfer;

pub use {
    expression::{Binary, Expression, Kind, Node, Relation, Unary, Value},
    function::{Function, Operands},
    indirect::{Indirect, Own},
    mask::{Combine, Mask},
    routine::{Action, Behind, Block, End, InitialRamp, Logic, Routine, Step},
    transfer::{Access, Addresses, Change, Space, Transfer, Unit, Update},
};
