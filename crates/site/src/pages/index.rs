//! Overviews: the front page, instructions by opcode, words, and history.

use minijinja::Error;
use serde_json::{Value, json};

use super::Site;
use super::table::{Content, Table, code};
use crate::names::Name;
use crate::prose::{escape, link};
use crate::{File, Revision, address, marks};

/// Kinds of names that the page of words leaves to a page of its own, because they are many.
const OWN_PAGE: &str = "enumerator";

/// Returns the overviews.
pub(super) fn pages(site: &Site<'_>) -> Result<Vec<File>, Error> {
    let names = site.names.list();
    let (values, words): (Vec<Name>, Vec<Name>) = names.into_iter().partition(|name| name.kind == OWN_PAGE);
    let mut words = words;
    for (instruction, mnemonics) in &site.names.mnemonics {
        for word in mnemonics {
            let address = address::instruction(instruction);
            words.push(Name {
                name: word.clone(),
                kind: "mnemonic",
                address,
                summary: String::new(),
                words: Vec::new(),
            });
        }
    }
    let lead = "All names and mnemonics; the values of lists have a page of their own";
    let mut files =
        vec![front(site)?, opcodes(site)?, history(site)?, self::words(site, "words.html", "Words", lead, words)?];
    let lead = "The named values of all lists";
    files.push(self::words(site, "values.html", "Values", lead, values)?);
    Ok(files)
}

fn front(site: &Site<'_>) -> Result<File, Error> {
    let mut groups: Vec<(String, Vec<Value>)> = Vec::new();
    let mut place = |group: &str, one: Value| match groups.iter_mut().find(|(name, _)| name == group) {
        Some((_, all)) => all.push(one),
        None => groups.push((group.to_owned(), vec![one])),
    };
    let index = site
        .names
        .model
        .index
        .iter()
        .filter_map(|line| site.names.all.instructions.iter().find(|one| one.name == line.page));
    let rest = site.names.all.instructions.iter();
    let rest = rest.filter(|one| !site.names.model.index.iter().any(|line| line.page == one.name));
    for one in index.chain(rest) {
        let value = json!({
            "name": one.name,
            "address": address::instruction(&one.name),
            "summary": site.names.summary(&one.name),
            "on": if one.platforms.is_empty() { String::new() } else { site.platforms().filter(&one.platforms) },
        });
        place(site.names.group(&one.name).unwrap_or("Other instructions"), value);
    }
    let groups: Vec<Value> = groups
        .into_iter()
        .map(|(name, all)| json!({ "id": address::slug(&name).to_ascii_lowercase(), "name": name, "instructions": all }))
        .collect();
    let values = json!({ "groups": groups, "count": site.names.all.instructions.len() });
    site.page("index.html".to_owned(), "index.html", "Instructions", "Instructions of Intel's Virtual ISA", values)
}

fn opcodes(site: &Site<'_>) -> Result<File, Error> {
    let mut table = Table::new("Opcodes", &["Opcode", "Instruction", "Words", "Meaning", "Platforms"]);
    for one in &site.names.all.instructions {
        let sub = one.sub_opcode.map_or(String::new(), |sub| format!(" 0x{sub:02x}"));
        let words = site.names.mnemonics.get(one.name.as_str()).map(|words| words.join(", ")).unwrap_or_default();
        let on = if one.platforms.is_empty() { String::new() } else { site.platforms().filter(&one.platforms) };
        let cells = vec![
            code(&format!("0x{:02x}{sub}", one.opcode)),
            link("", &address::instruction(&one.name), &one.name),
            escape(&words),
            escape(&site.names.summary(&one.name)),
            escape(&marks::said(&one.platforms)),
        ];
        table.row("", &on, cells);
    }
    let content = Content { tables: vec![table], ..Content::default() };
    site.tables("opcodes.html".to_owned(), "Instructions by opcode", "The first byte of an instruction", content)
}

/// Returns a page of names by their first letters.
fn words(site: &Site<'_>, path: &str, title: &str, lead: &str, mut names: Vec<Name>) -> Result<File, Error> {
    let key = |name: &Name| name.name.trim_start_matches(['%', '.']).to_ascii_lowercase();
    names.sort_by_cached_key(|name| (key(name), name.name.clone(), name.kind, name.address.clone()));
    let mut letters: Vec<(char, Vec<Value>)> = Vec::new();
    for name in &names {
        let first = key(name).chars().next().filter(char::is_ascii_alphabetic).unwrap_or('#');
        let value = json!({ "name": name.name, "kind": name.kind, "address": name.address });
        match letters.iter_mut().find(|(letter, _)| *letter == first) {
            Some((_, all)) => all.push(value),
            None => letters.push((first, vec![value])),
        }
    }
    letters.sort_by_key(|(letter, _)| *letter);
    let letter = |(letter, words): (char, Vec<Value>)| {
        let id = if letter == '#' { "other".to_owned() } else { format!("letter-{letter}") };
        json!({ "id": id, "name": letter.to_ascii_uppercase().to_string(), "words": words })
    };
    let letters: Vec<Value> = letters.into_iter().map(letter).collect();
    site.page(path.to_owned(), "words.html", title, lead, json!({ "letters": letters }))
}

/// Returns the dated facts and the revisions of the pages.
fn history(site: &Site<'_>) -> Result<File, Error> {
    let model = site.names.model;
    let mut rows: Vec<_> = model.provenance.iter().filter(|row| row.since.is_some()).collect();
    rows.sort_by(|a, b| (&b.since, a.at).cmp(&(&a.since, b.at)));
    let mut facts = Table::new("Facts by date", &["Fact", "Since", "Page", "Source"])
        .noted("The date or version since which a source has the fact, the newest first.");
    for row in rows {
        let Some(page) = model.pages.get(row.at.page as usize) else { continue };
        let instruction = site.names.all.instructions.iter().find(|one| one.at.file == page.path);
        let place = match instruction {
            Some(one) => link("", &address::instruction(&one.name), &one.name),
            None => link("", &address::chapter(&page.path), page.stem()),
        };
        let sources = row.sources.iter().map(|name| link("", &address::source(name), name)).collect::<Vec<_>>();
        let fact = if row.section.is_empty() { row.label.clone() } else { format!("{}: {}", row.section, row.label) };
        let since = row.since.clone().unwrap_or_default();
        facts.row("", "", vec![escape(&fact), escape(&since), place, sources.join(", ")]);
    }
    let mut revisions = Table::new("Revisions of the pages", &["Revision", "Date", "Title", "Changed facts"]);
    for one in &site.extras.revisions {
        let id = format!("r-{}", one.name);
        revisions.row(&id, "", vec![code(&one.name), escape(&one.date), escape(&one.title), changes(one)]);
    }
    let content = Content { tables: vec![facts, revisions], ..Content::default() };
    site.tables("history.html".to_owned(), "History", "When facts appeared and changed", content)
}

/// Returns the changes of a revision as HTML; long lists are folded.
fn changes(revision: &Revision) -> String {
    const MOST: usize = 40;
    let shown =
        revision.changes.iter().take(MOST).map(|(path, what)| format!("<li>{} {}</li>", code(path), escape(what)));
    let shown: String = shown.collect();
    let more = revision.changes.len().saturating_sub(MOST);
    let more = if more > 0 { format!("<li>{more} more</li>") } else { String::new() };
    format!("<details><summary>{}</summary><ul>{shown}{more}</ul></details>", revision.changes.len())
}
