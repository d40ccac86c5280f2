//! Basis of every call: errors, handles, the caller's pointers.

pub(crate) use visakit_runtime::base::{environment, raw, storage};

pub(crate) mod error;

pub(crate) mod answer;

pub(crate) mod handle;
