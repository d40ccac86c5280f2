//! Events, timelines, graphs, command lists and queues.

pub(crate) mod shared;

pub(crate) mod completion;

pub(crate) mod timeline;

pub(crate) mod event;

pub(crate) mod graph;

pub(crate) mod launch;

pub(crate) mod mutable;

pub(crate) mod list;

pub(crate) mod transfer;

pub(crate) mod queue;
