//! Threads that run commands.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, PoisonError};

/// Command that a thread of the pool can run.
pub trait Job: Send + Sync {
    /// Runs the command unless another thread has taken it. Returns a command that can run now, for
    /// the same thread: to wake another one takes longer than a small kernel.
    fn run(&self) -> Option<Arc<dyn Job>>;
}

/// Pool of threads that run commands, with the ready commands.
struct Pool {
    ready: VecDeque<Arc<dyn Job>>,
    idle: usize,
    threads: usize,
    /// Process that owns the threads.
    process: u32,
}

impl Pool {
    const EMPTY: Self = Self { ready: VecDeque::new(), idle: 0, threads: 0, process: 0 };

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

/// Maximum number of concurrent commands. One kernel uses all cores, but native functions and
/// callbacks of the program may wait for each other.
const MOST_THREADS: usize = 64;

/// Runs a command in a thread of the pool.
pub fn submit(command: Arc<dyn Job>) {
    let mut pool = POOL.lock().unwrap_or_else(PoisonError::into_inner);
    pool.after_fork();
    pool.ready.push_back(command);
    if pool.idle >= pool.ready.len() {
        drop(pool);
        READY.notify_one();
    } else if pool.threads < MOST_THREADS {
        pool.threads += 1;
        drop(pool);
        let started = std::thread::Builder::new().name("visakit".to_owned()).spawn(work);
        if started.is_err() {
            // The existing threads run the command. If no thread exists, this one runs it.
            let mut pool = POOL.lock().unwrap_or_else(PoisonError::into_inner);
            pool.threads -= 1;
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
    let mut pool = POOL.lock().unwrap_or_else(PoisonError::into_inner);
    loop {
        if let Some(command) = pool.ready.pop_front() {
            drop(pool);
            run_all(Some(command));
            pool = POOL.lock().unwrap_or_else(PoisonError::into_inner);
        } else {
            pool.idle += 1;
            pool = READY.wait(pool).unwrap_or_else(PoisonError::into_inner);
            pool.idle -= 1;
        }
    }
}
