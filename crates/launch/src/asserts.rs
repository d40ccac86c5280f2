//! The `assert` buffer: a header, then the kernel's message for the failed assertion in `printf`
//! format.

use super::printf;
use visakit_machine::memory::Memory;

/// Size of the buffer in bytes.
pub const BUFFER_BYTES: usize = 64 << 10;
/// Offset of the flags, which are non-zero after a failure.
const FLAGS: usize = 4;
/// Offset of the word that holds the offset of the next record.
const NEXT: usize = 8;

/// Returns the header of an empty buffer: its size, no flags, offset of the first record.
pub fn header() -> [u32; 3] {
    [BUFFER_BYTES as u32, 0, NEXT as u32 + printf::FIRST_RECORD]
}

/// Returns the message of a failed assertion, if any.
pub fn failed(buffer: &[u8], memory: &Memory) -> Option<Vec<u8>> {
    let flags = buffer.get(FLAGS..).and_then(<[u8]>::first_chunk).map_or(0, |word| u32::from_le_bytes(*word));
    (flags != 0).then(|| printf::decode_at(buffer, NEXT, memory))
}
