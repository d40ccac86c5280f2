//! Uninitialised-data check: dependences of a launch on unwritten memory and registers.
//!
//! Registers, shared local memory and private memory hold zeros until they are written. The launch
//! is run again with noise instead. If every thread takes the same path, uses the same addresses
//! and stores the same values to shared memory, no result depends on the noise; copies in between
//! do not matter. The check therefore has no false positives. At the first difference, the group is
//! run alone with noise in ever fewer locations, until a single origin remains.

mod source;

mod gaps;

mod digests;

mod compare;

mod unwritten;

mod way;

use std::cell::RefCell;
use std::collections::BTreeSet;

use visakit_diag::Diagnostic;

use crate::bug::{found, place_in_program};
use crate::report::Finding;
use compare::{Compare, Deed, Difference, MOST_STEPS, Record, Recorded, Step};
use digests::Digester;
pub(super) use digests::Digests;
use gaps::Gaps;
use source::{Source, is_near, place, poison, sources, words};
pub(super) use unwritten::Unwritten;
use visakit::isa::{InstructionGroup, Operand};
use visakit::rt::FieldRef;
use visakit_launch::argument::Argument;
use visakit_launch::range::NdRange;
use visakit_machine::fault::TrapReport;
use visakit_machine::observer::{LaunchMap, Observer, Spot};
use visakit_machine::poison::Poison;
use visakit_run::program::Actor;
use visakit_run::{Observers, Options, Outcome, Outside, Policy, Program, RunError, Surroundings, launch_from};
use way::{Stored, Way};

/// Largest number of bugs, each with its own origin.
const MOST_BUGS: usize = 16;
/// Largest number of examined groups with different digests, because a difference may be padding.
const MOST_GROUPS: usize = 16;
/// Instruction budget of a thread, in addition to twice the launch's instructions without noise.
const MORE_INSTRUCTIONS: u64 = 100_000;
/// Largest number of distinct paths whose groups represent the others.
const MOST_WAYS: usize = 4;
/// Smallest number of groups per path; with fewer, all groups are run with noise.
const GROUPS_PER_WAY: usize = 4;
/// Largest number of tried constants from a kernel's comparisons.
const MOST_CONSTANTS: usize = 6;

/// The launch without noise.
pub(super) struct Reference<'a> {
    pub(super) digests: Digests,
    pub(super) map: LaunchMap,
    /// Racy words. Unwritten data in them are not reported in addition to the race.
    pub(super) racy: BTreeSet<(usize, u64)>,
    /// True if unwritten memory was loaded.
    pub(super) unwritten: bool,
    pub(super) result: &'a Result<Outcome, RunError>,
}

/// Returns the bugs. `make` creates the launch's arguments.
///
/// # Errors
/// The error of a launch that cannot start.
pub(super) fn find(
    program: &Program,
    range: &NdRange,
    make: &mut dyn FnMut() -> Result<Vec<Option<Argument>>, Box<Diagnostic>>,
    options: &Options<'_>,
    reference: &Reference<'_>,
) -> Result<Vec<Finding>, RunError> {
    let most = match reference.result {
        Ok(outcome) => outcome.instructions.saturating_mul(2).saturating_add(MORE_INSTRUCTIONS),
        Err(_) => MORE_INSTRUCTIONS * 100,
    };
    let limit = options.policy.max_instructions.map_or(most, |limit| limit.min(most));
    let policy = Policy {
        outside: Outside::Zero,
        max_instructions: Some(limit),
        keep_going: false,
        state: false,
        ..options.policy
    };
    let base = Options { policy, observers: Observers::default(), ..*options };
    let gaps = Gaps::new(&reference.map, &program.parameters());
    let mut search = Search { program, range, make, base, gaps: &gaps, word: None };
    let all = sources(&reference.map, &reference.racy);
    let mut found = Found { program, range, reference, findings: Vec::new(), told: Vec::new() };
    search.all(all.clone(), &mut found)?;
    // Noise never equals a constant of a comparison.
    if found.findings.is_empty() && reference.unwritten {
        for word in constants(program) {
            search.word = Some(word);
            search.all(all.clone(), &mut found)?;
        }
    }
    Ok(found.findings)
}

/// Returns the constants in a kernel's comparisons, and a word that is a NaN as a float.
fn constants(program: &Program) -> Vec<u32> {
    let mut words = vec![u32::MAX];
    for instruction in program.routine.instructions.iter().filter(|one| one.is_in(InstructionGroup::Comparison)) {
        for operand in instruction.operands() {
            let FieldRef::Vector(vector) = operand.value else { continue };
            let Operand::Immediate(constant) = &vector.operand else { continue };
            let word = constant.low;
            if word != 0 && !words.contains(&word) && words.len() < MOST_CONSTANTS {
                words.push(word);
            }
        }
    }
    words
}

/// Findings so far.
struct Found<'a> {
    program: &'a Program,
    range: &'a NdRange,
    reference: &'a Reference<'a>,
    findings: Vec<Finding>,
    /// Origin of each finding, and the location where it shows.
    told: Vec<(Vec<Source>, Shown)>,
}

/// Location in a program, and the kind of dependence.
type Shown = (Option<usize>, u32, Deed);

impl Found<'_> {
    /// Records a dependence on an origin. Returns its report if the bug is new, otherwise `None`.
    fn see(&mut self, origin: &[Source], difference: &Difference) -> Option<TrapReport> {
        let words = words(origin, self.program, &self.reference.map);
        let message = format!("{} {words}, which was not written on this path", difference.what.words());
        let help = "write a value on every path that uses it";
        let report = self.program.report(self.range, found("check-uninit", message, help), &difference.actor);
        let shown = (report.function, place_in_program(&difference.actor.spot), difference.what);
        // One location that depends on several parts of an origin is one bug, as are several
        // locations that depend on one origin.
        let kind = origin.first().map(std::mem::discriminant);
        let is_same = |(other, place): &(Vec<Source>, Shown)| {
            *place == shown && other.first().map(std::mem::discriminant) == kind || is_near(other, origin)
        };
        if let Some(n) = self.told.iter().position(is_same) {
            self.findings[n].count += 1;
            return None;
        }
        self.told.push((origin.to_vec(), shown));
        Some(report)
    }
}

struct Search<'a, 'o> {
    program: &'a Program,
    range: &'a NdRange,
    make: &'a mut dyn FnMut() -> Result<Vec<Option<Argument>>, Box<Diagnostic>>,
    base: Options<'o>,
    gaps: &'a Gaps,
    /// Constant pattern used instead of noise.
    word: Option<u32>,
}

impl Search<'_, '_> {
    /// Finds all bugs.
    fn all(&mut self, mut sources: Vec<Source>, found: &mut Found<'_>) -> Result<(), RunError> {
        for _ in 0..MOST_BUGS {
            let Some((group, steps, first)) = self.first(&sources, found.reference)? else { break };
            let mut wholes = Vec::new();
            // A difference in a stored value changes nothing else, so further differences show in
            // the same group.
            let (mut next, mut known) = (Some(first), Vec::new());
            while let Some(difference) = next.take().filter(|_| known.len() < MOST_BUGS) {
                let (origin, whole) = self.origin(sources.clone(), group, &steps, &known)?;
                // With all noise, another difference may come first.
                let difference = self.difference(&origin, group, &steps, &known)?.unwrap_or(difference);
                let spot = difference.actor.spot;
                if let Some(report) = found.see(&origin, &difference) {
                    let way = self.way(&origin, group, &spot)?;
                    let place = match &*origin {
                        [origin] => place(origin, self.program, &found.reference.map),
                        _ => None,
                    };
                    let report = Box::new(report);
                    let (items, overwrites) = (Vec::new(), false);
                    found.findings.push(Finding {
                        report,
                        other: None,
                        place,
                        items,
                        way,
                        count: 1,
                        overwrites,
                        is_note: false,
                    });
                }
                wholes.extend(whole);
                if difference.what == Deed::Value {
                    known.push(place_in_program(&spot));
                    next = self.difference(&sources, group, &steps, &known)?;
                }
            }
            // Further bugs show once these sources hold zeros.
            sources.retain(|source| !wholes.contains(source));
        }
        Ok(())
    }

    /// Runs a launch. A fault is a regular outcome: the steps before it count.
    fn run(
        &mut self,
        poison: Option<&Poison>,
        groups: Option<(u64, u64)>,
        observer: &dyn Observer,
    ) -> Result<Option<Actor>, RunError> {
        let base = &self.base;
        let options = Options {
            policy: Policy { groups, ..base.policy },
            observers: Observers { accesses: Some(observer), ..base.observers },
            surroundings: Surroundings { poison, ..base.surroundings },
        };
        let make = &mut self.make;
        match launch_from(self.program, self.range, |_| make(), &options) {
            Ok(_) => Ok(None),
            Err(RunError::TrapReport(report)) => Ok(Some(Actor::of(&report, self.program))),
            Err(error) => Err(error),
        }
    }

    /// Returns the first group that differs with noise, its steps without noise, and the
    /// difference.
    fn first(
        &mut self,
        sources: &[Source],
        reference: &Reference<'_>,
    ) -> Result<Option<(u64, Vec<Step>, Difference)>, RunError> {
        // Written registers depend only on the path, so one group per path represents the others.
        let ways = &reference.digests.ways;
        let mut examples: Vec<(u64, u64)> = Vec::new();
        for (group, way) in (0..).zip(ways) {
            if examples.len() <= MOST_WAYS && examples.iter().all(|(_, other)| other != way) {
                examples.push((group, *way));
            }
        }
        if !reference.unwritten && examples.len() <= MOST_WAYS && examples.len() * GROUPS_PER_WAY <= ways.len() {
            let mut are_same = true;
            for (group, way) in examples {
                let Recorded { steps, way: taken } = self.record(group)?;
                are_same &= steps.len() < MOST_STEPS && taken == way;
                if let Some(difference) = self.difference(sources, group, &steps, &[])? {
                    return Ok(Some((group, steps, difference)));
                }
            }
            // The groups take the same path alone as in the full launch.
            if are_same {
                return Ok(None);
            }
        }
        let watch = Digester::default();
        self.run(Some(&poison(sources, self.word)), None, &watch)?;
        let digests = watch.finish();
        let others = (0..).zip(digests.iter().zip(&reference.digests.groups)).filter(|(_, (a, b))| a != b);
        for (group, _) in others.take(MOST_GROUPS) {
            let steps = self.record(group)?.steps;
            if let Some(difference) = self.difference(sources, group, &steps, &[])? {
                return Ok(Some((group, steps, difference)));
            }
        }
        Ok(None)
    }

    /// Records a group's steps without noise.
    fn record(&mut self, group: u64) -> Result<Recorded, RunError> {
        let watch = Record::default();
        self.run(None, Some((group, group + 1)), &watch)?;
        Ok(watch.0.into_inner())
    }

    /// Returns the first difference of a group, ignoring values stored at known locations of the
    /// program.
    fn difference(
        &mut self,
        sources: &[Source],
        group: u64,
        steps: &[Step],
        known: &[u32],
    ) -> Result<Option<Difference>, RunError> {
        let poison = poison(sources, self.word);
        let watch = Compare { steps, known, gaps: self.gaps, poison: &poison, state: RefCell::default() };
        let fault = self.run(Some(&poison), Some((group, group + 1)), &watch)?;
        let state = watch.state.into_inner();
        let ended = state.next < steps.len().min(MOST_STEPS);
        Ok(state.first.or_else(|| {
            let actor = fault.filter(|_| ended)?;
            Some(Difference { what: Deed::Register, actor })
        }))
    }

    /// Returns the locations that a value passes before it shows.
    fn way(&mut self, origin: &[Source], group: u64, end: &Spot) -> Result<Vec<TrapReport>, RunError> {
        let [source] = origin else { return Ok(Vec::new()) };
        let stored = Stored::default();
        self.run(None, Some((group, group + 1)), &stored)?;
        let way = Way::new(source, stored);
        self.run(Some(&poison(origin, self.word)), Some((group, group + 1)), &way)?;
        let mut places = way.places();
        places.retain(|(_, actor)| place_in_program(&actor.spot) != place_in_program(end));
        let report = |(what, actor): (&str, Actor)| {
            self.program.report(self.range, found("check-uninit", what.to_owned(), ""), &actor)
        };
        Ok(places.into_iter().map(report).collect())
    }

    /// Returns the smallest part of the sources for which the group still differs, and the sources
    /// that contain it.
    fn origin(
        &mut self,
        mut sources: Vec<Source>,
        group: u64,
        steps: &[Step],
        known: &[u32],
    ) -> Result<(Vec<Source>, Vec<Source>), RunError> {
        while sources.len() > 1 {
            let (first, second) = sources.split_at(sources.len() / 2);
            let [first, second] = [first, second].map(<[Source]>::to_vec);
            if self.difference(&first, group, steps, known)?.is_some() {
                sources = first;
            } else if self.difference(&second, group, steps, known)?.is_some() {
                sources = second;
            } else {
                return Ok((sources.clone(), sources));
            }
        }
        let whole = sources.clone();
        while let Some([first, second]) = sources.first().and_then(Source::halves) {
            let mut differs = |half: &Source| {
                self.difference(std::slice::from_ref(half), group, steps, known)
                    .map(|difference| difference.is_some())
            };
            sources[0] = if differs(&first)? {
                first
            } else if differs(&second)? {
                second
            } else {
                break;
            };
        }
        Ok((sources, whole))
    }
}
