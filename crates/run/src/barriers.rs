//! Split barriers: threads signal their arrival, and wait for the others later.

use std::collections::HashMap;

use visakit_kernels::code::DebugLoc;

/// State of a thread of a group.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    Running,
    /// Waits at a plain barrier.
    AtBarrier(DebugLoc),
    /// Waits for its neighbour.
    AtExchange {
        number: u32,
        mark: DebugLoc,
    },
    /// Waits at a split barrier.
    Waiting {
        barrier: Option<u32>,
        mark: DebugLoc,
    },
    Ended,
}

/// Split barriers of a group, with signal and wait.
#[derive(Default)]
pub(super) struct Barriers(HashMap<Option<u32>, Signalled>);

#[derive(Default)]
struct Signalled {
    /// Number of threads of the barrier, if given.
    threads: Option<u32>,
    /// Number of threads that have signalled.
    come: u32,
    /// Number of threads that have passed.
    passed: u32,
}

impl Barriers {
    pub(super) fn signal(&mut self, signal: Option<(u32, u32)>) {
        let barrier = self.0.entry(signal.map(|(id, _)| id)).or_default();
        barrier.threads = signal.map(|(_, threads)| threads);
        barrier.come += 1;
    }

    /// Returns true if all threads of a barrier have signalled, and lets one waiting thread pass.
    /// `group` is the number of threads of the group. After the last thread has passed, the barrier
    /// is reset.
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
