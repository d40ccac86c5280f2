//! Conversion of values to the types of destinations, and between types: chapter 2, *Conversion*
//! and *Saturation*.

use ethnum::I256;
use visakit::isa::{DataType, DataTypeClass};
use visakit_machine::float::FloatMode;

use crate::float::Format;
use crate::value::{Float, Integer, Slack, Value};

/// New element of a destination, with the alternatives that the pages allow.
#[derive(Clone, Debug, PartialEq)]
pub struct Stored {
    /// Computed bits.
    pub bits: u64,
    /// Alternatives to the computed bits.
    pub allowed: Allowed,
}

/// Results that the pages allow besides the computed bits.
#[derive(Clone, Debug, PartialEq)]
pub enum Allowed {
    /// No alternative.
    Exact,
    /// Any NaN of the format.
    Nan(Format),
    /// Any of the listed values.
    OneOf(Vec<u64>),
    /// Any number of the format between the two, inclusive.
    Between(Format, u64, u64),
    /// Any value that agrees with the bits (first) under the mask (second).
    Bits(u64, u64),
    /// Any value.
    Anything,
}

impl Allowed {
    /// Returns true if bits that differ from the computed ones are allowed.
    pub fn accepts(&self, bits: u64) -> bool {
        match self {
            Self::Exact => false,
            Self::Nan(format) => format.is_nan(bits),
            Self::OneOf(all) => all.contains(&bits),
            Self::Between(format, low, high) => {
                !format.is_nan(bits) && (format.rank(*low)..=format.rank(*high)).contains(&format.rank(bits))
            }
            Self::Bits(wanted, mask) => (bits ^ wanted) & mask == 0,
            Self::Anything => true,
        }
    }
}

/// Converts a value to an element of a destination. Returns `None` if the element type cannot hold
/// the value.
pub(crate) fn store(value: &Value, to: DataType, saturate: bool, mode: FloatMode) -> Option<Stored> {
    let exact = |bits| Some(Stored { bits, allowed: Allowed::Exact });
    match (value, Format::of(to)) {
        (Value::Unknown, _) => Some(Stored { bits: ones(to.bits()), allowed: Allowed::Anything }),
        (Value::Integer(Integer { value, .. }), None) => {
            let value = if saturate { clamped(*value, to) } else { *value };
            exact(low_bits(value, to.bits()))
        }
        (Value::Integer(Integer { value, .. }), Some(format)) => {
            let magnitude = u128::try_from(value.unsigned_abs()).unwrap_or(u128::MAX);
            let bits = format.flushed(format.of_integer(value.is_negative(), magnitude, mode), mode);
            exact(if saturate { saturated(format, bits) } else { bits })
        }
        (Value::Float(float), None) => {
            let signed = to.class() == DataTypeClass::Signed;
            let convert = |bits| low_bits(I256::new(float.format.to_integer(bits, to.bits(), signed)), to.bits());
            let bits = convert(float.bits);
            let allowed = match &float.slack {
                Slack::None | Slack::Nan => Allowed::Exact,
                Slack::Others(all) => Allowed::OneOf(all.iter().map(|bits| convert(*bits)).collect()),
                Slack::Steps(n) => {
                    let end = |n: i64| convert(float.format.stepped(float.bits, n));
                    Allowed::OneOf(vec![end(-i64::from(*n)), end(i64::from(*n))])
                }
            };
            Some(Stored { bits, allowed })
        }
        (Value::Float(float), Some(format)) => Some(store_float(float, format, saturate, mode)),
        (Value::Wide(bits), Some(format)) => Some(stored_once(*bits, format, mode)),
        (Value::Sum(sum), Some(format)) => Some(stored_once(sum.to_wide(), format, mode)),
        (Value::Between { low, high }, Some(format)) => {
            let [low, bits, high] = [*low, (low + high) / 2.0, *high].map(|real| format.of_real(real, mode));
            Some(Stored { bits, allowed: Allowed::Between(format, low, high) })
        }
        (Value::Loose { bits, known }, _) => Some(loose(*bits, *known)),
        (Value::Truth(truth), None) => exact(u64::from(*truth)),
        (Value::Truth(_) | Value::Real(_) | Value::Between { .. } | Value::Bytes(_), _) => None,
        (Value::Wide(_) | Value::Sum(_), None) => None,
    }
}

/// Rounds a number in quad precision once.
fn stored_once(wide: u128, to: Format, mode: FloatMode) -> Stored {
    let bits = to.of_wide(wide, mode);
    Stored { bits, allowed: if to.is_nan(bits) { Allowed::Nan(to) } else { Allowed::Exact } }
}

/// Converts a value that a message writes to an element of a raw operand. The 32 bits are kept; an
/// F becomes an HF in a 16-bit element. The result in other 16-bit types is unspecified. Messages
/// ignore the modes of the control register.
pub(crate) fn of_message(value: &Value, to: DataType) -> Option<Stored> {
    let anything = Some(Stored { bits: ones(to.bits()), allowed: Allowed::Anything });
    let format = match (to.bits(), to) {
        (32, _) => Format::Single,
        (_, DataType::Hf) => Format::Half,
        _ if matches!(value, Value::Float(_) | Value::Between { .. }) => return anything,
        _ => return store(value, to, false, FloatMode::PLAIN),
    };
    match value {
        Value::Integer(_) => anything,
        Value::Float(Float { format: from, bits, slack: Slack::None }) if *from == format => {
            Some(Stored { bits: *bits, allowed: Allowed::Exact })
        }
        Value::Float(float) => Some(store_float(float, format, false, FloatMode::PLAIN)),
        value => {
            store(value, if format == Format::Half { DataType::Hf } else { DataType::F }, false, FloatMode::PLAIN)
        }
    }
}

/// Returns true if a message writes a 32-bit integer to an HF element.
pub(crate) fn is_whole_of_half(integer: &Integer, to: DataType) -> bool {
    to == DataType::Hf && integer.bits == Some(32)
}

/// Creates an element of which only the bits in `known` are specified.
pub(crate) fn loose(bits: u64, known: u64) -> Stored {
    Stored { bits, allowed: Allowed::Bits(bits, known) }
}

fn store_float(float: &Float, to: Format, saturate: bool, mode: FloatMode) -> Stored {
    let convert = |bits| {
        // Saturation clamps before rounding.
        let bits = if saturate { saturated(float.format, bits) } else { bits };
        float.format.convert(bits, to, mode)
    };
    let bits = convert(float.bits);
    let zero = to.flushed(bits, mode);
    let allowed = match &float.slack {
        // It is unspecified whether a converting move keeps a subnormal number that an operation
        // would flush, and whether it keeps a signalling NaN.
        Slack::None if to == float.format && zero != bits => Allowed::OneOf(vec![zero]),
        Slack::None if to == float.format && to.quieted(bits) != bits => Allowed::OneOf(vec![to.quieted(bits)]),
        Slack::None if to == float.format => Allowed::Exact,
        _ if to.is_nan(bits) => Allowed::Nan(to),
        Slack::None | Slack::Nan => Allowed::Exact,
        Slack::Others(all) => Allowed::OneOf(all.iter().map(|bits| convert(*bits)).collect()),
        Slack::Steps(n) => {
            let end = |n: i64| convert(float.format.stepped(float.bits, n));
            Allowed::Between(to, end(-i64::from(*n)), end(i64::from(*n)))
        }
    };
    Stored { bits, allowed }
}

/// Clamps a value to the range 0 to 1; a NaN becomes 0.
fn saturated(format: Format, bits: u64) -> u64 {
    let one = format.one();
    match (format.is_nan(bits), format.rank(bits)) {
        (true, _) | (_, ..=0) => 0,
        (_, rank) if rank > format.rank(one) => one,
        _ => bits,
    }
}

/// Returns the nearest number of a type.
fn clamped(value: I256, to: DataType) -> I256 {
    let one = I256::ONE;
    let (low, high) = match to.class() {
        DataTypeClass::Signed => (-(one << (to.bits() - 1)), (one << (to.bits() - 1)) - one),
        _ => (I256::ZERO, (one << to.bits()) - one),
    };
    value.clamp(low, high)
}

/// Returns the lowest `bits` bits of a number, at most 64.
pub(crate) fn low_bits(value: I256, bits: u32) -> u64 {
    value.as_u64() & ones(bits)
}

/// Returns a mask of the lowest `bits` bits.
pub(crate) fn ones(bits: u32) -> u64 {
    if bits >= 64 { u64::MAX } else { (1 << bits) - 1 }
}
