//! Floating-point modes, and operations in these modes.
//!
//! The control register selects the rounding mode and, for each width, if denormal values are kept
//! or flushed to zero (lists.md, `Cr0`). Compiled programs keep denormals and round to nearest
//! even, as the host does. Kernels use host arithmetic in that mode ([`FloatMode::is_plain`]) and
//! the functions here in other modes.

use visakit::isa::{Cr0, Cr0Rounding};
use visakit::rt::Bits as _;

/// Rounding mode of inexact results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounding {
    /// To the nearest value; ties to even.
    NearestEven,
    /// Towards positive infinity.
    Up,
    /// Towards negative infinity.
    Down,
    /// Towards zero.
    Zero,
}

/// The floating-point part of the control register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FloatMode {
    /// Rounding mode.
    pub rounding: Rounding,
    /// True if denormal DF values are kept.
    pub keep_double: bool,
    /// True if denormal F and BF values are kept.
    pub keep_single: bool,
    /// True if denormal HF values are kept.
    pub keep_half: bool,
}

impl FloatMode {
    /// Round to nearest even, denormals kept: the host's arithmetic.
    pub const PLAIN: Self =
        Self { rounding: Rounding::NearestEven, keep_double: true, keep_single: true, keep_half: true };

    /// Decodes the control register.
    #[inline]
    pub fn from_bits(bits: u32) -> Self {
        // An undefined pattern of the register selects the default.
        let control = Cr0::from_bits(bits.into()).unwrap_or_default();
        let rounding = match control.rounding {
            Cr0Rounding::NearestEven => Rounding::NearestEven,
            Cr0Rounding::Up => Rounding::Up,
            Cr0Rounding::Down => Rounding::Down,
            Cr0Rounding::Zero => Rounding::Zero,
        };
        Self { rounding, keep_double: control.keep_df, keep_single: control.keep_f, keep_half: control.keep_hf }
    }

    /// Returns true if host arithmetic has the same results.
    #[inline]
    pub fn is_plain(self) -> bool {
        self == Self::PLAIN
    }
}

/// A floating-point computation type. Every operation flushes its operands, rounds the exact
/// result, then flushes the rounded result.
pub trait Float: crate::lane::Number {
    /// `self + other`.
    fn sum(self, other: Self, mode: FloatMode) -> Self;
    /// `self * other`.
    fn product(self, other: Self, mode: FloatMode) -> Self;
    /// `self * other + addend`, rounded once.
    fn fused(self, other: Self, addend: Self, mode: FloatMode) -> Self;
    /// `self / other`.
    fn quotient(self, other: Self, mode: FloatMode) -> Self;
    /// Square root.
    fn root(self, mode: FloatMode) -> Self;
    /// Returns zero of the same sign for a denormal value if the mode flushes it, otherwise the
    /// value.
    fn flushed(self, mode: FloatMode) -> Self;
}

/// Rounds an exact sum or product as the mode requires. `near` is the exact value rounded to
/// nearest even, and `error` has the sign of the exact value minus `near`.
macro_rules! directed {
    ($name:ident, $float:ty) => {
        pub(super) fn $name(near: $float, error: f64, rounding: Rounding) -> $float {
            match rounding {
                Rounding::Up if error > 0.0 => near.next_up(),
                Rounding::Down if error < 0.0 => near.next_down(),
                Rounding::Zero if error < 0.0 && near > 0.0 => near.next_down(),
                Rounding::Zero if error > 0.0 && near < 0.0 => near.next_up(),
                _ => near,
            }
        }
    };
}

directed!(direct_f32, f32);
directed!(direct_f64, f64);

/// Returns the result of an overflow: infinity in nearest-even mode, infinity or the largest finite
/// value in a directed mode.
pub(super) fn overflow(negative: bool, rounding: Rounding) -> f64 {
    let infinite = match rounding {
        Rounding::NearestEven => true,
        Rounding::Up => !negative,
        Rounding::Down => negative,
        Rounding::Zero => false,
    };
    let size = if infinite { f64::INFINITY } else { f64::MAX };
    if negative { -size } else { size }
}

/// Returns `p + c` rounded to odd: if inexact, the neighbour whose last bit is set. Rounding this
/// value to a type with at least two bits less equals rounding the exact sum.
#[inline(always)]
pub fn sum_to_odd(p: f64, c: f64) -> f64 {
    let sum = p + c;
    let error = sum_error(p, c, sum);
    let bits = sum.to_bits();
    let inexact = (error > 0.0) | (error < 0.0);
    let away = (error.to_bits() ^ bits) >> 63 == 0;
    let step = if away { 1 } else { u64::MAX };
    let fix = if inexact & (bits & 1 == 0) { step } else { 0 };
    f64::from_bits(bits.wrapping_add(fix))
}

/// Returns `a * b + c` rounded to odd in F. Rounding this value to HF or BF equals rounding the
/// exact result.
#[inline]
pub fn fused_to_odd(a: f32, b: f32, c: f32, mode: FloatMode) -> f32 {
    let [a, b, c] = [a, b, c].map(|source| f64::from(source.flushed(mode)));
    let (product, addend) = (a * b, c);
    let sum = sum_to_odd(product, addend);
    if sum == 0.0 {
        return signed_zero_sum(product, addend, mode.rounding) as f32;
    }
    let near = sum as f32;
    let rest = sum - f64::from(near);
    let inexact = (rest > 0.0) | (rest < 0.0);
    let step = if rest.is_sign_negative() == sum.is_sign_negative() { 1 } else { u32::MAX };
    let bits = near.to_bits();
    if inexact & (bits & 1 == 0) { f32::from_bits(bits.wrapping_add(step)) } else { near }
}

/// Returns the exact `p + c` minus `sum`, its rounded value; NaN if an operand or the sum is not
/// finite.
#[inline(always)]
pub fn sum_error(p: f64, c: f64, sum: f64) -> f64 {
    let part = sum - p;
    (p - (sum - part)) + (c - part)
}

/// Returns an exact zero sum with its sign: negative if both terms are, or in round-down mode
/// unless both terms are positive zeros.
fn signed_zero_sum(a: f64, b: f64, rounding: Rounding) -> f64 {
    if a == 0.0 && b == 0.0 && a.is_sign_negative() == b.is_sign_negative() {
        a
    } else if rounding == Rounding::Down {
        -0.0
    } else {
        0.0
    }
}

impl Float for f32 {
    fn sum(self, other: Self, mode: FloatMode) -> Self {
        let (a, b) = (f64::from(self.flushed(mode)), f64::from(other.flushed(mode)));
        round_sum(a, b, mode).flushed(mode)
    }

    fn product(self, other: Self, mode: FloatMode) -> Self {
        // The product of two 24-bit numbers is exact in 53 bits.
        let product = f64::from(self.flushed(mode)) * f64::from(other.flushed(mode));
        round_f32(product, mode.rounding).flushed(mode)
    }

    fn fused(self, other: Self, addend: Self, mode: FloatMode) -> Self {
        let product = f64::from(self.flushed(mode)) * f64::from(other.flushed(mode));
        round_sum(product, f64::from(addend.flushed(mode)), mode).flushed(mode)
    }

    fn quotient(self, other: Self, mode: FloatMode) -> Self {
        let (a, b) = (self.flushed(mode), other.flushed(mode));
        let near = a / b;
        if near.is_infinite() && a.is_finite() && b != 0.0 {
            let size = overflow(near.is_sign_negative(), mode.rounding);
            return if size.is_infinite() { near } else { f32::MAX.copysign(near) };
        }
        if !near.is_finite() || b.is_infinite() {
            return near.flushed(mode);
        }
        // The remainder is exact. Its sign relative to the divisor shows on which side of `near`
        // the exact quotient lies.
        let rest = (-f64::from(near)).mul_add(f64::from(b), f64::from(a));
        direct_f32(near, rest * f64::from(b).signum(), mode.rounding).flushed(mode)
    }

    fn root(self, mode: FloatMode) -> Self {
        let value = self.flushed(mode);
        let near = value.sqrt();
        if !near.is_finite() || near == 0.0 {
            return near;
        }
        let rest = (-f64::from(near)).mul_add(f64::from(near), f64::from(value));
        direct_f32(near, rest, mode.rounding).flushed(mode)
    }

    #[inline(always)]
    fn flushed(self, mode: FloatMode) -> Self {
        if !mode.keep_single && self.is_subnormal() { 0.0_f32.copysign(self) } else { self }
    }
}

/// Returns `a + b`, rounded once to F.
fn round_sum(a: f64, b: f64, mode: FloatMode) -> f32 {
    let sum = sum_to_odd(a, b);
    if sum == 0.0 { signed_zero_sum(a, b, mode.rounding) as f32 } else { round_f32(sum, mode.rounding) }
}

/// Rounds a value to F that is exact or rounded to odd.
pub(super) fn round_f32(value: f64, rounding: Rounding) -> f32 {
    let near = value as f32;
    if near.is_infinite() && value.is_finite() {
        let size = overflow(value.is_sign_negative(), rounding);
        return if size.is_infinite() { near } else { f32::MAX.copysign(near) };
    }
    direct_f32(near, value - f64::from(near), rounding)
}

impl Float for f64 {
    fn sum(self, other: Self, mode: FloatMode) -> Self {
        let (a, b) = (self.flushed(mode), other.flushed(mode));
        let sum = a + b;
        if sum == 0.0 && a == -b {
            return signed_zero_sum(a, b, mode.rounding);
        }
        if sum.is_infinite() && a.is_finite() && b.is_finite() {
            return overflow(sum.is_sign_negative(), mode.rounding);
        }
        direct_f64(sum, sum_error(a, b, sum), mode.rounding).flushed(mode)
    }

    fn product(self, other: Self, mode: FloatMode) -> Self {
        let (a, b) = (self.flushed(mode), other.flushed(mode));
        let product = a * b;
        if product.is_infinite() && a.is_finite() && b.is_finite() {
            return overflow(product.is_sign_negative(), mode.rounding);
        }
        direct_f64(product, product_error(a, b, product), mode.rounding).flushed(mode)
    }

    fn fused(self, other: Self, addend: Self, mode: FloatMode) -> Self {
        let (a, b, c) = (self.flushed(mode), other.flushed(mode), addend.flushed(mode));
        let near = a.mul_add(b, c);
        if !near.is_finite() {
            let overflows = near.is_infinite() && a.is_finite() && b.is_finite() && c.is_finite();
            return if overflows { overflow(near.is_sign_negative(), mode.rounding) } else { near };
        }
        // An underflowing product is not an exact zero.
        let is_exact = a == 0.0 || b == 0.0 || a * b != 0.0;
        if near == 0.0 && is_exact && a * b == -c {
            return signed_zero_sum(a * b, c, mode.rounding);
        }
        direct_f64(near, fused_rest(a, b, c, near), mode.rounding).flushed(mode)
    }

    fn quotient(self, other: Self, mode: FloatMode) -> Self {
        let (a, b) = (self.flushed(mode), other.flushed(mode));
        let near = a / b;
        if near.is_infinite() && a.is_finite() && b != 0.0 {
            return overflow(near.is_sign_negative(), mode.rounding);
        }
        if !near.is_finite() || b.is_infinite() {
            return near;
        }
        // The remainder of a small dividend may underflow, so both are scaled.
        let scale = if a.abs() < TINY { SCALE } else { 1.0 };
        let rest = (-near * scale).mul_add(b, a * scale);
        direct_f64(near, rest * b.signum(), mode.rounding).flushed(mode)
    }

    fn root(self, mode: FloatMode) -> Self {
        let value = self.flushed(mode);
        let near = value.sqrt();
        if !near.is_finite() || near == 0.0 {
            return near;
        }
        let scale = if value < TINY { SCALE } else { 1.0 };
        let scaled = near * scale.sqrt();
        direct_f64(near, (-scaled).mul_add(scaled, value * scale), mode.rounding)
    }

    #[inline(always)]
    fn flushed(self, mode: FloatMode) -> Self {
        if !mode.keep_double && self.is_subnormal() { 0.0_f64.copysign(self) } else { self }
    }
}

/// Magnitude below which the rounding error of a product or root may underflow.
const TINY: f64 = f64::from_bits((1023 - 900) << 52);
/// Scale factor for such values: a power of four, hence exact.
const SCALE: f64 = f64::from_bits((1023 + 600) << 52);

/// Returns the exact `a * b` minus `product`, its rounded value, or another number of the same
/// sign.
fn product_error(a: f64, b: f64, product: f64) -> f64 {
    if product.abs() >= TINY || a == 0.0 || b == 0.0 {
        return a.mul_add(b, -product);
    }
    if product == 0.0 {
        return a.signum() * b.signum();
    }
    let (small, large) = if a.abs() < b.abs() { (a, b) } else { (b, a) };
    (small * SCALE).mul_add(large, -(product * SCALE))
}

/// Returns the exact `a * b + c` minus `near`, its rounded value, or another number of the same
/// sign.
fn fused_rest(a: f64, b: f64, c: f64, near: f64) -> f64 {
    let rest = |a: f64, b: f64, c: f64, near: f64| {
        // Error-free product and sum; only the sign of the remainder matters.
        let (high, low) = (a * b, a.mul_add(b, -(a * b)));
        let sum = high + c;
        (sum - near) + sum_error(high, c, sum) + low
    };
    if (a * b).abs() >= TINY || a == 0.0 || b == 0.0 {
        return rest(a, b, c, near);
    }
    let (small, large) = if a.abs() < b.abs() { (a * SCALE, b) } else { (b * SCALE, a) };
    // Next to such an addend, only the sign of the product matters.
    if c.abs() > TINY * (1.0 / f64::EPSILON).powi(4) || (small * large).abs() < TINY {
        return a.signum() * b.signum();
    }
    rest(small, large, c * SCALE, near * SCALE)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(rounding: Rounding) -> FloatMode {
        FloatMode { rounding, ..FloatMode::PLAIN }
    }

    #[test]
    fn control_register() {
        let mode = FloatMode::from_bits(0x4c0);
        assert!(mode.is_plain());
        assert!(!FloatMode::from_bits(0).keep_single);
        assert_eq!(FloatMode::from_bits(0x4f0).rounding, Rounding::Zero);
        assert_eq!(FloatMode::from_bits(0x4d0).rounding, Rounding::Up);
        assert_eq!(FloatMode::from_bits(0x4e0).rounding, Rounding::Down);
    }

    #[test]
    fn directed_sums_and_products() {
        let tiny = f32::MIN_POSITIVE;
        assert_eq!(1.0_f32.sum(tiny, with(Rounding::Up)), 1.0_f32.next_up());
        assert_eq!(1.0_f32.sum(tiny, with(Rounding::Down)), 1.0);
        assert_eq!(1.0_f32.sum(-tiny, with(Rounding::Zero)), 1.0_f32.next_down());
        assert_eq!((-1.0_f32).sum(tiny, with(Rounding::Zero)), (-1.0_f32).next_up());
        assert_eq!(1.0_f32.sum(-1.0, with(Rounding::Down)).to_bits(), (-0.0_f32).to_bits());
        assert_eq!(1.0_f32.sum(-1.0, with(Rounding::Up)).to_bits(), 0);
        let x = 1.0_f32.next_up();
        assert_eq!(x.product(x, with(Rounding::Up)), (f64::from(x) * f64::from(x)) as f32 + f32::EPSILON);
        assert_eq!(f32::MAX.product(2.0, with(Rounding::Zero)), f32::MAX);
        assert_eq!(f32::MAX.product(2.0, with(Rounding::Up)), f32::INFINITY);
        assert_eq!(f32::MAX.product(-2.0, with(Rounding::Up)), f32::MIN);
        assert_eq!(1.0_f64.sum(f64::MIN_POSITIVE, with(Rounding::Up)), 1.0_f64.next_up());
        assert_eq!(1.0_f64.quotient(3.0, with(Rounding::Up)), (1.0_f64 / 3.0).next_up());
        assert_eq!(1.0_f64.quotient(3.0, with(Rounding::Down)), 1.0_f64 / 3.0);
        assert_eq!(1.0_f32.quotient(-3.0, with(Rounding::Zero)), (-1.0_f32 / 3.0).next_up());
        assert_eq!(2.0_f32.root(with(Rounding::Up)), 2.0_f32.sqrt().next_up());
        assert_eq!(2.0_f32.root(with(Rounding::Zero)), 2.0_f32.sqrt());
        assert_eq!(f64::MAX.fused(2.0, 0.0, with(Rounding::Down)), f64::MAX);
        assert_eq!(1.0_f64.fused(1.0, f64::MIN_POSITIVE, with(Rounding::Up)), 1.0_f64.next_up());
        // With an infinite addend the result is exact.
        assert_eq!(f64::MIN_POSITIVE.fused(1.0e-19, f64::NEG_INFINITY, with(Rounding::Up)), f64::NEG_INFINITY);
    }

    #[test]
    fn one_rounding_in_fused_operations() {
        let (a, b) = (1.0_f32 + 2.0_f32.powi(-12), 1.0_f32 - 2.0_f32.powi(-12));
        for c in [-1.0, 2.0_f32.powi(-60), 1.0e30, f32::INFINITY, 0.0] {
            let want = a.mul_add(b, c);
            assert_eq!(a.fused(b, c, FloatMode::PLAIN).to_bits(), want.to_bits(), "{c}");
        }
        assert!(f32::INFINITY.fused(0.0, 1.0, FloatMode::PLAIN).is_nan());
    }

    #[test]
    fn denormal_values() {
        let flush = FloatMode::from_bits(0);
        let small = f32::from_bits(1);
        assert_eq!(small.sum(0.0, flush), 0.0);
        assert_eq!(small.sum(0.0, FloatMode::PLAIN), small);
        assert_eq!((-small).product(1.0, flush).to_bits(), (-0.0_f32).to_bits());
        assert_eq!(f32::MIN_POSITIVE.product(0.5, flush), 0.0);
    }
}
