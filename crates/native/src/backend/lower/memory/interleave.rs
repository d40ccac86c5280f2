//! Interleaved structures: 16 channels that each have two or four dwords, one after the other.

use crate::backend::asm::op;
use crate::backend::asm::operand::{Vector, Width, at, indexed};
use crate::backend::asm::stream::Label;
use crate::backend::lower::host_registers::{FILE, FIRST, WORDS};
use crate::backend::lower::macro_assembler::MacroAssembler;
use crate::backend::lower::memory::bounds::near_inside;
use crate::backend::lower::memory::channels::Channels;
use crate::backend::lower::memory::contiguous::are_apart;
use crate::ir::{Transfer, Unit};

/// The places of 16 dwords in two vectors.
type Places = [u32; 16];

/// Returns the places of one member of all structures in two vectors, or of two consecutive
/// members.
fn members(count: u32, first: u32) -> Places {
    let each = 32 / count;
    std::array::from_fn(|n| n as u32 % each * count + first + n as u32 / each)
}

/// Returns the places that build structures from vectors of members, from structure `first` on.
fn structures(count: u32, first: u32) -> Places {
    let each = 32 / count;
    std::array::from_fn(|n| first + n as u32 / count + n as u32 % count * each)
}

/// Returns the places as a constant.
fn bytes(places: Places) -> Vec<u8> {
    places.into_iter().flat_map(u32::to_le_bytes).collect()
}

/// Selects the lower quarters of two vectors, and the upper ones.
const HALVES: [i32; 2] = [0x44, 0xee];

/// Returns the number of dwords of each channel's structure, if all channels are enabled and it is
/// two or four.
pub(crate) fn interleaved_members(has_bits: bool, channels: &Channels<'_>) -> Option<u32> {
    let Channels { transfer, masks, lanes, offsets, .. } = channels;
    let count = transfer.elements.len() as u32;
    let is_together = (0..).zip(&transfer.elements).all(|(n, (distance, _))| *distance == n * 4);
    let is_whole = *lanes == 16 && offsets.len() == 1 && masks.is_empty() && transfer.unit == Unit::Dword;
    (has_bits && is_whole && is_together && matches!(count, 2 | 4)).then_some(count)
}

/// Writes a jump to `otherwise` unless the channels' structures of `count` dwords are contiguous
/// and inside the buffer.
pub(crate) fn check_interleaved(
    masm: &mut MacroAssembler,
    channels: &Channels<'_>,
    count: u32,
    free: [Vector; 2],
    otherwise: Label,
) {
    are_apart(masm, channels, count * 4, free, otherwise);
    // Distance to the end of the first dword of the last structure.
    near_inside(masm, channels, channels.lanes * count * 4 - (count - 1) * 4, otherwise);
}

/// Moves structures from memory to one vector of registers for each member; the two vectors are
/// free.
pub(crate) fn deinterleave(
    masm: &mut MacroAssembler,
    count: u32,
    transfer: &Transfer,
    [places, d]: [Vector; 2],
) -> Option<()> {
    let w = Width::Z;
    let memory = |row: i64| indexed(WORDS, FIRST, 1, row * 64);
    let mut rows = transfer.elements.iter().map(|(_, place)| at(FILE, *place));
    if count == 2 {
        for member in 0..2 {
            load_places(masm, places, members(count, member));
            masm.asm.load(op::MOVUPS, w, d, memory(0));
            masm.asm.v3(op::PERMT2D, w, d, places, memory(1));
            masm.asm.store(op::MOVUPS_STORE, w, rows.next()?, d);
        }
        return Some(());
    }
    let (first, second) = (masm.cache.take()?, masm.cache.take()?);
    for member in [0, 2] {
        load_places(masm, places, members(count, member));
        for (half, rows) in [first, second].into_iter().zip([0, 2]) {
            masm.asm.load(op::MOVUPS, w, half, memory(rows));
            masm.asm.v3(op::PERMT2D, w, half, places, memory(rows + 1));
        }
        for halves in HALVES {
            masm.asm.v3i(op::SHUFQUARTERS, w, d, first, second, halves);
            masm.asm.store(op::MOVUPS_STORE, w, rows.next()?, d);
        }
    }
    [first, second].into_iter().for_each(|vector| masm.cache.drop(vector));
    Some(())
}

/// Moves one vector of registers for each member to structures in memory; the two vectors are free.
pub(crate) fn interleave(
    masm: &mut MacroAssembler,
    count: u32,
    transfer: &Transfer,
    [places, d]: [Vector; 2],
) -> Option<()> {
    let w = Width::Z;
    let memory = |row: i64| indexed(WORDS, FIRST, 1, row * 64);
    let row = |n: usize| at(FILE, transfer.elements[n].1);
    if count == 2 {
        for (half, first) in [(0, 0), (1, 8)] {
            load_places(masm, places, structures(count, first));
            masm.asm.load(op::MOVUPS, w, d, row(0));
            masm.asm.v3(op::PERMT2D, w, d, places, row(1));
            masm.asm.store(op::MOVUPS_STORE, w, memory(half), d);
        }
        return Some(());
    }
    let pairs = [masm.cache.take()?, masm.cache.take()?];
    for (half, halves) in (0..).zip(HALVES) {
        for (n, first) in [(0, 0), (1, 4)] {
            for (pair, vector) in (0..).zip(pairs) {
                masm.asm.load(op::MOVUPS, w, vector, row(pair * 2));
                masm.asm.load(op::MOVUPS, w, d, row(pair * 2 + 1));
                masm.asm.v3i(op::SHUFQUARTERS, w, vector, vector, d, halves);
            }
            load_places(masm, places, structures(count, first));
            masm.asm.v3(op::PERMT2D, w, pairs[0], places, pairs[1]);
            masm.asm.store(op::MOVUPS_STORE, w, memory(half * 2 + n), pairs[0]);
        }
    }
    pairs.into_iter().for_each(|vector| masm.cache.drop(vector));
    Some(())
}

/// Loads places to a vector.
fn load_places(masm: &mut MacroAssembler, d: Vector, places: Places) {
    let constant = masm.asm.constant(bytes(places));
    masm.asm.load(op::MOVUPS, Width::Z, d, constant);
}
