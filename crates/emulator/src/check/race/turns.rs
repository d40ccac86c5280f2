//! How atomic operations keep the work items of a group apart, until they all come to a barrier.

use std::collections::{BTreeMap, HashMap};

/// Places of atomic operations that are told apart, and work items that have one of them. Locks and flags are few, and of few.
const MOST_PLACES: usize = 1 << 12;
const MOST_ITEMS: usize = 64;

/// Accesses between two atomic operations have one number.
#[derive(Default)]
pub(super) struct Clock {
    value: u32,
    /// Whether nothing else has been done since the last one.
    is_idle: bool,
}

impl Clock {
    /// The number of an access. Atomic operations belong to what they come behind.
    pub(super) fn number(&mut self, is_atomic: bool) -> u32 {
        self.is_idle &= is_atomic;
        self.value.saturating_sub(u32::from(is_atomic))
    }

    /// There is an atomic operation. Gives how many numbers are over then.
    pub(super) fn end(&mut self) -> u32 {
        self.value += u32::from(!self.is_idle);
        self.is_idle = true;
        self.value
    }
}

/// For work items, how many numbers of theirs came before something.
type Before = BTreeMap<u32, u32>;

/// Which work items of the present group come after what others had done since the last barrier.
#[derive(Default)]
pub(super) struct Turns {
    pub(super) clock: Clock,
    /// What came before the last atomic operation on a place, and before what a work item does now.
    places: HashMap<(usize, u64), Before>,
    items: HashMap<u32, Before>,
}

impl Turns {
    /// All work items have waited for each other.
    pub(super) fn begin(&mut self) {
        self.places.clear();
        self.items.clear();
    }

    /// A work item does an atomic operation on a place. Who does not look at the result learns nothing of the others.
    pub(super) fn meet(&mut self, item: u32, place: (usize, u64), learns: bool) {
        let over = self.clock.end();
        if self.places.len() >= MOST_PLACES && !self.places.contains_key(&place) {
            return;
        }
        let (there, own) = (self.places.entry(place).or_default(), self.items.entry(item).or_default());
        if there.len() >= MOST_ITEMS {
            return;
        }
        own.insert(item, over);
        if learns {
            there.iter().for_each(|(other, over)| learn(own, *other, *over));
        }
        own.iter().for_each(|(other, over)| learn(there, *other, *over));
    }

    /// Whether what a work item did under a number comes before what another one does now.
    pub(super) fn is_before(&self, item: u32, number: u32, now: u32) -> bool {
        self.items.get(&now).and_then(|before| before.get(&item)).is_some_and(|over| number < *over)
    }
}

fn learn(before: &mut Before, item: u32, over: u32) {
    let known = before.entry(item).or_default();
    *known = over.max(*known);
}
