//! Markdown summaries of comparisons, for the page of a workflow run.

use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;

use visakit_diag::Diagnostic;

use crate::accept::AcceptedUse;
use crate::report::problem;

/// Appends a text to a file. A workflow collects the summaries of its steps in one file.
///
/// # Errors
/// Fails if the file cannot be written.
pub(crate) fn append(path: &Path, text: &str) -> Result<(), Box<Diagnostic>> {
    let file = OpenOptions::new().create(true).append(true).open(path);
    let written = file.and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|error| {
        let found = problem("file-write", path, format!("the summary cannot be written: {error}"));
        Box::new(found.help("name a file in an existing folder"))
    })
}

/// Returns a section about accepted differences; empty if there are none.
pub(crate) fn accepted(uses: &[AcceptedUse]) -> String {
    let mut s = String::new();
    if uses.is_empty() {
        return s;
    }
    s.push_str("\n## Accepted\n\n| Where | Differences | Reason |\n| --- | --- | --- |\n");
    for used in uses {
        let _ = writeln!(s, "| {} | {} | {} |", escape(&used.path), used.times, escape(&used.reason));
    }
    s
}

/// Escapes characters that Markdown would read as markup or as the end of a cell.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        if matches!(c, '|' | '*' | '_' | '`' | '<' | '>' | '[' | ']' | '\\') {
            out.push('\\');
        }
        out.push(if c == '\n' { ' ' } else { c });
    }
    out
}
