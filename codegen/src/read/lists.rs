//! Reader of a chapter's shared lists: a heading with name and type, and bits or enumerators below.

use super::context::Cx;
use super::{bits, columns};
use crate::markdown::{Block, Document, Section};
use crate::model::{Model, Storage};
use crate::phrase::{leading_marks, number};
use crate::suggest::distance_within;
use crate::template;

/// Reads the shared lists that refer to other lists, or those that do not.
pub(super) fn read(cx: &mut Cx<'_>, document: &Document, model: &mut Model, referring: bool) {
    for section in &document.sections {
        let refers = section.blocks.iter().any(|b| match b {
            Block::List(items) => items.iter().any(|i| !i.text.links.is_empty()),
            _ => false,
        });
        if refers == referring {
            read_list(cx, section, model);
        }
    }
}

/// Reads `## Name(type)` with bits or enumerators below.
fn read_list(cx: &mut Cx<'_>, section: &Section, model: &mut Model) {
    let head = section.title.strip_suffix(')').and_then(|t| t.split_once('('));
    let bits = head.filter(|(name, _)| !name.is_empty() && !name.contains(char::is_whitespace)).and_then(
        |(_, kind)| match (kind, Storage::from_name(kind)) {
            ("bits", _) => Some(0),
            (_, storage) => storage.map(Storage::bits),
        },
    );
    let (Some((name, _)), Some(mut bits)) = (head, bits) else {
        // The vendor's chapters list bits below structures.
        let items =
            |b: &Block| matches!(b, Block::List(items) if items.iter().any(|i| bits::says_bits(&i.text.text)));
        if section.level > 1 && section.blocks.iter().any(items) {
            let message = format!("bits or values appear below `{}`, which is not a list", section.title);
            cx.warn("list-syntax", &section.span, message, "write the heading of a list as `## Name(type)`");
        }
        return;
    };
    if model.shared_list(name).is_some() {
        cx.error(
            "list-duplicate",
            &section.span,
            format!("list `{name}` is defined twice"),
            "give the lists different names",
        );
        return;
    }
    if bits == 0 {
        bits = written_width(section);
    }
    let (doc, text) = prose(cx, section);
    match bits::read(
        cx,
        model,
        &section.blocks,
        name,
        bits,
        &section.span,
        bits::ListHeading { shared: true, doc: &doc },
    ) {
        bits::Nested::List(id, _) => {
            let list = &mut model.lists[id.0];
            list.text = text;
            list.doc = doc;
        }
        bits::Nested::Number | bits::Nested::Nothing => cx.error(
            "list-empty",
            &section.span,
            format!("list `{name}` has neither bits nor values"),
            "add `Bit[…]` items or `value: name` items",
        ),
    }
    // Parts of shared lists are shared as well.
    for list in &mut model.lists {
        list.shared = true;
    }
}

/// Reads the paragraphs of a list: its documentation and its Text template.
fn prose(cx: &mut Cx<'_>, section: &Section) -> (String, Option<template::Template>) {
    let mut doc = String::new();
    let mut text = None;
    for block in &section.blocks {
        if let Block::Paragraph(paragraph) = block {
            match paragraph.text.trim().strip_prefix("Text:") {
                None => {
                    let label = paragraph.text.trim().split_once(':').map_or("", |(label, _)| label);
                    let template = cx.text.text[paragraph.span.clone()].contains(": `");
                    if label.len() < 8 && (template || distance_within(label, "Text", 1) == Some(1)) {
                        let message = format!("`{label}:` is not an attribute of a list");
                        cx.warn("list-syntax", &paragraph.span, message, "did you mean ``Text: `template` ``?");
                    }
                    doc.push_str(paragraph.text.trim());
                }
                Some(source) => match template::parse(source) {
                    Ok(t) => text = Some(t),
                    Err((message, _)) => cx.error(
                        "text-template",
                        &paragraph.span,
                        message,
                        "see the table of the Text section in spec/README.md",
                    ),
                },
            }
        }
    }
    (doc, text)
}

/// Returns the width of a list of kind `bits`, which is that of its written values: `0b00` has two
/// bits.
fn written_width(section: &Section) -> u32 {
    let mut width = 1;
    let mut take = |value: &str| {
        let written = match value.strip_prefix("0b") {
            Some(digits) => u32::try_from(digits.len()).unwrap_or(64),
            None => number(value).map_or(0, |n| 64 - n.leading_zeros()),
        };
        width = width.max(written.min(64));
    };
    for block in &section.blocks {
        match block {
            Block::List(items) => {
                let texts = items.iter().map(|item| leading_marks(&item.text.text).1);
                texts.filter_map(|text| text.split_once(':')).for_each(|(value, _)| take(value));
            }
            Block::Table(rows) => columns::codes(rows).for_each(|code| take(leading_marks(code).1)),
            _ => {}
        }
    }
    width
}
