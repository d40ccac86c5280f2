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
//! - `evaluate` runs the program.
//! - `operand` and `convert` implement the chapters; `functions` holds the built-ins.
//! - [`eval`](mod@eval) runs statements for users, by pages and by kernels.
//! - [`float`] and [`value`] define the values.

mod atomic;
mod bind;
mod builtins;
pub mod convert;
pub mod eval;
mod evaluate;
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
mod sampler;
mod sent;
mod show;
pub mod stage;
mod statements;
mod sum;
pub mod value;
mod written;

use std::fmt;

pub use evaluate::{Effects, Halt};
pub use interpreter::{ByPages, Which};
pub use program::{Program, Touches};
pub use sent::{Going, Sent, To};
pub use show::{Shown, shown_float};
pub use written::{Target, Write};

/// Reason why an instruction cannot be executed by its page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// No page describes the instruction.
    NoPage(String),
    /// The page has no Semantics section in the notation.
    NoSemantics(String),
    /// No public text defines the behaviour.
    Undefined(String),
    /// The section uses an unsupported construct.
    Unsupported {
        /// Unsupported construct.
        what: String,
        /// Path of the page below the specification's folder.
        page: String,
        /// Line number on the page.
        line: u32,
    },
    /// The combination of operands is illegal.
    Illegal(String),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoPage(name) => write!(f, "there is no page for {name}"),
            Self::NoSemantics(name) => write!(f, "the page of {name} has no executable Semantics"),
            Self::Undefined(name) => write!(f, "no public text defines what {name} does"),
            Self::Unsupported { what, page, line } => write!(f, "{what} cannot be evaluated ({page}:{line})"),
            Self::Illegal(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for Refusal {}

impl fmt::Display for Halt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Trap(trap) => trap.fmt(f),
            Self::Undefined(_) => f.write_str("the page does not define the result"),
            Self::Senseless(what) => write!(f, "the notation does not define {what}"),
        }
    }
}

impl std::error::Error for Halt {}
