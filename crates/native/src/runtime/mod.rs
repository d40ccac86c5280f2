//! Interface of programs and native code: the state of threads, exits, the host's vector
//! instructions and the allocator.

pub(crate) mod allocator;
pub(crate) mod exit;
pub(crate) mod frame;
pub mod host;
pub(crate) mod threads;
