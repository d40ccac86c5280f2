//! Checks of the markdown of any page: complete tables, closed fences, links and anchors.

use std::ops::Range;

use super::context::Cx;
use super::damaged;
use crate::markdown::{Block, Code, Document, Item, Row, anchors};
use crate::model::{Model, PageLink};
use crate::phrase::odd_marks;

pub(crate) fn read(cx: &mut Cx<'_>, document: &Document, model: &mut Model) {
    for link in &document.links {
        model.links.push(PageLink { target: link.target.clone(), at: cx.at(&link.span) });
    }
    for section in &document.sections {
        model.anchors.extend(anchors(&section.title).map(|anchor| (cx.page, anchor)));
        let title = &cx.text.text[section.span.clone()];
        marks(cx, title, |at| section.span.start + at.start..section.span.start + at.end);
        blocks(cx, &section.blocks);
        damaged::read(cx, section);
    }
}

/// Reports malformed marks in headings, items and cells, because they would have no effect.
fn marks(cx: &mut Cx<'_>, text: &str, place: impl Fn(Range<usize>) -> Range<usize>) {
    for range in odd_marks(text) {
        let message = format!("`{}` looks like a mark, but is not one", &text[range.clone()]);
        let help = "write {SKL+}, {-SKL}, {SKL}, {3.4+} or {-3.4}, without blanks";
        cx.warn("mark-syntax", &place(range), message, help);
    }
}

fn blocks(cx: &mut Cx<'_>, all: &[Block]) {
    for block in all {
        match block {
            Block::Table(rows) => {
                table(cx, rows);
                for (cell, span) in rows.iter().flat_map(|r| &r.cells) {
                    marks(cx, cell, |at| span.start + at.start..span.start + at.end);
                }
            }
            Block::Code(code) => fence(cx, code),
            Block::List(items) => {
                for Item { text, blocks: inner, .. } in items {
                    marks(cx, &text.text, |at| text.source(at));
                    blocks(cx, inner);
                }
            }
            Block::Paragraph(text) => {
                // An escaped bar is text.
                let escaped = |at: usize| cx.text.text[..at].ends_with('\\');
                let lines = text.lines();
                let mut of_table =
                    lines.iter().filter(|(l, span)| l.trim_start().starts_with('|') && !escaped(span.start));
                let Some(first) = of_table.next() else { continue };
                // Either the rule below the head is wrong, or the head itself.
                let is_rule = |line: &str| line.contains("---") && !line.contains(char::is_alphanumeric);
                let at = lines.iter().position(|(l, span)| span.start >= first.1.start && is_rule(l));
                let cells = |at: usize| lines.get(at).map(|(line, _)| line.matches('|').count());
                let is_whole = |line: &str| line.trim().trim_matches('|').split('|').all(|cell| dashes(cell.trim()));
                let rule = at.filter(|&at| !is_whole(lines[at].0) || cells(at) != cells(at + 1)).map(|at| &lines[at]);
                cx.warn(
                    "table-broken",
                    &rule.unwrap_or(first).1,
                    "this looks like a table, but is not one",
                    "write a head, then a line of dashes with as many cells, then the rows",
                );
            }
        }
    }
}

/// Returns true for a cell of the rule below a table's head.
fn dashes(cell: &str) -> bool {
    cell.len() > 1 && cell.chars().all(|c| matches!(c, '-' | ':'))
}

fn table(cx: &mut Cx<'_>, rows: &[Row]) {
    let Some((head, rows)) = rows.split_first() else { return };
    for row in rows {
        if row.cells.iter().all(|(c, _)| dashes(c)) && !row.cells.is_empty() {
            cx.warn(
                "table-broken",
                &row.span,
                "this table has a second line of dashes",
                "keep only the line below the head",
            );
        } else if row.cells.len() != head.cells.len() {
            cx.warn(
                "table-cells",
                &row.span,
                format!("this row has {} cells, but the head has {}", row.cells.len(), head.cells.len()),
                "give every row as many cells as the head; cells may be empty",
            );
        }
    }
}

fn fence(cx: &mut Cx<'_>, code: &Code) {
    if !code.fenced {
        return;
    }
    let source = &cx.text.text[code.span.clone()];
    let mark = source.trim_start().chars().next().unwrap_or('`');
    let last = source.trim_end().lines().last().unwrap_or("").trim_start().trim_start_matches(['>', ' ']);
    let closed =
        source.trim_end().lines().count() > 1 && last.starts_with(mark) && last.trim_matches(mark).is_empty();
    if !closed {
        let end = code.span.start + source.find('\n').unwrap_or(source.len());
        cx.error(
            "fence-open",
            &(code.span.start..end),
            "this code block is not closed",
            "add a line with the same fence after it; everything up to there is read as code",
        );
    }
}
