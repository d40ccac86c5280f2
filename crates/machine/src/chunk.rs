//! Chunks of values in registers: loads, and stores of the enabled channels.

use crate::lane::{Element, LANES, enabled_lanes, from_lanes};
use crate::thread::{Registers, SLACK, ones};

/// Half a chunk: the channels of a SIMD8 instruction.
pub(crate) const HALF: usize = LANES / 2;
pub(crate) const HALF_ON: u32 = ones(HALF);

/// Stores the enabled values of `lanes` to the registers from `offset`.
#[inline(always)]
pub fn blend<T: Element, const N: usize>(registers: &mut Registers, offset: u32, lanes: &[T; N], enabled: u32) {
    if enabled & ones(N) == ones(N) {
        registers.store(offset, lanes);
    } else if let (HALF_ON, Some(half)) = (enabled & ones(N), lanes.first_chunk::<HALF>()) {
        registers.store(offset, half);
    } else if N > 1 {
        blend_some(registers, offset, lanes, enabled);
    }
}

/// Out of line: with newer vector extensions the compiler would emit masked stores, and loads of
/// their results are slow.
#[inline(never)]
pub(crate) fn blend_some<T: Element, const N: usize>(
    registers: &mut Registers,
    offset: u32,
    lanes: &[T; N],
    enabled: u32,
) {
    let old: [T; N] = registers.load(offset);
    registers.store(offset, &from_lanes::<T, N>(|i| if enabled & 1 << i != 0 { lanes[i] } else { old[i] }));
}

/// Longest distance between channels for which a whole chunk is certain to end within the padding
/// after the registers.
pub const LONGEST_STRIDE: u32 = (SLACK / LANES / 2) as u32;

/// Loads a chunk of values that are `step` bytes apart, from `offset`.
///
/// # Panics
/// If the last value is past the padding of the register file.
#[inline(always)]
pub fn take<T: Element>(registers: &Registers, offset: u32, step: u32) -> [T; LANES] {
    if step as usize == T::SIZE {
        return registers.load(offset);
    }
    from_lanes(|i| registers.get(offset + i as u32 * step))
}

/// Stores the enabled values of `lanes`, `step` bytes apart, from `offset`.
#[inline(always)]
pub fn spread<T: Element>(registers: &mut Registers, offset: u32, step: u32, lanes: &[T; LANES], enabled: u32) {
    if step as usize == T::SIZE {
        return blend(registers, offset, lanes, enabled);
    }
    for lane in enabled_lanes::<LANES>(enabled & ones(LANES)) {
        registers.set(offset + lane as u32 * step, lanes[lane]);
    }
}
