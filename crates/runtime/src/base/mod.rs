//! Basis of every call: errors, handles, the caller's pointers, memory, settings.

pub mod say;

pub mod environment;

pub mod reserve;

pub mod failure;

pub mod clock;

pub mod futex;

pub mod raw;

pub mod storage;

pub mod handle;
