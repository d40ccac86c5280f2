//! Number types with their names in options, such as `u8` and `f32`, and conversion of numbers from
//! and to text and bytes.

use half::f16;
use serde::{Serialize, Serializer};

/// A number type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are self-explanatory")]
pub enum Scalar {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F16,
    F32,
    F64,
}

/// Types with their name in options, name in OpenCL C, and size in bytes.
const SCALARS: [(Scalar, &str, &str, usize); 11] = [
    (Scalar::I8, "i8", "char", 1),
    (Scalar::U8, "u8", "uchar", 1),
    (Scalar::I16, "i16", "short", 2),
    (Scalar::U16, "u16", "ushort", 2),
    (Scalar::I32, "i32", "int", 4),
    (Scalar::U32, "u32", "uint", 4),
    (Scalar::I64, "i64", "long", 8),
    (Scalar::U64, "u64", "ulong", 8),
    (Scalar::F16, "f16", "half", 2),
    (Scalar::F32, "f32", "float", 4),
    (Scalar::F64, "f64", "double", 8),
];

impl Scalar {
    /// Returns the type with this name in options.
    pub fn from_name(name: &str) -> Option<Self> {
        SCALARS.iter().find(|(_, known, ..)| *known == name).map(|(scalar, ..)| *scalar)
    }

    /// Returns the element type of an OpenCL C type, which may be a vector or pointer, and the
    /// number of elements of the vector in memory: `float3*` is four `f32`.
    pub fn of_source(type_name: &str) -> Option<(Self, usize)> {
        let value = type_name.trim_end_matches('*');
        let base = value.trim_end_matches(|c: char| c.is_ascii_digit());
        let (scalar, ..) = SCALARS.iter().find(|(_, _, known, _)| *known == base)?;
        let width = if value == base { 1 } else { value[base.len()..].parse::<u8>().ok()? };
        Some((*scalar, usize::from(width).next_power_of_two()))
    }

    /// Returns the names of all types, for messages.
    pub fn names() -> String {
        SCALARS.map(|(_, name, ..)| name).join("|")
    }

    /// Returns the name in options.
    pub fn name(self) -> &'static str {
        self.row().1
    }

    /// Returns the size in bytes.
    pub fn size(self) -> usize {
        self.row().3
    }

    /// Returns true for floating-point types.
    pub fn is_float(self) -> bool {
        matches!(self, Self::F16 | Self::F32 | Self::F64)
    }

    /// Returns the smallest and largest value of an integer type; for a float, those of its bit
    /// pattern.
    pub fn bounds(self) -> (i128, i128) {
        let bits = self.size() * 8;
        if matches!(self, Self::I8 | Self::I16 | Self::I32 | Self::I64) {
            (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
        } else {
            (0, (1 << bits) - 1)
        }
    }

    /// Parses a number of this type.
    pub fn parse(self, text: &str) -> Option<Number> {
        match self {
            Self::F16 | Self::F64 => text.parse().ok().map(|value| self.round(value)),
            Self::F32 => text.parse().ok().map(Number::Single),
            _ => self.integer(parse_integer(text)?),
        }
    }

    /// Returns an integer as a number of this type; `None` if it is out of range.
    pub fn integer(self, value: i128) -> Option<Number> {
        let (least, most) = self.bounds();
        (!self.is_float() && (least..=most).contains(&value)).then_some(Number::Integer(value))
    }

    /// Returns the nearest number of this type.
    pub fn round(self, value: f64) -> Number {
        match self {
            Self::F16 => Number::Half(f16::from_f64(value)),
            Self::F32 => Number::Single(value as f32),
            Self::F64 => Number::Double(value),
            _ => {
                let (least, most) = self.bounds();
                Number::Integer((value.round() as i128).clamp(least, most))
            }
        }
    }

    /// Iterates over the numbers in `bytes`; an incomplete last one is ignored.
    pub fn numbers(self, bytes: &[u8]) -> impl Iterator<Item = Number> {
        bytes.chunks_exact(self.size()).map(move |chunk| {
            let bits = chunk.iter().rev().fold(0_u64, |bits, &byte| bits << 8 | u64::from(byte));
            match self {
                Self::F16 => Number::Half(f16::from_bits(bits as u16)),
                Self::F32 => Number::Single(f32::from_bits(bits as u32)),
                Self::F64 => Number::Double(f64::from_bits(bits)),
                _ => {
                    let (least, most) = self.bounds();
                    let value = i128::from(bits);
                    Number::Integer(if value > most { value - most - 1 + least } else { value })
                }
            }
        })
    }

    fn row(self) -> &'static (Self, &'static str, &'static str, usize) {
        // Rows are in the order of the enumeration.
        &SCALARS[self as usize]
    }
}

/// A number of one of the types.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs, reason = "the names are self-explanatory")]
pub enum Number {
    Integer(i128),
    Half(f16),
    Single(f32),
    Double(f64),
}

impl Number {
    /// Appends the number's bytes; an integer has the size of `scalar`.
    pub fn put(self, scalar: Scalar, out: &mut Vec<u8>) {
        match self {
            Self::Integer(value) => out.extend_from_slice(&value.to_le_bytes()[..scalar.size()]),
            Self::Half(value) => out.extend_from_slice(&value.to_le_bytes()),
            Self::Single(value) => out.extend_from_slice(&value.to_le_bytes()),
            Self::Double(value) => out.extend_from_slice(&value.to_le_bytes()),
        }
    }

    /// Returns the value; large integers are rounded.
    pub fn to_f64(self) -> f64 {
        match self {
            Self::Integer(value) => value as f64,
            Self::Half(value) => value.to_f64(),
            Self::Single(value) => value.into(),
            Self::Double(value) => value,
        }
    }

    /// Returns the number's rank among its type's numbers: neighbours differ by one, which is an
    /// ulp.
    pub fn rank(self) -> i128 {
        let of_float = |bits: u64, sign: u64| {
            let magnitude = i128::from(bits & !sign);
            if bits & sign == 0 { magnitude } else { -magnitude }
        };
        match self {
            Self::Integer(value) => value,
            Self::Half(value) => of_float(value.to_bits().into(), 1 << 15),
            Self::Single(value) => of_float(value.to_bits().into(), 1 << 31),
            Self::Double(value) => of_float(value.to_bits(), 1 << 63),
        }
    }
}

impl std::fmt::Display for Number {
    /// Formats the shortest text that identifies this number within its type.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Integer(value) => value.fmt(f),
            Self::Half(value) => write!(f, "{:?}", value.to_f32()),
            Self::Single(value) => write!(f, "{value:?}"),
            Self::Double(value) => write!(f, "{value:?}"),
        }
    }
}

impl Serialize for Number {
    /// Serializes as a number; non-finite floats, which JSON lacks, as `"NaN"`, `"inf"` and
    /// `"-inf"`.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match *self {
            Self::Integer(value) => match i64::try_from(value) {
                Ok(value) => serializer.serialize_i64(value),
                Err(_) => serializer.serialize_u64(value as u64),
            },
            _ if !self.to_f64().is_finite() => serializer.collect_str(self),
            Self::Half(value) => serializer.serialize_f32(value.to_f32()),
            Self::Single(value) => serializer.serialize_f32(value),
            Self::Double(value) => serializer.serialize_f64(value),
        }
    }
}

/// Parses an integer with an optional minus sign.
pub fn parse_integer(text: &str) -> Option<i128> {
    match text.strip_prefix('-') {
        Some(digits) => i128::try_from(parse_number(digits)?).ok().map(|n| -n),
        None => i128::try_from(parse_number(text)?).ok(),
    }
}

/// Parses a number: decimal, or hexadecimal after `0x`; underscores may separate digits.
pub fn parse_number(text: &str) -> Option<u128> {
    let digits: String = text.chars().filter(|&c| c != '_').collect();
    match digits.strip_prefix("0x") {
        Some(hex) if !hex.starts_with('+') => u128::from_str_radix(hex, 16).ok(),
        None if !digits.starts_with('+') => digits.parse().ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back_from_their_bytes() {
        for (row, (scalar, name, ..)) in SCALARS.iter().enumerate() {
            assert_eq!((*scalar as usize, Scalar::from_name(name)), (row, Some(*scalar)));
            let (least, most) = scalar.bounds();
            let ends = if scalar.is_float() {
                [-1.5, 0.1].map(|n| scalar.round(n))
            } else {
                [least, most].map(Number::Integer)
            };
            let mut bytes = Vec::new();
            ends.iter().for_each(|number| number.put(*scalar, &mut bytes));
            assert_eq!(scalar.numbers(&bytes).collect::<Vec<_>>(), ends, "{name}");
            assert_eq!(scalar.parse(&ends[0].to_string()), Some(ends[0]), "{name}");
        }
        assert_eq!(Scalar::U8.parse("256"), None);
        assert_eq!(Scalar::U8.parse("-1"), None);
        assert_eq!(Scalar::F32.parse("1e-3"), Some(Number::Single(0.001)));
    }

    #[test]
    fn types_of_the_source() {
        for (text, expected) in [
            ("float*", Some((Scalar::F32, 1))),
            ("uchar4*", Some((Scalar::U8, 4))),
            ("int3", Some((Scalar::I32, 4))),
            ("double16", Some((Scalar::F64, 16))),
            ("struct s*", None),
            ("", None),
        ] {
            assert_eq!(Scalar::of_source(text), expected, "{text}");
        }
    }

    #[test]
    fn ranks_count_neighbours() {
        let rank = |value: f32| Number::Single(value).rank();
        assert_eq!(rank(1.0_f32.next_up()) - rank(1.0), 1);
        assert_eq!(rank(0.0), rank(-0.0));
        assert_eq!(rank(0.0_f32.next_up()) - rank(0.0_f32.next_down()), 2);
    }

    #[test]
    fn json_has_a_text_for_what_is_no_number() {
        let json = |number: Number| serde_json::to_string(&number).unwrap();
        assert_eq!(json(Number::Single(0.1)), "0.1");
        assert_eq!(json(Number::Single(f32::NAN)), "\"NaN\"");
        assert_eq!(json(Number::Double(f64::NEG_INFINITY)), "\"-inf\"");
        assert_eq!(json(Number::Integer(u64::MAX.into())), "18446744073709551615");
    }
}
