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

/// The quarters of a vector that are the lower halves of two, and the upper ones.
const HALVES: [i32; 2] = [0x44, 0xee];

/// How many dwords each channel has, where they are two or four, one behind the other, and all
/// channels are enabled.
pub(crate) fn interleaved_members(has_bits: bool, channels: &Channels<'_>) -> Option<u32> {
    let Channels { transfer, masks, lanes, offsets, .. } = channels;
    let count = transfer.elements.len() as u32;
    let is_together = (0..).zip(&transfer.elements).all(|(n, (distance, _))| *distance == n * 4);
    let is_whole = *lanes == 16 && offsets.len() == 1 && masks.is_empty() && transfer.unit == Unit::Dword;
    (has_bits && is_whole && is_together && matches!(count, 2 | 4)).then_some(count)
}

/// Goes on when the channels' structures of so many dwords follow each other, all inside; else
/// elsewhere.
pub(crate) fn check_interleaved(
    masm: &mut MacroAssembler,
    channels: &Channels<'_>,
    count: u32,
    free: [Vector; 2],
    otherwise: Label,
) {
    are_apart(masm, channels, count * 4, free, otherwise);
    // Behind the first dword of the last structure.
    near_inside(masm, channels, channels.lanes * count * 4 - (count - 1) * 4, otherwise);
}

/// From memory to a row of registers for each member; the vectors are free.
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

/// From rows of registers to memory; the vectors are free.
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

fn load_places(masm: &mut MacroAssembler, d: Vector, places: Places) {
    let constant = masm.asm.constant(bytes(places));
    masm.asm.load(op::MOVUPS, Width::Z, d, constant);
}
