//! A text from which the same routine comes back, found by reading what was printed.

use std::collections::HashSet;

use super::names::Style;
use super::parse::{Options, parse};
use super::print::{print, print_with};
use super::{file, revision};
use crate::isa::Platform;
use crate::object::{Object, Routine};

/// Prints a routine so that reading the text gives the same routine again: as [`Style::Full`] where
/// that is enough, and otherwise as [`Style::Explicit`].
///
/// # Errors
/// The text that comes nearest, where a text cannot say what the routine has: strings that are no
/// UTF-8, attributes of labels and of variables of the file.
pub fn print_exact(object: &Object, routine: &Routine, platform: Option<Platform>) -> Result<String, String> {
    let options = || Options { file: String::new(), platform: platform.or(object.platform()) };
    let uses = file::uses(object, routine);
    let same = |text: &str| {
        parse(text, options()).is_ok_and(|p| {
            let of_file = p.variables == object.variables && p.uses.first() == Some(&uses);
            of_file && revision::of_version(p.version).0 == object.version && p.routine == *routine
        })
    };
    let full = print(object, routine, platform, Style::Full);
    if same(&full) {
        return Ok(full);
    }
    // What an instruction's own text does not say is said by its bytes.
    let mut as_bytes = HashSet::new();
    let explicit = print_with(object, routine, platform, Style::Explicit, &as_bytes);
    let Ok(parsed) = parse(&explicit, options()) else { return Err(explicit) };
    let pairs = parsed.routine.instructions.iter().zip(&routine.instructions);
    as_bytes.extend(pairs.enumerate().filter(|(_, (found, wanted))| found != wanted).map(|(number, _)| number));
    let explicit = print_with(object, routine, platform, Style::Explicit, &as_bytes);
    if same(&explicit) { Ok(explicit) } else { Err(explicit) }
}
