//! Floats without a data type: bf8 (1 sign bit, 5 exponent bits, 2 fraction bits), hf8 (1, 4 and 3)
//! and tf32 (1, 8 and 10), as bit patterns.

use half::f16;
use visakit_machine::thread::ones;

/// Rounds an HF to the nearest bf8, ties to even: the upper byte.
pub(crate) fn to_bf8(bits: u32) -> u32 {
    bf8_by(bits, 0x7f + (bits >> 8 & 1))
}

pub(crate) fn bf8_by(bits: u32, random: u32) -> u32 {
    match (bits & 0x7c00 == 0x7c00, bits & 0x3ff) {
        (true, 0) => bits >> 8,
        // A NaN stays a NaN even if its fraction bits are dropped.
        (true, _) => bits >> 8 | 2,
        (false, _) => (bits + random) >> 8,
    }
}

/// Rounds an HF to the nearest hf8, ties to even; overflow yields NaN.
pub(crate) fn to_hf8(bits: u32) -> u32 {
    let sign = bits >> 8 & 0x80;
    let magnitude = bits & 0x7fff;
    // The exponent bias of HF is larger by 8. Below the smallest normal number, the step is 2^-9.
    let rounded = if magnitude >= 9 << 10 {
        (magnitude - (8 << 10) + 0x3f + (magnitude >> 7 & 1)) >> 7
    } else {
        (f16::from_bits(magnitude as u16).to_f32() * 512.0).round_ties_even() as u32
    };
    sign | rounded.min(0x7f)
}

pub(crate) fn from_hf8(bits: u32) -> u32 {
    f16::from_f64(small_float(bits as u8, 4, 3, true)).to_bits().into()
}

/// Rounds an F to the nearest tf32, ties to even, in the upper bits.
pub(crate) fn to_tf32(bits: u32) -> u32 {
    let value = f32::from_bits(bits);
    if value.is_nan() {
        return bits & !0x1fff | 0x0040_0000;
    }
    if value.is_subnormal() {
        return bits & 0x8000_0000;
    }
    if value.is_infinite() {
        return bits;
    }
    (bits + 0xfff + (bits >> 13 & 1)) & !0x1fff
}

/// Converts an F to HF: adds `random` to the low fraction bits, then truncates.
pub(crate) fn half_by(bits: u32, random: u32) -> u32 {
    let (sign, exponent, fraction) = (bits >> 16 & 0x8000, (bits >> 23 & 0xff) as i32, bits & 0x007f_ffff);
    if exponent == 0xff {
        return f16::from_f32(f32::from_bits(bits)).to_bits().into();
    }
    // The mantissa includes the implicit bit. The exponent bias of HF is smaller by 112.
    let (mantissa, exponent) =
        if exponent == 0 { (fraction, 1 - 112) } else { (fraction | 0x0080_0000, exponent - 112) };
    let sum = mantissa + random;
    let magnitude = if exponent >= 1 {
        // A carry out of the fraction propagates into the exponent.
        (((exponent as u32 - 1) << 23) + sum) >> 13
    } else {
        sum.checked_shr((14 - exponent) as u32).unwrap_or(0)
    };
    sign | magnitude.min(0x7c00)
}

/// Converts a float with a sign bit, `exponent` bits and `fraction` bits, without infinities. If
/// `nan`, all ones in these bits stand for NaN.
pub(crate) fn small_float(bits: u8, exponent: u32, fraction: u32, nan: bool) -> f64 {
    let sign = if bits >> (exponent + fraction) & 1 == 1 { -1.0 } else { 1.0 };
    let e = u32::from(bits) >> fraction & ones(exponent as usize);
    let f = u32::from(bits) & ones(fraction as usize);
    if nan && e == ones(exponent as usize) && f == ones(fraction as usize) {
        return f64::NAN;
    }
    let bias = (1 << (exponent - 1)) - 1;
    let scale = 2.0_f64.powi(-(fraction as i32));
    if e == 0 {
        sign * f64::from(f) * scale * 2.0_f64.powi(1 - bias)
    } else {
        sign * (1.0 + f64::from(f) * scale) * 2.0_f64.powi(e as i32 - bias)
    }
}

/// Converts a scale without sign and fraction: a power of two, or NaN if all bits are ones.
pub(crate) fn power_of_two(code: u8) -> f64 {
    match code {
        u8::MAX => f64::NAN,
        _ => 2.0_f64.powi(i32::from(code) - 127),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bf8_is_the_upper_half_of_half() {
        assert_eq!(to_bf8(0x3c00), 0x3c);
        assert_eq!((to_bf8(0x3c80), to_bf8(0x3d80), to_bf8(0x3c81)), (0x3c, 0x3e, 0x3d), "ties go to even");
        assert_eq!((to_bf8(0x7bff), to_bf8(0xfc00), to_bf8(0x7c01)), (0x7c, 0xfc, 0x7e));
    }

    #[test]
    fn hf8_is_the_nearest() {
        let all: Vec<f64> = (0..0x7f).map(|b| small_float(b, 4, 3, true)).collect();
        for bits in 0..0x7c00_u32 {
            let value = f16::from_bits(bits as u16).to_f64();
            let nearest = |a: &(usize, &f64), b: &(usize, &f64)| {
                let [x, y] = [a.1, b.1].map(|v| (v - value).abs());
                x.total_cmp(&y).then((a.0 & 1).cmp(&(b.0 & 1)))
            };
            // 464 is halfway to the next representable number, which does not exist.
            let expected =
                if value > 464.0 { 0x7f } else { all.iter().enumerate().min_by(nearest).unwrap().0 as u32 };
            assert_eq!(to_hf8(bits), expected, "{value}");
            assert_eq!(to_hf8(bits | 0x8000), expected | 0x80);
        }
        assert_eq!([0x7c00, 0xfc00, 0x7e01].map(to_hf8), [0x7f, 0xff, 0x7f]);
        for bits in (0..0x100).filter(|b| b & 0x7f != 0x7f) {
            assert_eq!(to_hf8(from_hf8(bits)), bits);
        }
        assert!(f16::from_bits(from_hf8(0xff) as u16).is_nan());
    }

    #[test]
    fn tf32_has_ten_fraction_bits() {
        assert_eq!(to_tf32(1.0_f32.to_bits()), 1.0_f32.to_bits());
        assert_eq!(to_tf32(0x3f80_1000), 0x3f80_0000);
        assert_eq!(to_tf32(0x3f80_3000), 0x3f80_4000);
        assert_eq!(to_tf32(0x8000_0001), 0x8000_0000);
        assert_eq!(to_tf32(0x7f7f_ffff), 0x7f80_0000);
        assert!(f32::from_bits(to_tf32(0x7f80_0001)).is_nan());
    }

    #[test]
    fn rounding_by_a_number() {
        let half = |x: f32, random: u32| half_by(x.to_bits(), random) as u16;
        for bits in (0..=u32::MAX).step_by(65_537) {
            let value = f32::from_bits(bits);
            let cut = half_by(bits, 0);
            // Without a random number the conversion truncates; the nearest value is that or its
            // successor.
            let near = u32::from(f16::from_f32(value).to_bits());
            assert!(value.is_nan() || near == cut || near == cut + 1, "{value:e} {near:x} {cut:x}");
        }
        let third = 1.0 / 3.0_f32;
        assert_eq!(half(third, 0) + 1, half(third, 0x1fff));
        assert_eq!((half(65504.0, 0x1fff), half(65519.9, 0x1fff), half(-1.0e9, 0)), (0x7bff, 0x7c00, 0xfc00));
        assert_eq!(half(f32::INFINITY, 0x1fff), 0x7c00);
        assert_eq!(bf8_by(0x3c01, 0xff), 0x3d);
    }

    #[test]
    fn small_floats() {
        assert_eq!(small_float(0x38, 4, 3, true), 1.0);
        assert_eq!(small_float(0x7e, 4, 3, true), 448.0);
        assert!(small_float(0x7f, 4, 3, true).is_nan());
        assert_eq!(small_float(0x81, 4, 3, true), -(2.0_f64.powi(-9)));
        assert_eq!([1, 2, 3, 7].map(|bits| small_float(bits, 2, 1, false)), [0.5, 1.0, 1.5, 6.0]);
    }
}
