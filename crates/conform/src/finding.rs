//! What probing found: facts that were looked at, and for each broken one what was expected and
//! what came.

use std::collections::BTreeMap;

use serde::Serialize;
use visakit_codegen::model::{Model, SourceSpan};
use visakit_diag::{Diagnostic, Severity};

/// A fact of the specification that the implementation does not follow, or something it has that no
/// page has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Where and what, as every command reports it.
    #[serde(flatten)]
    pub diagnostic: Diagnostic,
    /// The fact, such as `ADD.Exec_size.0b101`; facts of shared lists begin with the list.
    pub path: String,
    /// What the specification says.
    pub expected: String,
    /// What the implementation did.
    pub got: String,
}

/// How many facts of a kind were probed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Count {
    /// Facts that were probed.
    pub probed: usize,
    /// Facts that the implementation follows.
    pub passed: usize,
}

/// A fact: its kind, its path and its place.
#[derive(Clone, Debug)]
pub(super) struct Fact {
    pub(super) kind: &'static str,
    pub(super) path: String,
    pub(super) at: Option<SourceSpan>,
}

impl Fact {
    pub(super) fn new(kind: &'static str, path: impl Into<String>, at: SourceSpan) -> Self {
        Self { kind, path: path.into(), at: Some(at) }
    }

    /// A fact that no page has.
    pub(super) fn nowhere(kind: &'static str, path: impl Into<String>) -> Self {
        Self { kind, path: path.into(), at: None }
    }
}

/// What is known of a broken fact.
#[derive(Clone, Debug)]
struct Broken {
    code: &'static str,
    at: Option<SourceSpan>,
    message: String,
    expected: String,
    got: String,
    times: usize,
}

/// Collects facts; a fact is broken when any probe of it failed.
#[derive(Clone, Debug, Default)]
pub(super) struct Tally {
    facts: BTreeMap<(&'static str, String), Option<Broken>>,
}

/// What a failed probe has to say.
pub(super) struct Difference {
    /// Stable code.
    pub(super) code: &'static str,
    /// What was done, in a few words.
    pub(super) message: String,
    pub(super) expected: String,
    pub(super) got: String,
}

/// Whether what came is what was expected.
pub(super) fn same(code: &'static str, message: String, expected: String, got: String) -> Result<(), Difference> {
    if expected == got { Ok(()) } else { Err(Difference { code, message, expected, got }) }
}

impl Tally {
    /// A probe of a fact that passed.
    pub(super) fn pass(&mut self, fact: Fact) {
        self.facts.entry((fact.kind, fact.path)).or_default();
    }

    /// A probe of a fact that failed; the first failure of a fact is the one that is shown.
    pub(super) fn fail(&mut self, fact: Fact, difference: Difference) {
        let Difference { code, message, expected, got } = difference;
        let slot = self.facts.entry((fact.kind, fact.path)).or_default();
        match slot {
            Some(broken) => broken.times += 1,
            None => *slot = Some(Broken { code, at: fact.at, message, expected, got, times: 1 }),
        }
    }

    /// A probe of a fact that passed, or failed with a difference.
    pub(super) fn probe(&mut self, fact: Fact, result: Result<(), Difference>) -> bool {
        let passed = result.is_ok();
        match result {
            Ok(()) => self.pass(fact),
            Err(difference) => self.fail(fact, difference),
        }
        passed
    }

    /// Whether any fact is broken.
    pub(super) fn is_broken(&self) -> bool {
        self.facts.values().any(Option::is_some)
    }

    /// Takes the facts of another tally in.
    pub(super) fn merge(&mut self, other: Tally) {
        for (key, broken) in other.facts {
            match (self.facts.entry(key).or_default(), broken) {
                (Some(mine), Some(more)) => mine.times += more.times,
                (slot @ None, broken) => *slot = broken,
                (Some(_), None) => {}
            }
        }
    }

    /// The findings in the order of their places, and the counts by kind.
    pub(super) fn finish(self, model: &Model) -> (Vec<Finding>, BTreeMap<&'static str, Count>) {
        let mut counts: BTreeMap<&'static str, Count> = BTreeMap::new();
        let mut findings = Vec::new();
        for ((kind, path), broken) in self.facts {
            let count = counts.entry(kind).or_default();
            count.probed += 1;
            count.passed += usize::from(broken.is_none());
            findings.extend(broken.map(|broken| finding(model, path, broken)));
        }
        findings.sort_by(|a, b| {
            let key = |f: &Finding| (f.diagnostic.file.clone(), f.diagnostic.line, f.diagnostic.code, f.path.clone());
            key(a).cmp(&key(b))
        });
        (findings, counts)
    }
}

fn finding(model: &Model, path: String, broken: Broken) -> Finding {
    let page = broken.at.and_then(|at| Some((at, model.pages.get(at.page as usize)?)));
    let file = page.map_or("", |(_, page)| page.shown.as_str());
    let more = if broken.times > 1 {
        format!(" (and {} more probes of this fact)", broken.times - 1)
    } else {
        String::new()
    };
    let message = match broken.code {
        "kernel-missing" => broken.message,
        _ => format!("{path}: {}: expected {}, got {}{more}", broken.message, broken.expected, broken.got),
    };
    let mut diagnostic = Diagnostic::new(broken.code, Severity::Error, file, message).help(help(broken.code));
    if let Some((at, page)) = page {
        diagnostic = diagnostic.at_text(&page.text, at.start as usize, at.end as usize);
    }
    Finding { diagnostic, path, expected: broken.expected, got: broken.got }
}

/// What to do about a kind of finding.
fn help(code: &str) -> &'static str {
    match code {
        "kernel-missing" => {
            "complete the stub: implement the method of `Kernels` with the instruction's name, \
             in crates/kernels/src"
        }
        "instruction-extra" | "opcode-extra" | "sub-opcode-extra" | "mnemonic-extra" | "enumerator-extra"
        | "form-extra" | "predefined-extra" | "data-type-extra" | "platform-extra" => {
            "add it to the pages if it exists; otherwise build from these pages to remove it \
             from the implementation"
        }
        _ => {
            "build from these pages; if the build already uses them, the bug is in the generator \
             (codegen/src/emit) or in the runtime (src/rt)"
        }
    }
}
