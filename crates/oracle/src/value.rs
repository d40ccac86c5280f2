//! Values of the notation.

use ethnum::I256;
use visakit::isa::{DataType, DataTypeClass};
use visakit_machine::float::FloatMode;

use crate::float::{Format, Join};
use crate::sum::Sum;

/// Value of the notation.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Exact integer.
    Integer(Integer),
    /// Float in the format that the instruction computes in.
    Float(Float),
    /// Real number inside of `near`.
    Real(f64),
    /// Real number known only as a range.
    Between {
        /// Lower bound.
        low: f64,
        /// Upper bound.
        high: f64,
    },
    /// Element of a matrix or product of two elements, in quad precision.
    Wide(u128),
    /// Sum of products, not rounded until it is stored.
    Sum(Box<Sum>),
    /// Bits of which only some are specified.
    Loose {
        /// Bit pattern.
        bits: u64,
        /// Mask of the specified bits.
        known: u64,
    },
    /// Truth value.
    Truth(bool),
    /// More bytes than an integer holds.
    Bytes(Vec<u8>),
    /// Unspecified value: any value is correct.
    Unknown,
}

/// Integer with an optional width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Integer {
    /// Exact value.
    pub value: I256,
    /// Width of its bit pattern, if it has the type that the instruction computes in.
    pub bits: Option<u32>,
}

/// Float with the alternatives that the pages allow.
#[derive(Clone, Debug, PartialEq)]
pub struct Float {
    /// Format of the float.
    pub format: Format,
    /// Computed bits.
    pub bits: u64,
    /// Alternatives to the computed bits.
    pub slack: Slack,
}

/// Alternatives to a computed value.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Slack {
    /// No alternative.
    #[default]
    None,
    /// Any NaN; the computed value is a NaN.
    Nan,
    /// Any of the listed values.
    Others(Box<Vec<u64>>),
    /// Any value at most this many steps away.
    Steps(u32),
}

impl Value {
    /// Creates an integer without a width.
    pub fn integer(value: impl Into<I256>) -> Self {
        Self::Integer(Integer { value: value.into(), bits: None })
    }

    /// Creates a float without alternatives.
    pub fn float(format: Format, bits: u64) -> Self {
        Self::Float(Float { format, bits, slack: Slack::None })
    }

    /// Creates the float result of an operation; the bits of a NaN result are unspecified.
    pub fn computed(format: Format, bits: u64) -> Self {
        let slack = if format.is_nan(bits) { Slack::Nan } else { Slack::None };
        Self::Float(Float { format, bits, slack })
    }

    /// Creates the value of an element from its bits.
    pub fn of_bits(data_type: DataType, bits: u64) -> Self {
        let width = data_type.bits();
        match (Format::of(data_type), data_type.class()) {
            (Some(format), _) => Self::float(format, bits),
            (None, DataTypeClass::Signed) => {
                let shift = 64 - width;
                Self::sized((bits << shift) as i64 >> shift, width)
            }
            (None, _) => Self::sized(bits, width),
        }
    }

    /// Returns the value as a real number, if it is a number.
    pub(crate) fn to_real(&self) -> Option<f64> {
        match self {
            Self::Integer(Integer { value, .. }) => Some(value.as_f64()),
            Self::Float(float) => Some(float.format.to_real(float.bits)),
            Self::Real(real) => Some(*real),
            _ => None,
        }
    }

    /// Creates an integer with a width.
    pub fn sized(value: impl Into<I256>, bits: u32) -> Self {
        Self::Integer(Integer { value: value.into(), bits: Some(bits) })
    }
}

impl Float {
    /// Applies an operation to floats. Each combination of the operands' alternatives yields an
    /// alternative of the result.
    pub(crate) fn joined(how: Join, operands: [&Self; 3], mode: FloatMode) -> Value {
        let format = operands[0].format;
        let join = |a, b, c| format.join(how, [a, b, c], mode);
        let bits = join(operands[0].bits, operands[1].bits, operands[2].bits);
        let mut others = Vec::new();
        if format.is_nan(bits) {
            return Value::computed(format, bits);
        }
        if operands.iter().any(|o| !matches!(o.slack, Slack::None | Slack::Nan)) {
            for a in operands[0].all() {
                for b in operands[1].all() {
                    others.extend(operands[2].all().map(|c| join(a, b, c)));
                }
            }
        }
        // IEEE 754 leaves open whether tininess is detected before or after rounding: chapter 2.
        if bits & !format.sign() == format.least_normal() && format.flushed(1, mode) == 0 {
            others.push(bits & format.sign());
        }
        Value::Float(Self { format, bits, slack: Slack::of(bits, others) })
    }

    /// Iterates over the alternatives; a range yields its ends and the middle.
    fn all(&self) -> impl Iterator<Item = u64> + '_ {
        let (listed, steps): (&[u64], i64) = match &self.slack {
            Slack::None | Slack::Nan => (&[], 0),
            Slack::Others(others) => (others, 0),
            Slack::Steps(steps) => (&[], i64::from(*steps)),
        };
        let ends = [-steps, steps].into_iter().filter(move |_| steps != 0);
        let ends = ends.map(|n| self.format.stepped(self.bits, n));
        std::iter::once(self.bits).chain(listed.iter().copied()).chain(ends)
    }

    /// Adds an alternative.
    pub(crate) fn or(mut self, other: u64) -> Self {
        let mut others = match self.slack {
            Slack::Others(others) => *others,
            _ => Vec::new(),
        };
        others.push(other);
        self.slack = Slack::of(self.bits, others);
        self
    }
}

impl Slack {
    fn of(bits: u64, mut others: Vec<u64>) -> Self {
        others.retain(|other| *other != bits);
        others.sort_unstable();
        others.dedup();
        if others.is_empty() { Self::None } else { Self::Others(Box::new(others)) }
    }
}
