//! How atomic operations keep the work items of a group apart, until they all come to a barrier.

use std::collections::HashMap;

/// Numbers that are kept of what came before operations on places, 16 MiB. Where there are more,
/// who comes after one place comes after others too, so that less is told and nothing wrong.
const MOST_NUMBERS: usize = 1 << 22;
/// The place that all are then.
const ANY_PLACE: (usize, u64) = (0, 0);
/// Operations whose results nobody looks at that wait for one whose result somebody does: of most
/// groups none comes.
const MOST_WAITING: usize = 1 << 14;

/// Accesses between two atomic operations have one number.
#[derive(Default)]
pub(super) struct Clock {
    value: u32,
    /// Whether nothing else has been done since the last one.
    is_idle: bool,
}

impl Clock {
    /// The number of an access. An atomic operation, which comes to [`Clock::end`] behind this,
    /// belongs to what it comes behind.
    pub(super) fn number(&mut self, is_atomic: bool) -> u32 {
        self.is_idle &= is_atomic;
        self.value.saturating_sub(u32::from(self.is_idle))
    }

    /// There is an atomic operation. Gives how many numbers are over then.
    pub(super) fn end(&mut self) -> u32 {
        self.value += u32::from(!self.is_idle);
        self.is_idle = true;
        self.value
    }
}

/// For work items, in the order in which they first did an atomic operation, how many numbers of
/// theirs came before something.
type Before = Vec<u32>;

/// Which work items of the present group come after what others had done since the last barrier.
#[derive(Default)]
pub(super) struct Turns {
    pub(super) clock: Clock,
    /// The places of work items in the lists.
    order: HashMap<u32, usize>,
    /// What came before the last atomic operation on a place, and before what a work item does now.
    places: HashMap<(usize, u64), Before>,
    items: Vec<Before>,
    /// Numbers that are kept of places, and whether there were so many that all are one.
    numbers: usize,
    are_one: bool,
    /// Work items, places of their operations and the numbers that were over then.
    waiting: Vec<(u32, (usize, u64), u32)>,
}

impl Turns {
    /// All work items have waited for each other.
    pub(super) fn begin(&mut self) {
        self.order.clear();
        self.places.clear();
        self.items.clear();
        (self.numbers, self.are_one) = (0, false);
        self.waiting.clear();
    }

    /// A work item does an atomic operation on a place. Who does not look at the result learns
    /// nothing of the others.
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

    /// Whether what a work item did under a number comes before what another one does now.
    pub(super) fn is_before(&self, item: u32, number: u32, now: u32) -> bool {
        let over = || self.items.get(*self.order.get(&now)?)?.get(*self.order.get(&item)?);
        over().is_some_and(|over| number < *over)
    }
}

/// What came before something came before something else as well.
fn learn(before: &mut Before, others: &Before) {
    before.resize(before.len().max(others.len()), 0);
    before.iter_mut().zip(others).for_each(|(known, over)| *known = (*known).max(*over));
}

#[cfg(test)]
mod tests {
    use super::Turns;

    /// Of many work items each does something, then an operation on one place, and looks at the
    /// result.
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
