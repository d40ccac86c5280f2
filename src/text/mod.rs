//! Assembly text: routines read from `.visaasm` and printed as such.
//!
//! A text holds one kernel or function. [`parse`] collects every error of a text in one run;
//! [`print()`] writes either what the vendor's printer writes for an object ([`Style::Vendor`]) or
//! a text from which the same routine can be read again ([`Style::Full`], [`Style::Explicit`];
//! [`print_exact`] chooses).

mod declare;
mod display;
mod exact;
mod explicit;
mod file;
mod instruction;
mod names;
mod parse;
mod print;
mod revision;
mod salvage;
mod scope;
mod source;
mod unique;
mod withdrawn;

pub use exact::print_exact;
pub use names::{RoutineNames, Style};
pub use parse::{Options, Parsed, parse};
pub use print::print;
pub use salvage::print_salvaged;
pub use scope::Uses;
