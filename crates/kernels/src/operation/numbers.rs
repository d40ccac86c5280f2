//! Algebra of the host's numbers.

use crate::operation::algebra::{Compare, Integer, Lane, Real, Scalar};
use crate::operation::strict::Strict;
use visakit_machine::float::{Float, FloatMode};
use visakit_machine::lane::Element;
use visakit_native::ir::Kind;

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
