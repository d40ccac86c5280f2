//! Powers of two and logarithms of F values, in DF and branch-free, so that all channels are
//! computed together. Polynomials are evaluated in pairs of terms, which depend on each other less
//! than those of Horner's scheme.

use super::angle::WHOLE;

/// Largest exponent that is computed; the result is beyond F already.
const LIMIT: f64 = 1000.0;
/// Exponent of 1 in the bits of DF.
const BIAS: u64 = 1023;
/// Bits of the mantissa of DF.
const MANTISSA: u32 = 52;
/// Bits of the square root of 1/2. Mantissas are between it and its double, so that those near 1 on
/// both sides have the exponent 0.
const LOWEST: u64 = 0x3fe6_a09e_667f_3bcd;
/// Polynomial of 2 to the power of x from -1/2 to 1/2, with an error of 2e-17.
const POWER: [f64; 12] = [
    1.0,
    std::f64::consts::LN_2,
    0.240_226_506_959_101_58,
    0.055_504_108_664_821_625,
    0.009_618_129_107_587_256,
    0.001_333_355_814_640_647,
    0.000_154_035_304_637_243_53,
    1.525_273_384_155_677_3e-5,
    1.321_543_253_591_237_5e-6,
    1.017_805_708_773_394_1e-7,
    7.074_194_297_288_521e-9,
    4.455_817_908_336_064_5e-10,
];
/// Polynomial of the binary logarithm of (1 + s) / (1 - s), divided by s, in the square of s, with
/// a relative error of 1.4e-17.
const LOGARITHM: [f64; 8] = [
    2.885_390_081_777_926_8,
    0.961_796_693_925_989_8,
    0.577_078_016_345_520_3,
    0.412_198_585_840_900_5,
    0.320_598_534_913_959_84,
    0.262_334_352_504_183,
    0.220_913_084_231_176_8,
    0.213_658_956_943_192_7,
];

/// Returns 2 to the power of a number that is not a NaN.
#[inline(always)]
pub(crate) fn exp2(x: f64) -> f64 {
    let x = if x > LIMIT { LIMIT } else { x };
    let x = if x < -LIMIT { -LIMIT } else { x };
    let sum = x + WHOLE;
    let scale = f64::from_bits(sum.to_bits().wrapping_add(BIAS) << MANTISSA);
    let x = x - (sum - WHOLE);
    let c = &POWER;
    let square = x * x;
    let fourth = square * square;
    let low = pair(c, 0, x) + pair(c, 2, x) * square;
    let middle = pair(c, 4, x) + pair(c, 6, x) * square;
    let high = pair(c, 8, x) + pair(c, 10, x) * square;
    ((high * fourth + middle) * fourth + low) * scale
}

/// Returns the binary logarithm of a positive number in the range of F.
#[inline(always)]
pub(crate) fn log2(x: f64) -> f64 {
    let bits = x.to_bits();
    let exponent = bits.wrapping_sub(LOWEST).wrapping_add(BIAS << MANTISSA) >> MANTISSA;
    let mantissa = f64::from_bits(bits.wrapping_sub(exponent.wrapping_sub(BIAS) << MANTISSA));
    // A conversion from integers is not a vector operation on every host.
    let exponent = f64::from_bits(WHOLE.to_bits() + exponent) - (WHOLE + BIAS as f64);
    let s = (mantissa - 1.0) / (mantissa + 1.0);
    let c = &LOGARITHM;
    let x = s * s;
    let square = x * x;
    let low = pair(c, 0, x) + pair(c, 2, x) * square;
    let high = pair(c, 4, x) + pair(c, 6, x) * square;
    exponent + s * (high * (square * square) + low)
}

/// Returns two terms of a polynomial.
#[inline(always)]
fn pair(coefficients: &[f64], first: usize, x: f64) -> f64 {
    coefficients[first + 1] * x + coefficients[first]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_the_system_has_them() {
        let mut differ = 0;
        for n in 0..200_000_u32 {
            // All magnitudes from the subnormal numbers to infinity, with both signs.
            let x = f32::from_bits((n * 10_700 + n % 7) | n << 31);
            if x.is_nan() {
                continue;
            }
            let (got, want) = (exp2(x.into()), f64::from(x).exp2());
            let is_same = got as f32 == want as f32;
            assert!(is_same || (got / want - 1.0).abs() < 1e-15, "2 to the power of {x}: {got} {want}");
            differ += u32::from(!is_same);
            let x = f64::from(x.abs());
            if x > 0.0 && x.is_finite() {
                let (got, want) = (log2(x), x.log2());
                assert!((got - want).abs() <= want.abs() * 1e-15, "log of {x}: {got} {want}");
                differ += u32::from(got as f32 != want as f32);
            }
        }
        assert!(differ <= 2, "{differ} values of F differ");
        assert_eq!(
            [exp2(-149.0), exp2(10.0), exp2(0.0), log2(1.0), log2(0.125)],
            [2f64.powi(-149), 1024.0, 1.0, 0.0, -3.0]
        );
        assert_eq!([exp2(f64::INFINITY) as f32, exp2(f64::NEG_INFINITY) as f32], [f32::INFINITY, 0.0]);
    }
}
