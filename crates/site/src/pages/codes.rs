//! Pages of the codes of findings.

use std::collections::BTreeSet;

use minijinja::Error;

use super::Site;
use super::table::{Content, Table};
use crate::names::first_sentence;
use crate::prose::{self, escape, link};
use crate::{Code, File, address};

/// Returns the pages of codes and their overview.
pub(super) fn pages(site: &Site<'_>) -> Result<Vec<File>, Error> {
    let mut files = Vec::new();
    let mut tables: Vec<(&str, Table)> = Vec::new();
    let mut taken = BTreeSet::new();
    for code in &site.extras.codes {
        if !taken.insert(&code.code) {
            continue;
        }
        files.push(page(site, code)?);
        let at = tables.iter().position(|(phase, _)| *phase == code.phase).unwrap_or_else(|| {
            tables.push((&code.phase, Table::new(&code.phase, &["Code", "Meaning"])));
            tables.len() - 1
        });
        let name = link("", &address::code(&code.code), &code.code);
        let meaning = prose::inline(&site.names, "", &first_sentence(&code.text), "");
        tables[at].1.row("", "", vec![name, meaning]);
    }
    let lead = "Codes in brackets after the severity of a finding";
    let content = Content { tables: tables.into_iter().map(|(_, table)| table).collect(), ..Content::default() };
    files.push(site.tables("codes.html".to_owned(), "Codes of findings", lead, content)?);
    Ok(files)
}

fn page(site: &Site<'_>, code: &Code) -> Result<File, Error> {
    let path = address::code(&code.code);
    let root = super::root(&path);
    let all = &site.names.all;
    let mut table = Table::new("Rules with this code", &["Rule", "Message"]);
    for one in all.checks.iter().filter(|one| one.finding == code.code) {
        table.row("", "", vec![link(root, &address::check(&one.name), &one.name), escape(&one.doc)]);
    }
    for one in all.constraints.iter().filter(|one| one.finding == code.code) {
        table.row("", "", vec![link(root, &address::rule(&one.name), &one.name), escape(&one.doc)]);
    }
    let content = Content {
        crumb: Some(("Codes", "codes.html")),
        body: prose::html(&site.names, "", &code.text, root),
        facts: vec![
            ("Phase", escape(&code.phase)),
            ("Command", format!("<code>visa explain {}</code>", escape(&code.code))),
        ],
        tables: vec![table],
        ..Content::default()
    };
    site.tables(path, &code.code, "", content)
}
