//! Explanations of the codes of findings, from the reference that is also part of the book.

use std::sync::LazyLock;

use serde::Serialize;
use visakit_site::address;

/// Reference of all codes. Symbolic links keep the package complete.
const REFERENCE: &str = include_str!("../errors.md");

/// Grammar of pages, which explains the codes of `visa spec lint`.
const GRAMMAR: &str = include_str!("../grammar.md");

/// Code with its explanation.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Entry {
    pub(crate) code: &'static str,
    /// Heading of the section that explains the code: the phase of the program.
    pub(crate) phase: &'static str,
    pub(crate) text: String,
    /// Address of the explanation's page in the reference site.
    pub(crate) address: String,
}

/// Returns the address of the explanation of a code.
pub(crate) fn address(code: &str) -> Option<&'static str> {
    entries().iter().find(|entry| entry.code == code).map(|entry| entry.address.as_str())
}

/// Returns all codes in the order of the documents. If a code occurs twice, the first occurrence
/// counts.
pub(crate) fn entries() -> &'static [Entry] {
    static ENTRIES: LazyLock<Vec<Entry>> = LazyLock::new(read);
    &ENTRIES
}

fn read() -> Vec<Entry> {
    let mut all: Vec<Entry> = Vec::new();
    for (phase, codes, text) in sections(REFERENCE, "").chain(sections(GRAMMAR, "## Findings")) {
        for code in &codes {
            if all.iter().any(|entry| entry.code == *code) {
                continue;
            }
            let shared = match codes.len() {
                1 => String::new(),
                _ => format!("{}: ", codes.join(", ")),
            };
            let address = address::url(&address::code(code));
            all.push(Entry { code, phase, text: shared + text.trim_start_matches(ROW), address });
        }
    }
    all
}

/// First character of a text that is a table cell.
const ROW: char = '|';

/// Returns heading, codes and text of each section and each table row of a document after `start`.
fn sections(document: &'static str, start: &str) -> impl Iterator<Item = (&'static str, Vec<&'static str>, String)> {
    let document = match document.find(start) {
        Some(at) => document[at..].trim(),
        None => "",
    };
    // If `start` names a heading, only its section is searched.
    let end = match start {
        "" => document.len(),
        _ => document.match_indices("\n## ").next().map_or(document.len(), |(at, _)| at),
    };
    let mut phase = "";
    let mut found = Vec::new();
    let mut lines = document[..end].lines().peekable();
    while let Some(line) = lines.next() {
        if let Some(heading) = line.strip_prefix("## ") {
            phase = heading;
        } else if let Some(heading) = line.strip_prefix("### ") {
            let mut text = Vec::new();
            while let Some(line) = lines.next_if(|line| !line.starts_with("##")) {
                text.push(line);
            }
            found.push((phase, codes(heading), plain(text.join("\n").trim())));
        } else if let Some(cells) = line.strip_prefix("| `") {
            let (names, meaning) = cells.split_once(" | ").unwrap_or((cells, ""));
            let text = format!("{ROW}{}", plain(meaning.trim_end_matches(['|', ' '])));
            found.push((phase, codes(&line[2..2 + 1 + names.len()]), text));
        }
    }
    found.into_iter()
}

/// Returns the words in backticks.
fn codes(text: &'static str) -> Vec<&'static str> {
    text.split('`').skip(1).step_by(2).collect()
}

/// Replaces links by their words: `[limit](limits.md)` becomes `limit`.
fn plain(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, (word, behind))) = rest.split_once('[').and_then(|(before, rest)| {
        let (word, behind) = rest.split_once("](")?;
        (!word.contains('\n')).then_some((before, (word, behind.split_once(')')?.1)))
    }) {
        out += before;
        out += word;
        rest = behind;
    }
    out + rest
}
