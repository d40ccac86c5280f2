//! Traces an uninitialised value through group-private memory to its first use.

use std::cell::RefCell;

use crate::bug::actor;
use crate::uninit::compare::MOST_STEPS;
use crate::uninit::digests;
use crate::uninit::source::Source;
use visakit_machine::observer::{Access, AccessKind, Observer, Space};
use visakit_run::program::Actor;

/// Hashes of a group's stores to its own memory, in order.
#[derive(Debug, Default)]
pub(super) struct Stored(RefCell<Vec<u32>>);

impl Observer for Stored {
    fn access(&self, access: &Access) {
        if is_own_store(access) && self.0.borrow().len() < MOST_STEPS {
            self.0.borrow_mut().push(part_of(access));
        }
    }
}

fn is_own_store(access: &Access) -> bool {
    access.kind == AccessKind::Store && access.buffer.is_none()
}

fn part_of(access: &Access) -> u32 {
    (digests::step(u64::from(access.value.is_some()), access.value.unwrap_or(0)) >> 32) as u32
}

/// Observer that traces a value: its first store, and the load after it.
#[derive(Debug)]
pub(super) struct Way {
    without: Vec<u32>,
    state: RefCell<State>,
}

#[derive(Debug, Default)]
struct State {
    next: usize,
    /// Memory location of the value: space, buffer, start and end (exclusive).
    place: Option<(Space, Option<usize>, u64, u64)>,
    stored: Option<Actor>,
    loaded: Option<Actor>,
}

impl Way {
    /// Returns a trace from an origin; `without` are the stores without noise.
    pub(super) fn new(origin: &Source, without: Stored) -> Self {
        let place = match origin {
            Source::Local(range) => Some((Space::Local, None, range.start, range.end)),
            Source::Private(range) => Some((Space::Scratch, None, range.start, range.end)),
            Source::Buffer(number, range) => Some((Space::Flat, Some(*number), range.start, range.end)),
            Source::Variable(..) | Source::Predicates => None,
        };
        Self { without: without.0.into_inner(), state: RefCell::new(State { place, ..State::default() }) }
    }

    /// Returns the locations on the path, with descriptions.
    pub(super) fn places(self) -> Vec<(&'static str, Actor)> {
        let State { stored, loaded, .. } = self.state.into_inner();
        let stored = stored.map(|actor| ("the value is stored to the group's memory here", actor));
        let loaded = loaded.map(|actor| ("the value is loaded here", actor));
        stored.into_iter().chain(loaded).collect()
    }
}

impl Observer for Way {
    fn access(&self, access: &Access) {
        let mut state = self.state.borrow_mut();
        let space = if access.space == Space::Surface { Space::Flat } else { access.space };
        if is_own_store(access) {
            let same = self.without.get(state.next).is_none_or(|part| *part == part_of(access));
            state.next += 1;
            if !same && state.place.is_none() {
                state.place = Some((space, None, access.offset, access.offset + u64::from(access.size)));
                state.stored = Some(actor(access));
            }
        } else if let Some((memory, buffer, start, end)) = state.place
            && state.loaded.is_none()
            && access.kind != AccessKind::Store
            && (space, access.buffer) == (memory, buffer)
            && access.offset < end
            && start < access.offset + u64::from(access.size)
        {
            state.loaded = Some(actor(access));
        }
    }
}
