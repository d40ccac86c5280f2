//! Assembly text: parser and printer of `.visaasm`.
//!
//! A text holds one kernel or function. [`parse`] collects all errors of a text in one run.
//! [`print()`] writes the vendor printer's text of an object ([`Style::Vendor`]), or a text that
//! parses to the same routine ([`Style::Full`], [`Style::Explicit`]; [`print_exact`] chooses).

mod declare;
mod display;
mod exact;
mod explicit;
mod file;
mod instruction;
mod keys;
mod names;
mod parse;
mod print;
mod revision;
mod salvage;
mod scope;
mod source;
mod tokens;
mod unique;
mod withdrawn;

pub use exact::print_exact;
pub use names::{RoutineNames, Style};
pub use parse::{Options, Parsed, parse};
pub use print::print;
pub use revision::{in_revision, version_of};
pub use salvage::print_salvaged;
pub use scope::Uses;
pub use tokens::{Token, TokenKind, tokens};
