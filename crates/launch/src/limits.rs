//! Limits of what a launch is given and prints. A launch beyond them is refused with the limit.

pub use crate::range::MAX_GROUP as GROUP_ITEMS;

/// Bytes of an argument that is read from a device or a pipe.
pub const STREAM_BYTES: u64 = 128 << 20;
/// Texels of a side of an image, or images of an array: what the devices have.
pub const IMAGE_SIDE: u32 = 16_384;
/// Texels of an image of one dimension, which may be a buffer.
pub const IMAGE_LINE: u32 = 1 << 27;
/// Bytes that kernels print; C's limit of 4095 holds for a single conversion.
pub const PRINTED_BYTES: usize = 64 << 20;
