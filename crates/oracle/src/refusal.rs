//! Reasons why an instruction cannot be executed by its page.

use std::fmt;

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
