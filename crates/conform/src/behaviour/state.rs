//! Initial states of cases: registers with corner values and random bits, masks, modes, and
//! addresses of valid memory.

use visakit::isa::{Cr0, Cr0Rounding, predefined};
use visakit::rt::Bits as _;
use visakit_emulator::machine::sampler_state;
use visakit_oracle::Touches;

use super::case::{Bound, Subject};
use super::pictures::{self, Wants};
use super::yard::BYTES;

/// Size of a row in bytes.
const ROW: usize = 64;

/// Number of rows in a pool.
const ROWS: usize = 2048;

/// Precomputed rows of numbers. Generating new rows for each state would take longer than running
/// it.
pub(super) struct Pool(Vec<[u8; ROW]>);

impl Pool {
    pub(super) fn new(seed: u64) -> Self {
        let mut random = Random(seed);
        Self((0..ROWS).map(|_| row(&mut random)).collect())
    }

    /// Fills bytes with random rows.
    pub(super) fn fill(&self, random: &mut Random, bytes: &mut [u8]) {
        for chunk in bytes.chunks_mut(ROW) {
            chunk.copy_from_slice(&self.0[random.below(ROWS)][..chunk.len()]);
        }
    }
}

/// Returns a row with numbers of one kind, because an instruction reads a whole row.
fn row(random: &mut Random) -> [u8; ROW] {
    let mut row = [0; ROW];
    let (kind, width) = (random.next() % 10, [1, 2, 4, 4, 8][random.below(5)]);
    for element in row.chunks_mut(width) {
        let bits = match kind {
            0..3 => CORNERS[random.below(CORNERS.len())] >> (64 - 8 * width),
            3..6 => random.next(),
            6 => random.next() % 33,
            // Few distinct values, so that any two of them occur together.
            7 => ENDS[random.below(ENDS.len())] >> (64 - 8 * width),
            // Midpoint between two numbers of fewer bits, or a number next to it.
            8 => {
                let zeros = random.below(8 * width);
                ((random.next() >> zeros | 1) << zeros).wrapping_add([0, 0, 1, u64::MAX][random.below(4)])
            }
            // Floats of moderate size.
            _ => float_bits(random, width),
        };
        element.copy_from_slice(&bits.to_le_bytes()[..width]);
    }
    row
}

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
        for address in &mut thread.addresses {
            *address = (random.next() % (bytes as u64 + 64)) as u32 & !7;
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

/// Smallest and largest integers.
const ENDS: [u64; 4] = [0, 1 << 63, u64::MAX, u64::MAX >> 1];

/// Corner values, aligned to the highest bit. A narrower type uses the upper bits.
const CORNERS: [u64; 24] = [
    0,
    1,
    2,
    u64::MAX,
    0x8000_0000_0000_0000,
    0x7fff_ffff_ffff_ffff,
    0x8000_0000_8000_0001,
    0x7f80_0000_7f80_0000,
    0xff80_0000_ff80_0000,
    0x7fc0_0000_7fc0_0000,
    0x7f80_0001_7f80_0001,
    0x3f80_0000_3f80_0000,
    0xbf80_0000_bf80_0000,
    0x0000_0001_0000_0001,
    0x007f_ffff_007f_ffff,
    0x0080_0000_0080_0000,
    0x7f7f_ffff_7f7f_ffff,
    0x3c00_3c00_3c00_3c00,
    0x7c00_7c00_7c00_7c00,
    0x0001_0001_0001_0001,
    0x7ff0_0000_0000_0000,
    0x3ff0_0000_0000_0000,
    0x000f_ffff_ffff_ffff,
    0x4b00_0001_4b00_0001,
];

fn float_bits(random: &mut Random, width: usize) -> u64 {
    let value = (random.next() as i32 as f64) * 2.0_f64.powi((random.next() % 40) as i32 - 36);
    match width {
        8 => value.to_bits(),
        4 => (value as f32).to_bits().into(),
        // Build an HF value: sign, an exponent near that of 1, and a fraction.
        _ => random.next() & 0x83ff | (12 + random.next() % 8) << 10,
    }
}

/// Pseudo-random generator splitmix64.
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    pub(super) fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }
}
