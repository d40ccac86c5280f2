//! A launch with checks.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::copies::marks;
use crate::report::{Checked, Checks, Finding};
use crate::watcher::{self, Watcher};
use crate::{equal, uninit};
use visakit_diag::Diagnostic;
use visakit_launch::argument::Argument;
use visakit_launch::range::NdRange;
use visakit_machine::memory::Regions;
use visakit_run::{Observers, Options, Outside, Program, RunError, Surroundings, launch_from};

/// Number of checked launches.
static LAUNCHES: AtomicU32 = AtomicU32::new(0);
/// Number of launches after which address placements repeat.
const MOST_LAUNCHES: u32 = 30;

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
    regions.push(Arc::new(Regions::new([marks()])));
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
