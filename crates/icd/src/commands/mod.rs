//! Commands: launches, transfers, and their recordings.

pub(crate) mod launch;

pub(crate) mod transfer;

pub(crate) mod mutable;

pub(crate) mod recording;

pub(crate) mod semaphore;
