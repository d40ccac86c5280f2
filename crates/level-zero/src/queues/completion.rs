//! Completions: states that commands signal and wait for.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use visakit_runtime::commands::pool::{self, Job};

use crate::base::result::*;
use crate::queues::shared::SharedState;
pub(crate) use crate::queues::shared::Times;

/// Longest sleep of a wait for another process, which may have ended in the meantime.
const SLEEP: Duration = Duration::from_millis(100);

/// Time before the end of a timeout in which a thread looks at the clock instead of sleeping. Hosts
/// usually wake a sleeping thread late by less than this.
const LATE: Duration = Duration::from_micros(200);

/// Commands of which one signals a completion.
pub(crate) trait Commands: Send + Sync {
    /// Runs commands in this thread, unless another thread runs them, until one signals the
    /// completion.
    fn run_until(&self, completion: &Completion);
}

/// State that becomes signaled once, until it is reset.
#[derive(Default)]
pub(crate) struct Completion {
    state: Mutex<State>,
    changed: Condvar,
    /// State in memory of several processes, which replaces the own one.
    shared: Option<SharedState>,
    /// Process whose commands will signal; 0 if no command is known.
    process: AtomicU32,
}

#[derive(Default)]
struct State {
    is_signaled: bool,
    has_failed: bool,
    times: Times,
    /// Commands that will signal, if they are known.
    commands: Option<Weak<dyn Commands>>,
    /// Timelines that wait, with their ranks.
    waiting: Vec<(u32, Arc<dyn Job>)>,
    /// Process with a thread that watches the shared state; 0 without one.
    watcher: u32,
}

impl Completion {
    /// Creates a signaled completion.
    pub(crate) fn signaled() -> Self {
        let completion = Self::default();
        completion.signal(Times::default(), false);
        completion
    }

    /// Creates a completion whose state several processes use.
    pub(crate) fn shared(state: SharedState) -> Self {
        Self { shared: Some(state), ..Self::default() }
    }

    /// Returns the state: that of the memory of several processes if the completion uses one. In a
    /// child after `fork`, the commands of the parent have failed, because their threads do not
    /// exist in the child.
    fn state(&self) -> MutexGuard<'_, State> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(shared) = &self.shared {
            let found = shared.get();
            state.is_signaled = found.is_some();
            (state.times, state.has_failed) = found.unwrap_or_default();
        } else if !state.is_signaled {
            let process = self.process.load(Relaxed);
            if process != 0 && process != std::process::id() {
                (state.is_signaled, state.has_failed) = (true, true);
            }
        }
        state
    }

    /// Notes that a command of this process will signal.
    pub(crate) fn expect(&self, commands: Weak<dyn Commands>) {
        self.process.store(std::process::id(), Relaxed);
        self.state.lock().unwrap_or_else(PoisonError::into_inner).commands = Some(commands);
    }

    /// Returns true if signaled.
    pub(crate) fn is_signaled(&self) -> bool {
        self.state().is_signaled
    }

    /// Signals, and resumes what waits, lower ranks first.
    pub(crate) fn signal(&self, times: Times, has_failed: bool) {
        if let Some(shared) = &self.shared {
            shared.signal(times, has_failed);
        }
        let mut state = self.state();
        (state.is_signaled, state.has_failed, state.times) = (true, has_failed, times);
        self.resume(state);
    }

    /// Resumes what waits.
    fn resume(&self, mut state: MutexGuard<'_, State>) {
        let mut waiting = std::mem::take(&mut state.waiting);
        drop(state);
        self.changed.notify_all();
        waiting.sort_by_key(|(rank, _)| *rank);
        waiting.into_iter().for_each(|(_, job)| pool::submit(job));
    }

    /// Returns to the state before the signal, without a known command.
    pub(crate) fn reset(&self) {
        self.process.store(0, Relaxed);
        self.restart();
    }

    /// Returns to the state before the signal, for a command that follows.
    pub(crate) fn restart(&self) {
        if let Some(shared) = &self.shared {
            shared.reset();
        }
        let mut state = self.state();
        (state.is_signaled, state.has_failed, state.times) = (false, false, Times::default());
    }

    /// Resumes a job at the signal. Returns false if it is signaled already.
    pub(crate) fn subscribe(self: &Arc<Self>, job: &Arc<dyn Job>, rank: u32) -> bool {
        let mut state = self.state();
        if state.is_signaled {
            return false;
        }
        state.waiting.push((rank, Arc::clone(job)));
        let Some(shared) = self.shared.clone() else { return true };
        let process = std::process::id();
        if std::mem::replace(&mut state.watcher, process) != process {
            drop(state);
            let own = Arc::downgrade(self);
            let watch = move || watch(&own, &shared);
            if std::thread::Builder::new().name("visakit-event".to_owned()).spawn(watch.clone()).is_err() {
                watch();
            }
        }
        true
    }

    /// Returns success if signaled, `NOT_READY` otherwise, and `DEVICE_LOST` if the command failed.
    pub(crate) fn query(&self) -> Result {
        answer(&self.state())
    }

    /// Waits for the signal, at most a number of nanoseconds. Without a limit, this thread runs
    /// commands that no thread runs yet, because the change to another thread takes longer than a
    /// small kernel.
    pub(crate) fn wait(&self, timeout: u64) -> Result {
        let end = deadline(timeout);
        let mut state = self.state();
        if end.is_none()
            && !state.is_signaled
            && let Some(commands) = state.commands.take()
        {
            drop(state);
            commands.upgrade().iter().for_each(|commands| commands.run_until(self));
            state = self.state();
        }
        while !state.is_signaled {
            let Some(shared) = &self.shared else {
                let Some(next) = wait_until(&self.changed, state, end, || self.state()) else {
                    return Err(NOT_READY);
                };
                state = next;
                continue;
            };
            drop(state);
            match end.map_or(Some(SLEEP), sleep_before).ok_or(NOT_READY)? {
                Duration::ZERO => std::hint::spin_loop(),
                sleep => shared.wait(sleep.min(SLEEP)),
            }
            state = self.state();
        }
        answer(&state)
    }

    /// Returns the times of the command, if signaled.
    pub(crate) fn times(&self) -> Option<Times> {
        let state = self.state();
        state.is_signaled.then_some(state.times)
    }
}

/// Resumes what waits for a completion when another process signals it. Ends after the signal, or
/// when the completion is dropped.
fn watch(completion: &Weak<Completion>, shared: &SharedState) {
    while let Some(own) = completion.upgrade() {
        let mut state = own.state();
        if state.is_signaled || state.waiting.is_empty() {
            state.watcher = 0;
            return own.resume(state);
        }
        drop(state);
        drop(own);
        shared.wait(SLEEP);
    }
}

fn answer(state: &State) -> Result {
    ensure(state.is_signaled, NOT_READY)?;
    ensure(!state.has_failed, ERROR_DEVICE_LOST)
}

/// Returns the end of a timeout in nanoseconds; `None` for none.
pub(crate) fn deadline(timeout: u64) -> Option<Instant> {
    if timeout == u64::MAX { None } else { Instant::now().checked_add(Duration::from_nanos(timeout)) }
}

/// Waits for a change until an end; `None` after the end. `lock` returns the state again.
pub(crate) fn wait_until<'s, T>(
    changed: &Condvar,
    state: MutexGuard<'s, T>,
    end: Option<Instant>,
    lock: impl FnOnce() -> MutexGuard<'s, T>,
) -> Option<MutexGuard<'s, T>> {
    let Some(end) = end else { return Some(changed.wait(state).unwrap_or_else(PoisonError::into_inner)) };
    Some(match sleep_before(end)? {
        Duration::ZERO => {
            drop(state);
            std::hint::spin_loop();
            lock()
        }
        sleep => changed.wait_timeout(state, sleep).unwrap_or_else(PoisonError::into_inner).0,
    })
}

/// Returns the time to sleep before an end; zero shortly before the end, and `None` after it.
fn sleep_before(end: Instant) -> Option<Duration> {
    let rest = end.checked_duration_since(Instant::now()).filter(|rest| !rest.is_zero())?;
    Some(rest.saturating_sub(LATE))
}
