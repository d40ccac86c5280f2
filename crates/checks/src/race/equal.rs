//! Stores of unchanged values, which would race if other inputs made them store other values.

use crate::bug::Bug;
use crate::race::races::Races;
use crate::race::shadow::Cell;
use crate::race::stamps::Touch;
use visakit_machine::observer::Access;

/// Largest number of recorded pairs of locations.
const MOST_PAIRS: usize = 64;

impl Races {
    /// Records the conflicts that a store of an equal value would cause.
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

/// Returns true if a race was hidden by stores of equal values.
pub(crate) fn is_hidden(bug: &Bug, equal: &[crate::bug::Key]) -> bool {
    equal.iter().any(|key| bug.is_about(*key))
}
