//! Basis of every call: error codes, the caller's pointers, handles, reserved memory.

pub(crate) mod error;
pub(crate) mod handle;
pub(crate) mod raw;
pub(crate) mod reserve;
