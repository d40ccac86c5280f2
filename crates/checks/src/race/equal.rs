//! Stores that leave what is there, as they race where other inputs make them store something else.

use crate::race::stamps::Touch;
use crate::race::{Cell, Races};
use crate::watcher::Bug;
use visakit_machine::observer::Access;

/// Pairs of places that are remembered.
const MOST_PAIRS: usize = 64;

impl Races {
    /// Remembers what a store of an equal value would collide with.
    #[cold]
    pub(super) fn remember(&mut self, cell: &Cell, touch: Touch, access: &Access, at: (usize, u64)) {
        for (stamp, n) in [(cell.write, 0), (cell.reads[0], 1), (cell.reads[1], 2)] {
            if let Some(bug) = self.compare(stamp, cell.channels[n], touch, access, at)
                && self.equal.len() < MOST_PAIRS
                && !self.equal.iter().any(|key| bug.is_about(*key))
            {
                self.equal.push(bug.key);
            }
        }
    }
}

/// Returns whether a race would be one of those that stores of equal values hide.
pub(crate) fn is_hidden(bug: &Bug, equal: &[crate::watcher::Key]) -> bool {
    equal.iter().any(|key| bug.is_about(*key))
}
