//! Accesses of group copies. Each copy acts as a separate thread, which is ordered by waits instead
//! of barriers.

use crate::bug::{Bug, Seen, What};
use crate::race::pages::words_of;
use crate::race::races::{Races, shared};
use crate::race::stamps::{COPIES, Touch, copy_of};
use visakit_machine::observer::{Access, Spot};
use visakit_run::program::Actor;

/// Largest number of copies with a recorded work item.
const MOST_COPIERS: usize = 1 << 16;

impl Races {
    /// Enters an access of a group copy started by a work item.
    pub(crate) fn copy(&mut self, number: usize, by: Actor, access: &Access, seen: &mut Seen) {
        let access = Access { thread: COPIES + number as u32, lane: 0, ..*access };
        let Some(buffer) = shared(&access) else { return };
        if self.sizes.get(buffer).is_none_or(|&bytes| access.offset >= bytes) {
            return;
        }
        let key = (self.stamps.index, number);
        if self.copiers.len() < MOST_COPIERS {
            self.copiers.entry(key).or_insert(by);
        }
        let spot = Spot { first_channel: 0, no_mask: false, ..access.spot };
        let access = Access { spot, ..access };
        if let Some(stamp) = self.stamp(&access) {
            let touch = Touch::new(stamp, &access);
            for word in words_of(access.offset, access.size) {
                self.word(touch, (buffer, word), &access, seen);
            }
        }
    }

    /// Ends a copy: later accesses happen after its accesses.
    pub(crate) fn end_copy(&mut self, number: usize) {
        self.stamps.end_copy(COPIES + number as u32);
    }

    /// Returns true if a copy of the current group is part of a reported race.
    pub(crate) fn has_told(&self, number: usize) -> bool {
        self.told.contains(&number)
    }

    /// Records the current group's copies that are part of a race.
    pub(super) fn tell(&mut self, bug: &Bug) {
        if let What::Race { copies, .. } = &bug.what {
            self.told.extend(copies.iter().flatten());
        }
    }

    /// Returns the actor of an access; for a copy, the work item that started it.
    pub(super) fn who(&self, actor: Actor, index: u32) -> Actor {
        match copy_of(actor.thread) {
            Some(number) => {
                let unknown = Actor { thread: 0, channel: None, ..actor };
                self.copiers.get(&(index, number)).copied().unwrap_or(unknown)
            }
            None => actor,
        }
    }
}
