//! Digests of groups, for a comparison of launches without storing their steps.

use std::cell::RefCell;

use visakit_machine::lane::{LANES, from_lanes};
use visakit_machine::observer::{Access, AccessKind, Observer, Spot};
use visakit_machine::told::{Accesses, Places};

/// Digests of all groups of a launch.
#[derive(Debug, Default)]
pub(crate) struct Digests {
    /// Digest of all steps of each group.
    pub(crate) groups: Vec<u64>,
    /// Digest of the control flow of each group.
    pub(crate) ways: Vec<u64>,
}

/// Returns the digest of a path after another block.
pub(super) fn way(before: u64, thread: u32, block: u32, channels: u64) -> u64 {
    step(before, u64::from(thread) << 48 ^ u64::from(block) << 32 ^ channels)
}

/// Returns the digest of words after another word.
pub(super) fn step(before: u64, word: u64) -> u64 {
    (before.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

impl Digests {
    pub(crate) fn next_group(&mut self) {
        self.groups.push(0);
        self.ways.push(0);
    }

    pub(crate) fn block(&mut self, thread: u32, block: u32, channels: u32) {
        let (Some(digest), Some(taken)) = (self.groups.last_mut(), self.ways.last_mut()) else { return };
        *digest = way(*digest, thread, block, channels.into());
        *taken = way(*taken, thread, block, channels.into());
    }

    pub(crate) fn access(&mut self, access: &Access) {
        let who = u64::from(access.thread) << 32 | u64::from(access.lane);
        self.mix([who, access.address, shared_value(access).unwrap_or(0)]);
    }

    pub(crate) fn accesses(&mut self, accesses: &Accesses<'_>) {
        let first = &accesses.first;
        let values = accesses.values.filter(|_| shared_value(first).is_some());
        let places = match accesses.places {
            Places::Row(step) => first.address ^ u64::from(step) << 56,
            // All accesses lie in one buffer.
            Places::Each { offsets, .. } => first.address ^ sum(offsets).rotate_left(32),
        };
        let values = values.map_or(0, |values| {
            let used = |lane: usize| if accesses.enabled >> lane & 1 == 1 { values[lane] } else { 0 };
            let used: [u64; LANES] = from_lanes(used);
            sum(&used.map(|value| value as u32)) ^ sum(&used.map(|value| (value >> 32) as u32)).rotate_left(32)
        });
        let who = u64::from(first.thread) << 32 | u64::from(accesses.first_lane);
        self.mix([who ^ u64::from(accesses.enabled) << 16, places, values]);
    }

    fn mix<const N: usize>(&mut self, words: [u64; N]) {
        let Some(digest) = self.groups.last_mut() else { return };
        for word in words {
            *digest = step(*digest, word);
        }
    }
}

/// Returns a hash of words that changes with any single word.
#[inline(always)]
fn sum(words: &[u32; LANES]) -> u64 {
    // Each word has a distinct odd factor; all hosts have vector products of words.
    let products: [u64; LANES] = from_lanes(|i| u64::from(words[i]) * u64::from(0x9e37_79b9_u32 ^ (i as u32) << 5));
    products.iter().fold(0, |sum: u64, product| sum.wrapping_add(*product))
}

/// Observer that only makes digests.
#[derive(Debug, Default)]
pub(super) struct Digester(RefCell<Digests>);

impl Digester {
    pub(crate) fn finish(self) -> Vec<u64> {
        self.0.into_inner().groups
    }

    fn with(&self, f: impl FnOnce(&mut Digests)) {
        f(&mut self.0.borrow_mut());
    }
}

impl Observer for Digester {
    fn group(&self, _: [u32; 3]) {
        self.with(Digests::next_group);
    }

    fn block(&self, thread: u32, block: u32, channels: u32, _: Spot) {
        self.with(|digests| digests.block(thread, block, channels));
    }

    fn access(&self, access: &Access) {
        self.with(|digests| digests.access(access));
    }

    fn accesses(&self, accesses: &Accesses<'_>) {
        self.with(|digests| digests.accesses(accesses));
    }
}

/// Returns the value that an access stores to memory visible to other groups or the host.
pub(super) fn shared_value(access: &Access) -> Option<u64> {
    access.value.filter(|_| access.kind != AccessKind::Load && access.buffer.is_some())
}
