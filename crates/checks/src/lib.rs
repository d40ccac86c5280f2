//! Bug checks, based on observing a launch.
//!
//! A launch runs once with an observer. For each access it checks the bounds of the kernel's
//! resources (`bounds`) and unordered accesses of other work items to the same bytes (`race`).
//! Further runs with different initial contents show if a result depends on uninitialised data
//! (`uninit`).

mod bounds;
mod copies;
mod equal;
mod race;
mod uninit;
mod watcher;

use std::sync::atomic::{AtomicU32, Ordering};

use visakit_diag::Diagnostic;

pub use copies::{marks, prelude};
use visakit_launch::TextError;
use visakit_launch::argument::Argument;
use visakit_launch::range::NdRange;
use visakit_machine::fault::TrapReport;
pub use visakit_run::place::{MemoryKind, Place};
pub use visakit_run::program::Item;
use visakit_run::{Observers, Options, Outcome, Outside, Program, RunError, Surroundings, launch_from};
use watcher::Watcher;

/// Number of checked launches.
static LAUNCHES: AtomicU32 = AtomicU32::new(0);
/// Number of launches after which address placements repeat.
const MOST_LAUNCHES: u32 = 30;

/// Selection of checks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checks {
    /// Accesses outside buffers, surfaces and shared local memory.
    pub bounds: bool,
    /// Addresses, stored values and branches that depend on uninitialised data.
    pub uninit: bool,
    /// Unordered accesses of several work items to the same bytes.
    pub race: bool,
    /// Barriers without the fence that their purpose requires. Barriers not reached by all threads
    /// are traps in every run.
    pub sync: bool,
}

impl Checks {
    /// Names of the checks.
    pub const WORDS: [&str; 5] = ["bounds", "uninit", "race", "sync", "all"];

    /// Parses a comma-separated list of checks, such as `bounds,race`.
    ///
    /// # Errors
    /// The first word that is not in [`Checks::WORDS`].
    pub fn parse(list: &str) -> Result<Self, TextError> {
        let mut checks = Self::default();
        let mut at = 0;
        for word in list.split(',') {
            match word.trim() {
                "bounds" => checks.bounds = true,
                "uninit" => checks.uninit = true,
                "race" => checks.race = true,
                "sync" => checks.sync = true,
                "all" => checks = Self { bounds: true, uninit: true, race: true, sync: true },
                _ => {
                    return Err(TextError {
                        code: "check-unknown",
                        at: at..at + word.len(),
                        message: format!("unknown check `{word}`"),
                        help: format!("the checks are {}", Self::WORDS.join(", ")),
                    });
                }
            }
            at += word.len() + 1;
        }
        Ok(checks)
    }
}

/// A bug at its first occurrence.
#[derive(Clone, Debug)]
pub struct Finding {
    /// Description and location.
    pub report: Box<TrapReport>,
    /// The conflicting access.
    pub other: Option<Box<TrapReport>>,
    /// Memory location of the bug.
    pub place: Option<Place>,
    /// Some of the other work items with the same bug.
    pub items: Vec<Item>,
    /// Locations where an uninitialised value was stored and loaded before its use.
    pub way: Vec<TrapReport>,
    /// Number of occurrences.
    pub count: u64,
    /// True if the bug overwrites another work item's private memory, so that later misbehaviour of
    /// that work item follows from it.
    pub overwrites: bool,
    /// True for a finding that deserves attention but is not a bug.
    pub is_note: bool,
}

/// Result of a checked launch.
#[derive(Debug)]
pub struct Checked {
    /// Result of the observed run. With [`Checks::bounds`], reads outside every buffer return zero.
    /// Groups after a faulty one have run.
    pub result: Result<Outcome, RunError>,
    /// Findings, each bug once, in order of occurrence.
    pub findings: Vec<Finding>,
}

/// Runs a launch with checks. `make` creates its arguments, equal on each call.
///
/// # Errors
/// As [`launch_from`] if the launch cannot start; faults are part of the result.
pub fn check(
    program: &Program,
    range: &NdRange,
    mut make: impl FnMut() -> Result<Vec<Option<Argument>>, Box<Diagnostic>>,
    options: &Options<'_>,
    checks: Checks,
) -> Result<Checked, RunError> {
    // All runs of a launch use the same placement, because their stored values are compared. Each
    // launch uses another placement, so that an address kept from an earlier launch hits no buffer.
    // Buffers are many slots apart.
    let scattered = LAUNCHES.fetch_add(1, Ordering::Relaxed) % MOST_LAUNCHES + 1;
    let mut regions = options.surroundings.regions.to_vec();
    regions.push(marks());
    let surroundings = Surroundings { scattered, regions: &regions, ..options.surroundings };
    let options = &Options { surroundings, ..*options };
    let watcher = Watcher::new(program, range, checks);
    let mut watched = Options { observers: Observers { accesses: Some(&watcher), ..options.observers }, ..*options };
    watched.policy.keep_going = true;
    if checks.bounds {
        watched.policy.outside = Outside::Zero;
    }
    let result = match launch_from(program, range, |_| make(), &watched) {
        Err(error @ RunError::Launch(_)) => return Err(error),
        result => result,
    };
    let mut seen = watcher.finish(result.is_err());
    let mut findings = std::mem::take(&mut seen.findings);
    if checks.race && result.is_ok() {
        let known = equal::Seen { equal: &seen.equal, loaded: &seen.loaded, findings: &findings };
        let notes = equal::find(program, range, &mut make, options, &known)?;
        findings.extend(notes);
    }
    if checks.uninit {
        let watcher::Watched { digests, map, racy, unwritten, .. } = seen;
        let reference = uninit::Reference { digests, map, racy, unwritten, result: &result };
        // An out-of-bounds access also reads uninitialised data.
        let place = |finding: &Finding| (finding.report.function, finding.report.source_line);
        let is_outside = |other: &&Finding| other.report.trap.code() == "check-bounds";
        let outside: Vec<_> = findings.iter().filter(is_outside).map(place).collect();
        let unwritten = uninit::find(program, range, &mut make, options, &reference)?;
        let is_new = |finding: &Finding| finding.report.source_line.is_none() || !outside.contains(&place(finding));
        let unwritten: Vec<_> = unwritten.into_iter().filter(is_new).collect();
        // Uninitialised indices collide by chance, so such races are consequences.
        let places: Vec<_> = unwritten.iter().map(place).collect();
        let is_race = |finding: &Finding| finding.report.trap.code() == "check-race";
        findings.retain(|finding| !(is_race(finding) && places.contains(&place(finding))));
        findings.extend(unwritten);
    }
    Ok(Checked { result, findings })
}
