//! Readers of the lists of instructions: the index, and the vendor's table of platforms.

use super::context::Cx;
use crate::markdown::{Block, Item, Row};
use crate::model::{Availability, IndexLine, Model, SupportRow};
use crate::phrase::leading_marks;

/// Reads lines of the index: items with a link to `instructions/NAME.md`.
pub(super) fn read_index(cx: &mut Cx<'_>, items: &[Item], below: bool, model: &mut Model) {
    let is_line = |item: &Item| item.text.links.iter().any(|l| l.target.starts_with("instructions/"));
    let of_index = below || items.iter().any(is_line);
    for item in items {
        if of_index && !is_line(item) && item.blocks.is_empty() {
            let help = "write `- [NAME - …](instructions/NAME.md)`";
            cx.warn("index-line", &item.text.span, "this is not a line of the index of instructions", help);
        }
        for link in &item.text.links {
            let target = link.target.split('#').next().unwrap_or("");
            if let Some(page) = target.strip_prefix("instructions/") {
                let name = link.text.split(" - ").next().unwrap_or("").trim().to_owned();
                let page = page.trim_end_matches(".md").to_owned();
                model.index.push(IndexLine {
                    name,
                    page,
                    platforms: alternatives(&link.text),
                    at: cx.at(&link.span),
                });
            }
        }
        for block in &item.blocks {
            if let Block::List(items) = block {
                read_index(cx, items, of_index, model);
            }
        }
    }
}

/// Returns the marks in a line as alternatives, which are separated by a comma between or inside
/// braces.
pub(super) fn alternatives(text: &str) -> Vec<Availability> {
    let mut out: Vec<Availability> = Vec::new();
    let mut rest = text;
    while let Some(open) = rest.find('{') {
        let Some(close) = rest[open..].find('}').map(|i| open + i) else { break };
        let joined = !out.is_empty() && rest[..open].trim().is_empty();
        for (i, word) in rest[open + 1..close].split(',').enumerate() {
            let word = format!("{{{}}}", word.trim());
            let (marks, _) = leading_marks(&word);
            match out.last_mut() {
                _ if marks.0.is_empty() => {}
                Some(last) if joined && i == 0 => last.0.extend(marks.0),
                _ => out.push(marks),
            }
        }
        rest = &rest[close + 1..];
    }
    out
}

/// Reads the vendor's table of instructions by platform: headings with platform names, then a row
/// for each instruction.
pub(super) fn read_support(cx: &mut Cx<'_>, rows: &[Row], model: &mut Model) {
    let is_name = |cell: &str| {
        cell.chars().any(|c| c.is_ascii_alphabetic())
            && cell.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || matches!(c, '_' | '-'))
    };
    // The headings are in the first row with text; its first cell is empty.
    let Some(at) = rows.iter().position(|r| r.cells.iter().any(|(c, _)| !c.is_empty())) else { return };
    let head: Vec<&str> = rows[at].cells.iter().map(|(c, _)| c.as_str()).collect();
    let is_head = head.len() > 2 && head[0].is_empty() && head[1..].iter().all(|c| is_name(c));
    let answers = |r: &Row| r.cells.iter().skip(1).all(|(c, _)| c.is_empty() || c.eq_ignore_ascii_case("y"));
    if !is_head || !rows[at + 1..].iter().any(answers) {
        return;
    }
    for row in &rows[at + 1..] {
        let Some((name, span)) = row.cells.first().filter(|(c, _)| !c.is_empty()) else { continue };
        for (cell, span) in row.cells.iter().skip(1) {
            if !cell.is_empty() && !cell.eq_ignore_ascii_case("y") {
                cx.warn(
                    "support-cell",
                    span,
                    format!("`{cell}` does not tell if the platform has {name}"),
                    "write Y, or leave the cell empty",
                );
            }
        }
        let yes = |i: usize| row.cells.get(i).is_some_and(|(c, _)| c.eq_ignore_ascii_case("y"));
        let platforms = head.iter().enumerate().skip(1).map(|(i, p)| ((*p).into(), yes(i))).collect();
        model.support.push(SupportRow { name: name.clone(), platforms, at: cx.at(span) });
    }
}
