//! Reader of the tables of verification.md: rules of the vendor's assembler for groups of
//! instructions, conditions across the fields of an instruction, and shared definitions.

use super::cells::{Columns, by_columns, is_dashed};
use super::context::Cx;
use super::index::alternatives;
use crate::markdown::{Row, Span};
use crate::model::semantics::Expression;
use crate::model::{Constraint, Definition, Model, Reference, Rule};
use crate::semantics::{Problem, parse_expression};

/// Default code of a row's finding.
const FINDING: &str = "message";

pub(super) fn read(cx: &mut Cx<'_>, rows: &[Row], model: &mut Model) {
    let Some((head, rows)) = by_columns(rows) else { return };
    let has = |name: &str| head.iter().any(|h| h.eq_ignore_ascii_case(name));
    for columns in rows {
        if has("Rule") && has("Instructions") {
            rule(cx, &columns, has("Must"), model);
        } else if has("Definition") && has("Value") {
            definition(cx, &columns, model);
        }
    }
}

fn rule(cx: &mut Cx<'_>, columns: &Columns<'_>, has_conditions: bool, model: &mut Model) {
    let taken =
        |name: &str| model.rules.iter().any(|r| r.name == name) || model.constraints.iter().any(|c| c.name == name);
    let Some(name) = named(cx, columns, "Rule", taken) else { return };
    let instructions = cx.words(columns.get("Instructions").unwrap_or(""), &columns.place("Instructions"));
    let instructions = instructions.into_iter().map(Reference::from).collect();
    let platforms = alternatives(columns.get("Platforms").unwrap_or(""));
    let doc = columns.get("Meaning").unwrap_or("").to_owned();
    let at = cx.at(&columns.row.span);
    if !has_conditions {
        model.rules.push(Rule { name, instructions, platforms, doc, at });
        return;
    }
    // An unreadable condition drops its row, because half a rule is a different rule.
    let (Ok(when), Ok(must)) = (condition(cx, columns, "When"), condition(cx, columns, "Must")) else { return };
    let finding = cx.words(columns.get("Finding").unwrap_or(""), &columns.place("Finding"));
    let (code, warning) = match finding.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        [] => (FINDING, false),
        [code] if *code != "warning" => (*code, false),
        [code, "warning"] => (*code, true),
        _ => ("", false),
    };
    let Some(must) = must.filter(|_| is_dashed(code) && !doc.is_empty()) else {
        let message = format!("rule `{name}` lacks its condition or its message");
        let help = "fill in `Must` and `Meaning`; under `Finding`, write a code, followed by `, \
         warning` for a warning, or nothing";
        cx.error("rule-syntax", &columns.row.span, message, help);
        return;
    };
    let finding = code.to_owned();
    model.constraints.push(Constraint { name, instructions, platforms, when, must, finding, warning, doc, at });
}

fn definition(cx: &mut Cx<'_>, columns: &Columns<'_>, model: &mut Model) {
    let name = columns.get("Definition").unwrap_or("").trim_matches('`').to_owned();
    let is_word = name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_');
    if !is_word || model.definitions.iter().any(|d| d.name == name) {
        let message = if is_word {
            format!("`{name}` is defined twice")
        } else {
            format!(
                "`{name}` \
         cannot be the name of a definition"
            )
        };
        let help = "give every definition a unique name of lower-case words joined by `_`";
        cx.error("rule-syntax", &columns.row.span, message, help);
        return;
    }
    let Ok(value) = condition(cx, columns, "Value") else { return };
    let Some(value) = value else {
        let help = "write an expression under `Value`";
        cx.error("rule-syntax", &columns.row.span, format!("`{name}` has no value"), help);
        return;
    };
    let doc = columns.get("Meaning").unwrap_or("").to_owned();
    model.definitions.push(Definition { name, value, doc, at: cx.at(&columns.row.span) });
}

/// Returns the name of a row: words with dashes, unique in its table.
fn named(cx: &mut Cx<'_>, columns: &Columns<'_>, column: &str, taken: impl Fn(&str) -> bool) -> Option<String> {
    let name = columns.get(column).unwrap_or("").trim_matches('`').to_owned();
    let what = column.to_ascii_lowercase();
    let message = match is_dashed(&name) {
        true if !taken(&name) => return Some(name),
        true => format!("{what} `{name}` is defined twice"),
        false => format!("`{name}` cannot be the name of a {what}"),
    };
    let help = format!("give every {what} a unique name of lower-case words joined by dashes");
    cx.error("rule-syntax", &columns.row.span, message, help);
    None
}

/// Parses the expression of a cell, `None` for an empty one; an invalid expression is reported.
fn condition(cx: &mut Cx<'_>, columns: &Columns<'_>, column: &str) -> Result<Option<Expression>, ()> {
    let Some((text, span)) = columns.cell(column).filter(|(text, _)| !text.trim().is_empty()) else {
        return Ok(None);
    };
    let inner = text.trim();
    let quoted = inner.strip_prefix('`').and_then(|t| t.strip_suffix('`')).filter(|t| !t.contains('`'));
    let Some(inner) = quoted else {
        let help = "write the expression between backticks, with `\\|\\|` for the operator or";
        cx.error("rule-syntax", span, "this is not an expression", help);
        return Err(());
    };
    // A bar in a table is escaped; blanks in place of the backslashes keep all positions.
    let bare = inner.replace("\\|\\|", "||  ").replace("\\|", "| ");
    let start = span.start + text.find('`').unwrap_or(0) + 1;
    parse_expression(&bare, start, cx.page).map(Some).map_err(|Problem { code, at, message, help }| {
        cx.error(code, &Span { start: at.start as usize, end: at.end as usize }, message, help);
    })
}
