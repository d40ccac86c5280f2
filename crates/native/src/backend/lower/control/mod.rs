//! Control flow: steps, blocks, branches, threads and exits.

pub(crate) mod block;
pub(crate) mod branch;
pub(crate) mod cold_path;
pub(crate) mod context;
pub(crate) mod end;
pub(crate) mod entry;
pub(crate) mod rounding;
pub(crate) mod step;
pub(crate) mod thread_loop;
