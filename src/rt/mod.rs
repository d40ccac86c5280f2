//! The small runtime that the generated ISA module stands on: bytes, text, reflection, kernels.
//!
//! Nothing here knows an opcode, a bit range or an enumerator; those are in the generated code, and
//! come from the pages in `spec/`. It needs the standard library only, and finds the generated
//! module beside itself as `isa`: that is how `visa spec generate` copies the two out of this
//! crate.

mod bytes;
mod condition;
#[cfg(feature = "text")]
mod constant;
#[cfg(feature = "text")]
mod cursor;
#[cfg(feature = "text")]
mod display;
mod error;
#[cfg(feature = "text")]
mod expression;
mod kernel;
mod near;
#[cfg(feature = "text")]
mod number;
#[cfg(feature = "text")]
mod operand;
pub mod reflect;
#[cfg(feature = "text")]
mod text;
mod value;
mod visit;

pub use bytes::{Bits, Bytes, Context, Reader, StructureVisitor, Version, Wire, Writer};
pub use condition::{Facts, Op, Operator, evaluate};
#[cfg(feature = "text")]
pub use cursor::{Candidate, Cursor, TextError};
pub use error::{
    BadBits, DecodeError, DecodeProblem, EncodeError, empty, field, fit, narrow, place, present, selected,
};
#[cfg(feature = "text")]
pub use expression::MAX_EXPRESSION_DEPTH;
pub use kernel::{ComponentWise, Stub, StubReason};
pub use near::{meant, nearest};
#[cfg(feature = "text")]
pub use number::Number;
#[cfg(feature = "text")]
pub use operand::destination;
#[cfg(feature = "text")]
pub use text::{Format, Names, Printer, Symbols, Text, escape};
pub use value::{immediate_bits, is_saturated, saturate, zero_operand};
pub use visit::{FieldInfo, FieldMut, FieldRef, OperandRef, Role, Table, Use, Visit, Visitor, VisitorMut};

/// An index into one of the tables of a routine.
pub trait Index: Copy {
    /// The typed index.
    fn from_index(index: u32) -> Self;
    /// The plain number.
    fn index(self) -> u32;
}
