//! Inputs of a launch and their lowering: arguments, sizes, and the payload of every thread.
//!
//! Argument specifications ([`spec`]) become [`argument::Argument`]s once the kernel's parameters
//! are known. Sizes become a [`range::NdRange`]. A launch maps its arguments
//! ([`mapped::MappedArgument`]); [`placement`] lays out shared local memory and the binding table,
//! and [`payload`] the initial registers of a thread.

pub mod argument;
pub mod asserts;
pub mod contents;
pub mod data;
pub mod element;
pub mod forms;
pub mod implicit;
pub mod inputs;
pub mod limits;
pub mod mapped;
pub mod pattern;
pub mod payload;
pub mod placement;
pub mod printf;
pub mod range;
pub mod spec;
pub mod understood;
pub mod values;

pub use visakit_machine::scalar;

use std::ops::Range;

use visakit_diag::{Diagnostic, Severity};

/// An error in a short text, such as an option's value, with its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextError {
    /// Stable code of the error.
    pub code: &'static str,
    /// Byte range of the error in the text.
    pub at: Range<usize>,
    /// Description of the error, in one sentence.
    pub message: String,
    /// Description of the expected text.
    pub help: String,
}

impl TextError {
    /// Returns the error as a diagnostic about `text`, the value of `option`.
    pub fn in_option(&self, option: &str, text: &str) -> Box<Diagnostic> {
        let finding = Diagnostic::new(self.code, Severity::Error, option, self.message.clone());
        Box::new(finding.at_text(text, self.at.start, self.at.end).help(self.help.clone()))
    }
}

impl std::fmt::Display for TextError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for TextError {}
