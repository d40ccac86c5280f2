//! Buffer of implicit arguments: sizes and local ids for functions called through a stack, because
//! only the kernel has them in its payload. The layout is that of the vendor's runtime.

use crate::payload::local_ids_of;
use crate::placement::Extra;
use crate::range::NdRange;

/// Size of the structure in bytes, for all versions; the table of local ids follows it.
pub const BYTES: usize = 192;

/// Version of the structure, which determines the fields after the common ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Version {
    /// No further fields.
    #[default]
    First,
    /// Scratch memory, the buffer for group synchronisation, and the enqueued group size.
    WithScratch,
    /// The buffer for group synchronisation and the enqueued group size.
    WithoutScratch,
}

impl Version {
    /// Returns the version with this number.
    pub fn of(number: u32) -> Option<Self> {
        [Self::First, Self::WithScratch, Self::WithoutScratch].get(number as usize).copied()
    }

    /// Returns the structure's size field.
    fn bytes(self) -> u8 {
        match self {
            Self::First => 112,
            Self::WithScratch => 140,
            Self::WithoutScratch => 156,
        }
    }
}

/// Properties of a launch that the structure contains.
#[derive(Clone, Copy, Debug)]
pub struct Surroundings<'a> {
    /// Launch sizes.
    pub range: &'a NdRange,
    /// Dimensions in the order of local ids, fastest first.
    pub order: [u32; 3],
    /// Number of channels of a hardware thread.
    pub simd: u32,
    /// Version of the structure.
    pub version: Version,
    /// Buffer addresses.
    pub extra: &'a Extra,
}

/// Offset of the `printf` buffer's address.
const PRINTF: usize = 40;
/// Offset of the local-id table's address.
const IDS: usize = 72;
/// Offset of the `assert` buffer's address.
const ASSERT: usize = 104;
/// Offset of the version-specific fields.
const REST: usize = 112;
/// Smallest number of channels in a row of the local-id table, on all platforms.
const LEAST_CHANNELS: usize = 16;

/// Returns the size of the buffer in bytes for groups of up to `size` work items.
pub fn bytes(size: [u32; 3], simd: u32) -> usize {
    let threads = size.iter().product::<u32>().div_ceil(simd.max(1)) as usize;
    (BYTES + threads * 3 * row(simd)).next_multiple_of(64)
}

/// Returns the contents of the buffer for a group of `size` work items, to be mapped at `address`.
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
        // The size of a full group, which functions use to compute global ids.
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

/// Returns the size in bytes of a thread's ids in one dimension.
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
        // Three threads of eight channels; the last one's ids, x and y.
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
