//! The buffer of implicit arguments: where functions that are called through a stack find sizes and local ids, which only
//! the kernel itself has in its payload. Its layout is the vendor's runtime's.

use crate::launch::payload::local_ids_of;
use crate::launch::range::NdRange;

/// Bytes of the structure, with what later versions have behind it.
pub const BYTES: usize = 128;
/// What the structure says of its size: up to the numbers of groups.
const KNOWN_BYTES: u8 = 96;
/// Where the buffer of `printf` is named.
const PRINTF: usize = 40;
/// Where the table of local ids is named.
const IDS: usize = 72;
/// Local ids of fewer channels take the room of so many; rows of the table are no longer on platforms with larger registers.
const LEAST_CHANNELS: usize = 16;

/// Bytes that the buffer needs for groups of up to `size` work items.
pub fn bytes(size: [u32; 3], simd: u32) -> usize {
    let threads = size.iter().product::<u32>().div_ceil(simd.max(1)) as usize;
    (BYTES + threads * 3 * row(simd)).next_multiple_of(64)
}

/// The buffer for a group of `size` work items whose ids run in `order`. It will stand at `address`.
pub fn buffer(range: &NdRange, size: [u32; 3], order: [u32; 3], simd: u32, printf: u64, address: u64) -> Vec<u8> {
    let mut buffer = vec![0; bytes(size, simd)];
    buffer[0] = KNOWN_BYTES;
    buffer[2] = range.dimensions as u8;
    buffer[3] = simd as u8;
    let mut put = |at: usize, value: u64, size: usize| {
        buffer[at..at + size].copy_from_slice(&value.to_le_bytes()[..size]);
    };
    for d in 0..3 {
        // The size of a full group: functions compute global ids with it.
        put(4 + d * 4, range.local[d].into(), 4);
        put(16 + d * 8, range.global[d].into(), 8);
        put(48 + d * 8, range.offset[d].into(), 8);
        put(80 + d * 4, range.groups()[d].into(), 4);
    }
    put(PRINTF, printf, 8);
    put(IDS, address + BYTES as u64, 8);
    for (item, id) in local_ids_of(size, order).enumerate() {
        let (thread, channel) = (item / simd as usize, item % simd as usize);
        for (d, id) in id.into_iter().enumerate() {
            put(BYTES + (thread * 3 + d) * row(simd) + channel * 2, id.into(), 2);
        }
    }
    buffer
}

/// Bytes of the ids of one thread in one dimension.
fn row(simd: u32) -> usize {
    (simd as usize).max(LEAST_CHANNELS) * 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_local_ids() {
        let range = NdRange::new(&[40, 3], Some(&[20, 2]), Some(&[7, 8]), [0; 3]).unwrap();
        let buffer = buffer(&range, [20, 1, 1], [0, 1, 2], 8, 0x77, 0x1000);
        let word = |at: usize| u64::from_le_bytes(buffer[at..at + 8].try_into().unwrap());
        assert_eq!(buffer[..4], [96, 0, 2, 8]);
        assert_eq!([word(4) as u32, word(8) as u32, word(12) as u32], [20, 2, 1]);
        assert_eq!([word(16), word(24), word(32)], [40, 3, 1]);
        assert_eq!([word(40), word(48), word(56), word(64)], [0x77, 7, 8, 0]);
        assert_eq!([word(72), word(80)], [0x1080, 2 << 32 | 2]);
        // Three threads of eight; the last one's ids, x and y.
        assert_eq!(buffer.len(), 128 + 3 * 96 + 32);
        assert_eq!([word(128 + 2 * 96), word(128 + 2 * 96 + 32)], [19 << 48 | 18 << 32 | 17 << 16 | 16, 0]);
    }
}
