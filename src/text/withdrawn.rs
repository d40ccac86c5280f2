//! Words of older texts that no supported version has; errors name them and their replacements.

use crate::isa::list_data;
use crate::rt::reflect::{List, Value};

/// Returns the words of a list, each with its replacement.
fn words(list: &'static List) -> impl Iterator<Item = &'static Value> {
    list.parts.iter().flat_map(|part| part.values)
}

/// Returns the replacement of a withdrawn mnemonic.
pub(super) fn mnemonic(word: &str) -> Option<&'static str> {
    words(&list_data::WITHDRAWN_MNEMONIC).find(|old| old.text.eq_ignore_ascii_case(word)).map(|old| old.doc)
}

/// Returns the withdrawn execution mask at the start of a text, and its replacement.
pub(super) fn mask(text: &str) -> Option<(&'static str, &'static str)> {
    let ends = |old: &str| !text[old.len()..].starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
    let found = words(&list_data::WITHDRAWN_MASK).find(|old| text.starts_with(old.text) && ends(old.text))?;
    Some((found.text, found.doc))
}
