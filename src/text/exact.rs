//! Printing of a text that parses to the same routine, verified by parsing it.

use std::collections::HashSet;

use super::names::Style;
use super::parse::{Options, parse};
use super::print::{print, print_with};
use super::{file, revision};
use crate::isa::Platform;
use crate::object::{Object, Routine};

/// Prints a routine so that parsing the text returns the same routine: in [`Style::Full`] where
/// that suffices, otherwise in [`Style::Explicit`].
///
/// # Errors
/// The closest text, if a text cannot express the routine: strings that are not UTF-8, or
/// attributes of labels and of variables of file scope.
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
    // An instruction that its text does not fully express is printed as bytes.
    let mut as_bytes = HashSet::new();
    let explicit = print_with(object, routine, platform, Style::Explicit, &as_bytes);
    let Ok(parsed) = parse(&explicit, options()) else { return Err(explicit) };
    let pairs = parsed.routine.instructions.iter().zip(&routine.instructions);
    as_bytes.extend(pairs.enumerate().filter(|(_, (found, wanted))| found != wanted).map(|(number, _)| number));
    let explicit = print_with(object, routine, platform, Style::Explicit, &as_bytes);
    if same(&explicit) { Ok(explicit) } else { Err(explicit) }
}
