//! Limits on what the command reads and prints.

pub(crate) use visakit_emulator::limits::STREAM_BYTES;

/// Bytes of an input file.
pub(crate) const FILE_BYTES: u64 = 1 << 30;
/// Findings that are printed; further findings are only counted.
pub(crate) const PRINTED: usize = 1000;
/// Bytes of a decoded picture, or `PICTURE_GROWTH` times the size of its file if that is more.
pub(crate) const PICTURE_BYTES: usize = 64 << 20;
pub(crate) const PICTURE_GROWTH: usize = 8;
