//! Values: what the notation computes with.

use ethnum::I256;
use visakit::isa::{DataType, DataTypeClass};
use visakit_machine::float::FloatMode;

use crate::float::{Format, Join};
use crate::sum::Sum;

/// A value of the notation.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A whole number, exact.
    Integer(Integer),
    /// A float in the format that the instruction computes in.
    Float(Float),
    /// A real number: what stands inside of `near`.
    Real(f64),
    /// A real number that lies between these two: what is not said more precisely.
    Between {
        /// The least.
        low: f64,
        /// The most.
        high: f64,
    },
    /// A number of a matrix, or a product of two, in quad precision.
    Wide(u128),
    /// A sum of these, which is not rounded until it is stored.
    Sum(Box<Sum>),
    /// Bits of which only those that a mask has are said.
    Loose {
        /// The bits.
        bits: u64,
        /// The mask.
        known: u64,
    },
    /// A truth value.
    Truth(bool),
    /// Whole bytes, more than a number has.
    Bytes(Vec<u8>),
    /// Nothing says what it is: any value will do.
    Unknown,
}

/// A whole number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Integer {
    /// The number.
    pub value: I256,
    /// Bits of its pattern, where it has one: those of the type that the instruction computes in.
    pub bits: Option<u32>,
}

/// A float.
#[derive(Clone, Debug, PartialEq)]
pub struct Float {
    /// Its format.
    pub format: Format,
    /// Its bits.
    pub bits: u64,
    /// What else it may be.
    pub slack: Slack,
}

/// What else a value may be, where the pages leave a choice.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Slack {
    /// Nothing.
    #[default]
    None,
    /// Any NaN: this is one that an operation gave.
    Nan,
    /// One of these.
    Others(Box<Vec<u64>>),
    /// Whatever is at most so many steps away.
    Steps(u32),
}

impl Value {
    /// A whole number without a pattern.
    pub fn integer(value: impl Into<I256>) -> Self {
        Self::Integer(Integer { value: value.into(), bits: None })
    }

    /// A float that can be nothing else.
    pub fn float(format: Format, bits: u64) -> Self {
        Self::Float(Float { format, bits, slack: Slack::None })
    }

    /// A float that an operation gave: of a NaN nothing says which one it is.
    pub fn computed(format: Format, bits: u64) -> Self {
        let slack = if format.is_nan(bits) { Slack::Nan } else { Slack::None };
        Self::Float(Float { format, bits, slack })
    }

    /// The value that an element of a data type has, by its bits.
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

    /// The number that it is, if it is one.
    pub(crate) fn to_real(&self) -> Option<f64> {
        match self {
            Self::Integer(Integer { value, .. }) => Some(value.as_f64()),
            Self::Float(float) => Some(float.format.to_real(float.bits)),
            Self::Real(real) => Some(*real),
            _ => None,
        }
    }

    /// A whole number with a pattern.
    pub fn sized(value: impl Into<I256>, bits: u32) -> Self {
        Self::Integer(Integer { value: value.into(), bits: Some(bits) })
    }
}

impl Float {
    /// The float joined with others by an operation; each of the values that they may be gives one
    /// that the result may be.
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
        // IEEE 754 leaves open whether a result is subnormal that is so before it is rounded only:
        // chapter 2.
        if bits & !format.sign() == format.least_normal() && format.flushed(1, mode) == 0 {
            others.push(bits & format.sign());
        }
        Value::Float(Self { format, bits, slack: Slack::of(bits, others) })
    }

    /// The values that it may be, one by one: of a range its ends and the middle.
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

    /// The float with another choice.
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
