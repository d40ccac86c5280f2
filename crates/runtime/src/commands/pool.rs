//! Threads that run commands.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Command that a thread of the pool can run.
pub trait Job: Send + Sync {
    /// Runs the command unless another thread has taken it. Returns a command that can run now, for
    /// the same thread: to wake another one takes longer than a small kernel.
    fn run(&self) -> Option<Arc<dyn Job>>;
}

/// Pool of threads that run commands, with the ready commands.
struct Pool {
    ready: VecDeque<Arc<dyn Job>>,
    threads: usize,
    /// Number of threads that wait.
    idle: usize,
    /// Number of threads that were woken or started and run no command yet.
    coming: usize,
    /// Number of threads that run commands.
    busy: usize,
    /// Number of commands that have been taken so far.
    taken: u64,
    /// True if a thread looks after a while whether ready commands are still there.
    is_watched: bool,
    /// Process that owns the threads.
    process: u32,
}

impl Pool {
    const EMPTY: Self = Self {
        ready: VecDeque::new(),
        threads: 0,
        idle: 0,
        coming: 0,
        busy: 0,
        taken: 0,
        is_watched: false,
        process: 0,
    };

    /// Forgets the threads of the parent process after a `fork`, because they do not exist in the
    /// child.
    fn after_fork(&mut self) {
        let process = std::process::id();
        if self.process != process {
            *self = Self { process, ..Self::EMPTY };
        }
    }
}

static POOL: Mutex<Pool> = Mutex::new(Pool::EMPTY);
static READY: Condvar = Condvar::new();

/// Maximum number of concurrent commands. One kernel uses all cores, but native functions,
/// callbacks and kernels of the program may wait for each other.
const MOST_THREADS: usize = 64;

/// Time after which a ready command gets a thread although all processors have one.
const PATIENCE: Duration = Duration::from_millis(1);

/// Number of threads that run commands unless these take long: more only get in each other's way.
static PROCESSORS: LazyLock<usize> =
    LazyLock::new(|| std::thread::available_parallelism().map_or(1, |count| count.get()));

fn lock() -> MutexGuard<'static, Pool> {
    POOL.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs a command in a thread of the pool.
pub fn submit(command: Arc<dyn Job>) {
    let mut pool = lock();
    pool.after_fork();
    pool.ready.push_back(command);
    if pool.busy + pool.coming < *PROCESSORS || !pool.is_watched {
        call(pool);
    }
}

/// Calls another thread for the ready commands.
fn call(mut pool: MutexGuard<'_, Pool>) {
    if pool.idle > pool.coming {
        pool.coming += 1;
        drop(pool);
        READY.notify_one();
    } else if pool.threads < MOST_THREADS {
        (pool.threads, pool.coming) = (pool.threads + 1, pool.coming + 1);
        drop(pool);
        let started = std::thread::Builder::new().name("visakit".to_owned()).spawn(work);
        if started.is_err() {
            // The existing threads run the command. If no thread exists, this one runs it.
            let mut pool = lock();
            (pool.threads, pool.coming) = (pool.threads - 1, pool.coming.saturating_sub(1));
            let alone = if pool.threads == 0 { pool.ready.pop_front() } else { None };
            drop(pool);
            run_all(alone);
        }
    }
}

/// Runs a command and those that follow it.
fn run_all(mut command: Option<Arc<dyn Job>>) {
    while let Some(now) = command {
        command = now.run();
    }
}

/// Main loop of a pool thread; it never ends.
fn work() {
    let mut pool = lock();
    pool.coming = pool.coming.saturating_sub(1);
    let mut is_overdue = false;
    loop {
        let has_room = pool.busy < *PROCESSORS || is_overdue;
        is_overdue = false;
        if has_room && let Some(command) = pool.ready.pop_front() {
            (pool.busy, pool.taken) = (pool.busy + 1, pool.taken + 1);
            if pool.ready.is_empty() || pool.coming > 0 || pool.is_watched {
                drop(pool)
            } else {
                call(pool)
            }
            run_all(Some(command));
            pool = lock();
            pool.busy -= 1;
        } else if pool.ready.is_empty() || pool.is_watched {
            pool.idle += 1;
            pool = READY.wait(pool).unwrap_or_else(PoisonError::into_inner);
            (pool.idle, pool.coming) = (pool.idle - 1, pool.coming.saturating_sub(1));
        } else {
            let taken = pool.taken;
            pool.is_watched = true;
            pool = READY.wait_timeout(pool, PATIENCE).unwrap_or_else(PoisonError::into_inner).0;
            pool.is_watched = false;
            is_overdue = pool.taken == taken;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::sync::mpsc::{Sender, channel};
    use std::thread::ThreadId;

    use super::*;

    /// Commands that wait for each other, and tell when they are over.
    struct Meeting(Arc<Barrier>, Sender<()>);

    impl Job for Meeting {
        fn run(&self) -> Option<Arc<dyn Job>> {
            self.0.wait();
            self.1.send(()).unwrap();
            None
        }
    }

    #[test]
    fn commands_may_wait_for_each_other() {
        for count in [2, *PROCESSORS + 1, MOST_THREADS / 2] {
            let (barrier, (sender, receiver)) = (Arc::new(Barrier::new(count)), channel());
            (0..count).for_each(|_| submit(Arc::new(Meeting(Arc::clone(&barrier), sender.clone()))));
            (0..count).for_each(|_| receiver.recv().unwrap());
        }
    }

    /// A command that others follow, with the channel for their threads.
    struct Chain(usize, Sender<ThreadId>);

    impl Job for Chain {
        fn run(&self) -> Option<Arc<dyn Job>> {
            self.1.send(std::thread::current().id()).unwrap();
            let next = || Arc::new(Self(self.0 - 1, self.1.clone())) as Arc<dyn Job>;
            (self.0 > 0).then(next)
        }
    }

    #[test]
    fn a_thread_runs_the_command_that_follows() {
        let (sender, receiver) = channel();
        submit(Arc::new(Chain(9, sender)));
        let threads: Vec<_> = receiver.iter().collect();
        assert!(threads.len() == 10 && threads.iter().all(|thread| *thread == threads[0]), "{threads:?}");
    }
}
