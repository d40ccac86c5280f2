//! Entry points of the API: they convert pointers to objects and lists, and write results to the
//! caller's memory.
//!
//! Programs call every function of these modules, through the loader's table. The contract of the
//! pointers is OpenCL's: each pointer is null, or valid for the data and the lifetime that the
//! specification of the call states.

mod entry;

pub(crate) mod absent;

pub(crate) mod commands;

pub(crate) mod memory;

pub(crate) mod objects;

pub(crate) mod program;

pub(crate) mod shared;

pub(crate) mod recorded;

pub(crate) mod semaphores;

pub(crate) mod dispatch;
