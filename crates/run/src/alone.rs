//! Stub of `helpers` for targets without threads and clocks, such as WebAssembly.

use std::sync::LazyLock;
use std::time::Duration;

/// Number of parallel threads.
pub(super) static CORES: LazyLock<usize> = LazyLock::new(|| 1);

/// Clock that always shows zero.
pub(super) struct Clock;

impl Clock {
    pub(super) fn start() -> Self {
        Self
    }

    /// Returns zero.
    pub(super) fn elapsed(&self) -> Duration {
        Duration::ZERO
    }
}

/// Runs `work` on the launching thread.
pub(super) fn side_by_side(_: usize, work: impl Fn(usize) + Sync) {
    work(0);
}
