//! The instruction set in other languages than Rust: tables of the model, and a runtime that
//! decodes and prints by them.
//!
//! `tables` lowers the model to flat tables of numbers and texts; `python` and `c` write them
//! in the syntax of their language. The runtimes are the same for every specification
//! and need only the standard library of their language. They cover decoding and printing;
//! assembling, verification and execution exist in Rust only.
//!
//! The command is `visa spec generate --lang`.

mod tables;

mod c;
mod python;

use visakit_codegen::model::Model;

use crate::HEADER;

/// Language with a runtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// C99.
    C,
    /// Python 3.9 or later.
    Python,
}

/// Writes the instruction set in a language: names of files, each with its text.
///
/// The model must be complete, see [`visakit_codegen::complete`]; an incomplete one gives tables
/// that the runtime does not accept.
pub fn generate(model: &Model, language: Language) -> Vec<(&'static str, String)> {
    let tables = tables::lower(model);
    match language {
        Language::C => c::write(&tables),
        Language::Python => python::write(&tables),
    }
}

/// Returns a text as a string literal of both languages.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_control() => c.to_string().bytes().for_each(|byte| out.push_str(&format!("\\{byte:03o}"))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
