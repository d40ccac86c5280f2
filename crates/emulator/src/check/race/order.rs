//! How atomic operations keep groups apart.

use std::collections::HashMap;

/// Places of atomic operations that are told apart.
const MOST_PLACES: usize = 1 << 12;

/// Which groups come after what others had done.
#[derive(Default)]
pub(super) struct Order {
    /// Atomic operations of each group.
    clocks: Vec<u32>,
    /// The groups whose operations on a place came before, as bits.
    places: HashMap<(usize, u64), Vec<u64>>,
    /// Those that the present group comes after.
    before: Vec<u64>,
}

impl Order {
    pub(super) fn next_group(&mut self) {
        self.before.clear();
        self.clocks.push(0);
    }

    /// Whether there was a group.
    pub(super) fn has_begun(&self) -> bool {
        !self.clocks.is_empty()
    }

    /// Atomic operations of the present group.
    pub(super) fn clock(&self) -> u32 {
        self.clocks.last().copied().unwrap_or(0)
    }

    /// The present group does an atomic operation on a place. Who does not look at the result learns nothing of the others.
    pub(super) fn meet(&mut self, place: (usize, u64), learns: bool) {
        let place = if self.places.len() < MOST_PLACES || self.places.contains_key(&place) { place } else { (0, 0) };
        let others = self.places.entry(place).or_default();
        let words = self.clocks.len().div_ceil(64);
        others.resize(words, 0);
        self.before.resize(words, 0);
        for (other, own) in others.iter_mut().zip(&mut self.before) {
            *own |= if learns { *other } else { 0 };
            *other |= *own;
        }
        let own = self.clocks.len() - 1;
        others[own / 64] |= 1 << (own % 64);
        self.clocks[own] += 1;
    }

    /// Whether what another group had done by then comes before what the present one does now.
    pub(super) fn is_before(&self, index: u32, clock: u32) -> bool {
        let (word, bit) = (index as usize / 64, index % 64);
        self.before.get(word).is_some_and(|before| before >> bit & 1 == 1)
            && self.clocks.get(index as usize).is_some_and(|&last| clock < last)
    }
}
