//! Rows: 16 consecutive bytes of each channel, moved by one access and transposed in registers.
//!
//! This is faster than a gather for each element. A vector takes the rows of every fourth channel
//! (of dwords) or of every second one (of qwords), so that unpacking brings the elements of
//! consecutive channels together.

use iced_x86::{Code, MemoryOperand, Register};

use crate::backend::abi::offset;
use crate::backend::analysis::contiguity::ROW;
use crate::backend::asm::op;
use crate::backend::asm::operand::{Vector, Width, at, indexed};
use crate::backend::asm::stream::Label;
use crate::backend::lower::cache::CachedValue;
use crate::backend::lower::host_registers::{FILE, FIRST, FRAME, WORDS};
use crate::backend::lower::macro_assembler::MacroAssembler;
use crate::backend::lower::masks::Select;
use crate::backend::lower::memory::channels::Channels;
use crate::backend::lower::select::{blend_selected, jump_if_any_bit};
use crate::ir::Access;

/// Allocates the vectors that moves of rows need.
pub(crate) fn take_rows(masm: &mut MacroAssembler) -> Option<[Vector; 6]> {
    let mut taken = Vec::new();
    for _ in 0..6 {
        match masm.cache.take() {
            Some(vector) => taken.push(vector),
            None => {
                taken.into_iter().for_each(|vector| masm.cache.drop(vector));
                return None;
            }
        }
    }
    taken.try_into().ok()
}

/// Stores the offsets of the channels, zero for those that are disabled. Two vectors are free.
pub(crate) fn store_row_offsets(masm: &mut MacroAssembler, channels: &Channels<'_>, [zero, scratch]: [Vector; 2]) {
    let w = channels.width();
    for (half, offsets) in (0..).zip(&channels.offsets) {
        let mut stored = *offsets;
        match channels.masks.get(half as usize) {
            Some(Select::Ones(ones)) => {
                masm.asm.v3(op::PAND, w, scratch, stored, *ones);
                stored = scratch;
            }
            Some(select @ Select::Bits(_)) => {
                masm.asm.v3(op::PXOR, w, zero, zero, zero);
                blend_selected(masm, 4, w, scratch, [zero, stored], *select);
                stored = scratch;
            }
            None => {}
        }
        masm.asm.store(op::MOVUPS_STORE, w, at(FRAME, offset::SCRATCH + half * channels.lanes * 4), stored);
    }
}

/// Jumps unless the rows of all channels are equal or apart: then the order of their elements does
/// not matter. Two vectors are free.
pub(crate) fn jump_if_overlapping(
    masm: &mut MacroAssembler,
    channels: &Channels<'_>,
    [low, scratch]: [Vector; 2],
    to: Label,
) {
    let w = channels.width();
    masm.load(low, &CachedValue::Number { bits: u64::from(ROW) - 1, bytes: 4, width: w });
    for offsets in &channels.offsets {
        masm.asm.v3(op::PAND, w, scratch, *offsets, low);
        jump_if_any_bit(masm, w, scratch, None, to);
    }
}

/// Returns the four vectors of dwords of a vector of channels, from their rows.
pub(crate) fn load_dwords(
    masm: &mut MacroAssembler,
    channels: &Channels<'_>,
    half: u32,
    all: [Vector; 6],
) -> [Vector; 4] {
    let [rows @ .., _, _] = all;
    for (n, row) in (0..).zip(rows) {
        load_row(masm, channels.width(), channels, row, (half * channels.lanes + n, 4));
    }
    transpose(masm, channels.width(), all)
}

/// Stores four vectors of dwords as the rows of a vector of channels, all of which are enabled.
pub(crate) fn store_dwords(masm: &mut MacroAssembler, channels: &Channels<'_>, half: u32, all: [Vector; 6]) {
    let Channels { transfer, lanes, pitch, .. } = channels;
    for ((_, place), vector) in transfer.elements.iter().zip(all) {
        masm.asm.load(op::MOVUPS, channels.width(), vector, at(FILE, place + half * pitch));
    }
    let rows = transpose(masm, channels.width(), all);
    store_rows(masm, channels.width(), channels, &rows, half * lanes);
}

/// Moves the rows of two qwords of a vector of channels, all of which are enabled.
pub(crate) fn move_qwords(masm: &mut MacroAssembler, channels: &Channels<'_>, half: u32, all: [Vector; 6]) {
    let Channels { transfer, lanes, pitch, .. } = channels;
    let (w, [a, b, low, high, ..]) = (masm.widest(), all);
    let each = w.bytes() / 8;
    for group in 0..lanes / each {
        let own = |n: usize| at(FILE, transfer.elements[n].1 + half * pitch + group * w.bytes());
        let first = half * lanes + group * each;
        let is_load = transfer.access == Access::Load;
        for (n, vector) in [a, b].into_iter().enumerate() {
            if is_load {
                load_row(masm, w, channels, vector, (first + n as u32, 2));
            } else {
                masm.asm.load(op::MOVUPS, w, vector, own(n));
            }
        }
        masm.asm.v3(op::PUNPCKLQDQ, w, low, a, b);
        masm.asm.v3(op::PUNPCKHQDQ, w, high, a, b);
        if is_load {
            [low, high]
                .into_iter()
                .enumerate()
                .for_each(|(n, vector)| masm.asm.store(op::MOVUPS_STORE, w, own(n), vector));
        } else {
            store_rows(masm, w, channels, &[low, high], first);
        }
    }
}

/// Transposes the dwords in each quarter of four vectors; two more are free. The results are in
/// vectors of `all`.
fn transpose(masm: &mut MacroAssembler, w: Width, [a, b, c, d, low, high]: [Vector; 6]) -> [Vector; 4] {
    masm.asm.v3(op::PUNPCKLDQ, w, low, a, b);
    masm.asm.v3(op::PUNPCKLDQ, w, high, c, d);
    masm.asm.v3(op::PUNPCKHDQ, w, a, a, b);
    masm.asm.v3(op::PUNPCKHDQ, w, c, c, d);
    masm.asm.v3(op::PUNPCKLQDQ, w, b, low, high);
    masm.asm.v3(op::PUNPCKHQDQ, w, d, low, high);
    masm.asm.v3(op::PUNPCKLQDQ, w, low, a, c);
    masm.asm.v3(op::PUNPCKHQDQ, w, high, a, c);
    [b, d, low, high]
}

/// Loads the rows of channels `first`, `first + step` and so on, one to each quarter of `d`.
fn load_row(masm: &mut MacroAssembler, w: Width, channels: &Channels<'_>, d: Vector, (first, step): (u32, u32)) {
    for quarter in 0..w.bytes() / ROW {
        let memory = row_of(masm, channels, first + quarter * step);
        masm.asm.load_quarter(w, d, memory, quarter);
    }
}

/// Stores rows in the order of the channels, of which `first` is the first one: vector `n` has the
/// rows of every channel that is `n` modulo the number of vectors.
fn store_rows(masm: &mut MacroAssembler, w: Width, channels: &Channels<'_>, vectors: &[Vector], first: u32) {
    let each = (0..w.bytes() / ROW).flat_map(|quarter| vectors.iter().map(move |vector| (quarter, *vector)));
    for (channel, (quarter, vector)) in (first..).zip(each) {
        let memory = row_of(masm, channels, channel);
        masm.asm.store_quarter(w, memory, vector, quarter);
    }
}

/// Returns the row of a channel whose offset has been stored or is known.
fn row_of(masm: &mut MacroAssembler, channels: &Channels<'_>, channel: u32) -> MemoryOperand {
    let first = channels.transfer.elements[0].0;
    if let Some(form) = channels.form {
        let distance = first + channel * form.step(channels.transfer.unit);
        return indexed(WORDS, FIRST, 1, distance.into());
    }
    masm.asm.rm(Code::Mov_r32_rm32, Register::R9D, at(FRAME, offset::SCRATCH + channel * 4));
    indexed(WORDS, Register::R9, 1, first.into())
}
