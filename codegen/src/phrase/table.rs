//! Sentences of a page that carry facts. Only this table defines them: readers, findings, the
//! comparison of specifications and the tests use it, and spec/README.md shows the same rows.

use super::{all_marks, has_gap, number, words};
use crate::model::{Access, Availability, IndexKind};

/// Fact of a sentence.
#[derive(Clone, Debug, PartialEq)]
pub enum Fact {
    /// The field is a predicate.
    Predicate,
    /// An index into a table; `None` if the text names several tables.
    Index(Option<IndexKind>),
    /// An index into the table that a part of another field names.
    IndexBy(String),
    /// A link follows, which is the fact.
    See,
    /// The allowed enumerators of a part, or of the whole field if the part is empty.
    Only(String, Vec<(String, Availability)>),
    /// Operand classes.
    Classes(Vec<String>),
    /// Types of an operand.
    Types(Vec<String>),
    /// Minimum and maximum of a number.
    Range(i64, i64),
    /// The values are listed below.
    ValuesFollow,
    /// Always zero.
    Zero,
    /// Never zero.
    NotZero,
    /// Default of an optional group, and the values of another field under which it applies.
    Default(i64, Option<(String, Vec<String>)>),
    /// The field is stored but has no meaning.
    Ignored,
    /// Use of the variable.
    Access(Access),
    /// A repetition of an earlier field.
    Copy(String),
    /// Stored if a field, or its part, has one of the values.
    If(String, String, Vec<String>),
    /// Stored if the flag with this description is set.
    IfFlag(String),
    /// Stored as many times as an earlier field counts.
    Times(String),
    /// The field exists in texts only and is not stored in objects.
    TextOnly,
}

/// Row of the table of phrases.
#[derive(Debug)]
pub struct Phrase {
    /// Example of the phrase, as in spec/README.md.
    pub example: &'static str,
    /// First words of the phrase, equal on every page.
    pub lead: &'static str,
    /// Code of a finding about the text after the first words.
    pub code: &'static str,
    /// True if the phrase is a fact in the middle of a sentence as well.
    pub(super) anywhere: bool,
    /// Parser of the text up to the end of the sentence. The flag is true if all of the text was
    /// understood.
    pub(super) take: fn(&str) -> (Option<Fact>, bool),
}

const fn phrase(
    lead: &'static str,
    example: &'static str,
    code: &'static str,
    anywhere: bool,
    take: fn(&str) -> (Option<Fact>, bool),
) -> Phrase {
    Phrase { example, lead, code, anywhere, take }
}

/// All phrases.
pub static PHRASES: &[Phrase] = &[
    phrase("Predication control", "Predication control", SYNTAX, true, |_| (Some(Fact::Predicate), true)),
    phrase("Index of the", "Index of the surface variable", SYNTAX, true, index),
    phrase("Index into the string pool", "Index into the string pool", SYNTAX, true, |_| {
        (Some(Fact::Index(Some(IndexKind::String))), true)
    }),
    phrase("Index by", "Index by part", SYNTAX, false, |rest| named(rest, Fact::IndexBy)),
    phrase("See", "See [Exec_size](../lists.md#exec_size)", SYNTAX, false, |_| (Some(Fact::See), true)),
    phrase("Only", "Only part: a, b", SYNTAX, false, only),
    phrase("Operand class:", "Operand class: general, indirect, immediate", SYNTAX, true, classes),
    phrase("Must have type", "Must have type UD, D, F", SYNTAX, true, types),
    phrase("Must have one of", "Must have one of UD, D, F type", SYNTAX, true, types),
    phrase("Valid values are", "Valid values are [1-15]", "range-syntax", true, range),
    phrase("Must be zero", "Must be zero", SYNTAX, true, |_| (Some(Fact::Zero), true)),
    phrase("MBZ", "MBZ", SYNTAX, false, |_| (Some(Fact::Zero), true)),
    phrase("Must not be zero", "Must not be zero", SYNTAX, true, |_| (Some(Fact::NotZero), true)),
    phrase("Default", "Default 1 if Field=a, b", SYNTAX, false, default),
    phrase("Ignored", "Ignored", SYNTAX, false, |_| (Some(Fact::Ignored), true)),
    phrase("Access:", "Access: read, write", "access-syntax", false, access),
    phrase("Copy of", "Copy of Field", SYNTAX, false, |rest| named(rest, Fact::Copy)),
    phrase("Present only", "Present only if Field=a, b", "presence-syntax", true, presence),
    phrase("Repeated", "Repeated Field times", SYNTAX, false, times),
    phrase("Text only", "Text only", SYNTAX, false, |_| (Some(Fact::TextOnly), true)),
];

const SYNTAX: &str = "phrase-syntax";

/// Reason why a sentence was not understood as a phrase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Problem {
    /// The text after the first words is not valid.
    Rest,
    /// The words nearly match those of the phrase.
    Words,
    /// The structure is that of the phrase.
    Shape,
}

impl Phrase {
    /// Returns true if a text is a complete continuation of the phrase.
    pub(super) fn fits(&self, rest: &str) -> bool {
        let (fact, whole) = (self.take)(rest);
        whole && fact.is_some()
    }

    /// Returns true if text follows the first words of the phrase.
    pub(super) fn is_open(&self) -> bool {
        self.example.len() > self.lead.len()
    }
}

/// Returns the length of a phrase at the start of a text, ignoring case.
pub(super) fn begins(text: &str, phrase: &str) -> Option<usize> {
    let mut rest = text;
    for word in phrase.split(' ') {
        rest = rest.trim_start();
        if !rest.get(..word.len())?.eq_ignore_ascii_case(word) {
            return None;
        }
        rest = &rest[word.len()..];
        let ends = rest.chars().next().is_none_or(|c| !c.is_alphanumeric() && c != '_');
        if !ends && !word.ends_with(':') {
            return None;
        }
    }
    Some(text.len() - rest.len())
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))
}

/// Parses a table such as `surface variable`.
fn index(rest: &str) -> (Option<Fact>, bool) {
    if rest.to_ascii_lowercase().contains("or of the") {
        return (Some(Fact::Index(None)), true);
    }
    let word = rest.split_whitespace().next().unwrap_or("").trim_end_matches([',', ';', ':']).to_ascii_lowercase();
    match IndexKind::ALL.into_iter().find(|k| k.name() == word) {
        Some(kind) => (Some(Fact::Index(Some(kind))), true),
        None => (None, false),
    }
}

/// Parses a name; prose may follow after a comma.
fn named(rest: &str, fact: fn(String) -> Fact) -> (Option<Fact>, bool) {
    let end = rest.find([',', ';', ':']).unwrap_or(rest.len());
    let name = rest[..end].split_whitespace().next().unwrap_or("");
    let parts = name.split('.').all(is_name);
    (parts.then(|| fact(name.to_owned())), rest[..end].split_whitespace().count() == 1)
}

/// Parses `: a, b` or `part: a, b`.
fn only(rest: &str) -> (Option<Fact>, bool) {
    let Some((part, values)) = rest.split_once(':') else { return (None, false) };
    let (part, gap) = (part.trim(), has_gap(values));
    let values: Vec<_> = words(values)
        .into_iter()
        .map(|word| {
            let (marks, name) = all_marks(&word);
            (name.trim().to_owned(), marks)
        })
        .collect();
    let whole = !values.is_empty() && !gap && values.iter().all(|(name, _)| one_word(name));
    ((part.is_empty() || is_name(part)).then(|| Fact::Only(part.to_owned(), values)), whole)
}

fn one_word(name: &str) -> bool {
    !name.is_empty() && !name.contains(|c: char| c.is_whitespace() || matches!(c, '{' | '}' | ';' | ':'))
}

fn classes(rest: &str) -> (Option<Fact>, bool) {
    let classes: Vec<String> = words(rest).into_iter().map(|w| w.to_ascii_lowercase()).collect();
    let whole = !has_gap(rest) && classes.iter().all(|c| is_name(c));
    ((!classes.is_empty()).then_some(Fact::Classes(classes)), whole)
}

/// Parses `UD, D or F`; the vendor's pages append the word `type`.
fn types(rest: &str) -> (Option<Fact>, bool) {
    let mut out = Vec::new();
    let mut whole = true;
    let rest = rest.strip_suffix("type").unwrap_or(rest);
    for word in rest.split([',', ' ']).filter(|w| !w.is_empty()) {
        let is_type = word.len() <= 4 && word.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit());
        match is_type {
            true => out.push(word.to_owned()),
            false if word.eq_ignore_ascii_case("or") || word.eq_ignore_ascii_case("and") => {}
            false => {
                whole = false;
                break;
            }
        }
    }
    // Blanks do not separate types, because a missing comma may hide a missing type.
    let listed = rest.replace(" or ", ",").replace(" and ", ",");
    whole &= listed.split(',').all(|w| w.split_whitespace().count() == 1);
    ((!out.is_empty()).then_some(Fact::Types(out)), whole)
}

/// Parses `[a-b]`, with optional signs. The vendor's pages also have `[a], [b]` and `[a, b]`.
fn range(rest: &str) -> (Option<Fact>, bool) {
    if rest.is_empty() || rest == ":" {
        return (Some(Fact::ValuesFollow), true);
    }
    let ends = || {
        let (inner, rest) = rest.strip_prefix('[')?.split_once(']')?;
        if let Some(second) = rest.trim_start().strip_prefix(',').and_then(|r| r.trim().strip_prefix('[')) {
            let (second, rest) = second.split_once(']')?;
            return Some((inner.trim().parse().ok()?, second.trim().parse().ok()?, rest));
        }
        let split = inner.get(1..)?.find(['-', ',']).map(|i| i + 1)?;
        Some((inner[..split].trim().parse().ok()?, inner[split + 1..].trim().parse().ok()?, rest))
    };
    match ends() {
        Some((low, high, behind)) if low <= high => {
            (Some(Fact::Range(low, high)), !behind.starts_with(char::is_alphanumeric))
        }
        _ => (None, false),
    }
}

/// Parses `n` or `n if Field=a, b`.
fn default(rest: &str) -> (Option<Fact>, bool) {
    let (value, condition) = rest.split_once(" if ").map_or((rest, None), |(value, c)| (value, Some(c)));
    let Some(value) = number(value).and_then(|n| i64::try_from(n).ok()) else { return (None, false) };
    match condition.map(equation) {
        None => (Some(Fact::Default(value, None)), true),
        Some(Some((field, values))) => (Some(Fact::Default(value, Some((field, values)))), true),
        Some(None) => (None, false),
    }
}

/// Parses `Field=a, b`.
fn equation(text: &str) -> Option<(String, Vec<String>)> {
    let (field, values) = text.split_once('=').filter(|(_, values)| !has_gap(values))?;
    let values = words(values);
    let field = field.trim();
    let right = field.split('.').all(is_name) && !values.is_empty() && values.iter().all(|v| one_word(v));
    right.then(|| (field.to_owned(), values))
}

fn access(rest: &str) -> (Option<Fact>, bool) {
    let found = Access::ALL.iter().find(|(_, name)| words(name) == words(&rest.to_ascii_lowercase()));
    (found.map(|(access, _)| Fact::Access(*access)), true)
}

/// Parses `if Field=a, b`, or the vendor's `if NAME bit is set in FIELD`.
fn presence(rest: &str) -> (Option<Fact>, bool) {
    let Some(condition) = begins(rest, "if").map(|len| &rest[len..]) else { return (None, false) };
    if let Some((field, values)) = equation(condition) {
        let (field, part) = field.split_once('.').unwrap_or((&field, ""));
        return (Some(Fact::If(field.to_owned(), part.to_owned(), values)), true);
    }
    let flag = condition.split_once(" bit is set").map(|(flag, _)| Fact::IfFlag(flag.trim().to_owned()));
    (flag, true)
}

fn times(rest: &str) -> (Option<Fact>, bool) {
    let name = rest.strip_suffix("times").map(str::trim).filter(|name| is_name(name));
    (name.map(|name| Fact::Times(name.to_owned())), true)
}
