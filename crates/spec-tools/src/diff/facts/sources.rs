//! Comparison of the sources of facts: origin and date of each row.

use crate::diff::change::Class;
use crate::diff::context::Cx;
use visakit_codegen::model::{Model, Provenance};

/// Formats a row in one line.
fn said(row: &Provenance) -> String {
    let since = row.since.as_ref().map_or(String::new(), |since| format!(" since {since}"));
    format!("{}{since}", if row.sources.is_empty() { "the documents".to_owned() } else { row.sources.join(", ") })
}

/// Returns the key of a row: page, heading and name.
fn key<'m>(model: &'m Model, row: &'m Provenance) -> (&'m str, &'m str, &'m str) {
    (model.origin(row.at).0, &row.section, &row.label)
}

/// Compares the sources of all rows, if both sides have a table of sources.
pub(crate) fn compare(cx: &mut Cx<'_>) {
    let (old, new) = (cx.old, cx.new);
    if old.sources.is_empty() || new.sources.is_empty() {
        return;
    }
    let path = |row: &Provenance| format!("{}.{}", row.section, row.label);
    for y in &new.provenance {
        match old.provenance.iter().find(|x| key(old, x) == key(new, y)) {
            Some(x) if said(x) == said(y) => {}
            Some(x) => cx.differs(Class::TextOnly, "source", &path(y), (said(x), x.at), (said(y), y.at)),
            None => cx.fact(Class::TextOnly, "source", &path(y), None, Some((said(y), y.at))),
        }
    }
    for x in &old.provenance {
        if !new.provenance.iter().any(|y| key(new, y) == key(old, x)) {
            cx.fact(Class::TextOnly, "source", &path(x), Some((said(x), x.at)), None);
        }
    }
}
