//! Detection of damaged markup: lines that were meant as headings, items, values or fences but are
//! read as text.

use super::bits::{is_value, says_bits};
use super::context::Cx;
use super::instruction::SECTIONS;
use crate::markdown::{Block, Item, Section, Span};
use crate::model::Storage;
use crate::phrase::field_head;

/// Checks the running text of a section.
pub(super) fn read(cx: &mut Cx<'_>, section: &Section) {
    blocks(cx, &section.blocks, true);
}

fn blocks(cx: &mut Cx<'_>, all: &[Block], outside: bool) {
    for block in all {
        match block {
            Block::Paragraph(text) => {
                for (line, span) in text.lines() {
                    let found = fence(cx, &span) || outside && heading(cx, line, &span) || field(cx, line, &span);
                    if !found {
                        rest(cx, line, &span, false);
                    }
                }
            }
            Block::List(items) => items.iter().for_each(|item| in_item(cx, item)),
            Block::Code(code) => {
                for (_, span) in &code.lines {
                    fence(cx, span);
                }
            }
            Block::Table(_) => {}
        }
    }
}

fn in_item(cx: &mut Cx<'_>, item: &Item) {
    let whole = field_head(&item.text).is_some() || item.text.bold.is_some();
    for (number, (line, span)) in item.text.lines().into_iter().enumerate() {
        if number > 0 {
            if !fence(cx, &span) && !field(cx, line, &span) {
                rest(cx, line, &span, true);
            }
        } else if !whole {
            field(cx, line, &span);
        }
    }
    blocks(cx, &item.blocks, false);
}

/// Returns the source line of a span, with the markup that a paragraph's text lacks.
fn source(cx: &Cx<'_>, span: &Span) -> Span {
    let source = &cx.text.text;
    let from = source[..span.start.min(source.len())].rfind('\n').map_or(0, |at| at + 1);
    from..source[from..].find('\n').map_or(source.len(), |at| from + at)
}

/// Reports a line of punctuation that contains a back-tick.
fn fence(cx: &mut Cx<'_>, span: &Span) -> bool {
    let whole = source(cx, span);
    let line = cx.text.text[whole.clone()].trim();
    let is = line.contains('`') && line.len() < 8 && !line.contains(char::is_alphanumeric);
    if is {
        let help = "begin and end a code block with a line of three backticks";
        cx.warn("fence-broken", &whole, format!("`{line}` looks like a code fence, but is not one"), help);
    }
    is
}

/// Reports a section's title that is alone on its line.
fn heading(cx: &mut Cx<'_>, line: &str, span: &Span) -> bool {
    let line = line.trim();
    let bare = line.trim_matches(|c: char| !c.is_alphanumeric());
    let of_page = cx.text.path.starts_with("instructions/") && SECTIONS.iter().any(|s| s.eq_ignore_ascii_case(bare));
    let is = of_page || line.starts_with('#') && !bare.is_empty();
    if is {
        let help = format!("write `## {bare}`, with a blank after the signs");
        cx.warn("heading-broken", span, format!("`{line}` looks like a heading, but is not one"), help);
    }
    is
}

/// Reports a field's head `Name(type)` after a wrong item sign or without its asterisks.
fn field(cx: &mut Cx<'_>, line: &str, span: &Span) -> bool {
    let bare = line.trim_start_matches(|c: char| !c.is_alphanumeric());
    let name = bare.split('(').next().unwrap_or("");
    let kind = bare[name.len()..].strip_prefix('(').and_then(|rest| rest.split([')', '{']).next()).unwrap_or("");
    let is_type = Storage::from_name(kind).is_some() || matches!(kind, "vec_operand" | "scalar" | "raw_operand");
    let is = is_type && !name.is_empty() && !name.contains(char::is_whitespace);
    if is {
        let help = format!("write `- **{name}({kind}):** text`");
        cx.warn("item-broken", span, format!("this looks like the item of `{name}`, but is not one"), help);
    }
    is
}

/// Reports a value, bits or a bold name that is read as a continuation of the item before it.
fn rest(cx: &mut Cx<'_>, line: &str, span: &Span, in_item: bool) {
    let written = cx.text.text[source(cx, span)].trim();
    let bare = line.trim_start_matches(|c: char| !c.is_alphanumeric());
    let is_said = is_value(bare) || says_bits(bare);
    // Outside an item, bold text may be a heading.
    let is_named = in_item && written.contains(":**") && !written.starts_with(char::is_alphanumeric);
    if is_named || is_said {
        let help = "begin the line with `- `, indented like the items around it";
        cx.warn(
            "item-broken",
            span,
            "this looks like a separate item, but belongs to the text of the previous item",
            help,
        );
    }
}
