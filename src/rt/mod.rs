//! The small runtime that the generated ISA module stands on: bytes, text, reflection, kernels.
//!
//! Nothing here knows an opcode, a bit range or an enumerator; those are in the generated code, and come from the
//! pages in `spec/`.

mod bytes;
mod kernel;
mod operand;
pub mod reflect;
mod text;

pub use bytes::{
    BadBits, Bits, Bytes, Context, DecodeError, DecodeProblem, EncodeError, Reader, Version, Wire, Writer, empty,
    fit, narrow, place, present, selected,
};
pub use kernel::{ComponentWise, FieldRef, Stub, StubReason, Visitor};
pub use operand::{immediate_bits, is_saturated, saturate, zero_operand};
pub use text::{Candidate, Cursor, Format, Names, Number, Printer, Symbols, Table, Text, TextError, escape};

/// An index into one of the tables of a routine.
pub trait Index: Copy {
    /// The typed index.
    fn from_index(index: u32) -> Self;
    /// The plain number.
    fn index(self) -> u32;
}
