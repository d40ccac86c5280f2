//! Exact sums of matrix products: DPAS rounds a sum only when it is stored. Terms may range from
//! the square of the largest F to that of the smallest, times two scales (BDPAS): more bits than
//! any format has.

use crate::float::{Join, join_wide};

/// Number of 64-bit words of a sum.
const WORDS: usize = 19;

/// Negated exponent of the lowest bit, which stands for 2^-640.
const UNIT: i32 = 640;

/// Number of fraction bits of quad precision, and its exponent bias.
const FRACTION: i32 = 112;
const BIAS: i32 = 16383;

/// Sum of numbers in quad precision.
#[derive(Clone, Debug, PartialEq)]
pub struct Sum {
    /// Fixed-point number in two's complement, lowest word first.
    words: [u64; WORDS],
    /// Infinity or NaN in quad precision, if any term was one.
    special: Option<u128>,
    /// True if all terms were negative zeros.
    negative_zero: bool,
}

impl Sum {
    /// Converts a number in quad precision; `None` if it is out of range.
    pub(crate) fn of(bits: u128) -> Option<Self> {
        let mut sum = Self { words: [0; WORDS], special: None, negative_zero: bits == 1 << 127 };
        let (negative, exponent) = (bits >> 127 == 1, (bits >> FRACTION & 0x7fff) as i32);
        let fraction = bits & ((1 << FRACTION) - 1);
        match (exponent, fraction) {
            (0, 0) => {}
            (0x7fff, _) => sum.special = Some(bits),
            _ => {
                let shift = usize::try_from(exponent - BIAS - FRACTION + UNIT).ok()?;
                let (word, shift) = (shift / 64, shift % 64);
                let whole = fraction | 1 << FRACTION;
                let (low, high) = (whole << shift, (whole >> 64) << shift >> 64);
                let parts = [low as u64, (low >> 64) as u64, high as u64];
                // The highest bit is the sign; the bits below it are headroom for carries.
                sum.words[..WORDS - 1].get_mut(word..word + 3)?.copy_from_slice(&parts);
                if negative {
                    sum = sum.negated();
                }
            }
        }
        Some(sum)
    }

    /// Adds another sum.
    pub(crate) fn plus(mut self, other: &Self) -> Self {
        self.special = match (self.special, other.special) {
            (Some(a), Some(b)) => join_wide(Join::Sum, a, b),
            (a, b) => a.or(b),
        };
        self.negative_zero &= other.negative_zero;
        let mut carry = 0;
        for (word, other) in self.words.iter_mut().zip(other.words) {
            let sum = u128::from(*word) + u128::from(other) + carry;
            (*word, carry) = (sum as u64, sum >> 64);
        }
        self
    }

    /// Negates the sum.
    pub(crate) fn negated(mut self) -> Self {
        self.special = self.special.map(|bits| bits ^ 1 << 127);
        self.negative_zero = !self.negative_zero && self.words == [0; WORDS];
        let mut carry = 1;
        for word in &mut self.words {
            let sum = u128::from(!*word) + carry;
            (*word, carry) = (sum as u64, sum >> 64);
        }
        self
    }

    /// Converts the sum to quad precision. The last bit records an inexact result, so that rounding
    /// to a format afterwards rounds only once.
    pub(crate) fn to_wide(&self) -> u128 {
        if let Some(special) = self.special {
            return special;
        }
        let negative = self.words[WORDS - 1] >> 63 == 1;
        let size = if negative { self.clone().negated() } else { self.clone() };
        let bit = |n: i32| u128::from(n >= 0 && size.words[n as usize / 64] >> (n % 64) & 1 == 1);
        let Some(word) = size.words.iter().rposition(|word| *word != 0) else {
            return u128::from(self.negative_zero) << 127;
        };
        let top = word as i32 * 64 + 63 - size.words[word].leading_zeros() as i32;
        let fraction = (top - FRACTION..top).rev().fold(0, |bits, n| bits << 1 | bit(n));
        let lacks = (0..top - FRACTION).step_by(64).any(|n| {
            let (word, left) = (n as usize / 64, top - FRACTION - n);
            size.words[word] << (64 - left.min(64)) != 0
        });
        let exponent = (top - UNIT + BIAS) as u128;
        u128::from(negative) << 127 | exponent << FRACTION | fraction | u128::from(lacks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::float::Format;
    use visakit_machine::float::FloatMode;

    /// Adds floats and rounds once.
    fn sum(parts: &[f32]) -> f32 {
        let of = |part: &f32| Sum::of(Format::Single.wide(part.to_bits().into())).unwrap();
        let all = parts.iter().map(of).reduce(|all, part| all.plus(&part)).unwrap();
        f32::from_bits(Format::Single.of_wide(all.to_wide(), FloatMode::PLAIN) as u32)
    }

    #[test]
    fn nothing_is_lost() {
        let least = f32::from_bits(1);
        assert_eq!(sum(&[f32::MAX, least, -f32::MAX, least]), least + least);
        assert_eq!(sum(&[16_777_216.0, 1.0]), 16_777_216.0);
        // A term far below decides which of two neighbours is nearer.
        assert_eq!(sum(&[least, 16_777_216.0, 1.0]), 16_777_218.0);
        assert_eq!(sum(&[-16_777_216.0, -1.0, -least]), -16_777_218.0);
        assert_eq!(sum(&[1.0, -1.5]), -0.5);
    }

    #[test]
    fn zeros_and_what_is_no_number() {
        assert!(sum(&[-0.0, -0.0]).is_sign_negative());
        assert!(sum(&[-0.0, 0.0]).is_sign_positive() && sum(&[-1.0, 1.0]).is_sign_positive());
        assert_eq!(sum(&[1.0, f32::NEG_INFINITY]), f32::NEG_INFINITY);
        assert!(sum(&[f32::INFINITY, 1.0, f32::NEG_INFINITY]).is_nan() && sum(&[f32::NAN, 1.0]).is_nan());
    }

    #[test]
    fn what_has_no_place_is_refused() {
        assert!(Sum::of(Format::Double.wide(f64::MAX.to_bits())).is_none());
        assert!(Sum::of(Format::Double.wide(f64::MIN_POSITIVE.to_bits())).is_none());
    }
}
