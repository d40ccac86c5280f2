//! Byte patterns of vector constants.

/// Returns the bit of each channel from `first` on, as elements of `bytes` bytes. For byte elements
/// the bits repeat after eight channels.
pub(crate) fn channel_bits(bytes: u32, first: u32) -> Vec<u8> {
    let count = 32 / bytes;
    (0..count)
        .flat_map(|lane| {
            let bit = match bytes {
                1 => 1_u64 << (lane % 8),
                2 => 1 << lane,
                _ => 1 << (first + lane),
            };
            bit.to_le_bytes().into_iter().take(bytes as usize)
        })
        .collect()
}

/// Returns for each of 32 channels the index of the mask byte that contains its bit.
pub(crate) fn byte_places() -> Vec<u8> {
    (0..32_u8).map(|n| n / 8).collect()
}

/// Returns a shuffle that moves the low `to` bytes of every `from` bytes to the front, in each half
/// of a register.
pub(crate) fn low_parts(from: u32, to: u32) -> Vec<u8> {
    let half = (0..16 / from).flat_map(|n| (0..to).map(move |byte| (n * from + byte) as u8));
    let mut half: Vec<u8> = half.collect();
    half.resize(16, 0x80);
    [half.clone(), half].concat()
}

/// Returns a number as the bytes of an element.
pub(crate) fn bytes_of(bits: u64, bytes: u32) -> Vec<u8> {
    bits.to_le_bytes()[..bytes as usize].to_vec()
}

/// Returns the first `count` multiples of a number, from zero on, as elements of `bytes` bytes.
pub(crate) fn multiples(bytes: u32, number: u64, count: u32) -> Vec<u8> {
    (0..count).flat_map(|n| bytes_of(number.wrapping_mul(n.into()), bytes)).collect()
}

/// Returns the distances of 32 channels from the first, in steps of `size` bytes.
pub(crate) fn steps(size: u32) -> Vec<u8> {
    multiples(4, size.into(), 32)
}

/// Returns the places of the low dwords of 16 qwords, or of the high ones.
pub(crate) fn dword_places(is_high: bool) -> Vec<u8> {
    (0..16_u32).flat_map(|n| (n * 2 + u32::from(is_high)).to_le_bytes()).collect()
}
