//! Reports of a run: for people, and as JSON, SARIF or annotations.

use std::borrow::Cow;

use serde::Serialize;
use visakit_diag::{Diagnostic, Severity};
use visakit_emulator::launch::range::NdRange;
use visakit_emulator::run::stats::Stats;
use visakit_emulator::run::{Program, RunError, TracedStep};

use super::checks::{self, Bug};
use super::fault::{self, Fault};
use super::found::Found;
use crate::io::{self, Written, note, out};
use crate::launch::expect::Mismatch;
use crate::launch::print::Values;
use crate::launch::request::Request;
use crate::launch::results::Made;
use crate::outcome::{Outcome, OutputFormat, count};
use crate::report::{Findings, answer};

/// Reports a launch without a fault.
pub(super) fn succeed(
    outcome: &visakit_emulator::run::Outcome,
    range: &NdRange,
    mut made: Made,
    bugs: &[Found<'_>],
    steps: Vec<TracedStep>,
    request: &Request,
    format: OutputFormat,
) -> Outcome {
    let places = checks::report(&mut made, bugs, request);
    let (reads, writes) = (outcome.outside_reads, outcome.outside_writes);
    if reads + writes > 0 {
        let place =
            if request.check.is_some_and(|checks| checks.bounds) { "" } else { "; --check bounds says where" };
        let reads = (reads > 0).then(|| format!("{} read as zero", were(reads, "element")));
        let writes = (writes > 0).then(|| format!("{} dropped", were(writes, "write")));
        let all: Vec<_> = reads.into_iter().chain(writes).collect();
        let message = format!("outside the buffers, {}", all.join(" and "));
        if request.deny_outside {
            let file = request.program.as_deref().map_or_else(String::new, |path| io::shown(path, "stdin"));
            let found = Diagnostic::new("outside-buffers", Severity::Error, file, message);
            made.findings
                .push(found.help("`--check bounds` finds the accesses; without `--deny-outside` this is a note"));
        } else {
            note(&format!("note: {message}{place}"));
        }
    }
    if request.stats && outcome.ordered {
        note(
            "note: the groups ran one after the other because the result depends on their order; \
             --any-order runs them concurrently",
        );
    }
    match format {
        OutputFormat::Human => {
            print_values(&made);
            if let Some(stats) = &outcome.stats {
                out(&stats.table());
            }
            crate::report::report(&made.findings, format);
            let compared = request.expectations.len();
            if is_silent(request) && outcome.printed.is_empty() {
                note(&format!("done, {}; --print KEY shows a buffer", count(range.items(), "work item")));
            }
            if compared > 0 && made.mismatches.is_empty() {
                note(&format!("{} as expected", count(compared, "argument")));
            }
        }
        OutputFormat::Github => crate::report::report(&made.findings, format),
        OutputFormat::Sarif => checks::sarif(&made, bugs, places, None),
        OutputFormat::Json => {
            let (stats, outside_reads, outside_writes) = (outcome.stats.as_ref(), Some(reads), Some(writes));
            let (notes, bugs) = (checks::notes_of(bugs), checks::bugs_of(bugs, request));
            let report = Report {
                stats,
                outside_reads,
                outside_writes,
                bugs,
                notes,
                trace: steps,
                ..Report::new(&outcome.printed, &made)
            };
            answer(&made.findings, report);
        }
    }
    Outcome::of(&made.findings)
}

/// Reports a failed launch, or a fault with the results until then.
pub(super) fn fail(
    error: RunError,
    mut made: Made,
    bugs: &[Found<'_>],
    steps: Vec<TracedStep>,
    program: &Program,
    request: &Request,
    format: OutputFormat,
) -> Result<Outcome, Findings> {
    let located = fault::advised(error.diagnostic(program), &error, program);
    let RunError::TrapReport(report) = &error else { return Err(located.into()) };
    let path = request.program.clone().unwrap_or_default();
    let fault = Fault::new(program, report, &located);
    let behind = std::mem::replace(&mut made.findings, fault::findings(located, report, bugs, program, &path));
    made.findings.extend(behind);
    let places = checks::report(&mut made, bugs, request);
    match format {
        OutputFormat::Human => {
            print_values(&made);
            if let Some(state) = &report.state {
                out(&state.table());
            }
            crate::report::report(&made.findings, format);
        }
        OutputFormat::Github => crate::report::report(&made.findings, format),
        OutputFormat::Sarif => checks::sarif(&made, bugs, places, Some(&fault)),
        OutputFormat::Json => {
            // The file is named without its kernel, because the JSON report has a member for the
            // kernel.
            if made.findings[0].file == program.file {
                made.findings[0].file = io::shown(&path, "stdin");
            }
            let (notes, bugs) = (checks::notes_of(bugs), checks::bugs_of(bugs, request));
            let more = report.others.iter().map(|other| Fault::new(program, other, &program.locate(other)));
            let more_faults = more.collect();
            let own = Report::new(&report.printed, &made);
            let report = Report { fault: Some(fault), more_faults, bugs, notes, trace: steps, ..own };
            answer(&made.findings, report);
        }
    }
    Ok(Outcome::of(&made.findings))
}

/// JSON report of a run, besides its findings.
#[derive(Serialize)]
struct Report<'a> {
    #[serde(flatten)]
    stats: Option<&'a Stats>,
    #[serde(skip_serializing_if = "Option::is_none")]
    outside_reads: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    outside_writes: Option<u64>,
    printf: Cow<'a, str>,
    results: &'a [Values],
    mismatches: &'a [Mismatch],
    written: &'a [Written],
    #[serde(skip_serializing_if = "Option::is_none")]
    fault: Option<Fault<'a>>,
    /// Faults after the first one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    more_faults: Vec<Fault<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bugs: Option<Vec<Bug<'a>>>,
    /// Notes of the checks: suspicious places that are not bugs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<Bug<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    trace: Vec<TracedStep>,
}

impl<'a> Report<'a> {
    fn new(printed: &'a [u8], made: &'a Made) -> Self {
        Self {
            stats: None,
            outside_reads: None,
            outside_writes: None,
            printf: String::from_utf8_lossy(printed),
            results: &made.values,
            mismatches: &made.mismatches,
            written: &made.written,
            fault: None,
            more_faults: Vec::new(),
            bugs: None,
            notes: Vec::new(),
            trace: Vec::new(),
        }
    }
}

/// Returns true if a run without errors prints nothing.
fn is_silent(request: &Request) -> bool {
    request.prints.is_empty()
        && request.dumps.is_empty()
        && request.expectations.is_empty()
        && request.trace.is_empty()
        && request.check.is_none()
        && !request.stats
}

/// Formats a count with its noun and the verb.
fn were(number: u64, noun: &str) -> String {
    let verb = if number == 1 { "was" } else { "were" };
    format!("{} {verb}", count(number as usize, noun))
}

fn print_values(made: &Made) {
    made.values.iter().for_each(|values| out(&values.table()));
}
