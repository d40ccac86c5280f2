//! Description of a launch: launch files, contents of arguments, and processing of results.

pub(crate) mod dump;
pub(crate) mod expect;
pub(crate) mod inputs;
pub(crate) mod memory;
pub(crate) mod print;
pub(crate) mod request;
pub(crate) mod results;

use visakit_emulator::launch::TextError;
use visakit_emulator::launch::spec::ArgKey;

/// Parses the argument's index or name at the start of an option's value.
fn key_behind(code: &'static str, text: &str) -> Result<ArgKey, TextError> {
    ArgKey::parse(text).ok_or_else(|| {
        let message = format!("`{text}` is not the index or name of an argument");
        let help = "name an argument by its index in the kernel, counted from 0, or by its name in the source";
        TextError { code, at: 0..text.len(), message, help: help.to_owned() }
    })
}
