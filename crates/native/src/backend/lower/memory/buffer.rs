//! The buffer of a transfer: its entry, its words and its size.

use std::collections::HashMap;

use iced_x86::{Code, MemoryOperand, Register};

use crate::backend::abi::offset;
use crate::backend::asm::operand::at;
use crate::backend::asm::stream::Label;
use crate::backend::lower::host_registers::{FILE, FRAME, LIMIT, PLACE, WORDS};
use crate::backend::lower::macro_assembler::MacroAssembler;
use crate::backend::memory::{BufferEntry, SURFACES};
use crate::ir::{Access, Space, Transfer};

/// Finds the buffer of a surface, of local memory or of private memory. Returns the distance of its
/// entry from [`PLACE`], in bytes.
pub(crate) fn find_buffer(
    masm: &mut MacroAssembler,
    states: &HashMap<u32, u32>,
    transfer: &Transfer,
    slow: Label,
) -> Option<u32> {
    let shift = match transfer.space {
        Space::Local { .. } => {
            masm.frame(PLACE, offset::LOCAL);
            return Some(FIRST_ENTRY);
        }
        Space::Surface { element, shift } if states.get(&element).is_some_and(|n| n >> shift < SURFACES) => {
            masm.frame(PLACE, offset::SURFACES);
            return Some(states[&element] >> shift << PLACE_SHIFT);
        }
        Space::Surface { element, shift } => {
            masm.frame(PLACE, offset::STATES);
            masm.asm.rm(Code::Mov_r32_rm32, Register::EAX, at(PLACE, element * 4));
            shift
        }
        Space::Named { at: place, shift } => {
            masm.asm.rm(Code::Mov_r32_rm32, Register::EAX, at(FILE, place));
            shift
        }
        Space::Private { number, unit } => {
            find_private(masm, (number, unit), marks_of(transfer.access), slow);
            return Some(FIRST_ENTRY);
        }
        Space::Flat => return None,
    };
    if shift > 0 {
        masm.asm.ri(Code::Shr_rm32_imm8, Register::EAX, shift as i32);
    }
    masm.asm.rm(Code::Cmp_r64_rm64, PLACE, at(FRAME, offset::SURFACE_COUNT));
    masm.asm.jump(Code::Jae_rel32_64, slow);
    masm.asm.ri(Code::Shl_rm64_imm8, PLACE, PLACE_SHIFT);
    masm.asm.rm(Code::Add_r64_rm64, PLACE, at(FRAME, offset::SURFACES));
    Some(FIRST_ENTRY)
}

/// Builds an entry for the part of private memory that begins at `number` units.
fn find_private(masm: &mut MacroAssembler, (number, unit): (u32, u32), marks: u32, slow: Label) {
    let (begin, value) = (Register::RCX, Register::RDX);
    let part = |distance: u32| at(FRAME, offset::PART + distance);
    masm.asm.rm(Code::Mov_r32_rm32, Register::ECX, at(FILE, number));
    if unit == 16 {
        masm.asm.ri(Code::Shl_rm64_imm8, begin, 4);
    }
    masm.asm.mr(Code::Mov_rm64_r64, at(FRAME, offset::BEGIN), begin);
    masm.frame(PLACE, offset::PRIVATE);
    masm.asm.rm(Code::Mov_r64_rm64, value, at(PLACE, offset::REACH));
    masm.asm.rr(Code::Sub_r64_rm64, value, begin);
    masm.asm.jump(Code::Jb_rel32_64, slow);
    masm.asm.mr(Code::Mov_rm64_r64, part(offset::REACH), value);
    masm.asm.rm(Code::Add_r64_rm64, begin, at(PLACE, offset::WORDS));
    masm.asm.mr(Code::Mov_rm64_r64, part(offset::WORDS), begin);
    masm.asm.rm(Code::Mov_r64_rm64, value, at(PLACE, marks));
    masm.asm.mr(Code::Mov_rm64_r64, part(marks), value);
    masm.asm.rm(Code::Lea_r64_m, PLACE, part(0));
}

/// Finds the buffer that ECX, the upper half of an address, names: its number, or its slot.
pub(crate) fn find_flat(masm: &mut MacroAssembler, slow: Label) {
    let (slot, found) = (masm.asm.label(), masm.asm.label());
    masm.asm.rr(Code::Mov_r32_rm32, Register::EAX, Register::ECX);
    masm.asm.ri(Code::Sub_rm32_imm8, Register::EAX, 1);
    masm.asm.rm(Code::Cmp_r64_rm64, PLACE, at(FRAME, offset::BUFFER_COUNT));
    masm.asm.jump(Code::Jae_rel32_64, slot);
    masm.cold(|masm| {
        masm.asm.bind(slot);
        masm.asm.rr(Code::Mov_r32_rm32, Register::EAX, Register::ECX);
        masm.asm.rm(Code::Sub_r32_rm32, Register::EAX, at(FRAME, offset::FIRST_SLOT));
        masm.asm.rm(Code::Cmp_r64_rm64, PLACE, at(FRAME, offset::SLOT_COUNT));
        masm.asm.jump(Code::Jae_rel32_64, slow);
        masm.asm.ri(Code::Shl_rm64_imm8, PLACE, 2);
        masm.asm.rm(Code::Add_r64_rm64, PLACE, at(FRAME, offset::SLOTS));
        masm.asm.rm(Code::Mov_r32_rm32, Register::EAX, at(PLACE, 0));
        masm.asm.ri(Code::Sub_rm32_imm8, Register::EAX, 1);
        masm.asm.jump(Code::Jb_rel32_64, slow);
        masm.asm.ri(Code::Shl_rm64_imm8, PLACE, PLACE_SHIFT);
        masm.asm.rm(Code::Add_r64_rm64, PLACE, at(FRAME, offset::SLOT_ENTRIES));
        masm.asm.jump(Code::Jmp_rel32_64, found);
    });
    masm.asm.ri(Code::Shl_rm64_imm8, PLACE, PLACE_SHIFT);
    masm.asm.rm(Code::Add_r64_rm64, PLACE, at(FRAME, offset::BUFFERS));
    masm.asm.bind(found);
}

/// Returns a field of the buffer's entry.
pub(crate) fn entry_field(entry: u32, distance: u32) -> MemoryOperand {
    at(PLACE, entry + distance)
}

/// Loads the address of the buffer's words; the flags stay.
pub(crate) fn load_words(masm: &mut MacroAssembler, entry: u32) {
    masm.asm.rm(Code::Mov_r64_rm64, WORDS, entry_field(entry, offset::WORDS));
}

/// Loads the largest offset with which all data of a channel are inside.
pub(crate) fn load_limit(masm: &mut MacroAssembler, entry: u32, transfer: &Transfer, slow: Label) {
    masm.asm.rm(Code::Mov_r64_rm64, LIMIT, entry_field(entry, offset::REACH));
    masm.asm.ri(Code::Sub_rm64_imm32, LIMIT, extent(transfer) as i32);
    masm.asm.jump(Code::Jb_rel32_64, slow);
}

/// Returns the distance from a channel's address to the end of its data, in bytes.
pub(crate) fn extent(transfer: &Transfer) -> u32 {
    reach(transfer, transfer.unit.bytes())
}

/// Returns the distance from a channel's address to the end of its data, if the last element has
/// `bytes` bytes.
pub(crate) fn reach(transfer: &Transfer, bytes: u32) -> u32 {
    transfer.elements.iter().map(|(distance, _)| *distance).max().unwrap_or(0) + bytes
}

/// The distance of an entry that [`PLACE`] points to.
pub(crate) const FIRST_ENTRY: u32 = 0;

/// The binary logarithm of the size of a buffer's entry.
const PLACE_SHIFT: i32 = 6;

const _: () = assert!(size_of::<BufferEntry>() == 1 << PLACE_SHIFT);

/// Returns the field of an entry that has the marks of an access.
pub(crate) fn marks_of(access: Access) -> u32 {
    match access {
        Access::Load => offset::LOADS,
        Access::Store => offset::STORES,
        Access::Update(_) => offset::UPDATES,
    }
}
