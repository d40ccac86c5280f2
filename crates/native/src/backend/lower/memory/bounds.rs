//! Bounds: tests that the data of channels are inside the buffer and aligned.

use iced_x86::{Code, Register};

use crate::backend::abi::offset;
use crate::backend::asm::op;
use crate::backend::asm::operand::{Width, indexed};
use crate::backend::asm::stream::Label;
use crate::backend::lower::cache::CachedValue;
use crate::backend::lower::host_registers::FIRST;
use crate::backend::lower::macro_assembler::MacroAssembler;
use crate::backend::lower::masks::Select;
use crate::backend::lower::memory::buffer::{entry_field, load_limit, load_words, reach};
use crate::backend::lower::memory::channels::Channels;
use crate::backend::lower::memory::marks::{check_marks, mark_contiguous, mark_each};
use crate::backend::lower::select::jump_if_any_bit;

/// Checks that the data of all enabled channels are inside and aligned, and that the caller need
/// not make the access; otherwise the caller executes the step. Loads `LIMIT`, `WORDS` and
/// [`MARKS`](crate::backend::lower::host_registers::MARKS); it leaves the flags
/// of `check_marks`.
///
/// Values that are loaded here are unknown afterwards, because not all paths execute this code.
pub(crate) fn all_inside(masm: &mut MacroAssembler, channels: &Channels<'_>) -> Option<()> {
    let (x, w) = (Width::X, channels.width());
    let Channels { transfer, offsets, masks, slow, .. } = channels;
    load_limit(masm, channels.entry, transfer, *slow);
    let [limit, low] = [masm.cache.take()?, masm.cache.take()?];
    let [bad, rest] = [masm.cache.take()?, masm.cache.take()?];
    masm.asm.rr(Code::VEX_Vmovd_xmm_rm32, limit.register(x), Register::EDX);
    masm.asm.v2(op::BROADCASTD, w, limit, limit, x);
    if transfer.alignment > 1 {
        masm.load(low, &CachedValue::Number { bits: u64::from(transfer.alignment) - 1, bytes: 4, width: w });
    }
    for (half, offset) in offsets.iter().enumerate() {
        let bits = masks.get(half).copied().filter(|select| matches!(select, Select::Bits(_)));
        let to = if half == 0 || bits.is_some() { bad } else { rest };
        masm.asm.v3(op::PMINUD, w, to, *offset, limit);
        masm.asm.v3(op::PXOR, w, to, to, *offset);
        if transfer.alignment > 1 {
            let part = masm.cache.take()?;
            masm.asm.v3(op::PAND, w, part, *offset, low);
            masm.asm.v3(op::POR, w, to, to, part);
            masm.cache.drop(part);
        }
        if let Some(Select::Ones(mask)) = masks.get(half) {
            masm.asm.v3(op::PAND, w, to, to, *mask);
        }
        if bits.is_some() {
            jump_if_any_bit(masm, w, bad, bits, *slow);
        } else if half > 0 {
            masm.asm.v3(op::POR, w, bad, bad, rest);
        }
    }
    if !matches!(masks[..], [Select::Bits(_), ..]) {
        jump_if_any_bit(masm, w, bad, None, *slow);
    }
    [limit, low, bad, rest].into_iter().for_each(|vector| masm.cache.drop(vector));
    check_marks(masm, channels, None);
    load_words(masm, channels.entry);
    Some(())
}

/// Checks that `bytes` bytes from the first channel's offset on are inside and aligned, marks them
/// for each element, and loads `WORDS`; otherwise it jumps.
pub(crate) fn near_inside(masm: &mut MacroAssembler, channels: &Channels<'_>, bytes: u32, otherwise: Label) {
    near_bounds(masm, channels, bytes, otherwise);
    mark_contiguous(masm, channels, bytes);
    load_words(masm, channels.entry);
}

/// Does the same as [`near_inside`], but marks the elements alone: not all of the bytes are theirs.
pub(crate) fn near_inside_each(masm: &mut MacroAssembler, channels: &Channels<'_>, bytes: u32, otherwise: Label) {
    near_bounds(masm, channels, bytes, otherwise);
    check_marks(masm, channels, None);
    load_words(masm, channels.entry);
    mark_each(masm, channels);
}

/// Checks that `bytes` bytes from the first channel's offset on are inside and aligned; otherwise
/// it jumps.
fn near_bounds(masm: &mut MacroAssembler, channels: &Channels<'_>, bytes: u32, otherwise: Label) {
    let transfer = channels.transfer;
    let end = indexed(FIRST, Register::None, 1, reach(transfer, bytes).into());
    masm.asm.rm(Code::Lea_r64_m, Register::R9, end);
    masm.asm.rm(Code::Cmp_r64_rm64, Register::R9, entry_field(channels.entry, offset::REACH));
    masm.asm.jump(Code::Ja_rel32_64, otherwise);
    if transfer.alignment > 1 {
        masm.asm.ri(Code::Test_rm32_imm32, Register::EDI, transfer.alignment as i32 - 1);
        masm.asm.jump(Code::Jne_rel32_64, otherwise);
    }
}

/// Checks that the elements of channels, which are `step` bytes apart, are inside; otherwise it
/// jumps. Marks the elements alone.
pub(crate) fn apart_inside(masm: &mut MacroAssembler, channels: &Channels<'_>, step: u32, otherwise: Label) {
    let unit = channels.transfer.unit.bytes();
    near_inside_each(masm, channels, (channels.halves * channels.lanes - 1) * step + unit, otherwise);
}

/// Checks that elements `size` bytes apart are inside; otherwise it jumps.
pub(crate) fn contiguous_inside(masm: &mut MacroAssembler, channels: &Channels<'_>, size: u32, otherwise: Label) {
    let unit = channels.transfer.unit.bytes();
    near_inside(masm, channels, (channels.halves * channels.lanes - 1) * size + unit, otherwise);
}
