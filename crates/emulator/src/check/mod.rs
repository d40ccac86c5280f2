//! Bugs of kernels, found by watching a launch.
//!
//! A launch is run once with somebody who looks at each access: is it inside of what it was given
//! (`bounds`), and does another work item touch the same bytes with nothing between them (`race`)?
//! Whether anything depends on what nobody has written is found by running it again with other
//! contents there (`uninit`).

pub(crate) mod bounds;
mod copies;
mod equal;
mod place;
mod race;
mod uninit;
mod watcher;

use std::sync::atomic::{AtomicU32, Ordering};

use serde::Serialize;

use visakit_diag::Diagnostic;

use crate::launch::TextError;
use crate::launch::argument::Argument;
use crate::launch::range::NdRange;
use crate::machine::fault::TrapReport;
use crate::run::{Options, Outcome, Program, RunError, Surroundings, launch_from};
pub use copies::{marks, prelude};
pub use place::{MemoryKind, Place};
use watcher::Watcher;

/// Launches that were checked.
static LAUNCHES: AtomicU32 = AtomicU32::new(0);
/// After so many places are used again.
const MOST_LAUNCHES: u32 = 30;

/// What is looked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checks {
    /// Accesses outside of buffers, of surfaces and of shared local memory.
    pub bounds: bool,
    /// Addresses, stored values and branches that depend on what nobody has written.
    pub uninit: bool,
    /// Accesses of several work items to the same bytes that nothing keeps apart.
    pub race: bool,
    /// Barriers without a fence for what they are to keep apart. Those that not all threads reach
    /// are faults of every run.
    pub sync: bool,
}

impl Checks {
    /// The words for them.
    pub const WORDS: [&str; 5] = ["bounds", "uninit", "race", "sync", "all"];

    /// The checks of a list of words: `bounds,race`.
    ///
    /// # Errors
    /// The first word that is none of [`Checks::WORDS`].
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

/// A bug, where it shows for the first time.
#[derive(Clone, Debug)]
pub struct Finding {
    /// What and where.
    pub report: Box<TrapReport>,
    /// The access that it collides with.
    pub other: Option<Box<TrapReport>>,
    /// The memory that it is about.
    pub place: Option<Place>,
    /// A few of the other work items that do it, each with its group.
    pub items: Vec<Item>,
    /// Where a value that nothing has written was stored and loaded until then.
    pub way: Vec<TrapReport>,
    /// How often it was seen.
    pub count: u64,
    /// Whether it stores to what another work item has for itself: what that one does then has its
    /// reason here.
    pub overwrites: bool,
    /// Set for a finding that is worth a look and no bug.
    pub is_note: bool,
}

/// A work item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Item {
    /// Its group.
    pub group: [u32; 3],
    /// Its local id; none for all work items of a thread.
    pub local_id: Option<[u32; 3]>,
}

/// A checked launch.
#[derive(Debug)]
pub struct Checked {
    /// What the run gave; with [`Checks::bounds`], what is outside of every buffer reads zero.
    /// Groups behind a faulty one have run.
    pub result: Result<Outcome, RunError>,
    /// What was found, each bug once, in the order in which it showed.
    pub findings: Vec<Finding>,
}

/// Runs a launch and looks for bugs. `make` makes its arguments, each time the same ones.
///
/// # Errors
/// As [`launch_from`], when the launch cannot be made at all; faults are results.
pub fn check(
    program: &Program,
    range: &NdRange,
    mut make: impl FnMut() -> Result<Vec<Option<Argument>>, Box<Diagnostic>>,
    options: &Options<'_>,
    checks: Checks,
) -> Result<Checked, RunError> {
    // The same for all runs of a launch, whose stored values are compared, and another one for each
    // launch: an address that a kernel has kept is no other one's. Buffers are apart by many slots.
    let scattered = LAUNCHES.fetch_add(1, Ordering::Relaxed) % MOST_LAUNCHES + 1;
    let mut regions = options.surroundings.regions.to_vec();
    regions.push(marks());
    let surroundings = Surroundings { scattered, regions: &regions, ..options.surroundings };
    let options = &Options { surroundings, ..*options };
    let watcher = Watcher::new(program, range, checks);
    let lenient = options.outside_is_zero || checks.bounds;
    let watched = Options { observer: Some(&watcher), outside_is_zero: lenient, keep_going: true, ..*options };
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
        // Who leaves what he was given finds what nobody has written.
        let place = |finding: &Finding| (finding.report.function, finding.report.source_line);
        let is_outside = |other: &&Finding| other.report.trap.code() == "check-bounds";
        let outside: Vec<_> = findings.iter().filter(is_outside).map(place).collect();
        let unwritten = uninit::find(program, range, &mut make, options, &reference)?;
        let is_new = |finding: &Finding| finding.report.source_line.is_none() || !outside.contains(&place(finding));
        let unwritten: Vec<_> = unwritten.into_iter().filter(is_new).collect();
        // Those whose places nobody has written meet by chance.
        let places: Vec<_> = unwritten.iter().map(place).collect();
        let is_race = |finding: &Finding| finding.report.trap.code() == "check-race";
        findings.retain(|finding| !(is_race(finding) && places.contains(&place(finding))));
        findings.extend(unwritten);
    }
    Ok(Checked { result, findings })
}
