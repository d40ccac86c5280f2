//! Barriers with two steps: threads signal that they have come, and wait for the others later.

use std::collections::HashMap;

/// The barriers of a group that have two steps, signal and wait.
#[derive(Default)]
pub(super) struct Barriers(HashMap<Option<u32>, Signalled>);

#[derive(Default)]
struct Signalled {
    /// How many threads it has, when they say so.
    threads: Option<u32>,
    /// How many have signalled.
    come: u32,
    /// How many of them have passed.
    passed: u32,
}

impl Barriers {
    pub(super) fn signal(&mut self, signal: Option<(u32, u32)>) {
        let barrier = self.0.entry(signal.map(|(id, _)| id)).or_default();
        barrier.threads = signal.map(|(_, threads)| threads);
        barrier.come += 1;
    }

    /// Whether all threads of a barrier have come; then one that waits passes. `group` is the
    /// number of threads of the group. When the last one has passed, the barrier is free again.
    pub(super) fn lets_pass(&mut self, barrier: Option<u32>, group: u32) -> bool {
        let barrier = self.0.entry(barrier).or_default();
        let threads = barrier.threads.unwrap_or(group);
        if barrier.come < threads || barrier.come == 0 {
            return false;
        }
        barrier.passed += 1;
        if barrier.passed >= threads {
            barrier.come -= threads;
            barrier.passed = 0;
        }
        true
    }
}
