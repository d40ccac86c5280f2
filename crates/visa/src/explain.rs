//! Command `visa explain`: prints the explanation of an error code, from the reference that is also
//! part of the book.

use serde::Serialize;
use serde_json::json;
use visakit_diag::{Diagnostic, Severity};

use crate::{Findings, Outcome, OutputFormat, answer, finish, out};

/// Reference of all codes. Symbolic links keep the package complete.
const REFERENCE: &str = include_str!("../errors.md");
/// Grammar of pages, which explains the codes of `visa spec lint`.
const GRAMMAR: &str = include_str!("../grammar.md");
/// Addresses of the two documents.
const REFERENCE_ADDRESS: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/blob/main/docs/reference/errors.md");
const GRAMMAR_ADDRESS: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/blob/main/spec/README.md#findings");

/// Explain the code of an error, warning or note
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  visa explain type-map          the code in `error[type-map]`
  visa explain                   all codes
  visa explain --format json     the same for programs

Exit codes: 0 explained, 2 the code is not known")]
pub(crate) struct Args {
    /// The code; without it, all codes are listed
    #[arg(value_name = "CODE")]
    code: Option<String>,
    /// How it is shown
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
}

/// Code with its explanation.
#[derive(Clone, Debug, Serialize)]
struct Entry {
    code: &'static str,
    /// Heading of the section that explains the code: the phase of the program.
    phase: &'static str,
    text: String,
    /// Address of the explanation.
    address: String,
}

pub(super) fn run(args: Args) -> Outcome {
    finish(explain(&args), args.format)
}

fn explain(args: &Args) -> Result<Outcome, Findings> {
    let all = entries();
    let Some(wanted) = &args.code else {
        match args.format {
            OutputFormat::Json => answer(&[], json!({ "codes": all })),
            OutputFormat::Human => out(&listed(&all)),
            OutputFormat::Github | OutputFormat::Sarif => {}
        }
        return Ok(Outcome::Done);
    };
    // The user may paste a code with its brackets and severity.
    let inner = wanted.split('[').next_back().unwrap_or(wanted);
    let code = inner.trim().trim_end_matches(']').to_ascii_lowercase();
    let Some(entry) = all.iter().find(|entry| entry.code == code) else {
        return Err(unknown(wanted, &code, &all).into());
    };
    match args.format {
        OutputFormat::Json => answer(&[], json!({ "codes": [entry] })),
        OutputFormat::Human => {
            out(&format!("{}  ({})\n\n{}\n\n{}\n", entry.code, entry.phase, entry.text, entry.address))
        }
        OutputFormat::Github | OutputFormat::Sarif => {}
    }
    Ok(Outcome::Done)
}

/// Returns the address of the explanation of a code.
pub(crate) fn address(code: &str) -> Option<String> {
    entries().into_iter().find(|entry| entry.code == code).map(|entry| entry.address)
}

/// Returns all codes in the order of the documents. If a code occurs twice, the first occurrence
/// counts.
fn entries() -> Vec<Entry> {
    let mut all: Vec<Entry> = Vec::new();
    let of_reference = sections(REFERENCE, "").map(|section| (REFERENCE_ADDRESS, section));
    let of_grammar = sections(GRAMMAR, "## Findings").map(|section| (GRAMMAR_ADDRESS, section));
    for (address, (phase, codes, text)) in of_reference.chain(of_grammar) {
        for code in &codes {
            if all.iter().any(|entry| entry.code == *code) {
                continue;
            }
            let address = match (address, codes.len()) {
                (GRAMMAR_ADDRESS, _) => address.to_owned(),
                (_, 1) if !text.starts_with(ROW) => format!("{address}#{code}"),
                _ => format!("{address}#{}", phase.to_ascii_lowercase().replace(' ', "-")),
            };
            let shared = match codes.len() {
                1 => String::new(),
                _ => format!("{}: ", codes.join(", ")),
            };
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

/// Returns one line per code, below the heading of its phase.
fn listed(all: &[Entry]) -> String {
    let mut out = String::new();
    let mut phase = "";
    for entry in all {
        if entry.phase != phase {
            phase = entry.phase;
            out += &format!("{}{phase}\n", if out.is_empty() { "" } else { "\n" });
        }
        let first = entry.text.lines().next().unwrap_or_default();
        // A table row explains several codes; the meaning follows the codes.
        let first = first.rsplit_once("`: ").map_or(first, |(_, meaning)| meaning);
        let own = first.split_once(": ").filter(|(codes, _)| codes.split(", ").any(|code| code == entry.code));
        out += &format!("  {:<22} {}\n", entry.code, own.map_or(first, |(_, meaning)| meaning));
    }
    out
}

fn unknown(wanted: &str, code: &str, all: &[Entry]) -> Diagnostic {
    let message = format!("`{wanted}` is not the code of a finding");
    let found = Diagnostic::new("usage-code", Severity::Error, "visa explain", message);
    let mut near: Vec<_> =
        all.iter().map(|entry| entry.code).filter(|known| code.len() > 2 && known.contains(code)).take(12).collect();
    if near.is_empty() {
        near.extend(visakit::rt::nearest(code, all.iter().map(|entry| entry.code)));
    }
    match near.as_slice() {
        [] => found.help("`visa explain` lists all codes"),
        near => found.help(format!("similar codes: {}", near.join(", "))),
    }
}
