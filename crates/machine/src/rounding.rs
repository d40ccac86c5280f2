//! Conversions to floating-point types in the modes of [`crate::float`].

use half::{bf16, f16};

use crate::float::{Float as _, FloatMode, Rounding, direct_f32, direct_f64, overflow, round_f32};

/// Rounds to F.
#[inline]
pub fn double_to_single(value: f64, mode: FloatMode) -> f32 {
    if mode.is_plain() {
        return value as f32;
    }
    round_f32(value.flushed(mode), mode.rounding).flushed(mode)
}

/// Rounds to HF.
#[inline]
pub(super) fn single_to_half(value: f32, mode: FloatMode) -> f16 {
    if mode.is_plain() {
        return f16::from_f32(value);
    }
    double_to_half(f64::from(value.flushed(mode)), mode)
}

/// Rounds to HF in one step.
#[inline]
pub fn double_to_half(value: f64, mode: FloatMode) -> f16 {
    let value = value.flushed(mode);
    // HF has 11 bits of mantissa; its smallest normal exponent is -14.
    let rounded = round_to_precision(value, 11, -14, mode.rounding);
    let limit = 65504.0;
    let rounded = if rounded.abs() > limit && value.is_finite() {
        let size = overflow(value.is_sign_negative(), mode.rounding);
        if size.is_infinite() { size } else { limit.copysign(value) }
    } else {
        rounded
    };
    flush_half(f16::from_f64(rounded), mode)
}

/// Rounds to BF.
pub(super) fn single_to_bfloat(value: f32, mode: FloatMode) -> bf16 {
    if mode.is_plain() {
        return bf16::from_f32(value);
    }
    double_to_bfloat(f64::from(value.flushed(mode)), mode)
}

/// Rounds to BF in one step.
#[inline]
pub fn double_to_bfloat(value: f64, mode: FloatMode) -> bf16 {
    if !value.is_finite() {
        return bf16::from_f64(value);
    }
    // The library conversion ignores the lower half of the double before rounding.
    let rounded = round_to_precision(value, 8, -126, mode.rounding);
    let limit = f64::from(bf16::MAX.to_f32());
    let rounded = if rounded.abs() > limit {
        let size = overflow(value.is_sign_negative(), mode.rounding);
        if size.is_infinite() { size } else { limit.copysign(rounded) }
    } else {
        rounded
    };
    bf16::from_f32((rounded as f32).flushed(mode))
}

/// Returns zero of the same sign for a denormal HF value if the mode flushes it, otherwise the
/// value.
#[inline(always)]
pub(super) fn flush_half(value: f16, mode: FloatMode) -> f16 {
    let denormal = value.to_bits() & 0x7c00 == 0;
    if !mode.keep_half && denormal { f16::from_bits(value.to_bits() & 0x8000) } else { value }
}

/// Rounds to a type with `bits` significant bits and smallest normal exponent `smallest`.
fn round_to_precision(value: f64, bits: i32, smallest: i32, rounding: Rounding) -> f64 {
    if !value.is_finite() || value == 0.0 {
        return value;
    }
    let exponent = ((value.to_bits() >> 52 & 0x7ff) as i32 - 1023).max(smallest);
    let unit = 2.0_f64.powi(exponent - bits + 1);
    let scaled = value / unit;
    let whole = match rounding {
        Rounding::NearestEven => scaled.round_ties_even(),
        Rounding::Up => scaled.ceil(),
        Rounding::Down => scaled.floor(),
        Rounding::Zero => scaled.trunc(),
    };
    (whole * unit).copysign(value)
}

/// Rounds an integer to F.
pub(super) fn integer_to_single(value: i128, rounding: Rounding) -> f32 {
    let near = value as f32;
    // 64-bit integers are far below the largest F, so the reverse conversion is exact.
    let difference = value - near as i128;
    direct_f32(near, difference.signum() as f64, rounding)
}

/// Rounds an integer to DF.
pub(super) fn integer_to_double(value: i128, rounding: Rounding) -> f64 {
    let near = value as f64;
    let difference = value - near as i128;
    direct_f64(near, difference.signum() as f64, rounding)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(rounding: Rounding) -> FloatMode {
        FloatMode { rounding, ..FloatMode::PLAIN }
    }

    #[test]
    fn narrowing() {
        for bits in (0..=u32::MAX).step_by(65_521) {
            let value = f32::from_bits(bits);
            let (once, twice) = (f16::from_f32(value), double_to_half(f64::from(value), FloatMode::PLAIN));
            assert!(once.to_bits() == twice.to_bits() || value.is_nan(), "{value:e}");
        }
        // Halfway between HF values except for a bit that F cannot hold: one rounding goes up, two
        // would go down.
        let halfway = 1.0 + 2.0_f64.powi(-11) + 2.0_f64.powi(-40);
        assert_eq!(double_to_half(halfway, FloatMode::PLAIN).to_bits(), 0x3c01);
        assert_eq!(double_to_half(1.0e9, with(Rounding::Zero)).to_f32(), 65504.0);
        assert_eq!(double_to_half(1.0e9, FloatMode::PLAIN), f16::INFINITY);
        assert_eq!(double_to_single(1.0 + 1.0e-12, with(Rounding::Up)), 1.0_f32.next_up());
        assert_eq!(single_to_bfloat(1.001, with(Rounding::Up)).to_f32(), 1.0078125);
        assert_eq!(integer_to_single((1 << 24) + 1, Rounding::Up), 16_777_218.0);
        assert_eq!(integer_to_single((1 << 24) + 1, Rounding::NearestEven), 16_777_216.0);
        assert_eq!(integer_to_double(-(1 << 53) - 1, Rounding::Down), -9_007_199_254_740_994.0);
    }
    #[test]
    fn denormal_values() {
        let (flush, negative) = (FloatMode::from_bits(0), f16::from_bits(0x8001));
        assert_eq!(flush_half(negative, flush).to_bits(), 0x8000);
        assert_eq!(flush_half(negative, FloatMode::PLAIN).to_bits(), 0x8001);
    }
}
