//! The algebra of one channel: what operations can do with values, whatever the values are.
//!
//! An operation ([`LaneOp`](crate::compute::LaneOp)) is written once, over one of these
//! traits. Given the host's numbers it computes. Given [`Strict`] floats it computes in another
//! floating-point mode, so no operation says twice what it does. Given the nodes of a
//! [`recording`](crate::record) it leaves there an expression of the methods below, which
//! native code is made of. Constants are made from a value that is there, so that a node finds the
//! recording which it belongs to.

use visakit_machine::convert::Compute;
use visakit_machine::float::{Float, FloatMode};
use visakit_machine::lane::{Element, Number};
use visakit_native::ir::Kind;

/// What integers and floats can do. Integers wrap unless it says otherwise; a float operation
/// rounds once.
pub(super) trait Lane: Copy {
    /// Whether values have 64 bits, of which the architecture's baseline has few operations.
    const LONG: bool = false;
    /// Whether values are integers of 32 or 64 bits, of which the baseline lacks products, extrema
    /// and the like.
    const WORD: bool = false;
    /// Whether a product and a sum are rounded once, for which the baseline calls a function of the
    /// system's library.
    const FUSED: bool = false;

    /// The sum.
    fn add(self, other: Self) -> Self;
    /// The product; in 128 bits the nearest that fits, which is beyond what any register holds.
    fn mul(self, other: Self) -> Self;
    /// The product and a sum.
    fn mul_add(self, other: Self, addend: Self) -> Self;
    /// The quotient. That of integers is cut off towards zero, and all ones for a divisor of zero:
    /// what the hardware does is not published.
    fn div(self, other: Self) -> Self;
    /// The smaller. With a NaN on one side it is the other side, with two it is the second.
    fn min(self, other: Self) -> Self;
    /// The larger, likewise.
    fn max(self, other: Self) -> Self;
    /// The negative.
    fn neg(self) -> Self;
}

/// What integers can do.
pub(super) trait Integer: Lane {
    /// How many bits there are.
    fn bits(self) -> u32;
    /// The low bits of a number.
    fn constant(self, value: u32) -> Self;
    /// The bits of both.
    fn and(self, other: Self) -> Self;
    /// The bits of either.
    fn or(self, other: Self) -> Self;
    /// The bits of one of them.
    fn xor(self, other: Self) -> Self;
    /// The other bits.
    fn not(self) -> Self;
    /// Moved up by the low bits of a number that `mask` leaves.
    fn shl(self, by: Self, mask: u32) -> Self;
    /// Moved down by the low bits of a number that `mask` leaves; copies of the sign come in, if
    /// there is one.
    fn shr(self, by: Self, mask: u32) -> Self;
    /// Turned up by as many places as the low bits of a number say.
    fn rotate(self, by: Self) -> Self;
    /// The mean, halves rounded up. The sum fits.
    fn mean(self, other: Self) -> Self;
    /// The remainder, with the sign of the dividend; the dividend for a divisor of zero.
    fn rem(self, other: Self) -> Self;
}

/// What floats can do.
pub(super) trait Real: Lane {
    /// A constant.
    fn constant(self, value: f32) -> Self;
    /// The square root.
    fn sqrt(self) -> Self;
    /// The reciprocal of the square root, which is rounded to nearest before.
    fn rsqrt(self) -> Self;
    /// The whole number below.
    fn floor(self) -> Self;
    /// The whole number above.
    fn ceil(self) -> Self;
    /// The whole number towards zero.
    fn trunc(self) -> Self;
    /// The nearest whole number, the even one of two.
    fn round(self) -> Self;
    /// What is above the whole number below, as the host's mode has it.
    fn fract(self) -> Self;
}

/// How values of the same kind compare.
pub(super) trait Compare: Copy {
    /// Yes or no.
    type Answer;
    /// Equality.
    fn equal(self, other: Self) -> Self::Answer;
    /// Order.
    fn less(self, other: Self) -> Self::Answer;
    /// Either; with a NaN neither holds.
    fn less_or_equal(self, other: Self) -> Self::Answer;
}

impl<T: Element> Compare for T {
    type Answer = bool;

    #[inline(always)]
    fn equal(self, other: Self) -> bool {
        self == other
    }

    #[inline(always)]
    fn less(self, other: Self) -> bool {
        self < other
    }

    #[inline(always)]
    fn less_or_equal(self, other: Self) -> bool {
        self <= other
    }
}

/// A number that kernels compute with, and how it is computed with in other floating-point modes
/// than the host's.
pub(super) trait Scalar: Compute {
    /// Values that know the mode; integers have none.
    type Moded: Copy;
    /// Whether there is one.
    const MODED: bool;
    /// What native code computes with in its place, if it does.
    const KIND: Option<Kind>;
    /// The value with the mode.
    fn in_mode(self, mode: FloatMode) -> Self::Moded;
    /// The value again.
    fn of_mode(value: Self::Moded) -> Self;
    /// The value as an operation in the mode takes it: subnormal ones may be zeros.
    fn taken_in(self, mode: FloatMode) -> Self;
}

macro_rules! integers {
    ($($type:ty, $kind:expr; $long:literal $word:literal $mul:ident, $div:expr, $rem:expr;)*) => {$(
        impl Lane for $type {
            const LONG: bool = $long;
            const WORD: bool = $word;
            #[inline(always)]
            fn add(self, other: Self) -> Self { self.wrapping_add(other) }
            #[inline(always)]
            fn mul(self, other: Self) -> Self { self.$mul(other) }
            #[inline(always)]
            fn mul_add(self, other: Self, addend: Self) -> Self { self.$mul(other).wrapping_add(addend) }
            #[inline(always)]
            fn div(self, other: Self) -> Self { $div(self, other) }
            #[inline(always)]
            fn min(self, other: Self) -> Self { Ord::min(self, other) }
            #[inline(always)]
            fn max(self, other: Self) -> Self { Ord::max(self, other) }
            #[inline(always)]
            fn neg(self) -> Self { self.wrapping_neg() }
        }

        impl Integer for $type {
            #[inline(always)]
            fn bits(self) -> u32 { <$type>::BITS }
            #[inline(always)]
            fn constant(self, value: u32) -> Self { value as $type }
            #[inline(always)]
            fn and(self, other: Self) -> Self { self & other }
            #[inline(always)]
            fn or(self, other: Self) -> Self { self | other }
            #[inline(always)]
            fn xor(self, other: Self) -> Self { self ^ other }
            #[inline(always)]
            fn not(self) -> Self { !self }
            #[inline(always)]
            fn shl(self, by: Self, mask: u32) -> Self { self.wrapping_shl(by as u32 & mask) }
            #[inline(always)]
            fn shr(self, by: Self, mask: u32) -> Self { self.wrapping_shr(by as u32 & mask) }
            #[inline(always)]
            fn rotate(self, by: Self) -> Self { self.rotate_left(by as u32 & (<$type>::BITS - 1)) }
            #[inline(always)]
            fn mean(self, other: Self) -> Self { self.wrapping_add(other).wrapping_add(1) >> 1 }
            #[inline(always)]
            fn rem(self, other: Self) -> Self { $rem(self, other) }
        }

        impl Scalar for $type {
            type Moded = Self;
            const MODED: bool = false;
            const KIND: Option<Kind> = $kind;
            #[inline(always)]
            fn in_mode(self, _: FloatMode) -> Self { self }
            #[inline(always)]
            fn of_mode(value: Self) -> Self { value }
            #[inline(always)]
            fn taken_in(self, _: FloatMode) -> Self { self }
        }
    )*};
}

integers! {
    u8, Some(Kind::U8); false false wrapping_mul, |a: u8, b| a.checked_div(b).unwrap_or(!0), |a: u8, b| a.checked_rem(b).unwrap_or(a);
    u16, Some(Kind::U16); false false wrapping_mul, |a: u16, b| a.checked_div(b).unwrap_or(!0), |a: u16, b| a.checked_rem(b).unwrap_or(a);
    i8, Some(Kind::I8); false false wrapping_mul, |a: i8, b| if b == 0 { !0 } else { a.wrapping_div(b) }, |a: i8, b| if b == 0 { a } else { a.wrapping_rem(b) };
    i16, Some(Kind::I16); false false wrapping_mul, |a: i16, b| if b == 0 { !0 } else { a.wrapping_div(b) }, |a: i16, b| if b == 0 { a } else { a.wrapping_rem(b) };
    u32, Some(Kind::U32); false true wrapping_mul, divide_unsigned, |a: u32, b| a.wrapping_sub(divide_unsigned(a, b).wrapping_mul(b));
    i32, Some(Kind::I32); false true wrapping_mul, divide_signed, |a: i32, b| a.wrapping_sub(divide_signed(a, b).wrapping_mul(b));
    u64, Some(Kind::U64); true true wrapping_mul, |a: u64, b| a.checked_div(b).unwrap_or(!0), |a: u64, b| a.checked_rem(b).unwrap_or(a);
    i64, Some(Kind::I64); true true wrapping_mul, |a: i64, b| if b == 0 { !0 } else { a.wrapping_div(b) }, |a: i64, b| if b == 0 { a } else { a.wrapping_rem(b) };
    i128, None; true true saturating_mul, |a: i128, b| if b == 0 { !0 } else { a.wrapping_div(b) }, |a: i128, b| if b == 0 { a } else { a.wrapping_rem(b) };
}

/// Quotients of 32 bits come from the host's division of doubles: it has that for several at a
/// time. A quotient of two integers of 32 bits that is not whole is further away from the next
/// whole number than a double can be wrong.
#[inline(always)]
fn divide_unsigned(a: u32, b: u32) -> u32 {
    let quotient = (f64::from(a) / f64::from(b)) as u32;
    if b == 0 { !0 } else { quotient }
}

#[inline(always)]
fn divide_signed(a: i32, b: i32) -> i32 {
    let quotient = (f64::from(a) / f64::from(b)) as i32;
    match b {
        0 => !0,
        // The quotient of the least number is too large, and wraps.
        -1 => a.wrapping_neg(),
        _ => quotient,
    }
}

macro_rules! floats {
    ($($type:ty, $kind:ident;)*) => {$(
        impl Lane for $type {
            const FUSED: bool = true;
            #[inline(always)]
            fn add(self, other: Self) -> Self { self + other }
            #[inline(always)]
            fn mul(self, other: Self) -> Self { self * other }
            #[inline(always)]
            fn mul_add(self, other: Self, addend: Self) -> Self { <$type>::mul_add(self, other, addend) }
            #[inline(always)]
            fn div(self, other: Self) -> Self { self / other }
            #[inline(always)]
            fn min(self, other: Self) -> Self { if self < other || other.is_nan() { self } else { other } }
            #[inline(always)]
            fn max(self, other: Self) -> Self { if self > other || other.is_nan() { self } else { other } }
            #[inline(always)]
            fn neg(self) -> Self { -self }
        }

        impl Real for $type {
            #[inline(always)]
            fn constant(self, value: f32) -> Self { value.into() }
            #[inline(always)]
            fn sqrt(self) -> Self { <$type>::sqrt(self) }
            #[inline(always)]
            fn rsqrt(self) -> Self { 1.0 / <$type>::sqrt(self) }
            #[inline(always)]
            fn floor(self) -> Self { <$type>::floor(self) }
            #[inline(always)]
            fn ceil(self) -> Self { <$type>::ceil(self) }
            #[inline(always)]
            fn trunc(self) -> Self { <$type>::trunc(self) }
            #[inline(always)]
            fn round(self) -> Self { self.round_ties_even() }
            #[inline(always)]
            fn fract(self) -> Self { self - <$type>::floor(self) }
        }

        impl Scalar for $type {
            type Moded = Strict<Self>;
            const MODED: bool = true;
            const KIND: Option<Kind> = Some(Kind::$kind);
            #[inline(always)]
            fn in_mode(self, mode: FloatMode) -> Strict<Self> { Strict { value: self, mode } }
            #[inline(always)]
            fn of_mode(strict: Strict<Self>) -> Self { strict.value }
            #[inline(always)]
            fn taken_in(self, mode: FloatMode) -> Self { self.flushed(mode) }
        }
    )*};
}

floats! { f32, F32; f64, F64; }

/// A float in a floating-point mode.
#[derive(Clone, Copy)]
pub(super) struct Strict<T> {
    /// The value.
    pub(super) value: T,
    /// The mode of whatever is done with it.
    pub(super) mode: FloatMode,
}

impl<T: Real> Strict<T> {
    fn map(self, f: impl Fn(T) -> T) -> Self {
        Self { value: f(self.value), ..self }
    }
}

impl<T: Float + Real> Lane for Strict<T> {
    fn add(self, other: Self) -> Self {
        self.map(|value| value.sum(other.value, self.mode))
    }

    fn mul(self, other: Self) -> Self {
        self.map(|value| value.product(other.value, self.mode))
    }

    fn mul_add(self, other: Self, addend: Self) -> Self {
        self.map(|value| value.fused(other.value, addend.value, self.mode))
    }

    fn div(self, other: Self) -> Self {
        self.map(|value| value.quotient(other.value, self.mode))
    }

    fn min(self, other: Self) -> Self {
        self.map(|value| value.flushed(self.mode).min(other.value.flushed(self.mode)))
    }

    fn max(self, other: Self) -> Self {
        self.map(|value| value.flushed(self.mode).max(other.value.flushed(self.mode)))
    }

    fn neg(self) -> Self {
        self.map(Number::negative)
    }
}

impl<T: Float + Real> Real for Strict<T> {
    fn constant(self, constant: f32) -> Self {
        self.map(|value| value.constant(constant))
    }

    fn sqrt(self) -> Self {
        self.map(|value| value.root(self.mode))
    }

    fn rsqrt(self) -> Self {
        self.map(|value| value.constant(1.0).quotient(value.flushed(self.mode).sqrt(), self.mode))
    }

    fn floor(self) -> Self {
        self.map(|value| value.flushed(self.mode).floor())
    }

    fn ceil(self) -> Self {
        self.map(|value| value.flushed(self.mode).ceil())
    }

    fn trunc(self) -> Self {
        self.map(|value| value.flushed(self.mode).trunc())
    }

    fn round(self) -> Self {
        self.map(|value| value.flushed(self.mode).round())
    }

    fn fract(self) -> Self {
        self.add(self.floor().neg())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotients_of_words_are_those_of_integers() {
        let edges = [0_u32, 1, 2, 3, 5, 7, 1 << 16, (1 << 16) + 1, i32::MAX as u32, 1 << 31, u32::MAX - 1, u32::MAX];
        let mut values = edges.to_vec();
        values.extend((1..200).map(|n: u32| n.wrapping_mul(0x9e37_79b9) >> (n % 31)));
        for (a, b) in values.iter().flat_map(|a| values.iter().map(|b| (*a, *b))) {
            assert_eq!(a.div(b), a.checked_div(b).unwrap_or(!0), "{a} / {b}");
            assert_eq!(a.rem(b), a.checked_rem(b).unwrap_or(a), "{a} % {b}");
            let (a, b) = (a as i32, b as i32);
            assert_eq!(a.div(b), if b == 0 { !0 } else { a.wrapping_div(b) }, "{a} / {b}");
            assert_eq!(a.rem(b), if b == 0 { a } else { a.wrapping_rem(b) }, "{a} % {b}");
        }
    }
}
