//! Happens-before between work items of a group, established by atomic operations, until the next
//! barrier.

use std::collections::HashMap;

/// Largest number of clock values kept for locations (16 MiB). Past the limit, locations are
/// merged, which misses races but reports no false ones.
const MOST_NUMBERS: usize = 1 << 22;
/// The merged location.
const ANY_PLACE: (usize, u64) = (0, 0);
/// Largest number of deferred operations with unused results. They are processed before the next
/// operation with a used result, which most groups never make.
const MOST_WAITING: usize = 1 << 14;

/// Counter of the intervals between atomic operations.
#[derive(Default)]
pub(super) struct Clock {
    value: u32,
    /// True if no other access happened since the last atomic operation.
    is_idle: bool,
}

impl Clock {
    /// Returns the interval of an access. An atomic operation, which calls [`Clock::end`]
    /// afterwards, belongs to the interval before it.
    pub(super) fn number(&mut self, is_atomic: bool) -> u32 {
        self.is_idle &= is_atomic;
        self.value.saturating_sub(u32::from(self.is_idle))
    }

    /// Ends the interval at an atomic operation. Returns the number of finished intervals.
    pub(super) fn end(&mut self) -> u32 {
        self.value += u32::from(!self.is_idle);
        self.is_idle = true;
        self.value
    }
}

/// Number of finished intervals that happened before some event, for each work item in order of its
/// first atomic operation.
type Before = Vec<u32>;

/// Happens-before relation between the work items of the current group since the last barrier.
#[derive(Default)]
pub(super) struct Turns {
    pub(super) clock: Clock,
    /// Indices of work items in the lists.
    order: HashMap<u32, usize>,
    /// Intervals before the last atomic operation on a location, and before a work item's next
    /// access.
    places: HashMap<(usize, u64), Before>,
    items: Vec<Before>,
    /// Number of clock values kept for locations, and true if all locations are merged.
    numbers: usize,
    are_one: bool,
    /// Deferred operations: work item, location, and number of finished intervals.
    waiting: Vec<(u32, (usize, u64), u32)>,
}

impl Turns {
    /// Clears the state at a barrier.
    pub(super) fn begin(&mut self) {
        self.order.clear();
        self.places.clear();
        self.items.clear();
        (self.numbers, self.are_one) = (0, false);
        self.waiting.clear();
    }

    /// Processes an atomic operation of a work item. An operation with an unused result learns
    /// nothing about other work items.
    pub(super) fn meet(&mut self, item: u32, place: (usize, u64), learns: bool) {
        let over = self.clock.end();
        if !learns && self.waiting.len() < MOST_WAITING {
            self.waiting.push((item, place, over));
            return;
        }
        for (item, place, over) in std::mem::take(&mut self.waiting) {
            self.meet_now(item, place, over, false);
        }
        self.meet_now(item, place, over, learns);
    }

    fn meet_now(&mut self, item: u32, place: (usize, u64), over: u32, learns: bool) {
        if self.numbers > MOST_NUMBERS {
            let mut all = Before::new();
            self.places.drain().for_each(|(_, before)| learn(&mut all, &before));
            (self.numbers, self.are_one) = (all.len(), true);
            self.places.insert(ANY_PLACE, all);
        }
        let there = self.places.entry(if self.are_one { ANY_PLACE } else { place }).or_default();
        self.numbers -= there.len();
        let next = self.items.len();
        let at = *self.order.entry(item).or_insert(next);
        if at == next {
            self.items.push(Before::new());
        }
        let own = &mut self.items[at];
        own.resize(own.len().max(at + 1), 0);
        own[at] = over;
        if learns {
            learn(own, there);
        }
        learn(there, own);
        self.numbers += there.len();
    }

    /// Returns true if a work item's interval happens before the next access of work item `now`.
    pub(super) fn is_before(&self, item: u32, number: u32, now: u32) -> bool {
        let over = || self.items.get(*self.order.get(&now)?)?.get(*self.order.get(&item)?);
        over().is_some_and(|over| number < *over)
    }
}

/// Merges `others` into `before`.
fn learn(before: &mut Before, others: &Before) {
    before.resize(before.len().max(others.len()), 0);
    before.iter_mut().zip(others).for_each(|(known, over)| *known = (*known).max(*over));
}

#[cfg(test)]
mod tests {
    use super::Turns;

    /// Lets each of many work items make an access, then an atomic operation with a used result.
    fn all_take_turns(items: u32, place: impl Fn(u32) -> (usize, u64)) -> Turns {
        let mut turns = Turns::default();
        for item in 0..items {
            assert_eq!(turns.clock.number(false), item);
            turns.meet(item, place(item), true);
        }
        turns
    }

    #[test]
    fn the_last_of_many_comes_after_all_others() {
        let turns = all_take_turns(1024, |_| (1, 8));
        assert!((0..1023).all(|item| turns.is_before(item, item, 1023)));
        assert!(!turns.is_before(1023, 1023, 0) && !turns.is_before(0, 1, 1023));
    }

    #[test]
    fn who_has_a_place_of_its_own_comes_after_nobody_until_there_are_too_many() {
        let turns = all_take_turns(64, |item| (1, u64::from(item) * 4));
        assert!(!turns.is_before(0, 0, 63));
        let turns = all_take_turns(4096, |item| (1, u64::from(item) * 4));
        assert!(turns.are_one && turns.is_before(0, 0, 4095));
    }
}
