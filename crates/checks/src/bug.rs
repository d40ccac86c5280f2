//! Bugs that the observer has seen, before they are put into words.

use visakit_machine::fault::Trap;
use visakit_machine::observer::{Access, AccessKind, Spot};
use visakit_run::program::Actor;

/// Bugs to report, each once, with its number of occurrences and other actors.
#[derive(Default)]
pub(super) struct Seen {
    pub(super) all: Vec<(Bug, u64, Vec<Actor>)>,
}

/// Largest number of other work items that a bug names.
const MOST_ITEMS: usize = 3;

/// Identity of a bug: its kind, its locations in the program, and its memory.
pub(super) type Key = (&'static str, [u32; 2], usize);

/// A bug at its first occurrence.
pub(super) struct Bug {
    /// Identity.
    pub(super) key: Key,
    /// Work item that caused it.
    pub(super) actor: Actor,
    /// Description without names.
    pub(super) what: What,
}

/// Kind and details of a bug.
pub(super) enum What {
    /// An access out of bounds.
    Outside(Access),
    /// An access to private memory of another channel of the thread.
    Foreign(Access, u32),
    /// A thread waits at a barrier while others of its group wait at another one.
    Barriers { other: Actor },
    /// Two unordered accesses: this one and an earlier one. `is_fence` is set if a barrier, but no
    /// fence, lies between them. `copies` are the numbers of the group copies that made them, the
    /// earlier first.
    Race { now: Access, before: AccessKind, other: Actor, is_fence: bool, copies: [Option<usize>; 2] },
    /// A misuse of a group copy.
    Copy { mistake: Mistake, other: Option<Actor> },
}

impl Bug {
    /// Returns true for the same bug: equal in both locations, or in one location and the memory.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.is_about(other.key)
    }

    /// Returns true if the bug has this identity.
    pub(super) fn is_about(&self, (other_code, others, other_memory): Key) -> bool {
        let (code, places, memory) = self.key;
        let (same, any) = (|place| others.contains(place), other_memory == memory);
        let both = (memory == 0) == (other_memory == 0) && places.iter().all(same);
        code == other_code && (both || any && places.iter().any(same))
    }
}

impl Seen {
    /// Records a bug.
    pub(super) fn see(&mut self, bug: Bug) {
        match self.all.iter_mut().find(|(other, ..)| bug.is_same(other)) {
            Some((first, count, others)) => {
                *count += 1;
                let who = |actor: &Actor| (actor.group, actor.thread, actor.channel);
                let is_new = |one: &Actor| who(one) != who(&bug.actor);
                if others.len() < MOST_ITEMS && is_new(&first.actor) && others.iter().all(is_new) {
                    others.push(bug.actor);
                }
            }
            None => self.all.push((bug, 1, Vec::new())),
        }
    }
}

/// A misuse of a group copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mistake {
    /// A work item makes a different operation than an earlier work item.
    Differs { is_copy: bool, is_same_kind: bool },
    /// Some work items omit an operation.
    Missing { is_copy: bool, count: u32, of: u32 },
    /// A copy is never awaited.
    Unwaited,
    /// An event does not belong to a copy.
    Unknown { is_copy: bool },
    /// A load reads copied data after the wait, but before a barrier.
    NoBarrier,
}

impl Mistake {
    /// Returns a name for the kind of mistake.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Differs { .. } => "differs",
            Self::Missing { .. } => "missing",
            Self::Unwaited => "unwaited",
            Self::Unknown { .. } => "unknown",
            Self::NoBarrier => "no barrier",
        }
    }

    /// Returns true if the mistake shows only at the end of a group, so that it is meaningless
    /// after a fault.
    pub(super) fn is_at_end(self) -> bool {
        matches!(self, Self::Missing { .. } | Self::Unwaited)
    }
}

/// Returns the actor of an access.
pub(super) fn actor(access: &Access) -> Actor {
    Actor {
        spot: access.spot,
        group: access.group,
        thread: access.thread,
        channel: Some(access.lane + access.spot.first_channel),
    }
}

/// Returns a location that is equal for instructions of one source line, or the instruction if the
/// line is unknown.
pub(super) fn place_in_program(spot: &Spot) -> u32 {
    spot.source_line.filter(|&line| line > 0).map_or(spot.instruction, |line| line | 1 << 31)
}

/// Describes an access: its kind and size.
pub(super) fn deed(kind: AccessKind, size: u32) -> String {
    let what = match kind {
        AccessKind::Load => "load of",
        AccessKind::Store => "store to",
        AccessKind::Atomic => "atomic operation on",
    };
    format!("{what} {size} byte{}", if size == 1 { "" } else { "s" })
}

/// Returns a finding as a trap.
pub(super) fn found(code: &'static str, message: String, help: &'static str) -> Trap {
    Trap::Found { code, message, help }
}
