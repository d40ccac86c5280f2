//! Whether a launch depends on what nobody has written, and on what of it.
//!
//! Registers, shared local memory and private memory hold zeros until they are written. The launch is run again with noise
//! there. As long as every thread takes the same ways, uses the same addresses and stores the same values to memory that
//! others can see, nothing depends on it, whatever is copied around in between: that cannot be a false alarm. Where one of
//! these differs for the first time, the group is run alone with noise in ever fewer places, until one is left: the origin.

mod digests;
mod unwritten;
mod way;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::ops::Range;

use visakit_diag::Diagnostic;

use crate::check::Finding;
use crate::check::place::{MemoryKind, Place, name_of};
use crate::check::watcher::{found, place_in_program};
use crate::launch::argument::Argument;
use crate::launch::range::NdRange;
use crate::machine::fault::TrapReport;
use crate::machine::observer::{Access, AccessKind, LaunchMap, Observer, Spot};
use crate::machine::poison::Poison;
use crate::run::program::Actor;
use crate::run::{Options, Outcome, Program, RunError, launch_from};
use digests::Digester;
pub(super) use digests::Digests;
pub(super) use unwritten::Unwritten;
use visakit::isa::{Instruction, Operand};
use visakit::rt::FieldRef;
use way::{Stored, Way};

/// Bugs that are looked for, each with an origin of its own.
const MOST_BUGS: usize = 16;
/// Groups whose digests differ that are looked at, as what differs may be padding.
const MOST_GROUPS: usize = 16;
/// Steps of a group that are compared one by one.
const MOST_STEPS: usize = 1 << 22;
/// Instructions of a thread beyond twice those that the launch had without noise.
const MORE_INSTRUCTIONS: u64 = 100_000;

/// What an access stores where other groups and the host can see it.
fn shared_value(access: &Access) -> Option<u64> {
    access.value.filter(|_| access.kind != AccessKind::Load && access.buffer.is_some())
}

/// The launch without noise.
pub(super) struct Reference<'a> {
    pub(super) digests: Vec<u64>,
    pub(super) map: LaunchMap,
    /// Words of which a race is told: what somebody has not written yet is no bug beside that.
    pub(super) racy: BTreeSet<(usize, u64)>,
    /// Whether memory was loaded that nobody has written.
    pub(super) unwritten: bool,
    pub(super) result: &'a Result<Outcome, RunError>,
}

/// Bytes that nobody has written when a group begins.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Source {
    /// A variable: its id, bytes of the register file, and bytes of an element.
    Variable(u32, Range<u32>, u32),
    Local(Range<u64>),
    Private(Range<u64>),
    /// A buffer by its number.
    Buffer(usize, Range<u64>),
    Predicates,
}

impl Source {
    /// Its two halves, unless it is as small as it is worth.
    fn halves(&self) -> Option<[Self; 2]> {
        fn split(range: &Range<u64>, unit: u64) -> Option<[Range<u64>; 2]> {
            let units = (range.end - range.start).div_ceil(unit.max(1));
            let middle = range.start + units / 2 * unit;
            (units > 1).then_some([range.start..middle, middle..range.end])
        }
        match self {
            Self::Variable(id, range, element) => {
                let halves = split(&(range.start.into()..range.end.into()), (*element).into())?;
                Some(halves.map(|half| Self::Variable(*id, half.start as u32..half.end as u32, *element)))
            }
            Self::Local(range) => Some(split(range, 4)?.map(Self::Local)),
            Self::Private(range) => Some(split(range, 4)?.map(Self::Private)),
            Self::Buffer(number, range) => Some(split(range, 4)?.map(|half| Self::Buffer(*number, half))),
            Self::Predicates => None,
        }
    }
}

/// Bytes of memory within which places are of one thing that is not written.
const NEAR: u64 = 64;
/// Constants that a kernel compares with and that are tried.
const MOST_CONSTANTS: usize = 6;

/// Noise in sources, or a word everywhere there.
fn poison(sources: &[Source], word: Option<u32>) -> Poison {
    let mut poison = Poison { word, ..Poison::default() };
    for source in sources {
        match source {
            Source::Variable(_, range, _) => poison.registers.push(range.clone()),
            Source::Local(range) => poison.local.push(range.clone()),
            Source::Private(range) => poison.private.push(range.clone()),
            Source::Buffer(number, range) => poison.buffers.push((*number, range.clone())),
            Source::Predicates => poison.predicates = true,
        }
    }
    poison
}

/// What there is of some bytes of a buffer, or of shared local memory for 0, without the words of races.
fn without(racy: &BTreeSet<(usize, u64)>, buffer: usize, bytes: Range<u64>) -> Vec<Range<u64>> {
    let (mut ranges, mut start) = (Vec::new(), bytes.start);
    for &(_, word) in racy.range((buffer, bytes.start / 4)..(buffer, bytes.end.div_ceil(4))) {
        ranges.push(start..word * 4);
        start = word * 4 + 4;
    }
    ranges.push(start..bytes.end);
    ranges.retain(|range| range.start < range.end);
    ranges
}

/// All that there is.
fn sources(map: &LaunchMap, racy: &BTreeSet<(usize, u64)>) -> Vec<Source> {
    let variables = map.variables.iter().cloned();
    let mut sources: Vec<_> = variables.map(|(id, range, element)| Source::Variable(id, range, element)).collect();
    let local =
        map.local.iter().flat_map(|part| without(racy, 0, part.start.into()..u64::from(part.start + part.bytes)));
    sources.extend(local.map(Source::Local));
    if let Some(&most) = map.private.iter().max() {
        sources.push(Source::Private(0..most as u64));
    }
    for &number in &map.undefined {
        let bytes = map.buffers.get(number).map_or(0, |buffer| buffer.bytes);
        sources.extend(without(racy, number + 1, 0..bytes).into_iter().map(|range| Source::Buffer(number, range)));
    }
    if map.predicates {
        sources.push(Source::Predicates);
    }
    sources
}

/// The bugs. `make` makes the arguments of the launch.
///
/// # Errors
/// When the launch cannot be made.
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
    let limit = options.max_instructions.map_or(most, |limit| limit.min(most));
    let quiet = Options { progress: None, keep_going: false, state: false, ..*options };
    let base = Options { outside_is_zero: true, max_instructions: Some(limit), trace: None, ..quiet };
    let mut search = Search { program, range, make, base, word: None };
    let all = sources(&reference.map, &reference.racy);
    let mut found = Found { program, range, reference, findings: Vec::new(), told: Vec::new() };
    search.all(all.clone(), &mut found)?;
    // Noise is no constant that a kernel compares with.
    if found.findings.is_empty() && reference.unwritten {
        for word in constants(program) {
            search.word = Some(word);
            search.all(all.clone(), &mut found)?;
        }
    }
    Ok(found.findings)
}

/// Numbers that a kernel compares with, as words, and one that is no number as a float.
fn constants(program: &Program) -> Vec<u32> {
    let mut words = vec![u32::MAX];
    for instruction in program.routine.instructions.iter().filter(|one| matches!(one, Instruction::Cmp(_))) {
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

/// What was found so far.
struct Found<'a> {
    program: &'a Program,
    range: &'a NdRange,
    reference: &'a Reference<'a>,
    findings: Vec<Finding>,
    /// For each, where it begins and where it shows.
    told: Vec<(Vec<Source>, Shown)>,
}

/// A place in a program, and what depends on a value there.
type Shown = (Option<usize>, u32, Deed);

impl Found<'_> {
    /// Takes note of something that depends on an origin, unless that is told: then it is no new bug. Gives its finding's place when it is one.
    fn see(&mut self, origin: &[Source], difference: &Difference) -> Option<TrapReport> {
        let words = words(origin, self.program, &self.reference.map);
        let message = format!("{} {words}, which nothing has written on the way here", difference.what.words());
        let help = "a value has to be written on every way on which it is used";
        let report = self.program.report(self.range, found("check-uninit", message, help), &difference.actor);
        let shown = (report.function, place_in_program(&difference.actor.spot), difference.what);
        // One line that needs several parts of one thing is one bug, and so is one thing that several lines need.
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

/// Whether two origins are surely of one thing.
fn is_near(one: &[Source], other: &[Source]) -> bool {
    match (one, other) {
        ([Source::Variable(one, ..)], [Source::Variable(other, ..)]) => one == other,
        ([Source::Local(one)], [Source::Local(other)]) | ([Source::Private(one)], [Source::Private(other)]) => {
            one.start.abs_diff(other.start) < NEAR
        }
        ([Source::Buffer(one, _)], [Source::Buffer(other, _)]) => one == other,
        _ => one == other,
    }
}

struct Search<'a, 'o> {
    program: &'a Program,
    range: &'a NdRange,
    make: &'a mut dyn FnMut() -> Result<Vec<Option<Argument>>, Box<Diagnostic>>,
    base: Options<'o>,
    /// What stands in place of noise.
    word: Option<u32>,
}

impl Search<'_, '_> {
    /// Finds all that there is.
    fn all(&mut self, mut sources: Vec<Source>, found: &mut Found<'_>) -> Result<(), RunError> {
        for _ in 0..MOST_BUGS {
            let Some((group, steps, first)) = self.first(&sources, &found.reference.digests)? else { break };
            let mut wholes = Vec::new();
            // Values that are stored change nothing else: what there is beside them shows in the same group.
            let (mut next, mut known) = (Some(first), Vec::new());
            while let Some(difference) = next.take().filter(|_| known.len() < MOST_BUGS) {
                let (origin, whole) = self.origin(sources.clone(), group, &steps, &known)?;
                // With all noise something else may differ first.
                let difference = self.difference(&origin, group, &steps, &known)?.unwrap_or(difference);
                let spot = difference.actor.spot;
                if let Some(report) = found.see(&origin, &difference) {
                    let way = self.way(&origin, group, &spot)?;
                    let place = match &*origin {
                        [origin] => place(origin, self.program, &found.reference.map),
                        _ => None,
                    };
                    let report = Box::new(report);
                    found.findings.push(Finding { report, other: None, place, items: Vec::new(), way, count: 1 });
                }
                wholes.extend(whole);
                if difference.what == Deed::Value {
                    known.push(place_in_program(&spot));
                    next = self.difference(&sources, group, &steps, &known)?;
                }
            }
            // What else there is shows when this has a value.
            sources.retain(|source| !wholes.contains(source));
        }
        Ok(())
    }

    /// Runs a launch. Faults are an outcome like any other: what was done until then is what counts.
    fn run(
        &mut self,
        poison: Option<&Poison>,
        groups: Option<(u64, u64)>,
        observer: &dyn Observer,
    ) -> Result<Option<Actor>, RunError> {
        let options = Options { observer: Some(observer), poison, groups, ..self.base };
        let make = &mut self.make;
        match launch_from(self.program, self.range, |_| make(), &options) {
            Ok(_) => Ok(None),
            Err(RunError::TrapReport(report)) => Ok(Some(Actor::of(&report, self.program))),
            Err(error) => Err(error),
        }
    }

    /// The first group that does something else with noise, what it does without, and the difference.
    fn first(
        &mut self,
        sources: &[Source],
        reference: &[u64],
    ) -> Result<Option<(u64, Vec<Step>, Difference)>, RunError> {
        let watch = Digester::default();
        self.run(Some(&poison(sources, self.word)), None, &watch)?;
        let digests = watch.finish();
        let others = (0..).zip(digests.iter().zip(reference)).filter(|(_, (a, b))| a != b);
        for (group, _) in others.take(MOST_GROUPS) {
            let steps = self.record(group)?;
            if let Some(difference) = self.difference(sources, group, &steps, &[])? {
                return Ok(Some((group, steps, difference)));
            }
        }
        Ok(None)
    }

    /// What a group does without noise.
    fn record(&mut self, group: u64) -> Result<Vec<Step>, RunError> {
        let watch = Record::default();
        self.run(None, Some((group, group + 1)), &watch)?;
        Ok(watch.0.into_inner())
    }

    /// The first thing that a group does otherwise, but for the values that are stored at known places of the program.
    fn difference(
        &mut self,
        sources: &[Source],
        group: u64,
        steps: &[Step],
        known: &[u32],
    ) -> Result<Option<Difference>, RunError> {
        let poison = poison(sources, self.word);
        let watch = Compare { steps, known, poison: &poison, state: RefCell::default() };
        let fault = self.run(Some(&poison), Some((group, group + 1)), &watch)?;
        let state = watch.state.into_inner();
        let ended = state.next < steps.len().min(MOST_STEPS);
        Ok(state.first.or_else(|| {
            let actor = fault.filter(|_| ended)?;
            Some(Difference { what: Deed::Register, actor })
        }))
    }

    /// The places that a value comes by until it shows.
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

    /// The smallest part of sources with which the group still does something else, and the sources that it is of.
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

/// Where a value comes from, in words.
fn words(origin: &[Source], program: &Program, map: &LaunchMap) -> String {
    let [origin] = origin else { return format!("{} variables together", origin.len()) };
    match origin {
        Source::Variable(id, range, element) => {
            let start =
                map.variables.iter().find(|(other, ..)| other == id).map_or(range.start, |(_, all, _)| all.start);
            let number = (range.start - start) / (*element).max(1);
            let last = (range.end - start).div_ceil((*element).max(1)).saturating_sub(1);
            let elements =
                if last > number { format!("elements {number} to {last}") } else { format!("element {number}") };
            format!("`{}`, {elements}", program.variable_name(*id))
        }
        Source::Predicates => "a predicate".to_owned(),
        _ => place(origin, program, map).map(|place| place.words()).unwrap_or_default(),
    }
}

/// Where it comes from.
fn place(origin: &Source, program: &Program, map: &LaunchMap) -> Option<Place> {
    let parameters = program.parameters();
    let of = |memory, argument, range: &Range<u64>, start: u64, bytes| Place {
        memory,
        argument,
        name: name_of(argument, &parameters),
        offset: (range.start - start) as i64,
        size: (range.end - range.start) as u32,
        bytes,
        past: None,
    };
    match origin {
        Source::Variable(id, range, _) => {
            let (_, all, _) = map.variables.iter().find(|(other, ..)| other == id)?;
            let range = range.start.into()..range.end.into();
            let bytes = Some(u64::from(all.end - all.start));
            let place = of(MemoryKind::Register, None, &range, all.start.into(), bytes);
            Some(Place { name: Some(program.variable_name(*id)), ..place })
        }
        Source::Local(range) => {
            let part = map.local_part(range.start)?;
            Some(of(MemoryKind::Local, part.argument, range, part.start.into(), Some(part.bytes.into())))
        }
        Source::Private(range) => Some(of(MemoryKind::Private, None, range, 0, None)),
        Source::Buffer(number, range) => {
            let buffer = map.buffers.get(*number)?;
            Some(of(MemoryKind::Global, buffer.argument, range, 0, Some(buffer.bytes)))
        }
        Source::Predicates => None,
    }
}

/// One thing that a thread does, and that must not depend on what nobody has written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Step {
    thread: u32,
    /// The channel, or the block that it comes to.
    what: u32,
    /// The address, or the channels.
    place: u64,
    value: Option<u64>,
    is_access: bool,
}

impl Step {
    fn access(access: &Access) -> Self {
        let (thread, what) = (access.thread, access.lane);
        Self { thread, what, place: access.address, value: shared_value(access), is_access: true }
    }

    /// Whether a store leaves noise, unchanged, in nothing but the upper bytes of words whose lowest byte has a value: what
    /// structures have between their members is copied with them.
    fn differs_in_padding(&self, expected: &Self, poison: &Poison) -> bool {
        let (Some(value), Some(other)) = (self.value, expected.value) else { return false };
        let is_padding = |value: u64, other: u64| {
            let differs = value ^ other;
            differs == 0
                || differs & 0xff == 0
                    && (0..4).all(|n| differs >> (8 * n) & 0xff == 0 || poison.is_noise(value >> (8 * n), n))
        };
        Self { value: expected.value, ..*self } == *expected
            && is_padding(value & 0xffff_ffff, other & 0xffff_ffff)
            && is_padding(value >> 32, other >> 32)
    }
}

#[derive(Debug)]
struct Difference {
    what: Deed,
    actor: Actor,
}

/// What depends on a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Deed {
    Address(AccessKind),
    Value,
    Way,
    Register,
}

impl Deed {
    fn words(self) -> String {
        match self {
            Self::Address(kind) => {
                let what = match kind {
                    AccessKind::Load => "a load",
                    AccessKind::Store => "a store",
                    AccessKind::Atomic => "an atomic operation",
                };
                format!("the address of {what}, or which channels take part, depends on")
            }
            Self::Value => "the value that is stored depends on".to_owned(),
            Self::Way => "the way that is taken depends on".to_owned(),
            Self::Register => "the register that is used depends on".to_owned(),
        }
    }
}

#[derive(Debug, Default)]
struct Record(RefCell<Vec<Step>>);

impl Record {
    fn push(&self, step: Step) {
        let mut steps = self.0.borrow_mut();
        if steps.len() < MOST_STEPS {
            steps.push(step);
        }
    }
}

impl Observer for Record {
    fn block(&self, thread: u32, block: u32, channels: u32, _: Spot) {
        self.push(Step { thread, what: block, place: channels.into(), value: None, is_access: false });
    }

    fn access(&self, access: &Access) {
        self.push(Step::access(access));
    }
}

#[derive(Debug)]
struct Compare<'a> {
    steps: &'a [Step],
    /// Places in the program where values may differ.
    known: &'a [u32],
    poison: &'a Poison,
    state: RefCell<Compared>,
}

#[derive(Debug, Default)]
struct Compared {
    next: usize,
    first: Option<Difference>,
    group: [u32; 3],
}

impl Compare<'_> {
    fn step(&self, step: Step, spot: &Spot, difference: impl FnOnce(Option<&Step>, [u32; 3]) -> Difference) {
        let mut state = self.state.borrow_mut();
        if state.first.is_some() || state.next >= MOST_STEPS {
            return;
        }
        let expected = self.steps.get(state.next);
        state.next += 1;
        if expected == Some(&step) {
            return;
        }
        let may_differ = |expected: &Step| {
            step.differs_in_padding(expected, self.poison)
                || Step { value: step.value, ..*expected } == step && self.known.contains(&place_in_program(spot))
        };
        if !expected.is_some_and(may_differ) {
            state.first = Some(difference(expected, state.group));
        }
    }
}

impl Observer for Compare<'_> {
    fn group(&self, group: [u32; 3]) {
        self.state.borrow_mut().group = group;
    }

    fn block(&self, thread: u32, block: u32, channels: u32, spot: Spot) {
        let step = Step { thread, what: block, place: channels.into(), value: None, is_access: false };
        self.step(step, &spot, |_, group| Difference {
            what: Deed::Way,
            actor: Actor { spot, group, thread, channel: None },
        });
    }

    fn access(&self, access: &Access) {
        let step = Step::access(access);
        self.step(step, &access.spot, |expected, _| {
            let same_place = expected.is_some_and(|expected| Step { value: step.value, ..*expected } == step);
            let what = if same_place { Deed::Value } else { Deed::Address(access.kind) };
            Difference { what, actor: crate::check::watcher::actor(access) }
        });
    }
}
