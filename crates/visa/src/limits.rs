//! How much the command reads and prints.

pub(crate) use visakit_emulator::limits::STREAM_BYTES;

/// Bytes of a file.
pub(crate) const FILE_BYTES: u64 = 1 << 30;
/// Findings that are printed; the others are counted.
pub(crate) const PRINTED: usize = 1000;
/// Bytes of a picture that is unpacked, or how many times those of its file, whichever is more.
pub(crate) const PICTURE_BYTES: usize = 64 << 20;
pub(crate) const PICTURE_GROWTH: usize = 8;
