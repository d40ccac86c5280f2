//! The types that a channel can hold, and how they stand in the register file (little-endian,
//! without padding).

use half::{bf16, f16};

/// How many channels kernels work on at a time. An instruction with twice as many is done in two
/// halves: with vectors of 16 values the compiler keeps everything in the host's registers.
pub const LANES: usize = 16;
/// Most channels that one instruction has.
pub const MAX_LANES: usize = 2 * LANES;

/// The values that a function gives for the numbers of the channels.
#[inline(always)]
pub fn from_lanes<T: Element, const N: usize>(f: impl Fn(usize) -> T) -> [T; N] {
    // Not `array::from_fn`, which the compiler does not always inline; and a plain loop, since this
    // is in every operation.
    let mut values = [T::default(); N];
    let mut i = 0;
    while i < N {
        values[i] = f(i);
        i += 1;
    }
    values
}

/// The enabled ones of `N` channels, in order.
#[inline(always)]
pub fn enabled_lanes<const N: usize>(enabled: u32) -> impl Iterator<Item = usize> {
    let mut rest = enabled;
    std::iter::from_fn(move || {
        // The remainder shows the compiler that an array of N values has this one.
        let lane = rest.trailing_zeros() as usize % N;
        (rest != 0).then(|| {
            rest &= rest - 1;
            lane
        })
    })
}

/// A value of one channel.
pub trait Element: Copy + Default + PartialEq + PartialOrd + Send + Sync + 'static {
    /// Size in bytes.
    const SIZE: usize;

    /// The first `N` values of `bytes`.
    ///
    /// # Panics
    /// When there are fewer; the register file ends with slack for the widest access.
    fn load<const N: usize>(bytes: &[u8]) -> [Self; N];

    /// Replaces the first `N` values of `bytes`.
    ///
    /// # Panics
    /// When there are fewer.
    fn store<const N: usize>(bytes: &mut [u8], lanes: &[Self; N]);
}

macro_rules! lanes {
    ($($type:ty, $size:literal;)*) => {$(
        impl Element for $type {
            const SIZE: usize = $size;

            #[inline(always)]
            fn load<const N: usize>(bytes: &[u8]) -> [Self; N] {
                let values: &[[u8; $size]; N] = bytes.as_chunks().0.first_chunk().expect("slack behind the registers");
                from_lanes(|i| Self::from_le_bytes(values[i]))
            }

            #[inline(always)]
            fn store<const N: usize>(bytes: &mut [u8], lanes: &[Self; N]) {
                let values: &mut [[u8; $size]; N] =
                    bytes.as_chunks_mut().0.first_chunk_mut().expect("slack behind the registers");
                // All are read before the first is written. Otherwise the compiler, which does not
                // know that they stand elsewhere, writes them one by one, and a vector that is
                // loaded from where parts of it have just been written is slow.
                let mut all = [[0; $size]; N];
                for i in 0..N {
                    all[i] = lanes[i].to_le_bytes();
                }
                *values = all;
            }
        }
    )*};
}

lanes! {
    u8, 1;
    i8, 1;
    u16, 2;
    i16, 2;
    u32, 4;
    i32, 4;
    u64, 8;
    i64, 8;
    i128, 16;
    f16, 2;
    bf16, 2;
    f32, 4;
    f64, 8;
}

/// What an operand's modifier does to a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Nothing.
    None,
    /// The absolute value.
    Abs,
    /// The negative; of an integer, its two's complement.
    Negate,
    /// The negative of the absolute value.
    NegateAbs,
    /// Every bit turned over; integers only.
    Not,
}

/// A value that modifiers can change: what kernels compute with.
pub trait Number: Element {
    /// The absolute value, wrapping. A pattern without sign is taken as a signed number: the
    /// magnitude of a number that really has none is left alone before it comes here.
    fn absolute(self) -> Self;
    /// The negative, wrapping.
    fn negative(self) -> Self;
    /// Every bit turned over.
    fn inverted(self) -> Self;
}

macro_rules! numbers {
    (signed: $($signed:ty)*; float: $($float:ty)*; pattern: $($pattern:ty, $as_signed:ty;)*) => {
        $(impl Number for $signed {
            #[inline(always)]
            fn absolute(self) -> Self { self.wrapping_abs() }
            #[inline(always)]
            fn negative(self) -> Self { self.wrapping_neg() }
            #[inline(always)]
            fn inverted(self) -> Self { !self }
        })*
        $(impl Number for $pattern {
            #[inline(always)]
            fn absolute(self) -> Self { (self as $as_signed).wrapping_abs() as $pattern }
            #[inline(always)]
            fn negative(self) -> Self { self.wrapping_neg() }
            #[inline(always)]
            fn inverted(self) -> Self { !self }
        })*
        $(impl Number for $float {
            #[inline(always)]
            fn absolute(self) -> Self { self.abs() }
            #[inline(always)]
            fn negative(self) -> Self { -self }
            #[inline(always)]
            fn inverted(self) -> Self { Self::from_bits(!self.to_bits()) }
        })*
    };
}

numbers! { signed: i8 i16 i32 i64 i128; float: f32 f64; pattern: u8, i8; u16, i16; u32, i32; u64, i64; }
