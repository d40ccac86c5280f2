//! Channel value types and their layout in the register file (little-endian, without padding).

use half::{bf16, f16};

/// Number of channels in a chunk. An instruction with 32 channels runs as two chunks: with vectors
/// of 16 values the compiler keeps all data in host registers.
pub const LANES: usize = 16;
/// Largest number of channels of an instruction.
pub const MAX_LANES: usize = 2 * LANES;

/// Returns an array of `f(i)` for each channel number `i`.
#[inline(always)]
pub fn from_lanes<T: Element, const N: usize>(f: impl Fn(usize) -> T) -> [T; N] {
    // `array::from_fn` is not always inlined. Every operation uses this function, hence a plain
    // loop.
    let mut values = [T::default(); N];
    let mut i = 0;
    while i < N {
        values[i] = f(i);
        i += 1;
    }
    values
}

/// Iterates over the enabled channels among the first `N`, in order.
#[inline(always)]
pub fn enabled_lanes<const N: usize>(enabled: u32) -> impl Iterator<Item = usize> {
    let mut rest = enabled;
    std::iter::from_fn(move || {
        // The remainder lets the compiler omit the bounds check of an array of N values.
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

    /// Loads the first `N` values of `bytes`.
    ///
    /// # Panics
    /// If `bytes` is too short; the register file ends with padding for the widest access.
    fn load<const N: usize>(bytes: &[u8]) -> [Self; N];

    /// Stores the first `N` values of `bytes`.
    ///
    /// # Panics
    /// If `bytes` is too short.
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
                // Reads all values before the first write. Otherwise the compiler must assume
                // aliasing and writes the values one by one, and a vector load after partial writes
                // is slow.
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

/// Effect of a source modifier on a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// No change.
    None,
    /// Absolute value.
    Abs,
    /// Negation; two's complement for an integer.
    Negate,
    /// Negated absolute value.
    NegateAbs,
    /// Bitwise complement; integers only.
    Not,
}

/// A value type that modifiers apply to, used by kernels for computation.
pub trait Number: Element {
    /// Returns the absolute value, wrapping. Interprets an unsigned pattern as signed; lowering
    /// drops the modifier for truly unsigned operands.
    fn absolute(self) -> Self;
    /// Returns the negated value, wrapping.
    fn negative(self) -> Self;
    /// Returns the bitwise complement.
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
