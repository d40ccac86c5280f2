//! Limits of a launch's arguments and output. A launch that exceeds a limit is rejected with a
//! message that names it.

pub use crate::range::MAX_GROUP as GROUP_ITEMS;

/// Bytes of an argument that is read from a device or a pipe.
pub const STREAM_BYTES: u64 = 128 << 20;
/// Largest side of an image in texels, and largest number of layers of an image array, as on the
/// devices.
pub const IMAGE_SIDE: u32 = 16_384;
/// Largest width in texels of a one-dimensional image, which may be backed by a buffer.
pub const IMAGE_LINE: u32 = 1 << 27;
/// Bytes of a launch's printed output. C's limit of 4095 bytes per conversion also holds.
pub const PRINTED_BYTES: usize = 64 << 20;
