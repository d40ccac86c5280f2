//! Random numbers, and rows of them with the corner cases of the numeric types.

/// Size of a row in bytes.
pub(super) const ROW: usize = 64;

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
