//! Events and their pools.

use std::fs::File;
use std::sync::{Arc, Mutex, PoisonError};

use crate::base::handle::{Handle, kind};
use crate::base::result::*;
use crate::base::types::KernelTimestampResult;
use crate::devices::context::Context;
use crate::queues::completion::{Completion, Times};
use crate::queues::shared::SharedPool;

/// Pool of events.
pub(crate) struct EventPool {
    pub(crate) context: Handle<Context>,
    pub(crate) flags: u32,
    pub(crate) count: u32,
    /// Flags of counter-based events; `None` for regular events.
    pub(crate) counter_flags: Option<u32>,
    /// States of the events that other processes use too.
    pub(crate) shared: Option<SharedPool>,
    /// True for a pool of another process.
    pub(crate) is_imported: bool,
}

kind!(EventPool);

/// Flag of pools with events of several processes.
const IPC: u32 = 1 << 1;

impl EventPool {
    /// Creates a pool. Other processes can use regular events.
    pub(crate) fn new(
        context: Handle<Context>,
        (flags, count): (u32, u32),
        counter_flags: Option<u32>,
    ) -> Result<Self> {
        let is_shared = flags & IPC != 0 && counter_flags.is_none();
        let shared = if is_shared { Some(SharedPool::new(count, flags)?) } else { None };
        Ok(Self { context, flags, count, counter_flags, shared, is_imported: false })
    }

    /// Opens the pool in a file of another process.
    pub(crate) fn open(context: Handle<Context>, file: File, bytes: usize) -> Result<Self> {
        let (shared, count, flags) = SharedPool::open(file, bytes)?;
        Ok(Self { context, flags, count, counter_flags: None, shared: Some(shared), is_imported: true })
    }

    /// Returns the completion of a new event. An imported event keeps its state.
    fn completion(&self, index: u32) -> Completion {
        let Some(pool) = &self.shared else { return Completion::default() };
        let completion = Completion::shared(pool.state(index));
        if !self.is_imported {
            completion.reset();
        }
        completion
    }
}

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
    /// Creates an event with an index in a pool, or one without.
    pub(crate) fn new(
        place: Option<(Handle<EventPool>, u32)>,
        counter_flags: Option<u32>,
        scopes: (u32, u32),
    ) -> Self {
        let first = match &place {
            // A counter-based event without a command has nothing to wait for.
            _ if counter_flags.is_some() => Completion::signaled(),
            Some((pool, index)) => pool.completion(*index),
            None => Completion::default(),
        };
        let (signal_scope, wait_scope) = scopes;
        let pool = place.map(|(pool, _)| pool);
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
