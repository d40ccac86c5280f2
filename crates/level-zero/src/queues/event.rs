//! Events and their pools.

use std::sync::{Arc, Mutex, PoisonError};

use crate::base::handle::{Handle, kind};
use crate::base::result::*;
use crate::base::types::KernelTimestampResult;
use crate::devices::context::Context;
use crate::queues::completion::{Completion, Times};

/// Pool of events.
pub(crate) struct EventPool {
    pub(crate) context: Handle<Context>,
    pub(crate) flags: u32,
    pub(crate) count: u32,
    /// Flags of counter-based events; `None` for regular events.
    pub(crate) counter_flags: Option<u32>,
}

kind!(EventPool);

/// Event of the API.
pub(crate) struct Event {
    /// Pool; `None` for a counter-based event without one.
    pub(crate) pool: Option<Handle<EventPool>>,
    /// Flags of a counter-based event; `None` for a regular event.
    pub(crate) counter_flags: Option<u32>,
    pub(crate) signal_scope: u32,
    pub(crate) wait_scope: u32,
    /// Completion that waits refer to. That of a counter-based event is the last command's.
    current: Mutex<Arc<Completion>>,
}

kind!(Event);

impl Event {
    /// Creates an event of a pool, or one without.
    pub(crate) fn new(pool: Option<Handle<EventPool>>, counter_flags: Option<u32>, scopes: (u32, u32)) -> Self {
        // A counter-based event without a command has nothing to wait for.
        let first = if counter_flags.is_some() { Completion::signaled() } else { Completion::default() };
        let (signal_scope, wait_scope) = scopes;
        Self { pool, counter_flags, signal_scope, wait_scope, current: Mutex::new(Arc::new(first)) }
    }

    /// Returns the completion to wait for.
    pub(crate) fn completion(&self) -> Arc<Completion> {
        Arc::clone(&self.current.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the completion that a new command signals.
    pub(crate) fn next(&self) -> Arc<Completion> {
        if self.counter_flags.is_none() {
            return self.completion();
        }
        let next = Arc::new(Completion::default());
        *self.current.lock().unwrap_or_else(PoisonError::into_inner) = Arc::clone(&next);
        next
    }

    /// Fails for a counter-based event, which the host cannot change.
    pub(crate) fn check_regular(&self) -> Result {
        ensure(self.counter_flags.is_none(), ERROR_INVALID_ARGUMENT)
    }

    /// Returns the time stamps of the last command.
    ///
    /// # Errors
    /// `NOT_READY` if the event is not signaled.
    pub(crate) fn timestamps(&self) -> Result<KernelTimestampResult> {
        self.completion().times().map(result).ok_or(NOT_READY)
    }
}

/// Returns times in the structure of the API.
pub(crate) fn result(times: Times) -> KernelTimestampResult {
    let mut result = KernelTimestampResult::default();
    for data in [&mut result.global, &mut result.context] {
        (data.kernel_start, data.kernel_end) = (times.start, times.end);
    }
    result
}
