//! Pseudo-random bytes from a seed, for use without a fuzzer.

/// Returns `count` bytes derived from a seed.
///
/// ```
/// assert_eq!(visakit_smith::bytes(7, 100), visakit_smith::bytes(7, 100));
/// ```
pub fn bytes(seed: u64, count: usize) -> Vec<u8> {
    // splitmix64
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut out = Vec::with_capacity(count + 8);
    while out.len() < count {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        out.extend((mixed ^ mixed >> 31).to_le_bytes());
    }
    out.truncate(count);
    out
}
