//! Tables of pages: rows of cells in HTML.

use minijinja::Error;
use serde_json::{Value, json};

use super::Site;
use crate::File;
use crate::address;
use crate::prose::{escape, link};
use visakit_spec_tools::export::{Bound, Location, Said, SaidValue};

/// Table with a heading.
#[derive(Default)]
pub(crate) struct Table {
    title: String,
    note: String,
    head: Vec<String>,
    rows: Vec<Value>,
}

impl Table {
    /// Creates an empty table with the headings of its columns.
    pub(crate) fn new(title: &str, head: &[&str]) -> Self {
        let head = head.iter().map(|head| (*head).to_owned()).collect();
        Self { title: title.to_owned(), head, ..Self::default() }
    }

    /// Sets the text between heading and table.
    pub(crate) fn noted(mut self, note: &str) -> Self {
        self.note = note.to_owned();
        self
    }

    /// Adds headings of further columns.
    pub(crate) fn columns<'a>(&mut self, names: impl Iterator<Item = &'a str>) {
        self.head.extend(names.map(str::to_owned));
    }

    /// Adds a row of cells in HTML. `id` is its anchor, `on` its platforms for the filter; both may
    /// be empty.
    pub(crate) fn row(&mut self, id: &str, on: &str, cells: Vec<String>) {
        self.rows.push(json!({ "id": id, "on": on, "cells": cells }));
    }

    fn value(&self) -> Value {
        let id = address::slug(&self.title).to_ascii_lowercase();
        json!({ "title": self.title, "id": format!("t-{id}"), "note": self.note, "head": self.head, "rows": self.rows })
    }
}

/// Content of a page of tables.
#[derive(Default)]
pub(crate) struct Content {
    /// Page above: its title and address.
    pub(crate) crumb: Option<(&'static str, &'static str)>,
    /// HTML below the title.
    pub(crate) body: String,
    /// Facts: a name, and a value in HTML.
    pub(crate) facts: Vec<(&'static str, String)>,
    pub(crate) tables: Vec<Table>,
    /// HTML at the end.
    pub(crate) after: String,
}

impl Site<'_> {
    /// Returns a page of tables. Empty tables and facts are left out.
    pub(crate) fn tables(&self, path: String, title: &str, lead: &str, content: Content) -> Result<File, Error> {
        let Content { crumb, body, facts, tables, after } = content;
        let facts: Vec<_> = facts.into_iter().filter(|(_, value)| !value.is_empty()).collect();
        let tables: Vec<_> = tables.iter().filter(|table| !table.rows.is_empty()).map(Table::value).collect();
        let values = json!({ "crumb": crumb, "body": body, "facts": facts, "tables": tables, "after": after });
        self.page(path, "table.html", title, lead, values)
    }

    /// Returns the place of a fact, with its sources, as HTML.
    pub(crate) fn place(&self, at: &Location, root: &str) -> String {
        let sources = at.sources.iter().map(|name| link(root, &address::source(name), name));
        let sources = sources.collect::<Vec<_>>().join(", ");
        let since = at.since.as_ref().map_or(String::new(), |since| format!(" since {}", escape(since)));
        let place = format!("<code>{}:{}</code>", escape(&at.file), at.line);
        match sources.is_empty() && since.is_empty() {
            true => place,
            false => format!("{place} ({sources}{since})"),
        }
    }

    /// Returns the platforms of conditions, for the filter.
    pub(crate) fn on(&self, when: &[Bound]) -> String {
        if when.is_empty() { String::new() } else { self.platforms().filter(&[when.to_vec()]) }
    }
}

/// Returns a text as code in HTML; empty for an empty text.
pub(crate) fn code(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("<code>{}</code>", escape(text)) }
}

/// Returns the content of a cell of a further column as HTML.
pub(crate) fn cell(value: &SaidValue) -> String {
    let joined = |all: &[i64]| all.iter().map(i64::to_string).collect::<Vec<_>>().join(", ");
    match value {
        SaidValue::None => "–".to_owned(),
        SaidValue::Number(number) => number.to_string(),
        SaidValue::Numbers(numbers) => joined(numbers),
        SaidValue::Flag(flag) => if *flag { "yes" } else { "no" }.to_owned(),
        SaidValue::Names(names) => escape(&names.join(", ")),
    }
}

/// Returns the cells of further columns as HTML; an empty cell for each column of a reserved value.
pub(crate) fn cells(said: &[Said], columns: usize) -> Vec<String> {
    let mut cells: Vec<String> = said.iter().map(|said| cell(&said.value)).collect();
    cells.resize(columns, String::new());
    cells
}
