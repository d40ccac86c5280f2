//! Reader of `## Format`: the order of the fields, for each form.

use super::context::Cx;
use super::opcode::Opcode;
use crate::markdown::{Block, Item, Row, Section, Span};
use crate::model::{Availability, Condition};
use crate::phrase::{all_marks, number, words};

/// Layout in the table.
pub(crate) struct Layout {
    pub(crate) name: String,
    pub(crate) condition: Option<Condition>,
    pub(crate) condition_at: Span,
    pub(crate) versions: Availability,
    pub(crate) fields: Vec<Cell>,
    pub(crate) span: Span,
}

/// Field in the table.
pub(crate) struct Cell {
    pub(crate) name: String,
    pub(crate) span: Span,
}

/// Reads the Format section and the `### CONDITION` sections after it. `described` is true if the
/// Description has fields.
pub(crate) fn read(cx: &mut Cx<'_>, sections: &[&Section], opcode: &Opcode, described: bool) -> Vec<Layout> {
    let mut layouts = Vec::new();
    for section in sections {
        let (name, condition) = condition(cx, section);
        let condition_at = conditions_span(section);
        let (versions, _) = all_marks(&section.title);
        let mut found = false;
        for block in &section.blocks {
            match block {
                Block::Table(rows) => {
                    found = true;
                    let fields = read_rows(cx, rows, opcode);
                    let span = rows.first().map_or(section.span.clone(), |r| r.span.clone());
                    layouts.push(Layout {
                        name: name.clone(),
                        condition: condition.clone(),
                        condition_at: condition_at.clone(),
                        versions: versions.clone(),
                        fields,
                        span,
                    });
                }
                Block::List(_) if section.level > 2 => {}
                Block::Paragraph(text) if text.text.trim().is_empty() => {}
                Block::Paragraph(text) => cx.warn(
                    "section-leftover",
                    &text.span,
                    "the text in the Format section is not understood",
                    "write the Format as a table whose first row below the dashes begins with `0xNN(NAME)`",
                ),
                _ => {}
            }
        }
        if !found && section.level > 2 {
            cx.error(
                "format-missing",
                &section.span,
                "the CONDITION has no table",
                "add the table of the fields that this form has",
            );
        }
    }
    if layouts.is_empty()
        && let Some(section) = sections.first()
    {
        let help = "add a table: an empty head, dashes, then `| 0xNN(NAME) | Field | … |`";
        if described || !section.blocks.is_empty() {
            cx.error("format-missing", &section.span, "the Format section has no table", help);
        } else {
            let message = "the Format section is empty, so the instruction has no fields";
            cx.warn("format-empty", &section.span, message, help);
            layouts.push(Layout {
                name: String::new(),
                condition: None,
                condition_at: section.span.clone(),
                versions: Availability::default(),
                fields: Vec::new(),
                span: section.span.clone(),
            });
        }
    }
    layouts
}

/// Returns the form's name and the selector of a `### CONDITION` section.
pub(crate) fn condition(cx: &mut Cx<'_>, section: &Section) -> (String, Option<Condition>) {
    let mut all = conditions(cx, section);
    let name = section.title.split_whitespace().nth(1).unwrap_or("").to_owned();
    if section.level <= 2 {
        return (String::new(), None);
    }
    if all.len() > 1 {
        cx.error(
            "condition-selectors",
            &section.span,
            "a form has one selector",
            "keep one item `Field=value, value`",
        );
    }
    (name, if all.is_empty() { None } else { Some(all.swap_remove(0)) })
}

/// Returns the span of a section's conditions: the items below the heading, or the heading itself.
pub(crate) fn conditions_span(section: &Section) -> Span {
    let mut items = section.blocks.iter().filter_map(as_list).flatten().filter(|i| i.text.bold.is_none());
    let Some(first) = items.next() else { return section.span.clone() };
    first.text.span.start..items.next_back().unwrap_or(first).text.span.end
}

/// Parses all items `Field=value, …` below a heading.
pub(crate) fn conditions(cx: &mut Cx<'_>, section: &Section) -> Vec<Condition> {
    let mut out = Vec::new();
    if section.level <= 2 {
        if section.title.to_ascii_lowercase().starts_with("condition") {
            cx.error(
                "condition-syntax",
                &section.span,
                "this condition is a separate section, and applies to no table",
                "write `### CONDITION name` inside the section that it belongs to",
            );
        }
        return out;
    }
    for item in section.blocks.iter().filter_map(as_list).flatten() {
        let text = item.text.text.replace('\n', " ");
        if text.trim_start().starts_with("**") || item.text.bold.is_some() {
            continue;
        }
        match text.split_once('=') {
            Some((field, values)) if !words(values).is_empty() => {
                out.push((field.trim().to_owned(), cx.words(values, &item.text.span)).into());
            }
            _ => cx.error(
                "condition-syntax",
                &item.text.span,
                "this is not a condition",
                "write `Field=value, value, …`",
            ),
        }
    }
    out
}

fn as_list(block: &Block) -> Option<&Vec<Item>> {
    match block {
        Block::List(items) => Some(items),
        _ => None,
    }
}

fn read_rows(cx: &mut Cx<'_>, rows: &[Row], opcode: &Opcode) -> Vec<Cell> {
    let mut fields: Vec<Cell> = Vec::new();
    let mut seen_opcode = false;
    for row in rows.iter().skip(1) {
        for (i, (cell, span)) in row.cells.iter().enumerate() {
            if cell.is_empty() {
                // A row may begin late and end early; a gap in the middle is a missing field.
                let filled = |cells: &[(String, Span)]| cells.iter().any(|(cell, _)| !cell.is_empty());
                if filled(&row.cells[..i]) && filled(&row.cells[i..]) {
                    let span = if span.is_empty() { &row.span } else { span };
                    cx.warn(
                        "format-cell",
                        span,
                        "a field is missing between two others",
                        "write its name, or remove the cell",
                    );
                }
                continue;
            }
            if let Some((value, name)) = opcode_cell(cell) {
                seen_opcode = true;
                check_opcode_cell(cx, opcode, i, value, name, span);
                continue;
            }
            let name = cell.replace("\\*", "").replace('*', "").trim().to_owned();
            if fields.iter().any(|f| f.name.eq_ignore_ascii_case(&name)) {
                cx.error(
                    "format-duplicate",
                    span,
                    format!("field `{name}` appears twice in the Format"),
                    "give the fields different names",
                );
                continue;
            }
            fields.push(Cell { name, span: span.clone() });
        }
    }
    if !seen_opcode {
        let span = rows.first().map_or(0..0, |r| r.span.clone());
        cx.warn(
            "format-opcode",
            &span,
            "the Format table does not begin with the opcode",
            format!("begin the first row with `0x{:02x}({})`", opcode.opcode, opcode.name),
        );
    }
    fields
}

fn opcode_cell(cell: &str) -> Option<(u64, &str)> {
    let (value, rest) = cell.split_once('(')?;
    Some((number(value)?, rest.strip_suffix(')')?))
}

fn check_opcode_cell(cx: &mut Cx<'_>, opcode: &Opcode, column: usize, value: u64, name: &str, span: &Span) {
    let expected = match (column, opcode.sub_opcode) {
        (0, _) => opcode.opcode,
        (_, Some(sub)) => sub,
        (_, None) => {
            cx.error(
                "format-opcode",
                span,
                "the Format has a sub-opcode, but the Opcode section has none",
                "add a second line `NAME = 0xNN` to the Opcode section",
            );
            return;
        }
    };
    if value != u64::from(expected) {
        cx.error(
            "format-opcode",
            span,
            format!("the Format has 0x{value:02x} for {name}, but the Opcode section has 0x{expected:02x}"),
            "correct the Format or the Opcode section, so that both contain the same code",
        );
    }
    let own = opcode.family.as_deref().map_or(opcode.name.as_str(), |family| match column {
        0 => family,
        _ => opcode.name.strip_prefix(family).map_or(&opcode.name, |n| n.trim_start_matches('_')),
    });
    if name.trim() != own && name.trim() != opcode.name {
        // The name of the page's file decides which of the two is wrong.
        let in_stem = |name: &str| cx.text.stem().split('_').any(|word| name.split('_').any(|w| w == word));
        let of_opcode = in_stem(name.trim()) && !in_stem(own);
        let line = if column == 0 { &opcode.span } else { &opcode.sub_span };
        cx.warn(
            "format-opcode",
            if of_opcode { line } else { span },
            format!("the Format calls the opcode {name}, but the Opcode section calls it {own}"),
            "correct the Format or the Opcode section, so that both contain the same name",
        );
    }
}
