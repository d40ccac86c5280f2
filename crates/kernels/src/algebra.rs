//! Algebra of one channel: the operations on values, independent of their representation.
//!
//! An operation ([`LaneOp`](crate::compute::LaneOp)) is written once, over one of these
//! traits. On host numbers it computes. On [`Strict`] floats it computes in another floating-point
//! mode, so no operation is implemented twice. On the nodes of a
//! [`recording`](crate::record) it builds an expression of the methods below, from which
//! native code is generated. Constants are made from an existing value, because a node must know
//! its recording.

use visakit_machine::convert::Compute;
use visakit_machine::float::{Float, FloatMode};
use visakit_machine::lane::{Element, Number};
use visakit_native::ir::Kind;

/// Operations of integers and floats. Integers wrap unless stated otherwise; a float operation
/// rounds once.
pub(super) trait Lane: Copy {
    /// True for 64-bit values, which the baseline instruction set supports poorly.
    const LONG: bool = false;
    /// True for 32-bit and 64-bit integers, for which the baseline vectors lack products, minima
    /// and maxima.
    const WORD: bool = false;
    /// True if `mul_add` rounds once; the baseline needs a library call for this.
    const FUSED: bool = false;

    /// Returns the sum.
    fn add(self, other: Self) -> Self;
    /// Returns the product. A 128-bit product saturates, which is outside the range of any register
    /// type.
    fn mul(self, other: Self) -> Self;
    /// Returns the product plus `addend`.
    fn mul_add(self, other: Self, addend: Self) -> Self;
    /// Returns the quotient. Integer quotients truncate; division by zero yields all ones, because
    /// the hardware's result is not published.
    fn div(self, other: Self) -> Self;
    /// Returns the minimum. If one operand is NaN, returns the other; if both are, the second.
    fn min(self, other: Self) -> Self;
    /// Returns the maximum. NaN is handled as in [`Lane::min`].
    fn max(self, other: Self) -> Self;
    /// Returns the negated value.
    fn neg(self) -> Self;
}

/// Operations of integers.
pub(super) trait Integer: Lane {
    /// Returns the width in bits.
    fn bits(self) -> u32;
    /// Returns a constant, truncated to the width.
    fn constant(self, value: u32) -> Self;
    /// Returns the bitwise AND.
    fn and(self, other: Self) -> Self;
    /// Returns the bitwise OR.
    fn or(self, other: Self) -> Self;
    /// Returns the bitwise XOR.
    fn xor(self, other: Self) -> Self;
    /// Returns the bitwise complement.
    fn not(self) -> Self;
    /// Shifts left. The count is masked with `mask`.
    fn shl(self, by: Self, mask: u32) -> Self;
    /// Shifts right, arithmetically for signed types. The count is masked with `mask`.
    fn shr(self, by: Self, mask: u32) -> Self;
    /// Rotates left. The count is taken modulo the width.
    fn rotate(self, by: Self) -> Self;
    /// Returns the mean, rounding halves up. The sum must fit.
    fn mean(self, other: Self) -> Self;
    /// Returns the remainder with the dividend's sign; the dividend if the divisor is zero.
    fn rem(self, other: Self) -> Self;
}

/// Operations of floats.
pub(super) trait Real: Lane {
    /// Returns a constant.
    fn constant(self, value: f32) -> Self;
    /// Returns the square root.
    fn sqrt(self) -> Self;
    /// Returns the reciprocal of the square root; the square root is first rounded to nearest.
    fn rsqrt(self) -> Self;
    /// Rounds down to an integer.
    fn floor(self) -> Self;
    /// Rounds up to an integer.
    fn ceil(self) -> Self;
    /// Truncates to an integer.
    fn trunc(self) -> Self;
    /// Rounds to the nearest integer, ties to even.
    fn round(self) -> Self;
    /// Returns the value minus its floor, rounded in the host's mode.
    fn fract(self) -> Self;
}

/// Comparisons of values of the same type.
pub(super) trait Compare: Copy {
    /// Result type of a comparison.
    type Answer;
    /// Compares for equality.
    fn equal(self, other: Self) -> Self::Answer;
    /// Compares for less-than.
    fn less(self, other: Self) -> Self::Answer;
    /// Compares for less-or-equal; false if an operand is NaN.
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

/// A number type of kernels, with its variant for floating-point modes other than the host's.
pub(super) trait Scalar: Compute {
    /// Value type with a floating-point mode; `Self` for integers.
    type Moded: Copy;
    /// True if the type depends on the floating-point mode.
    const MODED: bool;
    /// Corresponding type of native code, if supported.
    const KIND: Option<Kind>;
    /// Attaches the floating-point mode.
    fn in_mode(self, mode: FloatMode) -> Self::Moded;
    /// Removes the floating-point mode.
    fn of_mode(value: Self::Moded) -> Self;
    /// Returns the value as an operand in the mode: flushed to zero if the mode flushes denormals.
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

/// Divides 32-bit integers through doubles, because the host has vector division for those. An
/// inexact quotient of 32-bit integers is farther from the next integer than the rounding error of
/// a double, so truncation is exact.
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
        // The quotient of the minimum value and -1 overflows and wraps.
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

/// A float with a floating-point mode.
#[derive(Clone, Copy)]
pub(super) struct Strict<T> {
    /// The value.
    pub(super) value: T,
    /// Mode of all operations on the value.
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
