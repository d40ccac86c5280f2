//! Initial contents of unwritten registers and memory: zeros, or noise at selected locations. A
//! launch whose results change with the noise depends on uninitialised data.

use std::ops::Range;
use std::sync::LazyLock;

use crate::buffer::{Buffer, Sharing};

/// Precomputed noise of the first locations, used at the start of each thread.
static NOISE: LazyLock<Vec<u8>> = LazyLock::new(|| (0..1 << 16).map(noise).collect());

/// Locations that hold noise until they are written; all others hold zeros.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Poison {
    /// Byte ranges of the register file; the payload is never overwritten.
    pub registers: Vec<Range<u32>>,
    /// Byte ranges of shared local memory.
    pub local: Vec<Range<u64>>,
    /// Byte ranges of each private buffer, covering all threads of the group.
    pub private: Vec<Range<u64>>,
    /// Byte ranges of global buffers, with their numbers.
    pub buffers: Vec<(usize, Range<u64>)>,
    /// True if predicates hold noise.
    pub predicates: bool,
    /// Constant 32-bit pattern to use instead of noise.
    pub word: Option<u32>,
}

impl Poison {
    /// Fills registers after the payload with noise.
    pub fn fill_registers(&self, registers: &mut [u8], payload: usize) {
        for range in &self.registers {
            let range = (range.start as usize).max(payload)..(range.end as usize).min(registers.len());
            let Some(bytes) = registers.get_mut(range.clone()) else { continue };
            match NOISE.get(range.clone()).filter(|_| self.word.is_none()) {
                Some(noise) => bytes.copy_from_slice(noise),
                None => bytes.iter_mut().zip(range).for_each(|(byte, at)| *byte = self.byte(at as u64)),
            }
        }
    }

    /// Fills global buffers with noise.
    pub fn fill_buffers(&self, all: &[Buffer]) {
        for (number, range) in &self.buffers {
            all.get(*number).into_iter().for_each(|buffer| self.fill(buffer, std::slice::from_ref(range)));
        }
    }

    /// Fills shared local memory with noise.
    pub fn fill_local(&self, buffer: &Buffer) {
        self.fill(buffer, &self.local);
    }

    /// Fills a private buffer with noise.
    pub fn fill_private(&self, buffer: &Buffer) {
        self.fill(buffer, &self.private);
    }

    /// Returns the initial value of predicates.
    pub fn predicate(&self) -> u32 {
        if self.predicates { 0x5aa5_9669 } else { 0 }
    }

    /// Returns true if the low byte of `byte` can be noise; `at` is its location modulo four.
    pub fn is_noise(&self, byte: u64, at: u32) -> bool {
        match self.word {
            Some(word) => byte & 0xff == u64::from(word >> (8 * at) & 0xff),
            None => is_noise(byte, at),
        }
    }

    fn fill(&self, buffer: &Buffer, ranges: &[Range<u64>]) {
        for range in ranges {
            let end = range.end.min(buffer.len() as u64);
            let mut at = range.start;
            while at < end {
                let size = if at % 4 == 0 && at + 4 <= end { 4 } else { 1 };
                let value = (at..at + size).rev().fold(0, |value, at| value << 8 | u64::from(self.byte(at)));
                buffer.store(at, size as u32, value, Sharing::Exclusive);
                at += size;
            }
        }
    }

    fn byte(&self, at: u64) -> u8 {
        self.word.map_or_else(|| noise(at), |word| (word >> (8 * (at % 4))) as u8)
    }
}

/// Returns the noise byte at a location. Four bytes form a large positive integer and a large
/// float, so comparisons with small numbers differ from those of zero. Neighbouring words differ.
fn noise(at: u64) -> u8 {
    let mixed = (at >> 2).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
    match at & 3 {
        3 => 0x50 | (mixed & 0xf) as u8,
        n => (mixed >> (8 * n + 4)) as u8 | 1,
    }
}

/// Returns true if the low byte can be noise; `at` is its location modulo four.
fn is_noise(byte: u64, at: u32) -> bool {
    if at == 3 { byte & 0xf0 == 0x50 } else { byte & 1 == 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_is_where_it_is_asked_for() {
        let mut poison = Poison { registers: vec![4..8, 20..24], ..Poison::default() };
        let mut registers = [0; 22];
        poison.fill_registers(&mut registers, 6);
        let filled: Vec<_> = (0..22).filter(|&at| registers[at] != 0).collect();
        assert_eq!(filled, [6, 7, 20, 21]);
        let buffer = Buffer::zeros(10);
        poison.local = vec![3..5, 8..99];
        poison.fill_local(&buffer);
        let bytes = buffer.to_bytes();
        assert_eq!((0..10).filter(|&at| bytes[at] != 0).collect::<Vec<_>>(), [3, 4, 8, 9]);
        assert_eq!((poison.predicate(), Poison { predicates: true, ..poison }.predicate() != 0), (0, true));
    }

    #[test]
    fn noise_is_a_large_number() {
        for word in 0..1000 {
            let bits = u32::from_le_bytes(std::array::from_fn(|n| noise(word * 4 + n as u64)));
            assert!(bits >> 28 == 5 && f32::from_bits(bits) > 1e9, "{bits:x}");
            assert!((0..4).all(|n| is_noise(u64::from(bits >> (8 * n)), n)));
        }
    }
}
