//! Sources of uninitialised data: their locations, replacement contents, and descriptions.

use std::collections::BTreeSet;
use std::ops::Range;

use visakit_machine::observer::LaunchMap;
use visakit_machine::poison::Poison;
use visakit_run::Program;
use visakit_run::place::{MemoryKind, Place, name_of};

/// Distance in bytes within which memory locations belong to one origin.
const NEAR: u64 = 64;

/// Unwritten bytes at the start of a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// A variable: its id, byte range in the register file, and element size in bytes.
    Variable(u32, Range<u32>, u32),
    Local(Range<u64>),
    Private(Range<u64>),
    /// A buffer, by its number.
    Buffer(usize, Range<u64>),
    Predicates,
}

impl Source {
    /// Splits the source; `None` if it is too small.
    pub(super) fn halves(&self) -> Option<[Self; 2]> {
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
/// Returns a poison with noise, or a constant word, in the sources.
pub(super) fn poison(sources: &[Source], word: Option<u32>) -> Poison {
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

/// Returns the byte ranges of a buffer (0: shared local memory) without racy words.
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

/// Returns all sources of a launch.
pub(super) fn sources(map: &LaunchMap, racy: &BTreeSet<(usize, u64)>) -> Vec<Source> {
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

/// Returns true if two origins certainly belong together.
pub(super) fn is_near(one: &[Source], other: &[Source]) -> bool {
    match (one, other) {
        ([Source::Variable(one, ..)], [Source::Variable(other, ..)]) => one == other,
        ([Source::Local(one)], [Source::Local(other)]) | ([Source::Private(one)], [Source::Private(other)]) => {
            one.start.abs_diff(other.start) < NEAR
        }
        ([Source::Buffer(one, _)], [Source::Buffer(other, _)]) => one == other,
        _ => one == other,
    }
}

/// Describes an origin in words.
pub(super) fn words(origin: &[Source], program: &Program, map: &LaunchMap) -> String {
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

/// Returns the location of an origin.
pub(super) fn place(origin: &Source, program: &Program, map: &LaunchMap) -> Option<Place> {
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
