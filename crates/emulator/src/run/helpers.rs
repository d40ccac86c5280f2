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

/// One for each core but that of the thread that launches; none where the system gives no threads.
static HELPERS: LazyLock<Option<ThreadPool>> = LazyLock::new(|| {
    let count = *CORES - 1;
    let name = |n| format!("visakit-{n}");
    (count > 0).then(|| ThreadPoolBuilder::new().num_threads(count).thread_name(name).build().ok()).flatten()
});

/// So long a launch looks whether its helpers are done before it sleeps.
const SPIN: Duration = Duration::from_micros(30);

/// So long a helper looks for the next launch before it sleeps. To be woken takes as long as many a launch.
const LINGER: Duration = Duration::from_micros(100);

/// Does work on so many threads, and returns when all of them are through. The thread that launches is number 0; the others have the
/// same numbers in each launch, as far as that can be.
pub(super) fn side_by_side(threads: usize, work: impl Fn(usize) + Sync) {
    if threads > *CORES {
        // When the system gives no more threads, those that there are do all of it.
        return std::thread::scope(|scope| {
            let work = &work;
            let started = (1..threads).map(|n| std::thread::Builder::new().spawn_scoped(scope, move || work(n)));
            started.take_while(Result::is_ok).for_each(drop);
            work(0);
        });
    }
    let Some(helpers) = &*HELPERS else { return work(0) };
    let begun = AtomicUsize::new(0);
    helpers.in_place_scope(|scope| {
        let help = |_: &Scope<'_>| {
            begun.fetch_add(1, Relaxed);
            DEPTH.set(DEPTH.get() + 1);
            work(helpers.current_thread_index().unwrap_or_default() % (threads - 1) + 1);
            DEPTH.set(DEPTH.get() - 1);
            begun.fetch_sub(1, Release);
            if DEPTH.get() == 0 {
                rayon::spawn(stay);
            }
        };
        (1..threads).for_each(|_| scope.spawn(help));
        work(0);
        // Those that have begun are nearly done, and to sleep and be woken takes longer.
        let start = Instant::now();
        while begun.load(Acquire) > 0 && start.elapsed() < SPIN {
            std::hint::spin_loop();
        }
    });
}

/// Lets a helper look whether another launch waits for it, which cannot end before: its part there is done, or nothing when it
/// has been done by others.
pub(super) fn lend_a_hand() {
    if let Some(helpers) = &*HELPERS {
        helpers.yield_now();
    }
}

thread_local! {
    /// How many launches this helper works on, one of them inside of the other.
    static DEPTH: Cell<u32> = const { Cell::new(0) };
}

/// Looks for other launches, if there is nothing else to do.
fn stay() {
    if DEPTH.get() > 0 {
        return;
    }
    DEPTH.set(1);
    let mut start = Instant::now();
    while start.elapsed() < LINGER {
        match rayon::yield_now() {
            Some(Yield::Executed) => start = Instant::now(),
            _ => std::hint::spin_loop(),
        }
    }
    DEPTH.set(0);
}
