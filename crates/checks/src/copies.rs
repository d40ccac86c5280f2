//! Group copies: `async_work_group_copy` and related functions.
//!
//! The compiler expands a group copy into a loop in which each work item copies some elements, and
//! a wait into a barrier. The vISA text contains neither call. Sources to be checked are therefore
//! compiled with [`PRELUDE`], which announces each operation by stores to [`MARKS`]: a record of
//! 128 bytes per work item, whose first word is the operation. The launch maps memory at that
//! address, the observer reads the stored values, and the other checks ignore them.
//!
//! A copy's accesses belong to the group and may happen at any time between the call and a wait for
//! its event. All work items must make the same operations in the same order.

mod words;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;

use crate::bug::{Bug, Mistake, Seen, What, actor, place_in_program};
use crate::race::Races;
use visakit_machine::access::LOCAL_OFFSET;
use visakit_machine::buffer::Lent;
use visakit_machine::observer::{Access, AccessKind, LaunchMap, Space};
use visakit_run::program::Actor;
pub(super) use words::messages;

/// Source lines to compile before a source with group copies.
const PRELUDE: &str = include_str!("copies/prelude.cl");
/// Address of the records.
const MARKS: u64 = 1 << 60;
/// Size of a work item's record in bytes.
const RECORD: u64 = 128;
/// Largest number of work items of a group with a record.
const MOST_ITEMS: usize = 1024;
/// Largest number of checked elements of a copy.
const MOST_ELEMENTS: u64 = 1 << 24;

/// Word indices in a record: the operation, 64-bit values as pairs of words, and the element size.
const OPERATION: usize = 0;
const TO: usize = 2;
const FROM: usize = 4;
const COUNT: usize = 6;
const TO_STEP: usize = 8;
const FROM_STEP: usize = 10;
const EVENT: usize = 12;
const BYTES: usize = 14;

static WORDS: [AtomicU32; MOST_ITEMS * RECORD as usize / 4] =
    [const { AtomicU32::new(0) }; MOST_ITEMS * RECORD as usize / 4];

/// Returns the memory for a program's marks and its address. [`check`](crate::check()) maps it; any
/// other launch of such a program must list it in [`regions`](visakit_run::Surroundings::regions).
pub fn marks() -> (u64, Lent) {
    (MARKS, Lent { words: &WORDS, bytes: size_of_val(&WORDS), owner: Arc::new(()), guards: None })
}

/// Returns the lines to compile before an OpenCL C source, so that [`check`](crate::check()) can
/// follow its group copies. `None` if neither the text nor an `#include` line suggests such a call.
pub fn prelude(source: &str) -> Option<&'static str> {
    let calls = ["async_work_group_", "wait_group_events"].iter().any(|name| source.contains(name));
    (calls || source.contains("include")).then_some(PRELUDE)
}

/// Returns true if an access is a mark.
#[inline]
pub(super) fn is_mark(access: &Access) -> bool {
    access.space == Space::Flat && access.address >> 32 == MARKS >> 32
}

/// A group operation requested by a work item.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Operation {
    Copy(Copy),
    /// A wait for these events.
    Wait(Vec<u64>),
}

/// Arguments of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Copy {
    to: u64,
    from: u64,
    count: u64,
    to_step: u64,
    from_step: u64,
    event: u64,
    /// Event that the call returns.
    handle: u64,
    bytes: u64,
    /// True for a copy from global to shared local memory.
    is_inward: bool,
}

impl Copy {
    /// Returns the address range of one side: true for shared local memory, start address, end
    /// address (exclusive).
    fn side(&self, kind: AccessKind) -> (bool, u64, u64) {
        let (start, step, is_local) = match kind {
            AccessKind::Load => (self.from, self.from_step, !self.is_inward),
            _ => (self.to, self.to_step, self.is_inward),
        };
        let span = self.count.saturating_sub(1).saturating_mul(step).saturating_mul(self.bytes);
        (is_local, start, start.saturating_add(span).saturating_add(self.bytes))
    }

    /// Returns true if an access may belong to the loop of this copy.
    fn covers(&self, access: &Access, map: &LaunchMap) -> bool {
        let (is_local, start, end) = self.side(access.kind);
        let at = match (access.space, access.buffer) {
            (Space::Local, _) => access.offset,
            (_, Some(number)) => map.buffers.get(number).map_or(0, |buffer| buffer.address + access.offset),
            _ => access.address,
        };
        is_local == (access.space == Space::Local) && (start..end).contains(&at)
    }
}

/// A group operation, as the first work item made it.
struct Made {
    operation: Operation,
    by: Actor,
    /// Number of work items that have made it.
    count: u32,
    /// True for a copy after a wait for its event.
    is_done: bool,
    /// True if a reported bug involves this operation.
    is_told: bool,
}

/// State of a work item.
#[derive(Clone, Default)]
struct Item {
    fields: [u32; RECORD as usize / 4],
    /// Number of operations made.
    made: usize,
    /// Events of the wait about to start.
    events: Vec<u64>,
}

/// Group copies of a launch.
#[derive(Default)]
pub(super) struct Copies {
    items: HashMap<u32, Item>,
    /// Operations of the current group, in order.
    made: Vec<Made>,
    /// Copies by event.
    events: HashMap<u64, Vec<usize>>,
    /// Copies with an executing loop, by thread and channel.
    inside: HashMap<(u32, u32), Copy>,
    /// Number of work items in a wait, and the awaited events.
    waiting: u32,
    waited: Vec<u64>,
    /// Copies that completed after the last barrier.
    fresh: Vec<(usize, Copy)>,
    /// Number of work items of the group.
    size: u32,
    /// True after work items of the group disagreed; consequential errors are suppressed.
    disagree: bool,
}

impl Copies {
    /// Ends the current group and starts one of `size` work items.
    pub(super) fn next_group(&mut self, size: u32, races: &Races, seen: &mut Seen) {
        self.end(races, seen);
        *self = Self { size, ..Self::default() };
    }

    /// Reports the mistakes that show at the end of a group.
    pub(super) fn end(&mut self, races: &Races, seen: &mut Seen) {
        if self.disagree {
            return;
        }
        let (size, made) = (self.size, std::mem::take(&mut self.made));
        let is_missing = |made: &&Made| made.count < size;
        if let Some(Made { operation, by, count, .. }) = made.iter().find(is_missing) {
            let is_copy = matches!(operation, Operation::Copy(_));
            see(Mistake::Missing { is_copy, count: *count, of: size }, *by, None, seen);
            return;
        }
        for (n, copy) in made.iter().enumerate() {
            let is_copy = matches!(copy.operation, Operation::Copy(_));
            if is_copy && !copy.is_done && !copy.is_told && !races.has_told(n) {
                see(Mistake::Unwaited, copy.by, None, seen);
            }
        }
    }

    /// Processes a mark.
    pub(super) fn mark(&mut self, access: &Access, map: &LaunchMap, races: &mut Races, seen: &mut Seen) {
        let (Some(value), AccessKind::Store) = (access.value, access.kind) else { return };
        let at = access.address - MARKS;
        let (item, field) = ((at / RECORD) as u32, (at % RECORD / 4) as usize);
        let state = self.items.entry(item).or_default();
        if let Some(word) = state.fields.get_mut(field) {
            *word = value as u32;
        }
        if field != OPERATION {
            return;
        }
        let who = (access.thread, access.lane + access.spot.first_channel);
        let long = |field: usize| u64::from(state.fields[field + 1]) << 32 | u64::from(state.fields[field]);
        match value {
            1 | 2 => {
                let is_inward = value == 1;
                let address =
                    |field, is_local: bool| long(field) & if is_local { LOCAL_OFFSET.into() } else { u64::MAX };
                let copy = Copy {
                    to: address(TO, is_inward),
                    from: address(FROM, !is_inward),
                    count: long(COUNT),
                    to_step: long(TO_STEP),
                    from_step: long(FROM_STEP),
                    event: long(EVENT),
                    handle: if long(EVENT) == 0 { long(TO) << 1 | 1 } else { long(EVENT) },
                    bytes: state.fields[BYTES].into(),
                    is_inward,
                };
                self.inside.insert(who, copy);
                self.make(item, Operation::Copy(copy), access, map, races, seen);
            }
            3 => drop(self.inside.remove(&who)),
            4 => {
                let event = long(EVENT);
                state.events.push(event);
            }
            5 => {
                let events = std::mem::take(&mut state.events);
                self.waiting += 1;
                self.waited.extend(&events);
                self.make(item, Operation::Wait(events), access, map, races, seen);
            }
            6 => self.waiting = self.waiting.saturating_sub(1),
            _ => {}
        }
    }

    /// Performs an operation for a work item. The first work item performs it for the group.
    fn make(
        &mut self,
        item: u32,
        operation: Operation,
        access: &Access,
        map: &LaunchMap,
        races: &mut Races,
        seen: &mut Seen,
    ) {
        let state = self.items.entry(item).or_default();
        let number = state.made;
        state.made += 1;
        let by = actor(access);
        let is_copy = matches!(operation, Operation::Copy(_));
        if let Some(made) = self.made.get_mut(number) {
            made.count += 1;
            if made.operation != operation && !self.disagree {
                self.disagree = true;
                let is_same_kind = is_copy == matches!(made.operation, Operation::Copy(_));
                see(Mistake::Differs { is_copy, is_same_kind }, by, Some(made.by), seen);
            }
            return;
        }
        let is_known = |event: &u64| self.events.contains_key(event);
        let is_right = match &operation {
            Operation::Copy(copy) => copy.event == 0 || is_known(&copy.event),
            Operation::Wait(events) => events.iter().all(is_known),
        };
        if !is_right && !self.disagree {
            see(Mistake::Unknown { is_copy }, by, None, seen);
        }
        if let Operation::Copy(copy) = &operation {
            let copies = self.events.entry(copy.handle).or_default();
            copies.retain(|n| !self.made[*n].is_done);
            copies.push(number);
            enter(number, copy, access, map, races, seen);
        }
        self.made.push(Made { operation, by, count: 1, is_done: false, is_told: !is_right });
    }

    /// Processes the end of a barrier. Returns true for a barrier of the program, false for a wait.
    pub(super) fn barrier(&mut self, races: &mut Races) -> bool {
        if self.waiting == 0 {
            self.fresh.clear();
            return true;
        }
        for event in std::mem::take(&mut self.waited) {
            for &number in self.events.get(&event).into_iter().flatten() {
                let made = &mut self.made[number];
                if let (Operation::Copy(copy), false) = (&made.operation, made.is_done) {
                    self.fresh.push((number, *copy));
                    races.end_copy(number);
                }
                made.is_done = true;
            }
        }
        false
    }

    /// Returns true if an access belongs to a copy's loop.
    pub(super) fn owns(&self, access: &Access, map: &LaunchMap) -> bool {
        if self.inside.is_empty() {
            return false;
        }
        if access.spot.no_mask {
            return self
                .inside
                .iter()
                .any(|((thread, _), copy)| *thread == access.thread && copy.covers(access, map));
        }
        let channel = access.lane + access.spot.first_channel;
        self.inside.get(&(access.thread, channel)).is_some_and(|copy| copy.covers(access, map))
    }

    /// Returns true if accesses must be processed one by one.
    pub(super) fn is_busy(&self) -> bool {
        !self.inside.is_empty() || !self.fresh.is_empty()
    }

    /// Reports a load of copied data without a barrier after the wait.
    pub(super) fn look(&self, access: &Access, map: &LaunchMap, seen: &mut Seen) {
        let is_new = |(_, copy): &&(usize, Copy)| {
            let as_store = Access { kind: AccessKind::Store, ..*access };
            access.kind == AccessKind::Load && copy.is_inward && copy.covers(&as_store, map)
        };
        if let Some((number, _)) = self.fresh.iter().find(is_new) {
            see(Mistake::NoBarrier, actor(access), Some(self.made[*number].by), seen);
        }
    }
}

/// Enters all accesses of a copy.
fn enter(number: usize, copy: &Copy, mark: &Access, map: &LaunchMap, races: &mut Races, seen: &mut Seen) {
    for n in 0..copy.count.min(MOST_ELEMENTS) {
        let sides = [(AccessKind::Load, copy.from, copy.from_step), (AccessKind::Store, copy.to, copy.to_step)];
        for (kind, start, step) in sides {
            let (is_local, ..) = copy.side(kind);
            let address = start.wrapping_add(n.wrapping_mul(step).wrapping_mul(copy.bytes));
            let base = Access { kind, address, size: copy.bytes as u32, value: None, changes: true, ..*mark };
            let access = if is_local {
                Access { space: Space::Local, buffer: None, offset: address, ..base }
            } else {
                let is_in = |buffer: &visakit_machine::observer::Allocation| {
                    (buffer.address..buffer.address.saturating_add(buffer.bytes)).contains(&address)
                };
                let Some(buffer) = map.buffers.iter().position(is_in) else { continue };
                Access { buffer: Some(buffer), offset: address - map.buffers[buffer].address, ..base }
            };
            races.copy(number, actor(mark), &access, seen);
        }
    }
}

/// Reports a mistake.
fn see(mistake: Mistake, by: Actor, other: Option<Actor>, seen: &mut Seen) {
    let at = place_in_program(&by.spot);
    let places = [at, other.map_or(at, |other| place_in_program(&other.spot))];
    seen.see(Bug { key: (mistake.name(), places, 0), actor: by, what: What::Copy { mistake, other } });
}
