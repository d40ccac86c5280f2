//! Queues, events, and the scheduling of commands.

pub(crate) mod queue;

pub(crate) mod event;

pub(crate) mod schedule;
