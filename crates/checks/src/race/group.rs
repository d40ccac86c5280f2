//! Accesses that a work-group makes as a whole. They are those of a thread of their own, which no
//! barrier orders, but a wait.

use crate::race::pages::words_of;
use crate::race::stamps::Touch;
use crate::race::{Races, shared};
use crate::watcher::{Bug, Seen, What};
use visakit_machine::observer::{Access, Spot};
use visakit_run::program::Actor;

/// The thread of the first copy of a group.
pub(super) const COPIES: u32 = 1 << 22;

/// Copies whose work item is remembered.
const MOST_COPIERS: usize = 1 << 16;

/// Returns the number of the copy that a thread stands for.
pub(super) fn copy_of(thread: u32) -> Option<usize> {
    thread.checked_sub(COPIES).map(|number| number as usize)
}

impl Races {
    /// Enters an access of the group's copy of a number, which a work item has begun.
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

    /// Ends a copy: all that comes behind the wait for it comes behind its accesses.
    pub(crate) fn end_copy(&mut self, number: usize) {
        self.stamps.end_copy(COPIES + number as u32);
    }

    /// Returns whether a copy of the present group takes part in a race that was reported.
    pub(crate) fn has_told(&self, number: usize) -> bool {
        self.told.contains(&number)
    }

    /// Takes note of the copies of the present group that a race is about.
    pub(super) fn tell(&mut self, bug: &Bug) {
        if let What::Race { copies, .. } = &bug.what {
            self.told.extend(copies.iter().flatten());
        }
    }

    /// Returns who made an access of a group: for one of a copy, the work item that began it.
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
