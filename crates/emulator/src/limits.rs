//! How much a launch may ask for. What is beyond is a finding that says the limit.

pub use crate::launch::range::MAX_GROUP as GROUP_ITEMS;
pub use crate::machine::memory::MAX_BUFFER as BUFFER_BYTES;

/// Bytes of an argument that is read from a device or a pipe.
pub const STREAM_BYTES: u64 = 128 << 20;
/// Texels of a side of an image, or images of an array: what the devices have.
pub const IMAGE_SIDE: u32 = 16_384;
/// Texels of an image of one dimension, which may be a buffer.
pub const IMAGE_LINE: u32 = 1 << 27;
/// Bytes of all variables of a routine and of the functions that it calls.
pub const REGISTER_BYTES: u64 = 64 << 20;
/// Bytes that the threads of a group have for themselves, with their shared local memory.
pub const GROUP_BYTES: u64 = 1 << 30;
/// How deep calls are nested. Subroutines must not call themselves, so no chain of calls is longer
/// than a routine has subroutines. Functions may; their stack in memory is full before this, unless
/// they never use it.
pub const CALL_DEPTH: usize = 1 << 14;
/// Bytes that kernels print; C's limit of 4095 holds for a single conversion.
pub const PRINTED_BYTES: usize = 64 << 20;
