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

/// Finds the buffer of a surface or of the group: its entry, from [`PLACE`] on.
pub(crate) fn find_buffer(
    masm: &mut MacroAssembler,
    states: &HashMap<u32, u32>,
    transfer: &Transfer,
    slow: Label,
) -> Option<u32> {
    match transfer.space {
        Space::Local => {
            masm.frame(PLACE, offset::LOCAL);
            return Some(FIRST_ENTRY);
        }
        Space::Surface(element) if states.get(&element).is_some_and(|n| *n < SURFACES) => {
            masm.frame(PLACE, offset::SURFACES);
            return Some(states[&element] << PLACE_SHIFT);
        }
        Space::Surface(element) => {
            masm.frame(PLACE, offset::STATES);
            masm.asm.rm(Code::Mov_r32_rm32, Register::EAX, at(PLACE, element * 4));
        }
        Space::Named(place) => masm.asm.rm(Code::Mov_r32_rm32, Register::EAX, at(FILE, place)),
        Space::Private { number, unit } => {
            find_private(masm, (number, unit), marks_of(transfer.access), slow);
            return Some(FIRST_ENTRY);
        }
        Space::Flat => return None,
    }
    masm.asm.rm(Code::Cmp_r64_rm64, PLACE, at(FRAME, offset::SURFACE_COUNT));
    masm.asm.jump(Code::Jae_rel32_64, slow);
    masm.asm.ri(Code::Shl_rm64_imm8, PLACE, PLACE_SHIFT);
    masm.asm.rm(Code::Add_r64_rm64, PLACE, at(FRAME, offset::SURFACES));
    Some(FIRST_ENTRY)
}

/// Makes an entry of the part of the memory of threads that begins at so many units, as if that
/// were a buffer.
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

/// Finds the buffer that the upper half of an address, in ECX, names.
pub(crate) fn find_flat(masm: &mut MacroAssembler, slow: Label) {
    masm.asm.rr(Code::Mov_r32_rm32, Register::EAX, Register::ECX);
    masm.asm.ri(Code::Sub_rm32_imm8, Register::EAX, 1);
    masm.asm.rm(Code::Cmp_r64_rm64, PLACE, at(FRAME, offset::BUFFER_COUNT));
    masm.asm.jump(Code::Jae_rel32_64, slow);
    masm.asm.ri(Code::Shl_rm64_imm8, PLACE, PLACE_SHIFT);
    masm.asm.rm(Code::Add_r64_rm64, PLACE, at(FRAME, offset::BUFFERS));
}

/// Something in the entry of the buffer.
pub(crate) fn entry_field(entry: u32, distance: u32) -> MemoryOperand {
    at(PLACE, entry + distance)
}

/// Where the words of the buffer are; the flags stay as they are.
pub(crate) fn load_words(masm: &mut MacroAssembler, entry: u32) {
    masm.asm.rm(Code::Mov_r64_rm64, WORDS, entry_field(entry, offset::WORDS));
}

/// The largest offset with which all of a channel's data are inside.
pub(crate) fn load_limit(masm: &mut MacroAssembler, entry: u32, transfer: &Transfer, slow: Label) {
    masm.asm.rm(Code::Mov_r64_rm64, LIMIT, entry_field(entry, offset::REACH));
    masm.asm.ri(Code::Sub_rm64_imm32, LIMIT, extent(transfer) as i32);
    masm.asm.jump(Code::Jb_rel32_64, slow);
}

/// How far behind a channel's address its data end.
pub(crate) fn extent(transfer: &Transfer) -> u32 {
    reach(transfer, transfer.unit.bytes())
}

/// The same if there are so many bytes from the last element on.
pub(crate) fn reach(transfer: &Transfer, bytes: u32) -> u32 {
    transfer.elements.iter().map(|(distance, _)| *distance).max().unwrap_or(0) + bytes
}

/// The entry at PLACE.
pub(crate) const FIRST_ENTRY: u32 = 0;

/// The size of a buffer's entry in its table, as a power of two.
const PLACE_SHIFT: i32 = 6;

const _: () = assert!(size_of::<BufferEntry>() == 1 << PLACE_SHIFT);

/// Where the entry of a buffer says who wants to know of such an access.
pub(crate) fn marks_of(access: Access) -> u32 {
    match access {
        Access::Load => offset::LOADS,
        Access::Store => offset::STORES,
        Access::Update(_) => offset::UPDATES,
    }
}
