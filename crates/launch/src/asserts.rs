//! The buffer of `assert`: a header, then what the kernel prints of the assertion that failed, as
//! `printf` has it.

use super::printf;
use visakit_machine::memory::Memory;

/// Size of the buffer in bytes.
pub const BUFFER_BYTES: usize = 64 << 10;
/// Where the flags stand: not zero once something failed.
const FLAGS: usize = 4;
/// Where the offset of the next record stands.
const NEXT: usize = 8;

/// The header of a buffer that nothing has been written to: its size, no flags, where the first
/// record goes.
pub fn header() -> [u32; 3] {
    [BUFFER_BYTES as u32, 0, NEXT as u32 + printf::FIRST_RECORD]
}

/// What failed, if anything did.
pub fn failed(buffer: &[u8], memory: &Memory) -> Option<Vec<u8>> {
    let flags = buffer.get(FLAGS..).and_then(<[u8]>::first_chunk).map_or(0, |word| u32::from_le_bytes(*word));
    (flags != 0).then(|| printf::decode_at(buffer, NEXT, memory))
}
