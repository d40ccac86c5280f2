//! Sine and cosine of moderate angles, in DF and branch-free, so that all channels are computed
//! together.

use std::f64::consts::FRAC_2_PI;

/// Below this magnitude the number of quarter turns has few enough bits that the range reduction is
/// exact to F precision.
const NEAR: f32 = 65536.0;
/// Pi/2 in two parts: the first 33 bits, whose product with the number of quarter turns is exact,
/// and the next 53 bits.
const QUARTER: [f64; 2] = [f64::from_bits(0x3ff9_21fb_5440_0000), f64::from_bits(0x3dd0_b461_1a62_6331)];
/// Addend that leaves the nearest integer in the low bits of the sum.
pub(super) const WHOLE: f64 = (3_u64 << 51) as f64;
/// Coefficients of the sine series after the first, for powers of the square: reciprocals of odd
/// factorials.
const ODD: [f64; 7] = [
    -1.0 / 6.0,
    1.0 / 120.0,
    -1.0 / 5_040.0,
    1.0 / 362_880.0,
    -1.0 / 39_916_800.0,
    1.0 / 6_227_020_800.0,
    -1.0 / 1_307_674_368_000.0,
];
/// Coefficients of the cosine series after the first.
const EVEN: [f64; 8] = [
    -1.0 / 2.0,
    1.0 / 24.0,
    -1.0 / 720.0,
    1.0 / 40_320.0,
    -1.0 / 3_628_800.0,
    1.0 / 479_001_600.0,
    -1.0 / 87_178_291_200.0,
    1.0 / 20_922_789_888_000.0,
];

/// Returns true if a value is in the range of [`sine`].
#[inline(always)]
pub(crate) fn is_near(value: f32) -> bool {
    value.abs() < NEAR
}

/// Returns the sine of `angle` plus `quarters` quarter turns; one quarter yields the cosine.
#[inline(always)]
pub(crate) fn sine(angle: f64, quarters: u64) -> f64 {
    let whole = angle * FRAC_2_PI + WHOLE;
    let quadrant = whole.to_bits().wrapping_add(quarters);
    let whole = whole - WHOLE;
    let rest = (angle - whole * QUARTER[0]) - whole * QUARTER[1];
    let square = rest * rest;
    // Multiplying the sum last preserves the sign of zero.
    let sine = rest * (1.0 + square * series(&ODD, square));
    let cosine = 1.0 + square * series(&EVEN, square);
    let value = if quadrant & 1 == 0 { sine } else { cosine };
    if quadrant & 2 == 0 { value } else { -value }
}

#[inline(always)]
fn series<const N: usize>(coefficients: &[f64; N], x: f64) -> f64 {
    coefficients.iter().rev().fold(0.0, |sum, coefficient| sum * x + coefficient)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_the_system_has_it() {
        let mut differ = 0;
        for n in 0..200_000_u32 {
            // All magnitudes from tiny to the limit, with both signs.
            let x = f32::from_bits((0x2000_0000 + n * 5_771) | (n << 31));
            if !is_near(x) {
                continue;
            }
            let x = f64::from(x);
            for (got, want) in [(sine(x, 0), x.sin()), (sine(x, 1), x.cos())] {
                assert!((got - want).abs() <= (want.abs() * 1e-9).min(1e-15), "{x}: {got} {want}");
                differ += u32::from(got as f32 != want as f32);
            }
        }
        assert!(differ <= 2, "{differ} values of F differ");
        assert!(sine(-0.0, 0).is_sign_negative() && sine(0.0, 0).is_sign_positive());
        assert!(![f32::NAN, f32::INFINITY, NEAR].into_iter().any(is_near));
    }
}
