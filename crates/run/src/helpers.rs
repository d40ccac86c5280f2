//! Helper threads of the process, which work on launches alongside the launching threads.

use std::cell::Cell;
use std::sync::LazyLock;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::time::{Duration, Instant};

use rayon::{Scope, ThreadPool, ThreadPoolBuilder, Yield};

/// Wall clock of a launch.
pub(super) struct Clock(Instant);

impl Clock {
    pub(super) fn start() -> Self {
        Self(Instant::now())
    }

    /// Returns the time since the start.
    pub(super) fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}

/// Number of parallel threads of the machine. Computed once, because the system reads files for it.
pub(super) static CORES: LazyLock<usize> =
    LazyLock::new(|| std::thread::available_parallelism().map_or(1, |n| n.get()));

/// Helper threads: one per core, except the launching thread's core.
struct Helpers {
    pool: ThreadPool,
    /// Number of helpers not used by a launch.
    free: AtomicUsize,
    /// Process that owns the threads. A child created by `fork` has none of them.
    process: u32,
}

/// Helper threads; `None` if the system provides no threads.
static HELPERS: LazyLock<Option<Helpers>> = LazyLock::new(|| {
    let count = *CORES - 1;
    let name = |n| format!("visakit-{n}");
    let pool = (count > 0).then(|| ThreadPoolBuilder::new().num_threads(count).thread_name(name).build().ok())??;
    Some(Helpers { pool, free: count.into(), process: std::process::id() })
});

/// Time that a launch spins for its helpers before it sleeps.
const SPIN: Duration = Duration::from_micros(30);

/// Time that a helper spins for the next launch before it sleeps. Waking it takes as long as many
/// launches.
const LINGER: Duration = Duration::from_micros(100);

/// Runs `work` on `threads` threads, or fewer if other launches use them, and returns when all are
/// done. The launching thread is number 0; other threads have the same numbers in each launch if
/// possible.
pub(super) fn side_by_side(threads: usize, work: impl Fn(usize) + Sync) {
    if threads > *CORES {
        return on_new_threads(threads, work);
    }
    let Some(Helpers { pool, free, process }) = &*HELPERS else { return work(0) };
    if *process != std::process::id() {
        return on_new_threads(threads, work);
    }
    // Work for a helper of another launch would wait until that launch ends.
    let rest = |free: usize| Some(free.saturating_sub(threads - 1));
    let taken = free.fetch_update(Acquire, Relaxed, rest).map_or(0, |before| before.min(threads - 1));
    let begun = AtomicUsize::new(0);
    pool.in_place_scope(|scope| {
        let help = |_: &Scope<'_>| {
            begun.fetch_add(1, Relaxed);
            work(pool.current_thread_index().unwrap_or_default() % (threads - 1) + 1);
            begun.fetch_sub(1, Release);
            free.fetch_add(1, Release);
            if !STAYS.get() {
                rayon::spawn(stay);
            }
        };
        (0..taken).for_each(|_| scope.spawn(help));
        work(0);
        // Started helpers are nearly done; spinning is faster than sleeping.
        let start = Instant::now();
        while begun.load(Acquire) > 0 && start.elapsed() < SPIN {
            std::hint::spin_loop();
        }
    });
}

/// Runs `work` on new threads, which then end.
fn on_new_threads(threads: usize, work: impl Fn(usize) + Sync) {
    std::thread::scope(|scope| {
        let work = &work;
        let started = (1..threads).map(|n| std::thread::Builder::new().spawn_scoped(scope, move || work(n)));
        // If the system provides no more threads, the existing ones do all the work.
        started.take_while(Result::is_ok).for_each(drop);
        work(0);
    });
}

thread_local! {
    /// True if this helper spins for launches.
    static STAYS: Cell<bool> = const { Cell::new(false) };
}

/// Spins for other launches for a while.
fn stay() {
    if STAYS.replace(true) {
        return;
    }
    let mut start = Instant::now();
    while start.elapsed() < LINGER {
        match rayon::yield_now() {
            Some(Yield::Executed) => start = Instant::now(),
            _ => std::hint::spin_loop(),
        }
    }
    STAYS.set(false);
}

#[cfg(test)]
mod tests {
    use super::{CORES, side_by_side};
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    #[test]
    fn no_launch_waits_for_the_helpers_of_another() {
        // More launches than helpers, each of which ends after all others have started.
        let (launches, begun) = (*CORES + 3, AtomicUsize::new(0));
        let all = Barrier::new(launches);
        std::thread::scope(|scope| {
            for _ in 0..launches {
                scope.spawn(|| {
                    side_by_side(*CORES, |number| {
                        begun.fetch_add(1, Relaxed);
                        if number == 0 {
                            all.wait();
                        } else {
                            while begun.load(Relaxed) < launches {
                                std::thread::yield_now();
                            }
                        }
                    });
                });
            }
        });
        assert!(begun.load(Relaxed) >= launches);
    }
}
