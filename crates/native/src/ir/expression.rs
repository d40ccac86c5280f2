//! Expressions: the values of one channel as nodes, each of which refers to earlier ones.

use crate::ir::function::Function;
use crate::ir::mask::Mask;

/// What an element is taken as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names are Rust's")]
pub enum Kind {
    U8,
    I8,
    U16,
    I16,
    U32,
    I32,
    U64,
    I64,
    F16,
    F32,
    F64,
}

impl Kind {
    /// Size in bytes.
    pub fn bytes(self) -> u32 {
        match self {
            Self::U8 | Self::I8 => 1,
            Self::U16 | Self::I16 | Self::F16 => 2,
            Self::U32 | Self::I32 | Self::F32 => 4,
            Self::U64 | Self::I64 | Self::F64 => 8,
        }
    }

    /// Whether it is a float.
    pub fn is_float(self) -> bool {
        matches!(self, Self::F16 | Self::F32 | Self::F64)
    }

    /// Whether it is an integer with a sign.
    pub fn is_signed(self) -> bool {
        matches!(self, Self::I8 | Self::I16 | Self::I32 | Self::I64)
    }
}

/// The number of a node of an expression.
pub type Value = usize;

/// What one channel's value is made of. Operations have the kind of their operands, or take the
/// bits of one of the same size as their own kind; conversions and relations go by what their
/// operands are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// What stands in the registers: the channels' elements follow each other at `step` bytes; with
    /// 0 there is one for all.
    Load {
        /// The first channel's.
        at: u32,
        /// From one channel to the next.
        step: u32,
    },
    /// The same number for all channels, as the bits of the kind.
    Constant(u64),
    /// A function of one value.
    Unary(Unary, Value),
    /// A function of two.
    Binary(Binary, Value, Value),
    /// A product and a sum, rounded once.
    Fused(Value, Value, Value),
    /// A value as another kind. Integers keep their low bits, or go to the nearest that there is;
    /// floats become integers by cutting off, the nearest that there is, and zero for NaN; others
    /// are rounded to the nearest even.
    Convert {
        /// What is converted.
        value: Value,
        /// Whether an integer goes to the nearest that there is.
        saturate: bool,
    },
    /// The first where a mask holds, else the second.
    Pick(Mask, Value, Value),
    /// All bits where a relation holds, else none. The kind has the size of the two values.
    Holds(Relation, Value, Value),
    /// One of the expression's functions, of two values; all have 32 bits.
    Call(usize, Value, Value),
}

/// Functions of one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Unary {
    Neg,
    Abs,
    Not,
    Sqrt,
    Floor,
    Ceil,
    Trunc,
    /// To the nearest whole number, the even one of two.
    Round,
}

/// Functions of two values. Integers wrap. Counts of shifts are below the number of bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Binary {
    Add,
    Sub,
    Mul,
    Div,
    /// With a NaN on one side it is the other side, with two it is the second.
    Min,
    Max,
    And,
    Or,
    Xor,
    Shl,
    /// Copies of the sign come in, if the kind has one.
    Shr,
    /// Up, by a number below the number of bits.
    Rotate,
}

/// How values compare. With a NaN none holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Relation {
    Equal,
    Less,
    LessOrEqual,
}

/// An expression: nodes, of which each refers to earlier ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expression {
    /// The nodes and what they give.
    pub nodes: Vec<(Kind, Node)>,
    /// The functions that nodes call.
    pub functions: Vec<Function>,
}
