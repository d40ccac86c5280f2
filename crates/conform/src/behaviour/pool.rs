//! Random numbers, and rows of them with the corner cases of the numeric types.

/// Bytes of a row of numbers.
pub(super) const ROW: usize = 64;

/// Rows of a pool.
const ROWS: usize = 2048;

/// Rows of numbers, of which states are put together: making them anew for each state would take
/// longer than running it.
pub(super) struct Pool(Vec<[u8; ROW]>);

impl Pool {
    pub(super) fn new(seed: u64) -> Self {
        let mut random = Random(seed);
        Self((0..ROWS).map(|_| row(&mut random)).collect())
    }

    /// Fills bytes with rows.
    pub(super) fn fill(&self, random: &mut Random, bytes: &mut [u8]) {
        for chunk in bytes.chunks_mut(ROW) {
            chunk.copy_from_slice(&self.0[random.below(ROWS)][..chunk.len()]);
        }
    }
}

/// A row has one kind of numbers: instructions read rows of them.
fn row(random: &mut Random) -> [u8; ROW] {
    let mut row = [0; ROW];
    let (kind, width) = (random.next() % 10, [1, 2, 4, 4, 8][random.below(5)]);
    for element in row.chunks_mut(width) {
        let bits = match kind {
            0..3 => CORNERS[random.below(CORNERS.len())] >> (64 - 8 * width),
            3..6 => random.next(),
            6 => random.next() % 33,
            // So few that any two of them meet.
            7 => ENDS[random.below(ENDS.len())] >> (64 - 8 * width),
            // In the middle between two numbers of fewer bits, or beside that.
            8 => {
                let zeros = random.below(8 * width);
                ((random.next() >> zeros | 1) << zeros).wrapping_add([0, 0, 1, u64::MAX][random.below(4)])
            }
            // Floats of a moderate size.
            _ => float_bits(random, width),
        };
        element.copy_from_slice(&bits.to_le_bytes()[..width]);
    }
    row
}

/// The ends of what integers hold, and the middle.
const ENDS: [u64; 4] = [0, 1 << 63, u64::MAX, u64::MAX >> 1];

/// Numbers at which something happens, from the highest bit on: those of a narrower type are their
/// upper bits.
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
        // An HF from the bits of an F: sign, an exponent near that of 1, fraction.
        _ => random.next() & 0x83ff | (12 + random.next() % 8) << 10,
    }
}

/// splitmix64
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
