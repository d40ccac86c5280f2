//! Limits of a launch. A request beyond a limit is a finding that names the limit.

pub use crate::launch::range::MAX_GROUP as GROUP_ITEMS;
pub use crate::machine::memory::MAX_BUFFER as BUFFER_BYTES;

/// Largest size in bytes of an argument that is read from a device or a pipe.
pub const STREAM_BYTES: u64 = 128 << 20;
/// Largest side of an image in texels, and largest number of layers of an image array, as on the
/// devices.
pub const IMAGE_SIDE: u32 = 16_384;
/// Largest width in texels of a one-dimensional image, which may be backed by a buffer.
pub const IMAGE_LINE: u32 = 1 << 27;
/// Largest size in bytes of all variables of a routine and the functions that it calls.
pub const REGISTER_BYTES: u64 = 64 << 20;
/// Largest size in bytes of a group's private and shared local memory together.
pub const GROUP_BYTES: u64 = 1 << 30;
/// Deepest nesting of calls. Subroutines must not recurse, so a chain of calls has at most as many
/// entries as the routine has subroutines. Functions may recurse; unless they never use their stack
/// in memory, it overflows before this limit.
pub const CALL_DEPTH: usize = 1 << 14;
/// Largest size in bytes of a launch's printed output. C's limit of 4095 bytes per conversion also
/// holds.
pub const PRINTED_BYTES: usize = 64 << 20;
