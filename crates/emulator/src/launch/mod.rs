//! Inputs of a launch and their lowering: arguments, sizes, and the payload of every thread.
//!
//! Argument specifications ([`spec`]) become [`argument::Argument`]s once the kernel's parameters
//! are known. Sizes become a [`range::NdRange`]. [`placement`] assigns addresses to arguments, and
//! [`payload`] lays out the initial registers of a thread.

pub mod argument;
pub mod asserts;
pub mod contents;
pub mod data;
pub mod forms;
pub mod implicit;
pub mod pattern;
pub mod payload;
pub mod placement;
pub mod printf;
pub mod range;
pub mod scalar;
pub mod spec;
pub mod understood;

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

/// Parses a number: decimal, or hexadecimal after `0x`; underscores may separate digits.
pub(crate) fn parse_number(text: &str) -> Option<u128> {
    let digits: String = text.chars().filter(|&c| c != '_').collect();
    match digits.strip_prefix("0x") {
        Some(hex) if !hex.starts_with('+') => u128::from_str_radix(hex, 16).ok(),
        None if !digits.starts_with('+') => digits.parse().ok(),
        _ => None,
    }
}
