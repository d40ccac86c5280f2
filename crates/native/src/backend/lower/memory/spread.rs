//! Spread elements: bytes or words that are two to four bytes apart, such as a colour of a picture.
//!
//! Four channels take 16 bytes, which one access loads. This is faster than a gather.

use std::ops::Range;

use crate::backend::asm::op;
use crate::backend::asm::operand::{Vector, Width, indexed};
use crate::backend::asm::stream::Label;
use crate::backend::lower::host_registers::{FIRST, WORDS};
use crate::backend::lower::macro_assembler::MacroAssembler;
use crate::backend::lower::memory::bounds::near_inside_each;
use crate::backend::lower::memory::channels::Channels;
use crate::backend::lower::memory::contiguous::are_apart;
use crate::ir::Unit;

/// Number of bytes of an access.
const QUARTER: u32 = 16;
/// Number of channels of an access.
const CHANNELS: u32 = 4;

/// Returns the distances in bytes that the elements may have, except for that of contiguous ones;
/// none unless all channels are enabled.
pub(crate) fn distances(channels: &Channels<'_>) -> Range<u32> {
    match channels.transfer.unit {
        Unit::Part { bytes: bytes @ 1..=2, .. } if channels.masks.is_empty() => bytes + 1..QUARTER / CHANNELS + 1,
        _ => 0..0,
    }
}

/// Writes a jump to `otherwise` unless the elements of consecutive channels have a distance, and
/// all accesses are inside the buffer.
pub(crate) fn check_spread(
    masm: &mut MacroAssembler,
    channels: &Channels<'_>,
    distance: u32,
    free: [Vector; 2],
    otherwise: Label,
) {
    are_apart(masm, channels, distance, free, otherwise);
    let bytes = (channels.halves * channels.lanes - CHANNELS) * distance + QUARTER;
    near_inside_each(masm, channels, bytes, otherwise);
}

/// Loads the elements that begin `from` bytes after the first channel's address to dwords of `d`.
pub(crate) fn load_spread(masm: &mut MacroAssembler, w: Width, d: Vector, (from, size, distance): (u32, u32, u32)) {
    for quarter in 0..w.bytes() / QUARTER {
        let memory = indexed(WORDS, FIRST, 1, i64::from(from + quarter * CHANNELS * distance));
        masm.asm.load_quarter(w, d, memory, quarter);
    }
    // A place with its highest bit set means zero.
    let place = |n: u32| if n % 4 < size { n / 4 % CHANNELS * distance + n % 4 } else { 0x80 };
    let places = masm.asm.constant((0..w.bytes()).map(|n| place(n) as u8).collect());
    masm.asm.v3(op::PSHUFB, w, d, d, places);
}
