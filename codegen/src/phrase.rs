//! Small syntax of facts on a page: numbers, marks in braces, phrases, lists of words, heads of
//! fields.

mod braces;
mod near;
mod sentence;
mod table;

pub use braces::odd_marks;
pub use sentence::{Said, said};
pub use table::{Fact, PHRASES, Phrase, Problem};

use crate::markdown::Inline;
use crate::model::{Availability, Bound};

/// Parses a number: decimal, `0x…` or `0b…`. A decimal number must not begin with a zero, because a
/// letter is probably missing.
pub fn number(text: &str) -> Option<u64> {
    let text = text.trim();
    if let Some(hex) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        u64::from_str_radix(hex, 16).ok()
    } else if let Some(bin) = text.strip_prefix("0b").or_else(|| text.strip_prefix("0B")) {
        u64::from_str_radix(bin, 2).ok()
    } else if text == "0" || !text.starts_with('0') && !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()) {
        text.parse().ok()
    } else {
        None
    }
}

/// Splits marks in braces off the front of a text: `{XEHP+}{3.4+}rest`. Braces with other content
/// stay in the text.
pub fn leading_marks(text: &str) -> (Availability, &str) {
    let mut marks = Vec::new();
    let mut rest = text.trim_start();
    while let Some((mark, len)) = one_mark(rest) {
        marks.push(mark);
        rest = rest[len..].trim_start();
    }
    (Availability(marks), rest)
}

/// Removes all marks from a text and returns them.
pub fn all_marks(text: &str) -> (Availability, String) {
    let mut marks = Vec::new();
    let mut rest = String::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        match one_mark(&text[at..]) {
            Some((mark, len)) => {
                marks.push(mark);
                at += len;
            }
            None => {
                rest.push(c);
                at += c.len_utf8();
            }
        }
    }
    (Availability(marks), rest)
}

/// Maximum length of a mark in bytes, or of several marks with commas.
const LONGEST_MARK: usize = 200;

fn one_mark(text: &str) -> Option<(Bound, usize)> {
    let inner = text.strip_prefix('{')?;
    // A longer text is no mark; scanning it after each inner brace would take quadratic time.
    let end = inner.bytes().take(LONGEST_MARK).position(|byte| byte == b'}')?;
    let body = inner[..end].trim();
    let len = end + 2;
    let (name, before) = match (body.strip_suffix('+'), body.strip_prefix('-')) {
        (Some(name), _) => (name, false),
        (None, Some(name)) => (name, true),
        // Only words in capitals are platforms, because prose also uses braces.
        _ if !body.is_empty() && body.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_') => {
            return Some((Bound::Only(body.into()), len));
        }
        _ => return None,
    };
    let version = name.split_once('.').and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
    let platform = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    let mark = match (version, before) {
        (Some((major, minor)), false) => Bound::FromVersion(major, minor),
        (Some((major, minor)), true) => Bound::BeforeVersion(major, minor),
        (None, false) if platform => Bound::From(name.into()),
        (None, true) if platform => Bound::Before(name.into()),
        _ => return None,
    };
    Some((mark, len))
}

/// Splits a text at commas.
pub fn words(text: &str) -> Vec<String> {
    text.split(',').map(|w| w.trim().to_owned()).filter(|w| !w.is_empty()).collect()
}

/// Returns true if an item before, between or after commas is empty.
pub fn has_gap(text: &str) -> bool {
    text.contains(',') && text.split(',').any(|w| w.trim().is_empty())
}

/// Parses the bold head `Name(type):` of a field.
pub fn field_head(text: &Inline) -> Option<(String, String)> {
    let bold = text.bold.as_ref()?.trim().trim_end_matches(':').trim();
    let (name, kind) = bold.strip_suffix(')')?.rsplit_once('(')?;
    let ok = !name.is_empty() && !name.contains(char::is_whitespace) && !kind.is_empty();
    ok.then(|| (name.to_owned(), kind.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_taken_off() {
        let (marks, rest) = leading_marks("{XEHP+}{-3.4} BF, F");
        assert_eq!(marks.0, [Bound::From("XEHP".into()), Bound::BeforeVersion(3, 4)]);
        assert_eq!(rest, "BF, F");
        assert_eq!(leading_marks("{GLOBAL|LOCAL}").0, Availability::default());
    }

    #[test]
    fn numbers_in_three_bases() {
        assert_eq!(number("0b101"), Some(5));
        assert_eq!(number("0x1F"), Some(31));
        assert_eq!(number(" 12 "), Some(12));
        assert_eq!(number("12a"), None);
    }
}
