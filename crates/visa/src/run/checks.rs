//! Findings of `--check` for users: each bug at its line, followed by the access that conflicts
//! with it.

use std::path::Path;

use serde::Serialize;
use visakit_diag::Diagnostic;
use visakit_emulator::check::{Finding, Item, MemoryKind, Place, diagnostics};
use visakit_emulator::machine::fault::{Trap, TrapReport};
use visakit_emulator::run::{Outcome, RunError};

use super::fault::{self, Fault};
use super::found::Found;
use crate::launch::request::Request;
use crate::launch::results::Made;
use crate::report::sarif::{self, Detail, Notes};

/// Returns true if a run without optimisations may show more bugs. A fault needs no second run if a
/// bug already explains it.
pub(super) fn may_hide(result: &Result<Outcome, RunError>, findings: &[Finding]) -> bool {
    match result {
        Ok(_) => true,
        // Out-of-bounds indices are undefined behaviour: the compiler may turn them into endless
        // loops or dead ends.
        Err(RunError::TrapReport(report)) => {
            findings.is_empty() && !matches!(report.trap, Trap::Stub(_) | Trap::Illegal(_))
        }
        Err(RunError::Launch(_)) => false,
    }
}

/// Limits the instructions of the run without optimisations. It executes several times as many as
/// the optimised run, and may never end if a work item overwrites another one's loop counter.
pub(super) fn bounded(request: &Request, result: &Result<Outcome, RunError>) -> Request {
    const MORE: u64 = 32;
    const LEAST: u64 = 1 << 20;
    let executed = result.as_ref().map_or(0, |outcome| outcome.instructions);
    let most = executed.saturating_mul(MORE).max(LEAST);
    let given = request.max_instructions.unwrap_or(most);
    Request { max_instructions: Some(given.min(most)), ..request.clone() }
}

/// Returns true if the bugs found without optimisations may explain the optimised run's fault: not
/// if both runs fault in the same way.
pub(super) fn explains(plain: &Result<Outcome, RunError>, result: &Result<Outcome, RunError>) -> bool {
    match (plain, result) {
        (_, Ok(_)) => true,
        (Err(RunError::TrapReport(plain)), Err(RunError::TrapReport(report))) => {
            plain.trap.code() != report.trap.code()
        }
        (plain, _) => plain.is_ok(),
    }
}

/// Removes findings caused by an array index out of bounds, which the run without optimisations has
/// shown. An optimised array lives in registers, so the index reads the next, unwritten register.
pub(super) fn drop_explained(findings: &mut Vec<Finding>, plain: &[Finding]) {
    let is_unwritten = |finding: &Finding| finding.report.trap.code() == "check-uninit";
    if plain.iter().any(leaves_array) && !plain.iter().any(is_unwritten) {
        findings.retain(|finding| !(is_unwritten(finding) && is_in(finding, MemoryKind::Register)));
    }
}

fn is_in(finding: &Finding, memory: MemoryKind) -> bool {
    finding.place.as_ref().is_some_and(|place| place.memory == memory)
}

/// Returns true if an index leaves an array in private memory.
fn leaves_array(finding: &Finding) -> bool {
    finding.report.trap.code() == "check-bounds" && is_in(finding, MemoryKind::Private)
}

/// Returns the findings of the run without optimisations whose kind is new; findings of a known
/// kind are probably the same bugs.
///
/// Source variables are in memory without optimisations, so an unwritten register belongs to the
/// compiler. The compiler's pipe library reads counters without atomic operations. Once a work item
/// has overwritten another one's variables, later findings are consequences.
pub(super) fn new_kinds(mut findings: Vec<Finding>, before: &[Finding]) -> Vec<Finding> {
    let kind = |finding: &Finding| finding.report.trap.code();
    let is_atomic = |report: &TrapReport| report.mnemonic.contains("atomic");
    if let Some(first) = findings.iter().position(|finding| finding.overwrites) {
        let behind = findings.split_off(first);
        findings.extend(behind.into_iter().filter(leaves_array));
    }
    findings.retain(|finding| {
        let of_compiler = is_in(finding, MemoryKind::Register)
            || is_atomic(&finding.report)
            || finding.other.as_deref().is_some_and(is_atomic);
        !finding.is_note && !of_compiler && before.iter().all(|other| kind(other) != kind(finding))
    });
    findings
}

/// Bug in the JSON report.
#[derive(Serialize)]
pub(super) struct Bug<'a> {
    code: &'static str,
    message: String,
    #[serde(flatten)]
    place: Fault<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    other: Option<Fault<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    memory: Option<&'a Place>,
    /// Some other work items with the same bug.
    #[serde(skip_serializing_if = "<[Item]>::is_empty")]
    items: &'a [Item],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    way: Vec<Step<'a>>,
    /// Number of occurrences.
    count: u64,
    /// True if the bug appears only without the compiler's optimisations.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    unoptimised: bool,
}

/// Place that an uninitialised value passed.
#[derive(Serialize)]
struct Step<'a> {
    message: String,
    #[serde(flatten)]
    place: Fault<'a>,
}

impl<'a> Bug<'a> {
    pub(super) fn new(found: &Found<'a>) -> Self {
        let Found { program, finding, unoptimised } = *found;
        let fault = |report: &'a TrapReport| Fault::new(program, report, &program.locate(report));
        Self {
            code: finding.report.trap.code(),
            message: finding.report.trap.to_string(),
            place: fault(&finding.report),
            other: finding.other.as_deref().map(fault),
            way: finding.way.iter().map(|at| Step { message: at.trap.to_string(), place: fault(at) }).collect(),
            memory: finding.place.as_ref(),
            items: &finding.items,
            count: finding.count,
            unoptimised,
        }
    }
}

/// Returns the findings of a bug: the bug itself and the conflicting access.
pub(super) fn findings(found: &Found<'_>, path: &Path) -> Vec<Diagnostic> {
    let Found { program, finding, unoptimised } = *found;
    let located = |report: &TrapReport| fault::at_source(program.locate(report), report, path);
    let mut all = diagnostics(finding, &located);
    let first = &mut all[0];
    if finding.report.source_line.is_none() {
        let behind = if first.help.is_empty() { "" } else { "; " };
        first.help += &format!("{behind}compile the program with -g to see the source line");
    }
    if unoptimised {
        first.help += "; the compiler's optimisations hide it: compile with -cl-opt-disable to see it";
    }
    all
}

/// Returns the bugs for the JSON report, if any check was requested.
pub(super) fn bugs_of<'a>(bugs: &[Found<'a>], request: &Request) -> Option<Vec<Bug<'a>>> {
    let is_bug = |found: &&Found<'_>| !found.finding.is_note;
    request.check.map(|_| bugs.iter().filter(is_bug).map(Bug::new).collect())
}

/// Returns the notes for the JSON report.
pub(super) fn notes_of<'a>(bugs: &[Found<'a>]) -> Vec<Bug<'a>> {
    bugs.iter().filter(|found| found.finding.is_note).map(Bug::new).collect()
}

/// Appends the findings of the checks to the other findings. Returns the index of each bug among
/// them.
pub(super) fn report(made: &mut Made, bugs: &[Found<'_>], request: &Request) -> Vec<usize> {
    let path = request.program.clone().unwrap_or_default();
    let mut place = |bug| {
        let at = made.findings.len();
        made.findings.extend(findings(bug, &path));
        at
    };
    bugs.iter().map(&mut place).collect()
}

/// Prints the findings as SARIF, with the JSON properties of the bugs at `places` and of the fault,
/// which is the first finding.
pub(super) fn sarif(made: &Made, bugs: &[Found<'_>], places: Vec<usize>, fault: Option<&Fault<'_>>) {
    fn detail(value: impl Serialize, way: usize) -> Detail {
        // All values are plain data with string keys, so serialisation cannot fail.
        Detail { properties: serde_json::to_value(value).unwrap_or_default(), way }
    }
    let of_bugs = bugs.iter().map(|bug| detail(Bug::new(bug), bug.finding.way.len()));
    let fault = fault.map(|fault| (0, detail(fault, 0)));
    sarif::print(&made.findings, Notes::Belong, places.into_iter().zip(of_bugs).chain(fault).collect());
}
