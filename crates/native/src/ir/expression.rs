//! Expressions: the values of one channel as nodes, each of which refers to earlier ones.

use crate::ir::function::Function;
use crate::ir::mask::Mask;

/// The type of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names are Rust's")]
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
    /// Returns the size in bytes.
    pub fn bytes(self) -> u32 {
        match self {
            Self::U8 | Self::I8 => 1,
            Self::U16 | Self::I16 | Self::F16 => 2,
            Self::U32 | Self::I32 | Self::F32 => 4,
            Self::U64 | Self::I64 | Self::F64 => 8,
        }
    }

    /// Returns true for floats.
    pub fn is_float(self) -> bool {
        matches!(self, Self::F16 | Self::F32 | Self::F64)
    }

    /// Returns true for signed integers.
    pub fn is_signed(self) -> bool {
        matches!(self, Self::I8 | Self::I16 | Self::I32 | Self::I64)
    }
}

/// The number of a node of an expression.
pub type Value = usize;

/// Definition of one channel's value. The operands of an operation have its kind, or another kind
/// of the same size whose bits are reinterpreted. Conversions and relations depend on the kind of
/// their operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// A value in the registers: the channels' elements are `step` bytes apart. With a step of 0,
    /// one element serves all channels.
    Load {
        /// Place of the first channel's element.
        at: u32,
        /// The distance from one channel to the next.
        step: u32,
    },
    /// A uniform number, as the bits of the kind.
    Constant(u64),
    /// A function of one value.
    Unary(Unary, Value),
    /// A function of two values.
    Binary(Binary, Value, Value),
    /// A product and a sum, rounded once.
    Fused(Value, Value, Value),
    /// A conversion to this kind. Integers keep their low bits, or saturate. Floats become integers
    /// by truncation, saturated, and zero for NaN. Other conversions round to nearest even.
    Convert {
        /// The value that is converted.
        value: Value,
        /// True if an integer saturates.
        saturate: bool,
    },
    /// The first value where a mask holds, otherwise the second.
    Pick(Mask, Value, Value),
    /// All ones where a relation holds, otherwise zeros. The kind has the size of the two values.
    Holds(Relation, Value, Value),
    /// A call of one of the expression's functions of two values; arguments and result have 32
    /// bits.
    Call(usize, Value, Value),
}

/// Functions of one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names are self-explanatory")]
pub enum Unary {
    Neg,
    Abs,
    Not,
    Sqrt,
    Floor,
    Ceil,
    Trunc,
    /// Rounds to the nearest whole number, ties to even.
    Round,
}

/// Functions of two values. Integers wrap. Counts of shifts are below the number of bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names are self-explanatory")]
pub enum Binary {
    Add,
    Sub,
    Mul,
    Div,
    /// The minimum. If one operand is NaN, the result is the other; if both are, the second.
    Min,
    Max,
    And,
    Or,
    Xor,
    Shl,
    /// Right shift, arithmetic for signed kinds.
    Shr,
    /// Rotates left by a number below the number of bits.
    Rotate,
}

/// A comparison of values; false if an operand is NaN.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names are self-explanatory")]
pub enum Relation {
    Equal,
    Less,
    LessOrEqual,
}

/// Nodes, each of which refers to earlier ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expression {
    /// The nodes and their kinds.
    pub nodes: Vec<(Kind, Node)>,
    /// The functions that nodes call.
    pub functions: Vec<Function>,
}
