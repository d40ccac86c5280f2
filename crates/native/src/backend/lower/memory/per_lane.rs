//! Channels of a transfer one by one.

use iced_x86::{Code, MemoryOperand, Register};

use crate::backend::abi::offset;
use crate::backend::asm::op;
use crate::backend::asm::operand::{at, indexed};
use crate::backend::asm::stream::Label;
use crate::backend::lower::cache::{ByteRange, PendingStore};
use crate::backend::lower::host_registers::{ELEMENT, ENABLED, FILE, FIRST, FRAME, MARKS, WORDS};
use crate::backend::lower::macro_assembler::MacroAssembler;
use crate::backend::lower::memory::channels::{AccessMark, Channels};
use crate::ir::{Access, Unit};

/// The number of the current channel.
const CHANNEL: Register = Register::R9;

/// The remaining channels.
pub(crate) const REST: Register = Register::R10D;

/// Moves the elements of the channels in order, after marking the access.
pub(crate) fn move_channels(masm: &mut MacroAssembler, channels: &Channels<'_>, mark: AccessMark) {
    let Channels { transfer, offsets, lanes, .. } = channels;
    let (unit, elements) = (transfer.unit, &transfer.elements);
    if transfer.access == Access::Store {
        // Stored values have to be in the register file.
        let bytes = lanes * 4 * offsets.len() as u32;
        let is_stored = |place: ByteRange| elements.iter().any(|(_, at)| place.touches(ByteRange { at: *at, bytes }));
        // Data of which all elements are read are no ramps.
        let is_due = |pending: &PendingStore| pending.ramp.is_none() && is_stored(pending.place);
        let unwritten = masm.cache.unwritten().into_iter().filter(|(_, pending)| is_due(pending));
        unwritten.for_each(|(vector, pending)| masm.store_file(pending.place.at, pending.place.bytes, vector));
    }
    mark_channels(masm, channels, mark);
    for &(distance, place) in elements {
        let again = begin_channels(masm, mark);
        let memory = indexed(WORDS, FIRST, 1, distance.into());
        move_element(masm, transfer.access, unit, [own(unit.register_bytes(), place), memory]);
        next_channel(masm, again);
    }
}

/// Stores the offsets of the channels, and marks the access of each.
pub(crate) fn mark_channels(masm: &mut MacroAssembler, channels: &Channels<'_>, mark: AccessMark) {
    let (value, shift) = (Register::R11, Register::R9);
    store_offsets(masm, channels);
    if mark.bits == 0 {
        return;
    }
    let nobody = masm.asm.label();
    masm.asm.rr(Code::Test_rm64_r64, MARKS, MARKS);
    masm.asm.jump(Code::Je_rel32_64, nobody);
    let again = begin_channels(masm, mark);
    masm.asm.rq(value, mark.bits);
    masm.asm.rr(Code::Mov_r32_rm32, Register::R9D, Register::EDI);
    masm.asm.ri(Code::And_rm32_imm8, Register::R9D, 7);
    masm.asm.rrr(Code::VEX_Shlx_r64_rm64_r64, value, value, shift);
    masm.asm.ri(Code::Shr_rm32_imm8, Register::EDI, 3);
    masm.asm.mr(Code::Or_rm64_r64, indexed(MARKS, FIRST, 1, 0), value);
    next_channel(masm, again);
    masm.asm.bind(nobody);
}

/// Returns the current channel's element of `bytes` bytes in the registers.
pub(crate) fn own(bytes: u32, place: u32) -> MemoryOperand {
    indexed(FILE, CHANNEL, bytes, place.into())
}

/// Stores the elements of channels that are `step` bytes apart, all of which are enabled.
pub(crate) fn store_apart(masm: &mut MacroAssembler, channels: &Channels<'_>, step: u32) {
    let Channels { transfer, lanes, halves, pitch, .. } = channels;
    let (unit, to) = (transfer.unit, Register::R10);
    for ((distance, place), half) in transfer.elements.iter().flat_map(|each| (0..*halves).map(move |n| (each, n))) {
        let first = indexed(WORDS, FIRST, 1, (distance + half * lanes * step).into());
        masm.asm.rm(Code::Lea_r64_m, to, first);
        masm.asm.ri(Code::Mov_r32_imm32, Register::R9D, 0);
        let again = masm.asm.here();
        let memory = indexed(to, Register::None, 1, 0);
        move_element(masm, transfer.access, unit, [own(unit.register_bytes(), place + half * pitch), memory]);
        masm.asm.ri(Code::Add_rm64_imm32, to, step as i32);
        masm.asm.ri(Code::Add_rm32_imm32, Register::R9D, 1);
        masm.asm.ri(Code::Cmp_rm32_imm32, Register::R9D, *lanes as i32);
        masm.asm.jump(Code::Jb_rel32_64, again);
    }
}

/// Moves an element of a channel between the registers and memory. Loads are qwords: others are
/// gathered.
fn move_element(masm: &mut MacroAssembler, access: Access, unit: Unit, [own, memory]: [MemoryOperand; 2]) {
    let (from, to) = if access == Access::Store { (own, memory) } else { (memory, own) };
    masm.load_element(unit.register_bytes(), from);
    if unit.bytes() == 3 {
        masm.store_element(2, to);
        masm.asm.ri(Code::Shr_rm64_imm8, ELEMENT, 16);
        masm.store_element(1, MemoryOperand { displacement: to.displacement + 2, ..to });
    } else {
        masm.store_element(unit.bytes(), to);
    }
}

/// Begins a loop over the channels whose offsets have been stored: [`CHANNEL`] has the number of
/// each, [`FIRST`] its offset. Returns the place of the next iteration.
pub(crate) fn begin_channels(masm: &mut MacroAssembler, mark: AccessMark) -> Label {
    load_channels(masm, mark);
    let again = masm.asm.here();
    load_channel(masm);
    again
}

/// Loads the number and the offset of the first channel whose offset has been stored.
pub(crate) fn first_channel(masm: &mut MacroAssembler, mark: AccessMark) {
    load_channels(masm, mark);
    load_channel(masm);
}

/// Loads the channels of a transfer.
fn load_channels(masm: &mut MacroAssembler, mark: AccessMark) {
    match mark.lanes {
        Some(lanes) => masm.asm.ri(Code::Mov_r32_imm32, REST, lanes as i32),
        None => masm.asm.rr(Code::Mov_r32_rm32, REST, ENABLED),
    }
}

/// Loads the number and the offset of the first of the remaining channels.
fn load_channel(masm: &mut MacroAssembler) {
    masm.asm.rr(Code::Tzcnt_r32_rm32, Register::R9D, REST);
    masm.asm.rm(Code::Mov_r32_rm32, Register::EDI, indexed(FRAME, CHANNEL, 4, offset::SCRATCH.into()));
}

/// Ends the loop.
pub(crate) fn next_channel(masm: &mut MacroAssembler, again: Label) {
    masm.asm.rr(Code::VEX_Blsr_r32_rm32, REST, REST);
    masm.asm.jump(Code::Jne_rel32_64, again);
}

/// Stores the offsets of the channels for the loop.
pub(crate) fn store_offsets(masm: &mut MacroAssembler, channels: &Channels<'_>) {
    if let Some(form) = channels.form {
        return store_known_offsets(masm, channels.lanes * channels.halves, form.step(channels.transfer.unit));
    }
    for (half, offsets) in (0..).zip(&channels.offsets) {
        let (width, place) = (channels.width(), offset::SCRATCH + half * channels.lanes * 4);
        masm.asm.store(op::MOVUPS_STORE, width, at(FRAME, place), *offsets);
    }
}

/// Stores the offsets of `count` channels that are `step` bytes apart, from the first on.
fn store_known_offsets(masm: &mut MacroAssembler, count: u32, step: u32) {
    masm.asm.rr(Code::Mov_r32_rm32, Register::R11D, Register::EDI);
    masm.asm.ri(Code::Mov_r32_imm32, Register::R9D, 0);
    let again = masm.asm.here();
    masm.asm.mr(Code::Mov_rm32_r32, indexed(FRAME, CHANNEL, 4, offset::SCRATCH.into()), Register::R11D);
    masm.asm.ri(Code::Add_rm32_imm32, Register::R11D, step as i32);
    masm.asm.ri(Code::Add_rm32_imm32, Register::R9D, 1);
    masm.asm.ri(Code::Cmp_rm32_imm32, Register::R9D, count as i32);
    masm.asm.jump(Code::Jb_rel32_64, again);
}

/// Saves the first channel's offset; functions are not called in between.
pub(crate) fn keep_first(masm: &mut MacroAssembler) {
    masm.asm.mr(Code::Mov_rm32_r32, at(FRAME, offset::OPERANDS), Register::EDI);
}

/// Restores the first channel's offset.
pub(crate) fn first_again(masm: &mut MacroAssembler) {
    masm.asm.rm(Code::Mov_r32_rm32, Register::EDI, at(FRAME, offset::OPERANDS));
}
