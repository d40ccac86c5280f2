//! Error of an object that could not be read.

use std::fmt;

use crate::rt::{DecodeError, DecodeProblem};

/// Error of an object that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectError {
    /// Byte offset in the file.
    pub offset: usize,
    /// Description of the problem.
    pub message: String,
    /// Advice for the user.
    pub help: String,
    /// Stable code of the kind of problem.
    pub code: &'static str,
}

impl fmt::Display for ObjectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (at byte 0x{:x})", self.message, self.offset)
    }
}

impl std::error::Error for ObjectError {}

impl From<DecodeError> for ObjectError {
    fn from(error: DecodeError) -> Self {
        let (code, help) = match error.problem() {
            DecodeProblem::Truncated { .. } => (
                "object-truncated",
                "the file is truncated, or a \
             count in it is wrong",
            ),
            DecodeProblem::UnknownOpcode(_) | DecodeProblem::UnknownSubOpcode { .. } => (
                "opcode-unknown",
                "the file is damaged, has another version than its header says, or uses an \
                 instruction without a page in spec/instructions",
            ),
            DecodeProblem::ReservedOpcode { .. } => {
                ("opcode-reserved", "the instruction cannot be decoded; its page says what is known about it")
            }
            DecodeProblem::Bits(_) => (
                "bits-illegal",
                "the file is damaged, or its producer \
             does not follow the specification's pages",
            ),
            DecodeProblem::Other(_) => ("object-malformed", ""),
        };
        Self { offset: error.offset(), message: error.to_string(), help: help.to_owned(), code }
    }
}
