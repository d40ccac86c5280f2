//! How much the command reads and prints.

pub(crate) use visakit_emulator::limits::STREAM_BYTES;

/// Bytes of a file.
pub(crate) const FILE_BYTES: u64 = 1 << 30;
/// Findings that are printed; the others are counted.
pub(crate) const PRINTED: usize = 1000;
