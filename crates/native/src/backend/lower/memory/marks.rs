//! Marks: bits that record accesses, for observers.

use iced_x86::{Code, Register};

use crate::backend::abi::offset;
use crate::backend::asm::operand::{at, indexed};
use crate::backend::asm::stream::Label;
use crate::backend::lower::host_registers::{FIRST, FRAME, MARKS};
use crate::backend::lower::macro_assembler::MacroAssembler;
use crate::backend::lower::memory::buffer::{entry_field, extent, marks_of, reach};
use crate::backend::lower::memory::channels::Channels;
use crate::backend::lower::memory::per_lane::{
    begin_channels, first_again, keep_first, mark_channels, next_channel, store_offsets,
};
use crate::backend::memory::{CALLER, PAGES};
use crate::ir::{Space, Transfer};
use crate::runtime::frame::PAGE_BITS;

/// Loads [`MARKS`], and lets the caller make the access if the observer requires it. `together` is
/// the number of bytes that contiguous channels span from the first channel on. Leaves the
/// flags of a comparison of [`MARKS`] with [`CALLER`]: below if nothing remains to be marked.
pub(crate) fn check_marks(masm: &mut MacroAssembler, channels: &Channels<'_>, together: Option<u32>) {
    if channels.mark.bits == 0 {
        return;
    }
    let Channels { transfer, slow, .. } = channels;
    masm.asm.rm(Code::Mov_r64_rm64, MARKS, entry_field(channels.entry, marks_of(transfer.access)));
    masm.asm.ri(Code::Test_rm32_imm32, Register::ECX, PAGES as i32);
    detour(masm, Code::Jne_rel32_64, |masm, _| {
        match together {
            Some(bytes) => mark_pages(masm, transfer, reach(transfer, bytes)),
            None => mark_pages_of_each(masm, channels),
        }
        masm.asm.rr(Code::Xor_r32_rm32, Register::ECX, Register::ECX);
    });
    masm.asm.ri(Code::Cmp_rm64_imm8, MARKS, CALLER as i32);
    masm.asm.jump(Code::Je_rel32_64, *slow);
}

/// Marks the elements of each channel; the flags are those of the comparison of [`MARKS`] with
/// [`CALLER`].
pub(crate) fn mark_each(masm: &mut MacroAssembler, channels: &Channels<'_>) {
    if channels.mark.bits == 0 {
        return;
    }
    detour(masm, Code::Ja_rel32_64, |masm, _| mark_bits_of_each(masm, channels));
}

/// Marks the elements of channels that are contiguous or all at one place, `bytes` bytes for each
/// element. The caller makes the access if the observer requires it.
pub(crate) fn mark_contiguous(masm: &mut MacroAssembler, channels: &Channels<'_>, bytes: u32) {
    if channels.mark.bits == 0 {
        return;
    }
    masm.asm.mi(Code::Cmp_rm64_imm8, entry_field(channels.entry, marks_of(channels.transfer.access)), 0);
    detour(masm, Code::Jne_rel32_64, |masm, back| {
        check_marks(masm, channels, channels.masks.is_empty().then_some(bytes));
        masm.asm.jump(Code::Jb_rel32_64, back);
        if channels.masks.is_empty() {
            let distances = channels.transfer.elements.iter().map(|(distance, _)| *distance);
            distances.for_each(|distance| mark_bytes(masm, distance, bytes));
        } else {
            mark_bits_of_each(masm, channels);
        }
    });
}

/// Marks the access of a single channel. Jumps to `slow`, so that the caller executes the access,
/// unless the bits stand for pages.
pub(crate) fn mark_single(masm: &mut MacroAssembler, entry: u32, transfer: &Transfer, slow: Label) {
    masm.asm.mi(Code::Cmp_rm64_imm8, entry_field(entry, marks_of(transfer.access)), 0);
    detour(masm, Code::Jne_rel32_64, |masm, _| {
        masm.asm.rm(Code::Mov_r64_rm64, MARKS, entry_field(entry, marks_of(transfer.access)));
        masm.asm.ri(Code::Test_rm32_imm32, Register::ECX, PAGES as i32);
        masm.asm.jump(Code::Je_rel32_64, slow);
        mark_pages(masm, transfer, extent(transfer));
    });
}

/// Marks the pages of `bytes` bytes from the first channel's offset on.
fn mark_pages(masm: &mut MacroAssembler, transfer: &Transfer, bytes: u32) {
    let page = Register::R11;
    for distance in [0, bytes.max(1) - 1] {
        let byte = indexed(FIRST, Register::None, 1, distance.into());
        masm.asm.rm(Code::Lea_r64_m, page, byte);
        if let Space::Private { .. } = transfer.space {
            masm.asm.rm(Code::Add_r64_rm64, page, at(FRAME, offset::BEGIN));
        }
        masm.asm.ri(Code::Shr_rm64_imm8, page, PAGE_BITS as i32);
        let bits = indexed(MARKS, Register::None, 1, -(PAGES as i64));
        masm.asm.mr(Code::Bts_rm64_r64, bits, page);
    }
}

/// Marks the elements of each channel by bits.
fn mark_bits_of_each(masm: &mut MacroAssembler, channels: &Channels<'_>) {
    keep_first(masm);
    mark_channels(masm, channels, channels.mark);
    first_again(masm);
}

/// Marks the pages of each channel's access.
fn mark_pages_of_each(masm: &mut MacroAssembler, channels: &Channels<'_>) {
    store_offsets(masm, channels);
    keep_first(masm);
    let again = begin_channels(masm, channels.mark);
    mark_pages(masm, channels.transfer, extent(channels.transfer));
    next_channel(masm, again);
    first_again(masm);
}

/// Marks `bytes` bytes at a distance from the first channel.
fn mark_bytes(masm: &mut MacroAssembler, distance: u32, bytes: u32) {
    let (byte, bit, ones) = (Register::R9, Register::R10, Register::R11);
    for start in (0..bytes).step_by(32) {
        let count = (bytes - start).min(32);
        let first = indexed(FIRST, Register::None, 1, i64::from(distance + start));
        masm.asm.rm(Code::Lea_r64_m, byte, first);
        masm.asm.rr(Code::Mov_r32_rm32, Register::R10D, Register::R9D);
        masm.asm.ri(Code::And_rm32_imm8, Register::R10D, 7);
        masm.asm.ri(Code::Shr_rm64_imm8, byte, 3);
        masm.asm.ri(Code::Mov_r32_imm32, Register::R11D, (u32::MAX >> (32 - count)) as i32);
        masm.asm.rrr(Code::VEX_Shlx_r64_rm64_r64, ones, ones, bit);
        masm.asm.mr(Code::Or_rm64_r64, indexed(MARKS, byte, 1, 0), ones);
    }
}

/// Writes a conditional jump to cold code. `write` emits the cold code, which then jumps back.
/// `write` also receives the label of the return place.
fn detour(masm: &mut MacroAssembler, condition: Code, write: impl FnOnce(&mut MacroAssembler, Label)) {
    let [from, back] = [(); 2].map(|()| masm.asm.label());
    masm.asm.jump(condition, from);
    masm.asm.bind(back);
    masm.cold(|masm| {
        masm.asm.bind(from);
        write(masm, back);
        masm.asm.jump(Code::Jmp_rel32_64, back);
    });
}
