//! Queues and events: when a command runs.

pub(crate) mod event;
pub(crate) mod queue;
pub(crate) mod schedule;
pub(crate) mod semaphore;
