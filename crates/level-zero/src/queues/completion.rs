//! Completions: states that commands signal and wait for.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use visakit_runtime::commands::pool::{self, Job};

use crate::base::result::*;

/// State that becomes signaled once, until it is reset.
#[derive(Default)]
pub(crate) struct Completion {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    is_signaled: bool,
    has_failed: bool,
    times: Times,
    /// Timelines that wait, with their ranks.
    waiting: Vec<(u32, Arc<dyn Job>)>,
}

/// Start and end of a command in nanoseconds.
#[derive(Clone, Copy, Default)]
pub(crate) struct Times {
    pub(crate) start: u64,
    pub(crate) end: u64,
}

impl Completion {
    /// Creates a signaled completion.
    pub(crate) fn signaled() -> Self {
        let completion = Self::default();
        completion.signal(Times::default(), false);
        completion
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Signals, and resumes what waits, lower ranks first.
    pub(crate) fn signal(&self, times: Times, has_failed: bool) {
        let mut state = self.state();
        (state.is_signaled, state.has_failed, state.times) = (true, has_failed, times);
        let mut waiting = std::mem::take(&mut state.waiting);
        drop(state);
        self.changed.notify_all();
        waiting.sort_by_key(|(rank, _)| *rank);
        waiting.into_iter().for_each(|(_, job)| pool::submit(job));
    }

    /// Returns to the state before the signal.
    pub(crate) fn reset(&self) {
        let mut state = self.state();
        (state.is_signaled, state.has_failed, state.times) = (false, false, Times::default());
    }

    /// Resumes a job at the signal. Returns false if it is signaled already.
    pub(crate) fn subscribe(&self, job: &Arc<dyn Job>, rank: u32) -> bool {
        let mut state = self.state();
        if !state.is_signaled {
            state.waiting.push((rank, Arc::clone(job)));
        }
        !state.is_signaled
    }

    /// Returns success if signaled, `NOT_READY` otherwise, and `DEVICE_LOST` if the command failed.
    pub(crate) fn query(&self) -> Result {
        answer(&self.state())
    }

    /// Waits for the signal, at most a number of nanoseconds.
    pub(crate) fn wait(&self, timeout: u64) -> Result {
        let end = deadline(timeout);
        let mut state = self.state();
        while !state.is_signaled {
            let Some(next) = wait_until(&self.changed, state, end) else { return Err(NOT_READY) };
            state = next;
        }
        answer(&state)
    }

    /// Returns the times of the command, if signaled.
    pub(crate) fn times(&self) -> Option<Times> {
        let state = self.state();
        state.is_signaled.then_some(state.times)
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

/// Waits for a change until an end; `None` after the end.
pub(crate) fn wait_until<'s, T>(
    changed: &Condvar,
    state: MutexGuard<'s, T>,
    end: Option<Instant>,
) -> Option<MutexGuard<'s, T>> {
    let Some(end) = end else { return Some(changed.wait(state).unwrap_or_else(PoisonError::into_inner)) };
    let rest = end.checked_duration_since(Instant::now()).filter(|rest| !rest.is_zero())?;
    Some(changed.wait_timeout(state, rest).unwrap_or_else(PoisonError::into_inner).0)
}
