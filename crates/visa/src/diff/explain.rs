//! Root causes of findings.
//!
//! This program was built from the pages that it carries. When other pages are probed, an edit
//! between the two sets of pages may explain a finding. A finding that no edit explains is a defect
//! of the implementation.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use visakit_codegen::model::Model;
use visakit_conform::Finding;
use visakit_spec_tools::diff::{Cause as Edit, Class};

use super::edits::{Edits, Source, words};
use crate::groups::Group;
use crate::summary::escape;

/// Root cause of findings: an edit of the pages, or a defect of the implementation.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Cause {
    id: usize,
    /// Class of the edit, as in `visa spec diff`, or [`IMPLEMENTATION`].
    pub(super) class: &'static str,
    /// Code of most findings of the cause.
    code: &'static str,
    what: String,
    file: String,
    line: u32,
    /// Number of facts that fail because of this cause.
    pub(super) facts: usize,
    /// Instructions, lists and structures of these facts.
    instructions: Vec<String>,
    help: String,
}

/// Advice for making the implementation follow pages that it was not built from.
const FOLLOW: &str = "build from these pages";

/// Class of findings that no edit explains.
const IMPLEMENTATION: &str = "implementation";

/// Class of findings that follow from an edit whose meaning the comparison of pages does not show.
const EDITED: &str = "edited";

/// Findings that the built-in pages have too, by code and path: defects of the implementation.
pub(super) type Known = BTreeSet<(&'static str, String)>;

/// Returns the causes, most severe first, and the index of the cause of each finding. Findings that
/// an edit explains are moved to the line of the edit.
pub(super) fn causes(
    findings: &mut [Finding],
    own: &Model,
    model: &Model,
    known: &Known,
) -> (Vec<Cause>, Vec<usize>) {
    if findings.is_empty() {
        return (Vec::new(), Vec::new());
    }
    let edits = Edits::new(own, model);
    let searched = edits.searched();
    let mut members: BTreeMap<Source, Vec<usize>> = BTreeMap::new();
    for (n, finding) in findings.iter_mut().enumerate() {
        let code = finding.diagnostic.code;
        let source = match known.contains(&(code, finding.path.clone())) {
            true => None,
            false => edits.source(finding, &searched),
        };
        if let Some(source) = &source {
            edits.point_at(&mut finding.diagnostic, source, own, model);
        }
        let of = if code == "kernel-missing" { String::new() } else { subject(&finding.path) };
        members.entry(source.unwrap_or(Source::Defect(code, of))).or_default().push(n);
    }
    let mut causes = Vec::new();
    let mut of = vec![0; findings.len()];
    let mut all: Vec<_> = members.into_iter().collect();
    all.sort_by_key(|(source, facts)| (edits.class(source), std::cmp::Reverse(facts.len()), source.clone()));
    for (source, facts) in all {
        let id = causes.len() + 1;
        facts.iter().for_each(|&n| of[n] = id);
        let first = &findings[facts[0]];
        let help = first.diagnostic.help.clone();
        let (class, what, help) = match &source {
            Source::Edit(edit) => {
                let Edit { class, help, .. } = &edits.edits[*edit];
                // A text-only edit changes what is printed and parsed, and the verdicts on
                // statements that are illegal anyway.
                let help =
                    if *class == Class::TextOnly && !help.starts_with("the Rust name") { FOLLOW } else { help };
                (class.name(), edits.what(*edit), help.to_owned())
            }
            Source::Hunk(_) => (EDITED, format!("the page was edited: {}", first.path), FOLLOW.to_owned()),
            Source::Defect("kernel-missing", _) => (IMPLEMENTATION, "instructions without a kernel".to_owned(), help),
            Source::Defect(code, _) => (IMPLEMENTATION, format!("{code}: {}", first.diagnostic.message), help),
        };
        causes.push(Cause {
            id,
            class,
            code: first.diagnostic.code,
            what,
            file: first.diagnostic.file.clone(),
            line: first.diagnostic.line,
            facts: facts.len(),
            instructions: shown_in(facts.iter().map(|&n| findings[n].path.as_str())),
            help,
        });
    }
    (causes, of)
}

impl Cause {
    /// Returns the row of a Markdown table.
    pub(super) fn row(&self) -> String {
        let place = if self.file.is_empty() { String::new() } else { format!("{}:{}", self.file, self.line) };
        format!("| {} | {} | {} | {} |\n", self.class, escape(&self.what), self.facts, escape(&place))
    }
}

#[cfg(test)]
impl Cause {
    pub(super) fn class(&self) -> &str {
        self.class
    }

    pub(super) fn place(&self) -> (&str, u32) {
        (&self.file, self.line)
    }

    pub(super) fn summary(&self) -> String {
        let Self { class, code, what, file, line, facts, .. } = self;
        format!("{class} {code} {file}:{line} ({facts}): {what}")
    }
}

impl From<Cause> for Group {
    fn from(cause: Cause) -> Self {
        let place = if cause.file.is_empty() { String::new() } else { format!("{}:{}", cause.file, cause.line) };
        Self {
            class: cause.class,
            owner: if let [one] = cause.instructions.as_slice() { one.clone() } else { String::new() },
            kind: cause.code.to_owned(),
            what: cause.what,
            count: cause.facts,
            place,
            shows: cause.instructions,
            help: cause.help,
            is_prose: false,
        }
    }
}

/// Returns the instructions, lists and structures that facts belong to. Opcodes and mnemonics are
/// included only if they belong to nothing else.
fn shown_in<'a>(paths: impl Iterator<Item = &'a str>) -> Vec<String> {
    let all: BTreeSet<String> = paths.map(subject).collect();
    let is_code = |name: &str| name.starts_with("0x");
    let is_mnemonic = |name: &str| {
        let page = name.to_ascii_uppercase();
        page != name && all.contains(&page)
    };
    let named: Vec<String> = all.iter().filter(|name| !is_code(name) && !is_mnemonic(name)).cloned().collect();
    if named.is_empty() { all.into_iter().collect() } else { named }
}

/// Returns the instruction, list or structure that a fact belongs to.
fn subject(path: &str) -> String {
    words(path).next().unwrap_or(path).to_owned()
}
