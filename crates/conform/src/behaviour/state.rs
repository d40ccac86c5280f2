//! Initial states of cases: registers with corner values and random bits, masks, modes, and
//! addresses of valid memory.

use visakit::isa::{Cr0, Cr0Rounding, predefined};
use visakit::rt::Bits as _;
use visakit_emulator::machine::sampler_state;
use visakit_oracle::Touches;

use super::case::{Bound, Subject};
use super::pictures::{self, Wants};
use super::pool::{ROW, Random};
use super::yard::BYTES;

impl Subject<'_> {
    /// Fills the state from a seed: registers, predicates, masks and modes.
    pub(super) fn fill(&mut self, seed: u64) {
        let mut random = Random(seed);
        let bytes = self.stage.register_bytes();
        let Self { threads: [thread, ..], pool, .. } = self;
        pool.fill(&mut random, &mut thread.registers.bytes_mut(0)[..bytes]);
        for predicate in &mut thread.predicates {
            *predicate = match random.next() % 4 {
                0 => 0,
                1 => u32::MAX,
                _ => random.next() as u32,
            };
        }
        // Register addresses, a few of them out of range.
        for at in self.stage.addresses() {
            thread.registers.set(at, (random.next() % (bytes as u64 + 64)) as u32 & !7);
        }
        for state in &mut thread.surfaces {
            *state = random.next() as u32 % 64;
        }
        thread.active = if random.next().is_multiple_of(2) { u32::MAX } else { random.next() as u32 };
        let control = if random.next().is_multiple_of(2) { PLAIN } else { random.next() as u32 };
        thread.set_mode(control_bits(control));
        self.clear_null();
    }

    /// Writes addresses and offsets of valid memory to registers, if the instruction accesses
    /// memory.
    pub(super) fn aim(&mut self, bound: &Bound, seed: u64) {
        let touches = bound.touches;
        if touches == Touches::default() {
            return;
        }
        let mut random = Random(!seed);
        if touches.image {
            return self.aim_at_images(bound, &mut random);
        }
        let width = if touches.flat { 8 } else { 4 };
        let bytes = self.stage.register_bytes();
        // Most states stay inside the buffers and give each channel its own address.
        let (is_calm, is_apart) = (!random.next().is_multiple_of(4), !random.next().is_multiple_of(3));
        let spread = if is_calm { BYTES - 128 } else { BYTES + 16 };
        let step = [4, 8, 16, 24, 40][random.below(5)];
        let registers = &mut self.threads[0].registers.bytes_mut(0)[..bytes];
        let mut nth = random.next() % spread;
        for register in registers.chunks_mut(ROW) {
            // Leave some registers unchanged, for data.
            if random.next().is_multiple_of(4) {
                continue;
            }
            let buffer = random.next();
            let odd = if is_calm || !random.next().is_multiple_of(8) { 7 } else { 0 };
            // Some messages add offsets to one address.
            let base =
                if touches.flat && !random.next().is_multiple_of(3) { self.yards[0].address(buffer) } else { 0 };
            for element in register.chunks_exact_mut(width) {
                nth = if is_apart { nth + step } else { random.next() };
                let value = base + ((nth % spread) & !odd);
                element.copy_from_slice(&value.to_le_bytes()[..width]);
            }
        }
        self.clear_null();
    }

    /// Writes coordinates around the edges of images, and valid binding table entries.
    fn aim_at_images(&mut self, bound: &Bound, random: &mut Random) {
        let operands = bound.program.operands();
        let mut sources = operands.iter().filter(|operand| !operand.written);
        let width = if sources.any(|operand| operand.bits == 16 && operand.raw) { 2 } else { 4 };
        let touches = bound.touches;
        let floats = touches.sampler;
        let bytes = self.stage.register_bytes();
        let thread = &mut self.threads[0];
        for register in thread.registers.bytes_mut(0)[..bytes].chunks_mut(ROW / 2) {
            if !random.next().is_multiple_of(5) {
                pictures::row(random, register, Wants { width, floats });
            }
        }
        let samplers = bound.program.sampler_elements();
        for (n, state) in (0..).zip(&mut thread.surfaces) {
            let unit = if samplers.contains(&n) {
                *state = random.next() as u32 % 64;
                sampler_state(1) as u32
            } else {
                *state = pictures::entry(random, floats);
                64
            };
            // Bindless access: the offset of the surface state.
            if random.next().is_multiple_of(4) {
                *state *= unit;
            }
        }
        self.clear_null();
    }

    /// Clears the null variable, which always reads as zero.
    fn clear_null(&mut self) {
        if let Some(null) = self.stage.offset(predefined::NULL) {
            self.threads[0].registers.bytes_mut(null)[..64].fill(0);
        }
    }
}

/// Rounding to nearest, without flushing of subnormal numbers.
const PLAIN: u32 = 0b11100;

/// Returns the control register that the bits of `choice` select.
fn control_bits(choice: u32) -> u32 {
    let flag = |n: u32| choice >> n & 1 == 1;
    let rounding = Cr0Rounding::ALL[choice as usize % Cr0Rounding::ALL.len()];
    let control = Cr0 { rounding, keep_df: flag(2), keep_f: flag(3), keep_hf: flag(4), ..Cr0::default() };
    control.to_bits().unwrap_or(0) as u32
}
