//! The threads of the process that work on launches beside those who launch.

use std::cell::Cell;
use std::sync::LazyLock;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::time::{Duration, Instant};

use rayon::{Scope, ThreadPool, ThreadPoolBuilder, Yield};

/// How many threads the machine runs at a time. The system reads files for it: once is enough.
pub(super) static CORES: LazyLock<usize> =
    LazyLock::new(|| std::thread::available_parallelism().map_or(1, |n| n.get()));

/// One for each core but that of the thread that launches.
struct Helpers {
    pool: ThreadPool,
    /// How many of them no launch has taken.
    free: AtomicUsize,
    /// The process whose threads they are. One that comes of it by `fork` has none of them.
    process: u32,
}

/// None where the system gives no threads.
static HELPERS: LazyLock<Option<Helpers>> = LazyLock::new(|| {
    let count = *CORES - 1;
    let name = |n| format!("visakit-{n}");
    let pool = (count > 0).then(|| ThreadPoolBuilder::new().num_threads(count).thread_name(name).build().ok())??;
    Some(Helpers { pool, free: count.into(), process: std::process::id() })
});

/// So long a launch looks whether its helpers are done before it sleeps.
const SPIN: Duration = Duration::from_micros(30);

/// So long a helper looks for the next launch before it sleeps. To be woken takes as long as many a
/// launch.
const LINGER: Duration = Duration::from_micros(100);

/// Does work on so many threads, or on fewer when other launches have them, and returns when all of
/// them are through. The thread that launches is number 0; the others have the same numbers in each
/// launch, as far as that can be.
pub(super) fn side_by_side(threads: usize, work: impl Fn(usize) + Sync) {
    if threads > *CORES {
        return on_new_threads(threads, work);
    }
    let Some(Helpers { pool, free, process }) = &*HELPERS else { return work(0) };
    if *process != std::process::id() {
        return on_new_threads(threads, work);
    }
    // What is left to a helper that another launch has would wait until that one ends.
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
        // Those that have begun are nearly done, and to sleep and be woken takes longer.
        let start = Instant::now();
        while begun.load(Acquire) > 0 && start.elapsed() < SPIN {
            std::hint::spin_loop();
        }
    });
}

/// The same on threads that end with it.
fn on_new_threads(threads: usize, work: impl Fn(usize) + Sync) {
    std::thread::scope(|scope| {
        let work = &work;
        let started = (1..threads).map(|n| std::thread::Builder::new().spawn_scoped(scope, move || work(n)));
        // When the system gives no more threads, those that there are do all of it.
        started.take_while(Result::is_ok).for_each(drop);
        work(0);
    });
}

thread_local! {
    /// Whether this helper looks for launches.
    static STAYS: Cell<bool> = const { Cell::new(false) };
}

/// Looks for other launches for a while.
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
        // More launches than helpers, each of which ends when all others have begun.
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
