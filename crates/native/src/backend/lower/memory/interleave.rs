//! Interleaved structures: 16 channels that each have two to four dwords, one after the other.

use iced_x86::{Code, Register};

use crate::backend::asm::op;
use crate::backend::asm::operand::{Vector, Width, at, indexed};
use crate::backend::asm::stream::Label;
use crate::backend::lower::host_registers::{ANSWER, FILE, FIRST, WORDS};
use crate::backend::lower::macro_assembler::MacroAssembler;
use crate::backend::lower::memory::bounds::{near_inside, near_inside_each};
use crate::backend::lower::memory::channels::Channels;
use crate::backend::lower::memory::contiguous::are_apart;
use crate::ir::{Transfer, Unit};

/// Structures of the channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Structures {
    /// Number of dwords that are moved, the first ones.
    members: u32,
    /// Number of dwords, which is also the number of vectors that 16 structures fill.
    dwords: u32,
}

impl Structures {
    const fn new(members: u32, dwords: u32) -> Self {
        Self { members, dwords }
    }

    /// Returns the distance from one structure to the next in bytes.
    pub(crate) fn pitch(self) -> u32 {
        self.dwords * 4
    }

    /// Returns true if a dword of each structure is not moved.
    fn has_gaps(self) -> bool {
        self.members < self.dwords
    }
}

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
pub(crate) fn structures(has_bits: bool, channels: &Channels<'_>) -> &'static [Structures] {
    let Channels { transfer, masks, lanes, offsets, .. } = channels;
    let is_together = (0..).zip(&transfer.elements).all(|(n, (distance, _))| *distance == n * 4);
    let is_whole = *lanes == 16 && offsets.len() == 1 && masks.is_empty() && transfer.unit == Unit::Dword;
    match transfer.elements.len() {
        _ if !(has_bits && is_whole && is_together) => &[],
        2 => &const { [Structures::new(2, 2)] },
        // Vectors of three have the size of vectors of four.
        3 => &const { [Structures::new(3, 4), Structures::new(3, 3)] },
        4 => &const { [Structures::new(4, 4)] },
        _ => &[],
    }
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
    // Distance to the end of the first dword of the last structure, or beyond it by the gap.
    let bytes = channels.lanes * all.pitch() - (all.members - 1) * 4;
    if all.has_gaps() {
        near_inside_each(masm, channels, bytes, otherwise);
    } else {
        near_inside(masm, channels, bytes, otherwise);
    }
}

/// Moves structures from memory to one vector of registers for each member; the two vectors are
/// free.
pub(crate) fn deinterleave(
    masm: &mut MacroAssembler,
    all: Structures,
    transfer: &Transfer,
    [places, d]: [Vector; 2],
) -> Option<()> {
    let w = Width::Z;
    let memory = |row: u32| indexed(WORDS, FIRST, 1, i64::from(row) * 64);
    let mut rows = transfer.elements.iter().map(|(_, place)| at(FILE, *place));
    if all.dwords < 4 {
        for (member, row) in (0..).zip(rows) {
            let place = |n: u32| ((n * all.dwords + member) / 16, (n * all.dwords + member) % 16);
            masm.asm.load(op::MOVUPS, w, d, memory(0));
            for step in 1..all.dwords {
                load_places(masm, places, taken(step, place));
                masm.asm.v3(op::PERMT2D, w, d, places, memory(step));
            }
            masm.asm.store(op::MOVUPS_STORE, w, row, d);
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
        for (halves, row) in HALVES.into_iter().zip(rows.by_ref()) {
            masm.asm.v3i(op::SHUFQUARTERS, w, d, first, second, halves);
            masm.asm.store(op::MOVUPS_STORE, w, row, d);
        }
    }
    [first, second].into_iter().for_each(|vector| masm.cache.drop(vector));
    Some(())
}

/// Moves one vector of registers for each member to structures in memory; the two vectors are free.
pub(crate) fn interleave(
    masm: &mut MacroAssembler,
    all: Structures,
    transfer: &Transfer,
    [places, d]: [Vector; 2],
) -> Option<()> {
    let w = Width::Z;
    let memory = |row: u32| indexed(WORDS, FIRST, 1, i64::from(row) * 64);
    // What would fill a gap does not matter.
    let row = |n: u32| at(FILE, transfer.elements[n.min(all.members - 1) as usize].1);
    if all.dwords < 4 {
        for part in 0..all.dwords {
            let place = |n: u32| ((part * 16 + n) % all.dwords, (part * 16 + n) / all.dwords);
            masm.asm.load(op::MOVUPS, w, d, row(0));
            for step in 1..all.dwords {
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
                masm.asm.load(op::MOVUPS, w, vector, row(pair * 2));
                masm.asm.load(op::MOVUPS, w, d, row(pair * 2 + 1));
                masm.asm.v3i(op::SHUFQUARTERS, w, vector, vector, d, halves);
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
