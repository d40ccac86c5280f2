//! The phrases of spec/README.md that carry facts: a change of one is a change of its fact, not of the prose around it.

use std::ops::Range;

use visakit_codegen::markdown::Inline;
use visakit_codegen::model::{Field, FieldKind, Presence};
use visakit_codegen::phrase::{after_phrase, find_phrase, leading_marks};

/// Where a text states facts that the model keeps: marks, links to lists, and the phrases of a field. `from` is the
/// first byte behind the head of the item.
pub(super) fn facts(text: &Inline, from: usize, field: Option<&Field>) -> Vec<Range<usize>> {
    // Lines of an item end anywhere; the places of its words stay.
    let all = text.text.replace('\n', " ");
    let all = all.as_str();
    let mut out = Vec::new();
    marks(all, from, &mut out);
    for link in &text.links {
        let file = link.target.split('#').next().unwrap_or("");
        if (file.is_empty() || file.ends_with("lists.md") || file.ends_with("2_datatypes.md"))
            && let Some(at) = all.get(from..).and_then(|rest| rest.find(&link.text)).map(|at| from + at)
        {
            let see = all[..at].trim_end();
            let start = if see.ends_with("See") || see.ends_with("see") { see.len() - 3 } else { at };
            out.push(start..at + link.text.len());
        }
    }
    let rest = &all[from..];
    let mut add = |range: Option<Range<usize>>| out.extend(range.map(|r| from + r.start..from + r.end));
    add(words(rest, "must be zero"));
    add(words(rest, "must not be zero"));
    let Some(field) = field else { return out };
    if !field.classes.is_empty() {
        add(sentence(rest, "operand class:"));
    }
    if !field.types.is_empty() {
        add(types(rest, "must have type").or_else(|| types(rest, "must have one of")));
    }
    if field.shape.is_operand() {
        add(sentence(rest, "access:"));
    }
    if field.range.is_some() {
        add(words(rest, "valid values are")
            .map(|r| r.start..rest[r.end..].find(']').map_or(r.end, |n| r.end + n + 1)));
    }
    if field.default != 0 || field.default_if.is_some() {
        add(sentence(rest, "default "));
    }
    match &field.presence {
        Presence::Always => {}
        Presence::If { .. } => add(sentence(rest, "present only if ")),
        Presence::Times(_) => {
            add(sentence(rest, "repeated ").filter(|r| rest[r.clone()].trim_end().ends_with("times")));
        }
    }
    match field.shape {
        FieldKind::Predicate => add(words(rest, "predication control")),
        FieldKind::Copy(_) => add(words(rest, "copy of ").map(|r| with_word(rest, r))),
        FieldKind::IndexBy(_) => add(words(rest, "index by ").map(|r| with_word(rest, r))),
        FieldKind::Index(_) => {
            let table = words(rest, "index of the ").map(|r| with_word(rest, r)).map(|r| {
                let more = rest[r.end..].strip_prefix(" variable").map_or(0, |_| " variable".len());
                r.start..r.end + more
            });
            add(table.or_else(|| words(rest, "index into the string pool")));
        }
        _ => {}
    }
    if !field.only.is_empty() {
        let mut at = 0;
        while let Some(found) = rest[at..].find("Only").map(|n| at + n) {
            let end = sentence(&rest[found..], "only").map_or(rest.len(), |r| found + r.end);
            if rest[found..end].contains(':') {
                add(Some(found..end));
            }
            at = end.max(found + 4);
        }
    }
    out
}

/// Marks in braces, wherever they stand.
pub(super) fn marks(all: &str, from: usize, out: &mut Vec<Range<usize>>) {
    for (at, _) in all.match_indices('{').filter(|(at, _)| *at >= from) {
        let (found, rest) = leading_marks(&all[at..]);
        if !found.0.is_empty() {
            out.push(at..all.len() - rest.len());
        }
    }
}

/// A phrase.
fn words(text: &str, phrase: &str) -> Option<Range<usize>> {
    find_phrase(text, phrase).map(|at| at..at + phrase.len())
}

/// A phrase and the word behind it.
fn with_word(text: &str, range: Range<usize>) -> Range<usize> {
    let rest = &text[range.end..];
    let lead = rest.len() - rest.trim_start().len();
    let word = rest.trim_start();
    let end = word.find(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | ':')).unwrap_or(word.len());
    let end = if word[..end].ends_with('.') { end - 1 } else { end };
    range.start..range.end + lead + end
}

/// A phrase and the rest of its sentence.
fn sentence(text: &str, phrase: &str) -> Option<Range<usize>> {
    let start = find_phrase(text, phrase)?;
    let rest = after_phrase(text, phrase)?;
    let end = rest.as_ptr() as usize - text.as_ptr() as usize + rest.len();
    Some(start..end)
}

/// A phrase and the types behind it.
fn types(text: &str, phrase: &str) -> Option<Range<usize>> {
    let start = find_phrase(text, phrase)?;
    let mut end = start + phrase.len();
    for word in text[end..].split_inclusive([',', ' ', ';', '.', '\n']) {
        let bare = word.trim_end_matches([',', ' ', ';', '.', '\n']);
        let is_type = bare.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit()) && bare.len() <= 4;
        if !is_type && !bare.eq_ignore_ascii_case("or") && !bare.eq_ignore_ascii_case("and") {
            break;
        }
        end += word.len();
    }
    Some(start..end)
}
