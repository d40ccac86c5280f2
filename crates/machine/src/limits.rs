//! Limits of memory.

pub use crate::memory::MAX_BUFFER as BUFFER_BYTES;
