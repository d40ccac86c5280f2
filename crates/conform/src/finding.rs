//! Findings of the probes: the probed facts, and for each failed fact the expected and the actual
//! result.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use visakit_codegen::model::{Model, SourceSpan};
use visakit_diag::{Diagnostic, Severity};

/// Fact of the specification that the implementation does not follow, or a feature of the
/// implementation that no page has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Place and message, as in every command.
    #[serde(flatten)]
    pub diagnostic: Diagnostic,
    /// Path of the fact, such as `ADD.Exec_size.0b101`. Paths of shared facts begin with the list.
    pub path: String,
    /// Statement of the specification.
    pub expected: String,
    /// Result of the implementation.
    pub got: String,
    /// Pages whose probes show the difference; empty for probes of chapters.
    #[serde(skip)]
    pub pages: BTreeSet<String>,
}

/// Counts of the facts of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Count {
    /// Number of probed facts.
    pub probed: usize,
    /// Number of facts that the implementation follows.
    pub passed: usize,
}

/// Fact: its kind, path and place.
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

    /// Returns a fact that no page has.
    pub(super) fn nowhere(kind: &'static str, path: impl Into<String>) -> Self {
        Self { kind, path: path.into(), at: None }
    }
}

/// Details of a failed fact.
#[derive(Clone, Debug)]
struct Broken {
    code: &'static str,
    at: Option<SourceSpan>,
    message: String,
    expected: String,
    got: String,
    times: usize,
    pages: BTreeSet<String>,
}

/// Collection of facts. A fact fails if any of its probes fails.
#[derive(Clone, Debug, Default)]
pub(super) struct Tally {
    facts: BTreeMap<(&'static str, String), Option<Broken>>,
    /// Number of probes that violate each check, and each finding code of other rules.
    violated: BTreeMap<String, usize>,
}

/// Result of a failed probe.
pub(super) struct Difference {
    /// Stable code.
    pub(super) code: &'static str,
    /// Short description of the probe.
    pub(super) message: String,
    pub(super) expected: String,
    pub(super) got: String,
}

/// Returns an error if the actual result differs from the expected one.
pub(super) fn same(code: &'static str, message: String, expected: String, got: String) -> Result<(), Difference> {
    if expected == got { Ok(()) } else { Err(Difference { code, message, expected, got }) }
}

impl Tally {
    /// Records a probe that passed.
    pub(super) fn pass(&mut self, fact: Fact) {
        self.facts.entry((fact.kind, fact.path)).or_default();
    }

    /// Records a probe that failed. Only the first failure of a fact is reported.
    pub(super) fn fail(&mut self, fact: Fact, difference: Difference) {
        let Difference { code, message, expected, got } = difference;
        let slot = self.facts.entry((fact.kind, fact.path)).or_default();
        match slot {
            Some(broken) => broken.times += 1,
            None => {
                *slot = Some(Broken { code, at: fact.at, message, expected, got, times: 1, pages: BTreeSet::new() })
            }
        }
    }

    /// Records that a probe violates a check, or a rule with a finding code.
    pub(super) fn violated(&mut self, rule: &str) {
        match self.violated.get_mut(rule) {
            Some(times) => *times += 1,
            None => drop(self.violated.insert(rule.to_owned(), 1)),
        }
    }

    /// Returns the number of probes that violate each check and finding code.
    pub(super) fn violations(&self) -> BTreeMap<String, usize> {
        self.violated.clone()
    }

    /// Records the result of a probe.
    pub(super) fn probe(&mut self, fact: Fact, result: Result<(), Difference>) -> bool {
        let passed = result.is_ok();
        match result {
            Ok(()) => self.pass(fact),
            Err(difference) => self.fail(fact, difference),
        }
        passed
    }

    /// Names the page whose probes the failed facts come from.
    pub(super) fn of_page(mut self, name: &str) -> Self {
        for broken in self.facts.values_mut().flatten() {
            broken.pages.insert(name.to_owned());
        }
        self
    }

    /// Returns true if any fact failed.
    pub(super) fn is_broken(&self) -> bool {
        self.facts.values().any(Option::is_some)
    }

    /// Adds the facts of another tally.
    pub(super) fn merge(&mut self, other: Tally) {
        for (rule, times) in other.violated {
            *self.violated.entry(rule).or_default() += times;
        }
        for (key, broken) in other.facts {
            match (self.facts.entry(key).or_default(), broken) {
                (Some(mine), Some(more)) => {
                    mine.times += more.times;
                    mine.pages.extend(more.pages);
                }
                (slot @ None, broken) => *slot = broken,
                (Some(_), None) => {}
            }
        }
    }

    /// Returns the findings in order of place, and the counts by kind.
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
    Finding { diagnostic, path, expected: broken.expected, got: broken.got, pages: broken.pages }
}

/// Returns the help text for a kind of finding.
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
