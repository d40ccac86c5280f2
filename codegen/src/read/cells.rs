//! Rows of a chapter's table, with access to cells by heading.

use super::context::Cx;
use crate::markdown::{Row, Span};
use crate::phrase::number;

/// Cells of a row by heading; the columns may have any order.
pub(super) struct Columns<'a> {
    pub(super) head: Vec<String>,
    pub(super) row: &'a Row,
}

impl<'a> Columns<'a> {
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.cell(name).map(|(text, _)| text.trim())
    }

    pub(super) fn cell(&self, name: &str) -> Option<&'a (String, Span)> {
        let at = self.head.iter().position(|h| h.eq_ignore_ascii_case(name))?;
        self.row.cells.get(at)
    }

    /// Returns the place of the cell.
    pub(super) fn place(&self, name: &str) -> Span {
        self.cell(name).map_or(self.row.span.clone(), |(_, span)| span.clone())
    }
}

/// Returns the headings of a table, and its rows with access by heading.
pub(super) fn by_columns(rows: &[Row]) -> Option<(Vec<String>, impl Iterator<Item = Columns<'_>>)> {
    let (head, rows) = rows.split_first()?;
    let head: Vec<String> = head.cells.iter().map(|(c, _)| c.trim().to_owned()).collect();
    let names = head.clone();
    Some((head, rows.iter().map(move |row| Columns { head: names.clone(), row })))
}

/// Returns true for lower-case words with dashes.
pub(super) fn is_dashed(name: &str) -> bool {
    let word = |w: &str| !w.is_empty() && w.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    name.starts_with(|c: char| c.is_ascii_lowercase()) && name.split('-').all(word)
}

/// Text of an empty cell.
pub(super) const NOTHING: &str = "-";

/// Reports empty cells of these columns, if the table has the columns.
pub(super) fn filled(cx: &mut Cx<'_>, columns: &Columns<'_>, names: &[&str], code: &'static str) {
    for name in names.iter().filter(|name| columns.get(name) == Some("")) {
        let message = format!("`{name}` of this row is missing");
        cx.warn(code, &columns.row.span, message, format!("write `{NOTHING}` if it has none"));
    }
}

/// Reports cells of these columns that are neither empty nor lists of numbers.
pub(super) fn check_numbers(cx: &mut Cx<'_>, columns: &Columns<'_>, names: &[&str], code: &'static str) {
    for name in names {
        let text = columns.get(name).filter(|text| *text != NOTHING).unwrap_or("");
        for word in cx.words(text, &columns.place(name)) {
            if number(&word).is_none() {
                let message = format!("`{word}` in the column {name} is not a number");
                cx.error(code, &columns.place(name), message, "write numbers separated by commas");
            }
        }
    }
}
