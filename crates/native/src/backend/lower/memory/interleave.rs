//! Interleaved structures: 16 channels that each have two to four dwords, one after the other.

use iced_x86::{Code, Register};

use crate::backend::analysis::structures::{Structures, structures};
use crate::backend::asm::op;
use crate::backend::asm::operand::{Vector, Width, indexed};
use crate::backend::asm::stream::Label;
use crate::backend::lower::host_registers::{ANSWER, FIRST, WORDS};
use crate::backend::lower::macro_assembler::MacroAssembler;
use crate::backend::lower::memory::bounds::{near_inside, near_inside_each};
use crate::backend::lower::memory::channels::Channels;
use crate::backend::lower::memory::contiguous::are_apart;

/// The places of 16 dwords in two vectors.
type Places = [u32; 16];

/// Returns the places of one of four members of all structures in two vectors, or of two
/// consecutive members.
fn members_of_four(first: u32) -> Places {
    std::array::from_fn(|n| n as u32 % 8 * 4 + first + n as u32 / 8)
}

/// Returns the places that build structures of four members from vectors of members, from structure
/// `first` on.
fn structures_of_four(first: u32) -> Places {
    std::array::from_fn(|n| first + n as u32 / 4 + n as u32 % 4 * 8)
}

/// Returns the places that take dwords from vector `step`, the second of two, and the others from
/// the first. `place` has the vector and the place in it of each dword. The first of the two is
/// vector 0 in the first step, and then the result of the last step.
fn taken(step: u32, place: impl Fn(u32) -> (u32, u32)) -> Places {
    std::array::from_fn(|n| match place(n as u32) {
        (vector, place) if vector == step => 16 + place,
        (0, place) if step == 1 => place,
        _ => n as u32,
    })
}

/// Returns the places as a constant.
fn bytes(places: Places) -> Vec<u8> {
    places.into_iter().flat_map(u32::to_le_bytes).collect()
}

/// Selects the lower quarters of two vectors, and the upper ones.
const HALVES: [i32; 2] = [0x44, 0xee];

/// Returns the structures that the channels may have, the most frequent first; none unless all
/// channels are enabled.
pub(crate) fn possible_structures(has_bits: bool, channels: &Channels<'_>) -> &'static [Structures] {
    let Channels { transfer, masks, lanes, offsets, .. } = channels;
    let is_whole = *lanes == 16 && offsets.len() == 1 && masks.is_empty();
    if has_bits && is_whole { structures(transfer) } else { &[] }
}

/// Writes a jump to `otherwise` unless the channels' structures follow each other and are inside
/// the buffer.
pub(crate) fn check_structures(
    masm: &mut MacroAssembler,
    channels: &Channels<'_>,
    all: Structures,
    free: [Vector; 2],
    otherwise: Label,
) {
    are_apart(masm, channels, all.pitch(), free, otherwise);
    structures_inside(masm, channels, all, otherwise);
}

/// Writes a jump to `otherwise` unless the channels' structures, which follow each other, are
/// inside the buffer.
pub(crate) fn structures_inside(
    masm: &mut MacroAssembler,
    channels: &Channels<'_>,
    all: Structures,
    otherwise: Label,
) {
    // Distance to the end of the first dword of the last structure, or beyond it by the gap.
    let bytes = channels.lanes * all.pitch() - (all.members() - 1) * 4;
    if all.has_gaps() {
        near_inside_each(masm, channels, bytes, otherwise);
    } else {
        near_inside(masm, channels, bytes, otherwise);
    }
}

/// Loads structures, one vector for each member; `places` is free.
pub(crate) fn deinterleave(
    masm: &mut MacroAssembler,
    all: Structures,
    members: &[Vector],
    places: Vector,
) -> Option<()> {
    let w = Width::Z;
    let memory = |row: u32| indexed(WORDS, FIRST, 1, i64::from(row) * 64);
    let mut members = members.iter().copied();
    if all.dwords() < 4 {
        for (member, d) in (0..).zip(members) {
            let place = |n: u32| ((n * all.dwords() + member) / 16, (n * all.dwords() + member) % 16);
            masm.asm.load(op::MOVUPS, w, d, memory(0));
            for step in 1..all.dwords() {
                load_places(masm, places, taken(step, place));
                masm.asm.v3(op::PERMT2D, w, d, places, memory(step));
            }
        }
        return Some(());
    }
    let (first, second) = (masm.cache.take()?, masm.cache.take()?);
    for member in [0, 2] {
        load_places(masm, places, members_of_four(member));
        for (half, row) in [first, second].into_iter().zip([0, 2]) {
            masm.asm.load(op::MOVUPS, w, half, memory(row));
            masm.asm.v3(op::PERMT2D, w, half, places, memory(row + 1));
        }
        for (halves, d) in HALVES.into_iter().zip(members.by_ref()) {
            masm.asm.v3i(op::SHUFQUARTERS, w, d, first, second, halves);
        }
    }
    [first, second].into_iter().for_each(|vector| masm.cache.drop(vector));
    Some(())
}

/// Stores structures from one vector for each member; the two other vectors are free.
pub(crate) fn interleave(
    masm: &mut MacroAssembler,
    all: Structures,
    members: &[Vector],
    [places, d]: [Vector; 2],
) -> Option<()> {
    let w = Width::Z;
    let memory = |row: u32| indexed(WORDS, FIRST, 1, i64::from(row) * 64);
    // What would fill a gap does not matter.
    let row = |n: u32| members[n.min(all.members() - 1) as usize];
    if all.dwords() < 4 {
        for part in 0..all.dwords() {
            let place = |n: u32| ((part * 16 + n) % all.dwords(), (part * 16 + n) / all.dwords());
            masm.asm.v2(op::MOVUPS, w, d, row(0), w);
            for step in 1..all.dwords() {
                load_places(masm, places, taken(step, place));
                masm.asm.v3(op::PERMT2D, w, d, places, row(step));
            }
            masm.asm.store(op::MOVUPS_STORE, w, memory(part), d);
        }
        return Some(());
    }
    if all.has_gaps() {
        masm.asm.ri(Code::Mov_r32_imm32, Register::R9D, 0x7777);
        masm.asm.rr(Code::VEX_Kmovw_kr_r32, ANSWER, Register::R9D);
    }
    let pairs = [masm.cache.take()?, masm.cache.take()?];
    for (half, halves) in (0..).zip(HALVES) {
        for (n, first) in [(0, 0), (1, 4)] {
            for (pair, vector) in (0..).zip(pairs) {
                masm.asm.v3i(op::SHUFQUARTERS, w, vector, row(pair * 2), row(pair * 2 + 1), halves);
            }
            load_places(masm, places, structures_of_four(first));
            masm.asm.v3(op::PERMT2D, w, pairs[0], places, pairs[1]);
            let to = memory(half * 2 + n);
            if all.has_gaps() {
                masm.asm.store_bits(op::MOVDQU32_STORE, w, to, ANSWER, pairs[0]);
            } else {
                masm.asm.store(op::MOVUPS_STORE, w, to, pairs[0]);
            }
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
