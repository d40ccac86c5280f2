//! Basis of every call: results, structures, handles.

pub mod result;

pub mod types;

pub mod function;

pub(crate) mod chain;

pub(crate) mod handle;
