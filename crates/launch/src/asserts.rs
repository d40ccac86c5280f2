//! The `assert` buffer: a header, then the kernel's message for the failed assertion in `printf`
//! format.

use super::printf;
use visakit_machine::buffer::Buffer;
use visakit_machine::memory::Memory;

/// Size of the buffer in bytes.
pub const BUFFER_BYTES: usize = 64 << 10;
/// Offset of the flags, which are non-zero after a failure.
const FLAGS: u64 = 4;
/// Offset of the word that holds the offset of the next record.
const NEXT: u32 = 8;

/// Returns the header of an empty buffer: its size, no flags, offset of the first record.
pub fn header() -> [u32; 3] {
    [BUFFER_BYTES as u32, 0, NEXT + printf::FIRST_RECORD]
}

/// Returns the message of a failed assertion, if any.
pub fn failed(buffer: &Buffer, memory: &Memory) -> Option<Vec<u8>> {
    (buffer.load_u32(FLAGS)? != 0).then(|| printf::printed(buffer, NEXT, memory))
}
