//! Floats without a data type: bf8, hf8 and tf32 of the page FCVT, and stochastic rounding of SRND.

use ethnum::I256;
use rustc_apfloat::ieee::{Float8E4M3FN, Float8E5M2, Half, Single};
use rustc_apfloat::{Float as _, FloatConvert, Round};
use visakit::isa::DataType;

use crate::convert::ones;
use crate::execution::{Result, senseless};
use crate::float::Format;
use crate::value::{Float, Value};

/// Rounds an HF to the nearest bf8.
pub(crate) fn to_bf8(float: &Float) -> Value {
    let value = Half::from_bits(float.bits.into());
    if value.is_nan() {
        // A NaN keeps its sign and the highest bits of its fraction.
        return Value::sized(float.bits >> 8 | 2, 8);
    }
    let near: Float8E5M2 = value.convert_r(Round::NearestTiesToEven, &mut false).value;
    Value::sized(near.to_bits() as u64, 8)
}

/// Rounds an HF to the nearest hf8; values out of range become a NaN.
pub(crate) fn to_hf8(float: &Float) -> Value {
    let value = Half::from_bits(float.bits.into());
    let sign = float.bits >> 8 & 0x80;
    if value.is_nan() || value.is_infinite() {
        return Value::sized(sign | 0x7f, 8);
    }
    let near: Float8E4M3FN = value.convert_r(Round::NearestTiesToEven, &mut false).value;
    Value::sized(near.to_bits() as u64 & 0x7f | sign, 8)
}

/// Converts a bf8 to an HF.
pub(crate) fn from_bf8(bits: u64) -> Value {
    let value: Half = Float8E5M2::from_bits(bits.into()).convert(&mut false).value;
    Value::computed(Format::Half, value.to_bits() as u64)
}

/// Converts an hf8 to an HF.
pub(crate) fn from_hf8(bits: u64) -> Value {
    let value: Half = Float8E4M3FN::from_bits(bits.into()).convert(&mut false).value;
    Value::computed(Format::Half, value.to_bits() as u64)
}

/// Rounds an F to the nearest tf32, in the upper bits.
pub(crate) fn to_tf32(float: &Float) -> Value {
    let value = Single::from_bits(float.bits.into());
    if value.is_nan() {
        return Value::sized(float.bits & !0x1fff | 0x0040_0000, 32);
    }
    if value.is_denormal() {
        return Value::sized(float.bits & Format::Single.sign(), 32);
    }
    // Scales the value so that the tenth fraction bit becomes the units place, rounds, and scales
    // back.
    let Some(exponent) = Some(value.ilogb()).filter(|_| !value.is_zero() && !value.is_infinite()) else {
        return Value::sized(float.bits, 32);
    };
    let whole = value.scalbn(10 - exponent).round_to_integral(Round::NearestTiesToEven).value;
    Value::sized(whole.scalbn(exponent - 10).to_bits() as u64, 32)
}

/// Rounds a float to a narrower type stochastically: adds a random number to the dropped part of
/// the fraction, then truncates.
pub(crate) fn round_by(to: DataType, float: &Float, random: I256) -> Result<Value> {
    let (exponent_bits, fraction_bits, dropped) = match (to, float.format) {
        (DataType::Hf, Format::Single) => (5, 10, 13),
        (DataType::Ub, Format::Half) => (5, 2, 8),
        _ => return senseless("stochastic rounding to this type"),
    };
    let random = random.as_u64() & ones(dropped);
    let format = float.format;
    let sign = if float.bits & format.sign() != 0 { 1_u64 << (exponent_bits + fraction_bits) } else { 0 };
    let infinity = ones(exponent_bits) << fraction_bits;
    if format.is_nan(float.bits) {
        let nan = Value::computed(Format::Half, Format::Half.nan());
        return Ok(if to == DataType::Hf { nan } else { Value::sized(float.bits >> 8 | 2, 8) });
    }
    let value = format.to_real(float.bits).abs();
    if value.is_infinite() {
        return Ok(result(to, sign | infinity));
    }
    if value == 0.0 {
        return Ok(result(to, sign));
    }
    // The fraction is counted in steps of the source; the random number is added, and the sum is
    // truncated to steps of the result.
    let source_fraction = i32::from(match format {
        Format::Half => 10_i8,
        _ => 23,
    });
    let least = match format {
        Format::Half => -14,
        _ => -126,
    };
    let exponent = (value.log2().floor() as i32).max(least);
    let exponent = if 2.0_f64.powi(exponent) > value { (exponent - 1).max(least) } else { exponent };
    let sum = (value * 2.0_f64.powi(source_fraction - exponent)) as u64 + random;
    let sum = sum as f64 * 2.0_f64.powi(exponent - source_fraction);
    let lowest = -14;
    let mut top = lowest;
    while 2.0_f64.powi(top + 1) <= sum {
        top += 1;
    }
    let step = 2.0_f64.powi(top - fraction_bits as i32);
    let steps = (sum / step).floor() as u64;
    if top > 15 {
        return Ok(result(to, sign | infinity));
    }
    let normal = steps >> fraction_bits & 1;
    let biased = if normal == 1 { (top + 15) as u64 } else { 0 };
    Ok(result(to, sign | biased << fraction_bits | steps & ones(fraction_bits)))
}

fn result(to: DataType, bits: u64) -> Value {
    match to {
        DataType::Hf => Value::float(Format::Half, bits),
        _ => Value::sized(bits, 8),
    }
}
