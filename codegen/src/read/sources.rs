//! Reader of sources: the table that names them, and the columns `Source` and `Since` of all other
//! tables.

use super::cells::{Columns, NOTHING, by_columns};
use super::context::Cx;
use crate::markdown::{Block, Document, Row, Section};
use crate::model::{Model, Provenance, Source, SourceKind};

/// Columns of any table of facts that hold the source of a row.
pub(super) const COLUMNS: [&str; 2] = ["Source", "Since"];

/// Columns of the table that names the sources.
pub(super) const SOURCES: [&str; 5] = ["Source", "Kind", "Version", "Date", "Meaning"];

/// Columns of a table with the sources of facts outside tables.
pub(super) const FACTS: [&str; 2] = ["Fact", "Source"];

/// Reads all tables of a page.
pub(super) fn read(cx: &mut Cx<'_>, document: &Document, model: &mut Model) {
    for section in &document.sections {
        blocks(cx, section, &section.blocks, model);
    }
}

fn blocks(cx: &mut Cx<'_>, section: &Section, all: &[Block], model: &mut Model) {
    for block in all {
        match block {
            Block::Table(rows) => table(cx, section, rows, model),
            Block::List(items) => items.iter().for_each(|item| blocks(cx, section, &item.blocks, model)),
            Block::Paragraph(_) | Block::Code(_) => {}
        }
    }
}

fn table(cx: &mut Cx<'_>, section: &Section, rows: &[Row], model: &mut Model) {
    let Some((head, rows)) = by_columns(rows) else { return };
    let has = |name: &str| head.iter().any(|h| h.eq_ignore_ascii_case(name));
    if SOURCES.iter().all(|name| has(name)) {
        rows.for_each(|columns| source(cx, &columns, model));
    } else if COLUMNS.iter().any(|name| has(name)) {
        let is_named = FACTS.iter().all(|name| has(name));
        // The name of a row is in the column `Fact` or `Name`, otherwise in the first column.
        let label = ["Fact", "Name"].into_iter().find(|name| has(name)).unwrap_or(&head[0]).to_owned();
        for columns in rows {
            row(cx, section, &columns, (&label, is_named), model);
        }
    }
}

fn source(cx: &mut Cx<'_>, columns: &Columns<'_>, model: &mut Model) {
    let get = |name: &str| columns.get(name).unwrap_or("").trim_matches('`').to_owned();
    let (name, word) = (get("Source"), get("Kind"));
    let kind = SourceKind::ALL.into_iter().find(|kind| kind.name() == word);
    let is_fresh = !name.is_empty() && !name.contains(char::is_whitespace) && known(model, &name).is_none();
    let (Some(kind), true) = (kind, is_fresh) else {
        let message = format!("`{name}` of kind `{word}` is not a source with a unique name");
        let help = "give the source a one-word name, and the kind document, code, tool or decision";
        cx.error("source-syntax", &columns.row.span, message, help);
        return;
    };
    let (version, date, doc, at) = (get("Version"), get("Date"), get("Meaning"), cx.at(&columns.row.span));
    if !is_since(&date) && date != NOTHING {
        let help = "write the date as 2026-08-10, 2026-08 or 2026, or `-`";
        cx.error("source-syntax", &columns.place("Date"), format!("`{date}` is not a date"), help);
    }
    model.sources.push(Source { name, kind, version, date, doc, at });
}

fn row(
    cx: &mut Cx<'_>,
    section: &Section,
    columns: &Columns<'_>,
    (label, is_named): (&str, bool),
    model: &mut Model,
) {
    let said = |name: &str| columns.get(name).filter(|text| !text.is_empty() && *text != NOTHING);
    let sources = match said("Source") {
        Some(text) => cx.words(text, &columns.place("Source")),
        None => Vec::new(),
    };
    let since = said("Since").map(str::to_owned);
    let label = columns.get(label).unwrap_or("").trim_matches('`').to_owned();
    if let Some(since) = since.as_ref().filter(|since| !is_since(since)) {
        let help = "write a date as 2026-08-10, 2026-08 or 2026, or a version as 4.2";
        cx.error(
            "source-syntax",
            &columns.place("Since"),
            format!("`{since}` is neither a date nor a version"),
            help,
        );
    }
    if is_named && (label.is_empty() || sources.is_empty()) {
        let help = "name the fact, and a source of sources.md";
        cx.error("source-syntax", &columns.row.span, "this row lacks the fact or its source", help);
        return;
    }
    if !sources.is_empty() || since.is_some() {
        let at = cx.at(&columns.row.span);
        let section = section.title.clone();
        model.provenance.push(Provenance { section, label, is_named, sources, since, at });
    }
}

fn known<'m>(model: &'m Model, name: &str) -> Option<&'m Source> {
    model.sources.iter().find(|source| source.name == name)
}

/// Returns true for a version or a date; a date may lack day and month.
fn is_since(text: &str) -> bool {
    let digits =
        |word: &str, most: usize| (1..=most).contains(&word.len()) && word.bytes().all(|b| b.is_ascii_digit());
    let date: Vec<&str> = text.split('-').collect();
    let is_date = digits(date[0], 4) && date[0].len() == 4 && date.len() <= 3;
    let is_date = is_date && date[1..].iter().all(|part| part.len() == 2 && digits(part, 2));
    let version: Vec<&str> = text.split('.').collect();
    is_date || (2..=4).contains(&version.len()) && version.iter().all(|part| digits(part, 5))
}

#[cfg(test)]
mod tests {
    use super::is_since;

    #[test]
    fn dates_and_versions() {
        for good in ["2026", "2026-08", "2026-08-10", "4.2", "1.0.12504.6", "26.27"] {
            assert!(is_since(good), "{good}");
        }
        for bad in ["", "-", "26", "2026-8", "2026-08-10-1", "August", "4.", ".2", "v4.2", "2026/08"] {
            assert!(!is_since(bad), "{bad}");
        }
    }
}
