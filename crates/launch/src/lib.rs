//! What a launch is given, and what it makes of it: arguments, sizes, the payload of every thread,
//! results as files.
//!
//! The flow: argument specifications ([`spec`]) become [`argument::Argument`]s once the kernel's
//! layout is known; sizes become a [`range::NdRange`]; mapped, they are [`mapped::MappedArgument`]s;
//! [`placement`] lays out shared local memory and the binding table, and [`payload`] lays out what a thread finds in its registers when it starts.

pub mod argument;
pub mod asserts;
pub mod contents;
pub mod data;
pub mod forms;
pub mod implicit;
pub mod limits;
pub mod mapped;
pub mod pattern;
pub mod payload;
pub mod placement;
pub mod printf;
pub mod range;
pub mod spec;
pub mod understood;

pub use visakit_machine::scalar;

use std::ops::Range;

use visakit_diag::{Diagnostic, Severity};

/// What is wrong with a short text, such as the value of an option, and where in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextError {
    /// Stable name of the kind of error.
    pub code: &'static str,
    /// Bytes of the text that are wrong.
    pub at: Range<usize>,
    /// What is wrong, in one sentence.
    pub message: String,
    /// What was expected.
    pub help: String,
}

impl TextError {
    /// The error as a diagnostic about `text`, the value of `option`.
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
