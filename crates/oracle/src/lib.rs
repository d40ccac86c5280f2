//! Executes the Semantics of the pages.
//!
//! A page says in a small notation (`spec/semantics.md`) what its instruction does. This crate
//! binds such a block to one instruction and runs it on the state of a thread. It is a second
//! answer to what the kernels of the emulator say, and shares nothing with them but the machine's
//! door to registers, memory and images: integers are exact, floats are those of IEEE 754 by a port
//! of LLVM's arbitrary-precision floats, real functions come from a library of correctly rounded
//! ones, and what chapters 2, 3 and 5 say of types, regions, modifiers, saturation and masks is
//! written from there.
//!
//! In the order of the flow: [`bind`](Program) makes of a page and an instruction a program;
//! `evaluate` runs it; `operand` and `convert` are the chapters; `functions` the built-ins;
//! [`float`] and [`value`] what is computed with.

mod atomic;
mod bind;
mod builtins;
pub mod convert;
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

/// Why an instruction cannot be executed by its page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The pages do not have the instruction.
    NoPage(String),
    /// Its page has no Semantics in the notation.
    NoSemantics(String),
    /// No public text defines what it does.
    Undefined(String),
    /// The block asks for something that is not evaluated.
    Unsupported {
        /// What it is.
        what: String,
        /// The page, below the specification's folder.
        page: String,
        /// The line.
        line: u32,
    },
    /// The operands make no sense together.
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
