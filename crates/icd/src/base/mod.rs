//! Basis of every call: error codes, the caller's pointers, handles, reserved memory.

pub(crate) mod reserve;

pub(crate) mod error;

pub(crate) mod say;

pub(crate) mod raw;

pub(crate) mod handle;

pub(crate) mod storage;

pub(crate) mod environment;
