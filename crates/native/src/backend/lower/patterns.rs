//! Byte patterns of vector constants.

/// The bits of single channels, as elements of so many bytes. For bytes they repeat.
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

/// Which byte of a mask each of 32 channels finds its bit in.
pub(crate) fn byte_places() -> Vec<u8> {
    (0..32_u8).map(|n| n / 8).collect()
}

/// Which bytes have the low `to` of every `from` bytes, in each half of a register.
pub(crate) fn low_parts(from: u32, to: u32) -> Vec<u8> {
    let half = (0..16 / from).flat_map(|n| (0..to).map(move |byte| (n * from + byte) as u8));
    let mut half: Vec<u8> = half.collect();
    half.resize(16, 0x80);
    [half.clone(), half].concat()
}

/// A number as the bytes of an element.
pub(crate) fn bytes_of(bits: u64, bytes: u32) -> Vec<u8> {
    bits.to_le_bytes()[..bytes as usize].to_vec()
}

/// The distances of 32 channels from the first, each so many bytes from the next.
pub(crate) fn steps(size: u32) -> Vec<u8> {
    (0..32).flat_map(|n| (n * size).to_le_bytes()).collect()
}

/// The places of the low dwords of 16 qwords, or of the high ones.
pub(crate) fn dword_places(is_high: bool) -> Vec<u8> {
    (0..16_u32).flat_map(|n| (n * 2 + u32::from(is_high)).to_le_bytes()).collect()
}
