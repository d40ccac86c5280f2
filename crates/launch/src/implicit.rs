//! The buffer of implicit arguments: where functions that are called through a stack find sizes and
//! local ids, which only the kernel itself has in its payload. Its layout is the vendor's
//! runtime's.

use crate::payload::local_ids_of;
use crate::placement::Extra;
use crate::range::NdRange;

/// Bytes that the structure takes in any version; the table of local ids stands behind it.
pub const BYTES: usize = 192;

/// A version of the structure: what it has behind the fields of all versions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Version {
    /// Nothing.
    #[default]
    First,
    /// Scratch memory, the buffer for groups that wait for each other, the enqueued size of a
    /// group.
    WithScratch,
    /// The last two of these.
    WithoutScratch,
}

impl Version {
    /// The version with a number.
    pub fn of(number: u32) -> Option<Self> {
        [Self::First, Self::WithScratch, Self::WithoutScratch].get(number as usize).copied()
    }

    /// What the structure says of its size.
    fn bytes(self) -> u8 {
        match self {
            Self::First => 112,
            Self::WithScratch => 140,
            Self::WithoutScratch => 156,
        }
    }
}

/// What a launch has that the structure names.
#[derive(Clone, Copy, Debug)]
pub struct Surroundings<'a> {
    /// Sizes of the launch.
    pub range: &'a NdRange,
    /// The dimensions in the order in which local ids run.
    pub order: [u32; 3],
    /// Channels of a hardware thread.
    pub simd: u32,
    /// The version of the structure.
    pub version: Version,
    /// Addresses of buffers.
    pub extra: &'a Extra,
}

/// Where the buffer of `printf` is named.
const PRINTF: usize = 40;
/// Where the table of local ids is named.
const IDS: usize = 72;
/// Where the buffer of `assert` is named.
const ASSERT: usize = 104;
/// Where what only some versions have begins.
const REST: usize = 112;
/// Local ids of fewer channels take the room of so many; rows of the table are no longer on
/// platforms with larger registers.
const LEAST_CHANNELS: usize = 16;

/// Bytes that the buffer needs for groups of up to `size` work items.
pub fn bytes(size: [u32; 3], simd: u32) -> usize {
    let threads = size.iter().product::<u32>().div_ceil(simd.max(1)) as usize;
    (BYTES + threads * 3 * row(simd)).next_multiple_of(64)
}

/// The buffer for a group of `size` work items. It will stand at `address`.
pub fn buffer(surroundings: &Surroundings<'_>, size: [u32; 3], address: u64) -> Vec<u8> {
    let Surroundings { range, order, simd, version, extra } = *surroundings;
    let mut buffer = vec![0; bytes(size, simd)];
    (buffer[0], buffer[1]) = (version.bytes(), version as u8);
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
    put(PRINTF, extra.printf, 8);
    put(IDS, address + BYTES as u64, 8);
    put(ASSERT, extra.asserts, 8);
    let sync = match version {
        Version::First => None,
        Version::WithScratch => {
            put(REST, extra.private, 8);
            Some(REST + 8)
        }
        Version::WithoutScratch => Some(REST),
    };
    if let Some(at) = sync {
        put(at, extra.sync, 8);
        (0..3).for_each(|d| put(at + 8 + d * 4, range.local[d].into(), 4));
    }
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
        let extra = Extra { printf: 0x77, asserts: 0x78, sync: 0x79, private: 0x7a, ..Extra::default() };
        let of = |version| {
            let surroundings = Surroundings { range: &range, order: [0, 1, 2], simd: 8, version, extra: &extra };
            buffer(&surroundings, [20, 1, 1], 0x1000)
        };
        let buffer = of(Version::First);
        let word_of = |buffer: &[u8], at: usize| u64::from_le_bytes(buffer[at..at + 8].try_into().unwrap());
        let word = |at: usize| word_of(&buffer, at);
        assert_eq!(buffer[..4], [112, 0, 2, 8]);
        assert_eq!([word(4) as u32, word(8) as u32, word(12) as u32], [20, 2, 1]);
        assert_eq!([word(16), word(24), word(32)], [40, 3, 1]);
        assert_eq!([word(40), word(48), word(56), word(64)], [0x77, 7, 8, 0]);
        assert_eq!([word(72), word(80), word(104), word(112)], [0x10c0, 2 << 32 | 2, 0x78, 0]);
        // Three threads of eight; the last one's ids, x and y.
        assert_eq!(buffer.len(), 192 + 3 * 96 + 32);
        assert_eq!([word(192 + 2 * 96), word(192 + 2 * 96 + 32)], [19 << 48 | 18 << 32 | 17 << 16 | 16, 0]);
        let second = of(Version::of(1).unwrap());
        assert_eq!((second[0], second[1], word_of(&second, 104)), (140, 1, 0x78));
        assert_eq!([112, 120, 128].map(|at| word_of(&second, at)), [0x7a, 0x79, 2 << 32 | 20]);
        let third = of(Version::of(2).unwrap());
        assert_eq!((third[0], third[1]), (156, 2));
        assert_eq!([112, 120, 128].map(|at| word_of(&third, at)), [0x79, 2 << 32 | 20, 1]);
        assert_eq!(Version::of(3), None);
    }
}
