//! Runtime of the generated ISA module: bytes, text, reflection, kernels.
//!
//! The runtime knows no opcode, bit range or enumerator; the generated code has them from the pages
//! in `spec/`. It needs only the standard library and the generated module as its sibling `isa`, so
//! that `visa spec generate` can copy both out of this crate.

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
#[cfg(feature = "text")]
mod format;
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

pub use bytes::{Bits, Bytes, Context, Reader, StructureVisitor, Version, Wire, Writer, field, place};
pub use condition::{Facts, Op, Operator, Stack, evaluate};
#[cfg(feature = "text")]
pub use cursor::{Candidate, Cursor, TextError};
pub use error::{BadBits, DecodeError, DecodeProblem, EncodeError, empty, fit, narrow, present, selected};
#[cfg(feature = "text")]
pub use expression::MAX_EXPRESSION_DEPTH;
#[cfg(feature = "text")]
pub use format::{Format, Names, Symbols};
pub use kernel::{ComponentWise, Stub, StubReason};
pub use near::{either, meant, nearest};
#[cfg(feature = "text")]
pub use number::Number;
#[cfg(feature = "text")]
pub use operand::destination;
#[cfg(feature = "text")]
pub use text::{Printer, Text, escape};
pub use value::{immediate_bits, is_saturated, saturate, zero_operand};
pub use visit::{FieldInfo, FieldMut, FieldRef, ListField, OperandRef, Role, Table, Use, Visit, Visitor, VisitorMut};

/// Index into a table of a routine.
pub trait Index: Copy {
    /// Returns the typed index of a number.
    fn from_index(index: u32) -> Self;
    /// Returns the plain number.
    fn index(self) -> u32;
}
