//! Rows of structures: 16 channels that each have two or four dwords, one behind the other.

use crate::asm::{Vector, Width, at, indexed};
use crate::buffer::{FIRST, WORDS};
use crate::emit::{Emitter, FILE};
use crate::ir::{Transfer, Unit};
use crate::op;
use crate::transfer::Channels;

/// The places, in two vectors of 16 dwords, of all that a vector is made of.
type Places = [u32; 16];

/// The dwords of one member, or of two one behind the other, of all structures that lie in two
/// vectors.
fn members(count: u32, first: u32) -> Places {
    let each = 32 / count;
    std::array::from_fn(|n| n as u32 % each * count + first + n as u32 / each)
}

/// Structures of vectors that have a member of all of them each, or of two vectors with two members
/// each, from a structure on.
fn structures(count: u32, first: u32) -> Places {
    let each = 32 / count;
    std::array::from_fn(|n| first + n as u32 / count + n as u32 % count * each)
}

fn bytes(places: Places) -> Vec<u8> {
    places.into_iter().flat_map(u32::to_le_bytes).collect()
}

/// What the code of this needs.
pub(crate) fn constants() -> impl Iterator<Item = Vec<u8>> {
    let all = [
        members(2, 0),
        members(2, 1),
        members(4, 0),
        members(4, 2),
        structures(2, 0),
        structures(2, 8),
        structures(4, 0),
        structures(4, 4),
    ];
    all.into_iter().map(bytes)
}

/// The quarters of a vector that are the lower halves of two, and the upper ones.
const HALVES: [i32; 2] = [0x44, 0xee];

impl Emitter<'_> {
    /// How many dwords each channel has, where they are two or four, one behind the other, and all
    /// channels are enabled.
    pub(crate) fn woven(&self, channels: &Channels<'_>) -> Option<u32> {
        let Channels { transfer, masks, lanes, offsets, .. } = channels;
        let count = transfer.elements.len() as u32;
        let is_together = (0..).zip(&transfer.elements).all(|(n, (distance, _))| *distance == n * 4);
        let is_whole = *lanes == 16 && offsets.len() == 1 && masks.is_empty() && transfer.unit == Unit::Dword;
        (self.has_bits && is_whole && is_together && matches!(count, 2 | 4)).then_some(count)
    }

    /// From memory to a row of registers for each member; the vectors are free.
    pub(crate) fn unweave(&mut self, count: u32, transfer: &Transfer, [places, d]: [Vector; 2]) -> Option<()> {
        let w = Width::Z;
        let memory = |row: i64| indexed(WORDS, FIRST, 1, row * 64);
        let mut rows = transfer.elements.iter().map(|(_, place)| at(FILE, *place));
        if count == 2 {
            for member in 0..2 {
                self.vector(places, members(count, member));
                self.asm.load(op::MOVUPS, w, d, memory(0));
                self.asm.v3(op::PERMT2D, w, d, places, memory(1));
                self.asm.store(op::MOVUPS_STORE, w, rows.next()?, d);
            }
            return Some(());
        }
        let (first, second) = (self.cache.take()?, self.cache.take()?);
        for member in [0, 2] {
            self.vector(places, members(count, member));
            for (half, rows) in [first, second].into_iter().zip([0, 2]) {
                self.asm.load(op::MOVUPS, w, half, memory(rows));
                self.asm.v3(op::PERMT2D, w, half, places, memory(rows + 1));
            }
            for halves in HALVES {
                self.asm.v3i(op::SHUFQUARTERS, w, d, first, second, halves);
                self.asm.store(op::MOVUPS_STORE, w, rows.next()?, d);
            }
        }
        [first, second].into_iter().for_each(|vector| self.cache.drop(vector));
        Some(())
    }

    /// From rows of registers to memory; the vectors are free.
    pub(crate) fn weave(&mut self, count: u32, transfer: &Transfer, [places, d]: [Vector; 2]) -> Option<()> {
        let w = Width::Z;
        let memory = |row: i64| indexed(WORDS, FIRST, 1, row * 64);
        let row = |n: usize| at(FILE, transfer.elements[n].1);
        if count == 2 {
            for (half, first) in [(0, 0), (1, 8)] {
                self.vector(places, structures(count, first));
                self.asm.load(op::MOVUPS, w, d, row(0));
                self.asm.v3(op::PERMT2D, w, d, places, row(1));
                self.asm.store(op::MOVUPS_STORE, w, memory(half), d);
            }
            return Some(());
        }
        let pairs = [self.cache.take()?, self.cache.take()?];
        for (half, halves) in (0..).zip(HALVES) {
            for (n, first) in [(0, 0), (1, 4)] {
                for (pair, vector) in (0..).zip(pairs) {
                    self.asm.load(op::MOVUPS, w, vector, row(pair * 2));
                    self.asm.load(op::MOVUPS, w, d, row(pair * 2 + 1));
                    self.asm.v3i(op::SHUFQUARTERS, w, vector, vector, d, halves);
                }
                self.vector(places, structures(count, first));
                self.asm.v3(op::PERMT2D, w, pairs[0], places, pairs[1]);
                self.asm.store(op::MOVUPS_STORE, w, memory(half * 2 + n), pairs[0]);
            }
        }
        pairs.into_iter().for_each(|vector| self.cache.drop(vector));
        Some(())
    }

    fn vector(&mut self, d: Vector, places: Places) {
        let constant = self.asm.constant(&bytes(places));
        self.asm.load(op::MOVUPS, Width::Z, d, constant);
    }
}
