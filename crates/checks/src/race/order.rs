//! Happens-before between groups, established by atomic operations.

use std::collections::HashMap;

use crate::race::turns::Clock;

/// Limits on distinct locations of atomic operations, and on words of their group sets (8 MiB).
/// Past a limit, locations are merged, which misses races but reports no false ones.
const MOST_PLACES: usize = 1 << 12;
const MOST_WORDS: usize = 1 << 20;

/// Happens-before relation between groups.
#[derive(Default)]
pub(super) struct Order {
    /// For each group, the number of finished intervals of its [`Clock`].
    clocks: Vec<u32>,
    /// Clock of the current group.
    pub(super) clock: Clock,
    /// Groups with earlier atomic operations, by location.
    places: HashMap<(usize, u64), Groups>,
    /// Words of these sets, and true if the limit was exceeded and all locations are merged.
    words: usize,
    are_one: bool,
    /// Groups ordered before the current group.
    before: Groups,
}

impl Order {
    pub(super) fn next_group(&mut self) {
        self.before = Groups::default();
        self.clocks.push(0);
        self.clock = Clock::default();
    }

    /// Processes an atomic operation of the current group. An operation with an unused result
    /// learns nothing about earlier groups.
    pub(super) fn meet(&mut self, place: (usize, u64), learns: bool) {
        if self.words > MOST_WORDS {
            self.are_one = true;
            let mut all = Groups::default();
            self.places.drain().for_each(|(_, groups)| all.add(&groups));
            self.words = all.words.len();
            self.places.insert((0, 0), all);
        }
        let is_apart = !self.are_one && (self.places.len() < MOST_PLACES || self.places.contains_key(&place));
        let others = self.places.entry(if is_apart { place } else { (0, 0) }).or_default();
        self.words -= others.words.len();
        if learns {
            self.before.add(others);
        }
        others.add(&self.before);
        let own = self.clocks.len() - 1;
        others.insert(own);
        self.words += others.words.len();
        self.clocks[own] = self.clock.end();
    }

    /// Returns true if another group's access at that clock value happens before the current
    /// group's next access.
    pub(super) fn is_before(&self, index: u32, clock: u32) -> bool {
        self.before.contains(index as usize) && self.clocks.get(index as usize).is_some_and(|&last| clock < last)
    }
}

/// A set of groups, optimised for sets with all groups up to some number.
#[derive(Default)]
struct Groups {
    /// Number of leading words with all bits set.
    full: usize,
    /// Remaining words.
    words: Vec<u64>,
}

impl Groups {
    fn contains(&self, group: usize) -> bool {
        let word = (group / 64).checked_sub(self.full);
        word.is_none_or(|word| self.words.get(word).is_some_and(|bits| bits >> (group % 64) & 1 == 1))
    }

    fn insert(&mut self, group: usize) {
        if let Some(word) = (group / 64).checked_sub(self.full) {
            self.words.resize(self.words.len().max(word + 1), 0);
            self.words[word] |= 1 << (group % 64);
            self.settle();
        }
    }

    fn add(&mut self, others: &Self) {
        let full = self.full.max(others.full);
        self.words.drain(..(full - self.full).min(self.words.len()));
        self.full = full;
        let others = others.words.get(full - others.full..).unwrap_or_default();
        self.words.resize(self.words.len().max(others.len()), 0);
        self.words.iter_mut().zip(others).for_each(|(word, other)| *word |= other);
        self.settle();
    }

    fn settle(&mut self) {
        let full = self.words.iter().take_while(|&&word| word == u64::MAX).count();
        self.words.drain(..full);
        self.full += full;
    }
}
