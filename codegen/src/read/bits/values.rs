//! Reader of enumerators.

use super::is_bits;
use crate::markdown::{Block, Inline, Item, Span};
use crate::model::{Availability, Enumerator};
use crate::phrase::{all_marks, leading_marks, number};
use crate::read::context::Cx;
use crate::suggest::distance_within;

/// Returns true if an item is a value with a name.
pub(in crate::read) fn is_value(bare: &str) -> bool {
    bare.split_once(':').is_some_and(|(value, _)| number(value).is_some())
}

/// Returns the values of a page under the names of the shared list, if the page has only some of
/// them.
pub(super) fn named_only(values: &[Enumerator], all: &[Enumerator]) -> Option<Vec<(String, Availability)>> {
    let here = |w: &&Enumerator| values.iter().find(|v| !v.reserved && v.value == w.value);
    let legal = all.iter().filter(|w| !w.reserved);
    let some: Vec<_> = legal.clone().filter_map(|w| Some((w.name.clone(), here(&w)?.marks.clone()))).collect();
    (some.len() < legal.count()).then_some(some)
}

/// Reads the values among items. A value nested below another one by mistake belongs to the list as
/// well.
pub(super) fn read_values(cx: &mut Cx<'_>, items: &[Item], out: &mut Vec<Enumerator>) {
    for item in items {
        let Some(value) = read_value(cx, &item.text) else { continue };
        out.push(value);
        for block in &item.blocks {
            let Block::List(inner) = block else { continue };
            for nested in inner {
                let (_, bare) = leading_marks(&nested.text.text);
                if is_value(bare) {
                    cx.warn(
                        "nesting-accidental",
                        &nested.text.span,
                        "this value is nested below another value",
                        "indent its item like the other values; it is read as one of them",
                    );
                } else if is_bits(bare) {
                    bits_too_deep(cx, nested);
                }
            }
            read_values(cx, inner, out);
        }
    }
}

/// Parses `value: name "spelling" (note) - description`.
fn read_value(cx: &mut Cx<'_>, text: &Inline) -> Option<Enumerator> {
    let flat = text.text.replace('\n', " ");
    let (mut marks, bare) = leading_marks(&flat);
    let (value, rest) = bare.split_once(':')?;
    let value = number(value)?;
    let (more, rest) = all_marks(rest);
    marks.0.extend(more.0);
    let rest = rest.trim();
    let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
    let name = rest[..end].trim_end_matches(['.', ',', ';', ':']);
    let tail = rest[end..].trim();
    let mut spelling = None;
    let mut doc = tail;
    if let Some((inside, behind)) = tail.strip_prefix('"').and_then(|t| t.split_once('"')) {
        spelling = Some(inside.to_owned());
        doc = behind.trim();
    }
    let doc = doc.trim_start_matches('-').trim();
    if name.is_empty() {
        cx.error(
            "enumerator-name",
            &text.span,
            "the value has no name",
            "write `value: name`, then a dash and the meaning",
        );
        return None;
    }
    let hole = |word: &str| name.eq_ignore_ascii_case(word);
    let word = name.chars().all(char::is_alphabetic) && !hole("reserved") && !hole("illegal");
    if word && distance_within(name, "reserved", 2).is_some() {
        cx.warn(
            "enumerator-name",
            &text.span,
            format!("`{name}` is read as the name of a value"),
            "did you mean `reserved`? It marks a value without a meaning",
        );
    }
    Some(Enumerator {
        value,
        name: name.to_owned(),
        text: spelling.unwrap_or_else(|| name.to_owned()),
        doc: doc.to_owned(),
        marks,
        reserved: hole("reserved") || hole("illegal"),
        cells: Vec::new(),
        at: cx.at(&text.span),
    })
}

/// Reads rows `| 0x1 | name | … |` or `| name | 0x1 | … |` of a table that the vendor's pages keep
/// inside an item.
pub(super) fn table_values(cx: &mut Cx<'_>, lines: &[(String, Span)]) -> Vec<Enumerator> {
    let mut out = Vec::new();
    for (line, span) in lines {
        let mut cells = line.trim().trim_matches('|').split('|').map(str::trim);
        let (Some(first), Some(second)) = (cells.next(), cells.next()) else { continue };
        // The value comes before or after the name.
        let (Some(value), name) = (match number(first) {
            Some(value) => (Some(value), second),
            None => (number(second), first),
        }) else {
            continue;
        };
        if name.is_empty() || !line.trim().starts_with('|') {
            continue;
        }
        let name = name.trim_matches('`').to_owned();
        out.push(Enumerator {
            value,
            text: name.clone(),
            name,
            doc: cells.next_back().unwrap_or("").to_owned(),
            marks: Availability::default(),
            reserved: false,
            cells: Vec::new(),
            at: cx.at(span),
        });
    }
    out
}

/// Uses the whole text as name where first words are ambiguous or no names, as on some of the
/// vendor's pages.
pub(super) fn name_values(values: &mut [Enumerator]) {
    let clash = values.iter().enumerate().any(|(i, v)| {
        !v.reserved && values[..i].iter().any(|w| w.value != v.value && w.name.eq_ignore_ascii_case(&v.name))
    });
    for value in values.iter_mut() {
        let odd = value.name.contains('"');
        if (clash || odd) && !value.reserved {
            let spelled_name = value.text == value.name;
            let whole = format!("{} {}", value.name, value.doc);
            let phrase = whole.split(['.', '(']).next().unwrap_or(&whole).replace('"', "");
            value.name = phrase.split_whitespace().collect::<Vec<_>>().join("_");
            if spelled_name {
                value.text = value.name.clone();
            }
        }
    }
}

pub(super) fn check_values(cx: &mut Cx<'_>, values: &[Enumerator], bits: u32) {
    for (i, value) in values.iter().enumerate() {
        let span = value.at.start as usize..value.at.end as usize;
        if bits < 64 && value.value >> bits != 0 {
            cx.error(
                "enumerator-range",
                &span,
                format!("value {} does not fit into {bits} bits", value.value),
                format!("the largest is {}", (1u64 << bits) - 1),
            );
        }
        if values[..i].iter().any(|v| v.value == value.value) {
            cx.error(
                "enumerator-duplicate",
                &span,
                format!("value {} appears twice in this list", value.value),
                "give every value one name",
            );
        } else if !value.reserved && values[..i].iter().any(|v| !v.reserved && v.name == value.name) {
            cx.error(
                "enumerator-duplicate",
                &span,
                format!("name `{}` appears twice in this list", value.name),
                "give every value its own name",
            );
        }
    }
}

pub(super) fn bits_too_deep(cx: &mut Cx<'_>, item: &Item) {
    cx.warn(
        "nesting-accidental",
        &item.text.span,
        "these bits are nested below other bits or a value, and are not read",
        "indent the item like the other bits",
    );
}
