//! Reader of the tables of verification.md: groups of instructions, checks, what the vendor's
//! assembler accepts, conditions, and shared definitions.

use super::cells::{Columns, by_columns, is_dashed};
use super::context::Cx;
use super::index::alternatives;
use crate::markdown::{Row, Span};
use crate::model::semantics::Expression;
use crate::model::{
    Acceptance, Check, Concern, Constraint, Definition, EachOperand, Group, Model, Selection, Term, Verdict,
};
use crate::semantics::{Problem, parse_expression};

/// Default code of a row's finding.
const FINDING: &str = "message";

pub(super) fn read(cx: &mut Cx<'_>, rows: &[Row], model: &mut Model) {
    let Some((head, rows)) = by_columns(rows) else { return };
    let has = |name: &str| head.iter().any(|h| h.eq_ignore_ascii_case(name));
    let is = |names: &[&str]| names.iter().all(|name| has(name));
    for columns in rows {
        if is(&["Rule", "Instructions", "Must"]) {
            constraint(cx, &columns, model);
        } else if is(&["Group", "Instructions"]) {
            group(cx, &columns, model);
        } else if is(&["Check", "Finding", "Concerns"]) {
            check(cx, &columns, model);
        } else if is(&["Accepted", "Check", "As"]) {
            acceptance(cx, &columns, model);
        } else if is(&["Definition", "Value"]) {
            definition(cx, &columns, model);
        }
    }
}

fn group(cx: &mut Cx<'_>, columns: &Columns<'_>, model: &mut Model) {
    let taken = |name: &str| model.groups.iter().any(|g| g.name == name);
    let Some(name) = named(cx, columns, "Group", taken) else { return };
    let instructions = selection(cx, columns);
    let doc = columns.get("Meaning").unwrap_or("").to_owned();
    model.groups.push(Group { name, instructions, doc, at: cx.at(&columns.row.span) });
}

fn check(cx: &mut Cx<'_>, columns: &Columns<'_>, model: &mut Model) {
    let taken = |name: &str| model.checks.iter().any(|c| c.name == name);
    let Some(name) = named(cx, columns, "Check", taken) else { return };
    let finding = columns.get("Finding").unwrap_or("").trim_matches('`').to_owned();
    if !is_dashed(&finding) {
        let message = format!("check `{name}` lacks the code of its finding");
        cx.error("rule-syntax", &columns.row.span, message, "under `Finding`, write words joined by dashes");
        return;
    }
    let Some(concern) = word(cx, columns, "Concerns", &Concern::ALL) else { return };
    let doc = columns.get("Meaning").unwrap_or("").to_owned();
    model.checks.push(Check { name, finding, concern, doc, at: cx.at(&columns.row.span) });
}

fn acceptance(cx: &mut Cx<'_>, columns: &Columns<'_>, model: &mut Model) {
    let taken = |name: &str| is_rule(model, name);
    let Some(name) = named(cx, columns, "Accepted", taken) else { return };
    let check = columns.get("Check").unwrap_or("").trim_matches('`').into();
    let Some(verdict) = word(cx, columns, "As", &Verdict::ALL) else { return };
    let Some(each) = each(cx, columns) else { return };
    let Ok(when) = condition(cx, columns, "When") else { return };
    model.accepted.push(Acceptance {
        name,
        check,
        instructions: selection(cx, columns),
        platforms: alternatives(columns.get("Platforms").unwrap_or("")),
        each,
        when,
        verdict,
        doc: columns.get("Meaning").unwrap_or("").to_owned(),
        at: cx.at(&columns.row.span),
    });
}

fn constraint(cx: &mut Cx<'_>, columns: &Columns<'_>, model: &mut Model) {
    let taken = |name: &str| is_rule(model, name);
    let Some(name) = named(cx, columns, "Rule", taken) else { return };
    let instructions = selection(cx, columns);
    let platforms = alternatives(columns.get("Platforms").unwrap_or(""));
    let doc = columns.get("Meaning").unwrap_or("").to_owned();
    let at = cx.at(&columns.row.span);
    let Some(each) = each(cx, columns) else { return };
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
    model.constraints.push(Constraint { name, instructions, platforms, each, when, must, finding, warning, doc, at });
}

/// Returns true if a row of conditions, or of what the assembler accepts, has this name.
fn is_rule(model: &Model, name: &str) -> bool {
    model.accepted.iter().any(|a| a.name == name) || model.constraints.iter().any(|c| c.name == name)
}

/// Reads the cell under `Instructions`: names, with a minus sign before excluded ones.
fn selection(cx: &mut Cx<'_>, columns: &Columns<'_>) -> Selection {
    let words = cx.words(columns.get("Instructions").unwrap_or(""), &columns.place("Instructions"));
    let term = |word: &String| {
        let name = word.strip_prefix('-');
        Term { excluded: name.is_some(), name: name.unwrap_or(word).trim_matches('`').into() }
    };
    Selection(words.iter().map(term).collect())
}

/// Reads the words under `Each`; `None` if one is unknown, which is reported.
fn each(cx: &mut Cx<'_>, columns: &Columns<'_>) -> Option<Vec<EachOperand>> {
    let words = cx.words(columns.get("Each").unwrap_or(""), &columns.place("Each"));
    words.iter().map(|word| one_of(cx, columns, "Each", word, &EachOperand::ALL)).collect()
}

/// Reads a cell with one word of a list.
fn word<T: Copy>(cx: &mut Cx<'_>, columns: &Columns<'_>, column: &str, all: &[(T, &'static str)]) -> Option<T> {
    let word = columns.get(column).unwrap_or("").trim_matches('`').to_owned();
    one_of(cx, columns, column, &word, all)
}

fn one_of<T: Copy>(
    cx: &mut Cx<'_>,
    columns: &Columns<'_>,
    column: &str,
    word: &str,
    all: &[(T, &'static str)],
) -> Option<T> {
    let found = all.iter().find(|(_, name)| *name == word).map(|(value, _)| *value);
    if found.is_none() {
        let names: Vec<_> = all.iter().map(|(_, name)| *name).collect();
        let message = format!("`{word}` is not a word of the column {column}");
        cx.error("rule-syntax", &columns.place(column), message, format!("write {}", names.join(" or ")));
    }
    found
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
