//! Outcomes and reports of commands: for a person, as JSON, as GitHub annotations and as SARIF.

mod github;
mod place;
pub(crate) mod sarif;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;
use serde_json::json;
use visakit_diag::{Diagnostic, Diagnostics, Severity};

use crate::io;
use crate::limits::PRINTED;
use crate::outcome::{Outcome, OutputFormat};

/// Findings that end a command. `?` converts one finding or several.
#[derive(Debug)]
pub(crate) struct Findings(pub(crate) Vec<Diagnostic>);

impl From<Vec<Diagnostic>> for Findings {
    fn from(findings: Vec<Diagnostic>) -> Self {
        Self(findings)
    }
}

impl From<Diagnostics> for Findings {
    fn from(findings: Diagnostics) -> Self {
        Self(findings.into_vec())
    }
}

impl From<Diagnostic> for Findings {
    fn from(finding: Diagnostic) -> Self {
        Self(vec![finding])
    }
}

impl From<Box<Diagnostic>> for Findings {
    fn from(finding: Box<Diagnostic>) -> Self {
        Self(vec![*finding])
    }
}

/// Ends a command: reports the findings that stopped it. A SARIF log is printed in any case.
pub(crate) fn finish(result: Result<Outcome, Findings>, format: OutputFormat) -> Outcome {
    match result {
        Err(Findings(findings)) => {
            report(&findings, format);
            Outcome::of(&findings)
        }
        Ok(outcome) => {
            if format == OutputFormat::Sarif && !sarif::is_printed() {
                report(&[], format);
            }
            outcome
        }
    }
}

/// Reports findings alone: to a person, or in the given format.
pub(crate) fn report(findings: &[Diagnostic], format: OutputFormat) {
    match format {
        OutputFormat::Human => io::say_findings(&printed(findings)),
        OutputFormat::Json => answer(findings, json!({})),
        OutputFormat::Github => github::print(&printed(findings)),
        OutputFormat::Sarif => sarif::print(findings, sarif::Notes::Belong, BTreeMap::new()),
    }
}

/// Prints the single object of `--format json`: `findings`, and the command's own members, which
/// are a struct or an object.
pub(crate) fn answer(findings: &[Diagnostic], own: impl Serialize) {
    #[derive(Serialize)]
    struct Answer<'a, T> {
        findings: &'a [Diagnostic],
        #[serde(flatten)]
        own: T,
    }
    let findings = &*printed(findings);
    print_json(&Answer { findings, own });
    if io::is_lost() {
        io::say_findings(findings);
    }
}

/// Returns the findings to print. If there are too many, returns the first ones, errors before
/// others, and a note that counts the rest.
pub(crate) fn printed(findings: &[Diagnostic]) -> Cow<'_, [Diagnostic]> {
    if findings.len() <= PRINTED {
        return Cow::Borrowed(findings);
    }
    let (errors, others): (Vec<_>, Vec<_>) = findings.iter().partition(|finding| finding.severity == Severity::Error);
    let mut first: Vec<_> = errors.into_iter().chain(others).take(PRINTED).cloned().collect();
    let message = format!("{} more findings are not printed", findings.len() - PRINTED);
    let file = first[0].file.clone();
    let note = Diagnostic::new("findings-more", Severity::Note, file, message);
    first.push(note.help(format!(
        "the limit is {PRINTED}; correct the first findings, which may \
     cause the others, and run the command again"
    )));
    Cow::Owned(first)
}

/// Prints a value as JSON: an object with `findings`, or the output of the command.
pub(crate) fn print_json(value: &impl Serialize) {
    io::out(&json_text(value));
}

/// Formats a value as JSON with a final newline.
pub(crate) fn json_text(value: &impl Serialize) -> String {
    // All values are plain data with string keys, so serialisation cannot fail.
    serde_json::to_string_pretty(value).unwrap_or_default() + "\n"
}

/// Creates an error about a whole input file.
pub(crate) fn problem(code: &'static str, file: &Path, message: impl Into<String>) -> Diagnostic {
    Diagnostic::new(code, Severity::Error, io::shown(file, "stdin"), message)
}
