//! Accesses that enter a shadow cell, as far as the stamps alone order them.

use crate::race::shadow::Cell;
use crate::race::stamps::{Stamps, Touch};
use visakit_machine::observer::AccessKind;

/// Returns true for a store of an unchanged value. Initial zeros of shared local memory do not
/// count as a value.
#[inline(always)]
pub(super) fn is_harmless(cell: &Cell, touch: Touch) -> bool {
    touch.kind == AccessKind::Store && !touch.changes && !(touch.is_local && cell.write == 0)
}

impl Stamps {
    /// Drops accesses of earlier groups to their own shared local memory.
    #[inline(always)]
    pub(super) fn forget(&self, cell: &mut Cell, touch: Touch) {
        if touch.is_local && cell.write.max(cell.reads[0]).max(cell.reads[1]) < self.group_first {
            (cell.write, cell.reads) = (0, [0; 2]);
        }
    }

    /// Enters a load and returns true if no store happened since the last barrier; otherwise
    /// changes nothing.
    #[inline(always)]
    pub(super) fn read_alone(&self, cell: &mut Cell, touch: Touch) -> bool {
        self.forget(cell, touch);
        let is_alone = cell.write == 0 || self.is_past(cell.write);
        if is_alone && (cell.reads[0], cell.channels[1]) != (touch.stamp, touch.channel) {
            self.enter_read(cell, touch);
        }
        is_alone
    }

    /// Enters a store or atomic and returns true if no other work item touched the location since
    /// the last barrier; otherwise changes nothing.
    #[inline(always)]
    pub(super) fn write_alone(&self, cell: &mut Cell, touch: Touch) -> bool {
        self.forget(cell, touch);
        let is_alone = self.is_clear(cell.write, cell.channels[0], touch)
            && (0..2).all(|n| self.is_clear(cell.reads[n], cell.channels[1 + n], touch));
        if is_alone {
            self.enter(cell, touch);
        }
        is_alone
    }

    /// Enters an access.
    #[inline(always)]
    pub(super) fn enter(&self, cell: &mut Cell, touch: Touch) {
        let writes = match touch.kind {
            AccessKind::Load => false,
            AccessKind::Store => true,
            // An atomic does not replace a recent store, because other atomics conflict with that
            // store.
            AccessKind::Atomic => !self.is_recent_store(cell.write),
        };
        if writes {
            if !is_harmless(cell, touch) || cell.write == 0 {
                let kept = self.kept(cell, touch);
                (cell.write, cell.channels[0]) = (touch.stamp, touch.channel);
                (cell.reads, cell.channels[2]) = ([0, kept.0], kept.1);
            }
        } else {
            self.enter_read(cell, touch);
        }
    }

    /// Returns the current group's store before an atomic operation. Other atomics are ordered
    /// after this operation, but not after the store.
    #[inline(always)]
    fn kept(&self, cell: &Cell, touch: Touch) -> (u32, u8) {
        let is_store = |stamp: u32| stamp >= self.group_first && self.is(stamp, AccessKind::Store);
        match touch.kind {
            AccessKind::Atomic if is_store(cell.write) => (cell.write, cell.channels[0]),
            AccessKind::Atomic if is_store(cell.reads[1]) => (cell.reads[1], cell.channels[2]),
            _ => (0, 0),
        }
    }

    /// Enters a reader.
    #[inline(always)]
    fn enter_read(&self, cell: &mut Cell, touch: Touch) {
        // Uses an entry that is empty, of the same work item, or ordered by a barrier.
        let free = (0..2).find(|&n| self.is_own(cell.reads[n], cell.channels[1 + n], touch));
        if let Some(n) = free {
            (cell.reads[n], cell.channels[1 + n]) = (touch.stamp, touch.channel);
        }
    }
}
