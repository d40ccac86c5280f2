//! Executor of the pages' Semantics sections.
//!
//! A page defines its instruction in a small notation (`spec/semantics.md`). This crate binds such
//! a section to one instruction and runs it on the state of a thread. The result is independent of
//! the emulator's kernels: both share only the machine's interface to registers, memory and images.
//! Integers are exact. Floats follow IEEE 754 by a port of LLVM's arbitrary-precision floats. Real
//! functions come from a library of correctly rounded functions. Types, regions, modifiers,
//! saturation and masks are implemented from chapters 2, 3 and 5.
//!
//! In the order of the flow:
//!
//! - [`bind`](Program) turns a page and an instruction into a program.
//! - `evaluate` runs the program on the state in `execution`.
//! - `operand` and `convert` implement the chapters; `functions` holds the built-ins.
//! - [`eval`](mod@eval) runs statements for users, by pages and by kernels.
//! - [`float`] and [`value`] define the values.

mod atomic;
mod bind;
mod builtins;
mod bytes;
pub mod convert;
mod effects;
pub mod eval;
mod evaluate;
mod execution;
pub mod float;
mod functions;
mod image;
mod interpreter;
mod matrix;
mod memory;
mod narrow;
mod operand;
mod operators;
mod program;
mod refusal;
mod sampler;
mod sent;
mod show;
mod space;
pub mod stage;
mod statements;
mod sum;
mod surface;
pub mod value;
mod written;

pub use effects::{Effects, Target, Write};
pub use execution::Halt;
pub use interpreter::{ByPages, Which};
pub use program::{Program, Touches};
pub use refusal::Refusal;
pub use sent::{Going, Sent, To};
pub use show::{Shown, shown_float};
