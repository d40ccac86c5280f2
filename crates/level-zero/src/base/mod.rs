//! Basis of every call: results, structures, handles.

pub mod result;

mod structures;

pub mod types;

pub mod extensions;

pub mod sysman;

pub mod function;

pub(crate) mod chain;

pub(crate) mod handle;
