//! The way of a value that nothing has written, through memory that a group has for itself, to
//! where something depends on it.

use std::cell::RefCell;

use crate::check::uninit::{MOST_STEPS, Source, digests};
use crate::check::watcher::actor;
use crate::machine::observer::{Access, AccessKind, Observer, Space};
use crate::run::program::Actor;

/// What a group stores to memory of its own, in its order, as a number that is a small part of it.
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

/// Who follows a value: where it is stored first, and where it is loaded behind that.
#[derive(Debug)]
pub(super) struct Way {
    without: Vec<u32>,
    state: RefCell<State>,
}

#[derive(Debug, Default)]
struct State {
    next: usize,
    /// Where it stands in memory: space, buffer, first byte and the one behind the last.
    place: Option<(Space, Option<usize>, u64, u64)>,
    stored: Option<Actor>,
    loaded: Option<Actor>,
}

impl Way {
    /// The way from an origin, beside what is stored without noise there.
    pub(super) fn new(origin: &Source, without: Stored) -> Self {
        let place = match origin {
            Source::Local(range) => Some((Space::Local, None, range.start, range.end)),
            Source::Private(range) => Some((Space::Scratch, None, range.start, range.end)),
            Source::Buffer(number, range) => Some((Space::Flat, Some(*number), range.start, range.end)),
            Source::Variable(..) | Source::Predicates => None,
        };
        Self { without: without.0.into_inner(), state: RefCell::new(State { place, ..State::default() }) }
    }

    /// The places on the way, in words.
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
