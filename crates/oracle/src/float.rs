//! Floats by IEEE 754 in the modes of the control register: chapter 2, *Float modes*.
//!
//! A value is the bits of its format. Operations are computed exactly and rounded once by a port of
//! LLVM's arbitrary-precision floats. The host's floating-point unit is not used.

use rustc_apfloat::ieee::{BFloat, Double, Half, Quad, Single};
use rustc_apfloat::{Float as _, FloatConvert, Round, Status};
use visakit::isa::DataType;
use visakit_machine::float::{FloatMode, Rounding};

/// Format of a float.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// HF.
    Half,
    /// BF.
    Brain,
    /// F.
    Single,
    /// DF.
    Double,
}

/// Operation on two or three floats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Join {
    Sum,
    Difference,
    Product,
    Quotient,
    Remainder,
    /// `a * b + c`, rounded once.
    Fused,
}

/// Evaluates an expression in which a name stands for the Rust type of a format.
macro_rules! typed {
    ($format:expr, $name:ident => $body:expr) => {
        match $format {
            Format::Half => {
                type $name = Half;
                $body
            }
            Format::Brain => {
                type $name = BFloat;
                $body
            }
            Format::Single => {
                type $name = Single;
                $body
            }
            Format::Double => {
                type $name = Double;
                $body
            }
        }
    };
}

impl Format {
    /// Returns the format of a data type, if it is a float.
    pub fn of(data_type: DataType) -> Option<Self> {
        Some(match data_type {
            DataType::Hf => Self::Half,
            DataType::Bf => Self::Brain,
            DataType::F | DataType::Tf32 => Self::Single,
            DataType::Df => Self::Double,
            _ => return None,
        })
    }

    /// Returns the number of bits of a value.
    pub fn bits(self) -> u32 {
        match self {
            Self::Half | Self::Brain => 16,
            Self::Single => 32,
            Self::Double => 64,
        }
    }

    /// Returns the sign bit.
    pub fn sign(self) -> u64 {
        1 << (self.bits() - 1)
    }

    /// Returns true if the mode keeps subnormal numbers of the format.
    fn keeps(self, mode: FloatMode) -> bool {
        match self {
            Self::Half => mode.keep_half,
            Self::Brain | Self::Single => mode.keep_single,
            Self::Double => mode.keep_double,
        }
    }

    /// Replaces a subnormal number that the mode does not keep by a zero of the same sign.
    pub fn flushed(self, bits: u64, mode: FloatMode) -> u64 {
        if !self.keeps(mode) && typed!(self, T => T::from_bits(bits.into()).is_denormal()) {
            return bits & self.sign();
        }
        bits
    }

    /// Returns true for a NaN.
    pub fn is_nan(self, bits: u64) -> bool {
        typed!(self, T => T::from_bits(bits.into()).is_nan())
    }

    /// Makes a signalling NaN quiet; returns other values unchanged.
    pub(crate) fn quieted(self, bits: u64) -> u64 {
        let quiet = typed!(self, T => 1 << (T::PRECISION - 2));
        if self.is_nan(bits) { bits | quiet } else { bits }
    }

    /// Returns a quiet NaN.
    pub fn nan(self) -> u64 {
        typed!(self, T => T::qnan(None).to_bits() as u64)
    }

    /// Returns the smallest positive normal number.
    pub(crate) fn least_normal(self) -> u64 {
        typed!(self, T => T::smallest_normalized().to_bits() as u64)
    }

    /// Returns the value 1.
    pub fn one(self) -> u64 {
        self.of_real(1.0, FloatMode::PLAIN)
    }

    /// Compares two values; returns `None` if either is a NaN.
    pub fn compare(self, a: u64, b: u64, mode: FloatMode) -> Option<std::cmp::Ordering> {
        let (a, b) = (self.flushed(a, mode), self.flushed(b, mode));
        typed!(self, T => T::from_bits(a.into()).partial_cmp(&T::from_bits(b.into())))
    }

    /// Applies an operation to two or three values and rounds once.
    pub(crate) fn join(self, how: Join, [a, b, c]: [u64; 3], mode: FloatMode) -> u64 {
        let [a, b, c] = [a, b, c].map(|bits| u128::from(self.flushed(bits, mode)));
        let round = round(mode);
        let result = typed!(self, T => {
            let (a, b, c) = (T::from_bits(a), T::from_bits(b), T::from_bits(c));
            let result = match how {
                Join::Sum => a.add_r(b, round),
                Join::Difference => a.sub_r(b, round),
                Join::Product => a.mul_r(b, round),
                Join::Quotient => a.div_r(b, round),
                Join::Remainder => a.c_fmod(b),
                Join::Fused => a.mul_add_r(b, c, round),
            };
            result.value.to_bits() as u64
        });
        self.flushed(result, mode)
    }

    /// Rounds a value to an integer in the given direction.
    pub(crate) fn integral(self, bits: u64, direction: Round, mode: FloatMode) -> u64 {
        let bits = self.flushed(bits, mode);
        typed!(self, T => T::from_bits(bits.into()).round_to_integral(direction).value.to_bits() as u64)
    }

    /// Returns the square root, rounded once.
    pub(crate) fn root(self, bits: u64, mode: FloatMode) -> u64 {
        let bits = self.flushed(bits, mode);
        typed!(self, T => {
            let value = T::from_bits(bits.into());
            if value.is_zero() || value.is_nan() || value.is_pos_infinity() {
                return bits;
            }
            if value.is_negative() {
                return self.nan();
            }
            // The value is `whole` times an even power of 2. The integer root is exact; a sticky
            // bit records the remainder.
            let exponent = value.ilogb();
            let shift = 120 - (exponent & 1);
            let whole = value.scalbn(shift - exponent).to_u128(128).value;
            let root = whole.isqrt();
            let sticky = u128::from(root * root != whole);
            let near = Quad::from_u128(root << 1 | sticky).value;
            let near = near.scalbn((exponent - shift) / 2 - 1);
            near_to::<T>(near, round(mode)).to_bits() as u64
        })
    }

    /// Converts a value to another format, rounding if that format is narrower. The same format
    /// returns the value unchanged.
    pub fn convert(self, bits: u64, to: Self, mode: FloatMode) -> u64 {
        if self == to {
            return bits;
        }
        let bits = self.flushed(bits, mode);
        let wide = typed!(self, T => quad(T::from_bits(bits.into())));
        to.flushed(typed!(to, T => near_to::<T>(wide, round(mode)).to_bits() as u64), mode)
    }

    /// Returns the value nearest to a real number.
    pub fn of_real(self, real: f64, mode: FloatMode) -> u64 {
        let wide = quad(Double::from_bits(real.to_bits().into()));
        typed!(self, T => near_to::<T>(wide, round(mode)).to_bits() as u64)
    }

    /// Converts a value to quad precision, exactly.
    pub(crate) fn wide(self, bits: u64) -> u128 {
        typed!(self, T => quad(T::from_bits(bits.into())).to_bits())
    }

    /// Returns the value nearest to a number in quad precision.
    pub(crate) fn of_wide(self, wide: u128, mode: FloatMode) -> u64 {
        let wide = Quad::from_bits(wide);
        self.flushed(typed!(self, T => near_to::<T>(wide, round(mode)).to_bits() as u64), mode)
    }

    /// Returns the value as a real number; exact for all formats.
    pub fn to_real(self, bits: u64) -> f64 {
        f64::from_bits(self.convert(bits, Self::Double, FloatMode::PLAIN))
    }

    /// Returns the value nearest to an integer, given by sign and magnitude.
    pub fn of_integer(self, negative: bool, magnitude: u128, mode: FloatMode) -> u64 {
        let direction = if negative { -round(mode) } else { round(mode) };
        let bits = typed!(self, T => T::from_u128_r(magnitude, direction).value.to_bits() as u64);
        if negative { bits | self.sign() } else { bits }
    }

    /// Truncates a value to an integer, clamped to `width` bits; a NaN becomes 0.
    pub fn to_integer(self, bits: u64, width: u32, signed: bool) -> i128 {
        typed!(self, T => {
            let value = T::from_bits(bits.into());
            match (value.is_nan(), signed) {
                (true, _) => 0,
                (false, true) => value.to_i128(width as usize).value,
                (false, false) => value.to_u128(width as usize).value as i128,
            }
        })
    }

    /// Returns the position of a value in the order of all values; both zeros have position 0.
    pub fn rank(self, bits: u64) -> i64 {
        let magnitude = (bits & (self.sign() - 1)) as i64;
        if bits & self.sign() != 0 { -magnitude } else { magnitude }
    }

    /// Returns the value `steps` positions away in the order of all values, saturating at infinity.
    pub fn stepped(self, bits: u64, steps: i64) -> u64 {
        let infinity = typed!(self, T => T::INFINITY.to_bits()) as i64;
        let rank = (self.rank(bits) + steps).clamp(-infinity, infinity);
        rank.unsigned_abs() | if rank < 0 { self.sign() } else { 0 }
    }
}

pub(crate) fn quad<T: FloatConvert<Quad>>(value: T) -> Quad {
    value.convert(&mut false).value
}

/// Adds or multiplies in quad precision. The last bit records an inexact result, so that rounding
/// to a format afterwards rounds only once.
pub(crate) fn join_wide(how: Join, a: u128, b: u128) -> Option<u128> {
    let (a, b) = (Quad::from_bits(a), Quad::from_bits(b));
    let result = match how {
        Join::Sum => a.add_r(b, Round::TowardZero),
        Join::Product => a.mul_r(b, Round::TowardZero),
        _ => return None,
    };
    let lacks = u128::from(result.status.contains(Status::INEXACT));
    Some(result.value.to_bits() | lacks)
}

/// Converts an integer to quad precision.
pub(crate) fn wide_of_integer(n: i128) -> u128 {
    Quad::from_i128(n).value.to_bits()
}

fn near_to<T: rustc_apfloat::Float>(value: Quad, round: Round) -> T
where
    Quad: FloatConvert<T>,
{
    value.convert_r(round, &mut false).value
}

fn round(mode: FloatMode) -> Round {
    match mode.rounding {
        Rounding::NearestEven => Round::NearestTiesToEven,
        Rounding::Up => Round::TowardPositive,
        Rounding::Down => Round::TowardNegative,
        Rounding::Zero => Round::TowardZero,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_are_those_of_the_host() {
        let mode = FloatMode::PLAIN;
        for n in 0..200_000_u32 {
            let bits = n.wrapping_mul(0x9e37_79b9);
            let host = f32::from_bits(bits).sqrt();
            let ours = Format::Single.root(bits.into(), mode) as u32;
            assert!(host.is_nan() && f32::from_bits(ours).is_nan() || host.to_bits() == ours, "{bits:#x}");
            let bits = u64::from(bits) << 32 | u64::from(n);
            let host = f64::from_bits(bits).sqrt();
            let ours = Format::Double.root(bits, mode);
            assert!(host.is_nan() && f64::from_bits(ours).is_nan() || host.to_bits() == ours, "{bits:#x}");
        }
    }

    #[test]
    fn conversions_and_sums_are_those_of_the_host() {
        let mode = FloatMode::PLAIN;
        for n in 0..100_000_u64 {
            let a = n.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let b = a.rotate_left(29);
            let (x, y) = (f64::from_bits(a), f64::from_bits(b));
            let same =
                |host: f64, ours: u64| host.is_nan() && f64::from_bits(ours).is_nan() || host.to_bits() == ours;
            assert!(same(x + y, Format::Double.join(Join::Sum, [a, b, 0], mode)));
            assert!(same(x / y, Format::Double.join(Join::Quotient, [a, b, 0], mode)));
            assert!(same(x.mul_add(y, x), Format::Double.join(Join::Fused, [a, b, a], mode)));
            let narrow = Format::Double.convert(a, Format::Single, mode) as u32;
            assert!(x.is_nan() || (x as f32).to_bits() == narrow);
            assert_eq!(x as i32, Format::Double.to_integer(a, 32, true) as i32);
            assert_eq!(x as u16, Format::Double.to_integer(a, 16, false) as u16);
        }
    }

    #[test]
    fn directed_rounding_and_flushing() {
        let mode = |rounding, keep_single| FloatMode { rounding, keep_single, ..FloatMode::PLAIN };
        let third =
            |mode| f32::from_bits(Format::Single.join(Join::Quotient, [0x3f80_0000, 0x4040_0000, 0], mode) as u32);
        assert_eq!(third(mode(Rounding::Up, true)).to_bits(), 0x3eaa_aaab);
        assert_eq!(third(mode(Rounding::Zero, true)).to_bits(), 0x3eaa_aaaa);
        let twice = |mode| Format::Single.join(Join::Sum, [0x8000_0001, 0x8000_0001, 0], mode);
        assert_eq!(twice(mode(Rounding::NearestEven, true)), 0x8000_0002);
        assert_eq!(twice(mode(Rounding::NearestEven, false)), 0x8000_0000);
        let integer = |rounding| Format::Single.of_integer(true, (1 << 24) + 1, mode(rounding, true)) as u32;
        assert_eq!(f32::from_bits(integer(Rounding::Up)), -16_777_216.0);
        assert_eq!(f32::from_bits(integer(Rounding::Down)), -16_777_218.0);
    }
}
