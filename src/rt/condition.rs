//! Conditions across the fields of an instruction, as the rows of verification.md state them:
//! postfix code, and what it computes. What fields hold and what built-ins give comes from whoever
//! looks at the instruction.

use super::super::isa::RuleBuiltin;

/// A step of a condition; values stand on a stack.
#[derive(Clone, Copy, Debug)]
pub enum Op {
    /// Puts on the stack that there is no value.
    Nothing,
    /// Puts a number on the stack; truth values are 0 and 1.
    Number(i64),
    /// Puts the number, the index or all bits of the field at a position on the stack.
    Field(u8),
    /// Puts some bits of a field on the stack.
    Part {
        /// Position of the field.
        field: u8,
        /// Lowest bit.
        lo: u8,
        /// Number of bits.
        width: u8,
    },
    /// Replaces a code by the number that it is the name of.
    Named(&'static [(i64, i64)]),
    /// Whether the value is one of these.
    OneOf(&'static [i64]),
    /// Whether the two values are one of these pairs.
    Pairs(&'static [(i64, i64)]),
    /// A built-in whose arguments are on the stack.
    Builtin(RuleBuiltin),
    /// A built-in about the operand at a position.
    Operand(RuleBuiltin, u8),
    /// The negative value.
    Negate,
    /// Not, of a truth value.
    Not,
    /// All bits inverted.
    Complement,
    /// An operator between two values.
    Binary(Operator),
    /// The second value where the first one is true, else the third.
    Choose,
}

/// An operator between two values, as in the notation of semantics.md.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are those of spec/semantics.md")]
pub enum Operator {
    OrElse,
    AndThen,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Or,
    Xor,
    And,
    ShiftLeft,
    ShiftRight,
    ShiftRightZero,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

/// What a condition asks an instruction.
pub trait Facts {
    /// The bits of the field at a position, where it is there and is no operand.
    fn field(&self, position: usize) -> Option<i64>;
    /// What a built-in gives for an operand.
    fn operand(&self, builtin: RuleBuiltin, position: usize) -> Option<i64>;
    /// What a built-in gives for its arguments, which it takes from the stack.
    fn builtin(&self, builtin: RuleBuiltin, stack: &mut Vec<Option<i64>>) -> Option<i64>;
}

/// The value of a condition; none where it depends on something that is not there.
pub fn evaluate(code: &[Op], facts: &impl Facts) -> Option<i64> {
    let mut stack: Vec<Option<i64>> = Vec::with_capacity(8);
    for op in code {
        let value = match *op {
            Op::Nothing => None,
            Op::Number(number) => Some(number),
            Op::Field(at) => facts.field(at.into()),
            Op::Part { field, lo, width } => facts.field(field.into()).map(|bits| {
                let mask = 1i64.checked_shl(width.into()).map_or(-1, |bit| bit.wrapping_sub(1));
                bits.checked_shr(lo.into()).unwrap_or(0) & mask
            }),
            Op::Named(names) => {
                let code = stack.pop().flatten();
                code.and_then(|code| names.iter().find(|(c, _)| *c == code)).map(|(_, number)| *number)
            }
            Op::OneOf(numbers) => stack.pop().flatten().map(|n| numbers.contains(&n).into()),
            Op::Pairs(pairs) => {
                let (right, left) = (stack.pop().flatten(), stack.pop().flatten());
                left.zip(right).map(|pair| pairs.contains(&pair).into())
            }
            Op::Builtin(builtin) => facts.builtin(builtin, &mut stack),
            Op::Operand(builtin, at) => facts.operand(builtin, at.into()),
            Op::Negate => stack.pop().flatten().and_then(i64::checked_neg),
            Op::Not => stack.pop().flatten().map(|n| (n == 0).into()),
            Op::Complement => stack.pop().flatten().map(|n| !n),
            Op::Binary(operator) => {
                let (right, left) = (stack.pop().flatten(), stack.pop().flatten());
                binary(operator, left, right)
            }
            Op::Choose => {
                let (otherwise, then) = (stack.pop().flatten(), stack.pop().flatten());
                stack.pop().flatten().and_then(|condition| if condition != 0 { then } else { otherwise })
            }
        };
        stack.push(value);
    }
    stack.pop().flatten()
}

fn binary(operator: Operator, left: Option<i64>, right: Option<i64>) -> Option<i64> {
    // One side may decide without the other.
    match operator {
        Operator::AndThen if left == Some(0) || right == Some(0) => return Some(0),
        Operator::OrElse if left.is_some_and(|l| l != 0) || right.is_some_and(|r| r != 0) => return Some(1),
        _ => {}
    }
    let (l, r) = (left?, right?);
    let shift = || u32::try_from(r).ok();
    Some(match operator {
        Operator::OrElse => 0,
        Operator::AndThen => 1,
        Operator::Equal => (l == r).into(),
        Operator::NotEqual => (l != r).into(),
        Operator::Less => (l < r).into(),
        Operator::LessOrEqual => (l <= r).into(),
        Operator::Greater => (l > r).into(),
        Operator::GreaterOrEqual => (l >= r).into(),
        Operator::Or => l | r,
        Operator::Xor => l ^ r,
        Operator::And => l & r,
        Operator::ShiftLeft => l.checked_shl(shift()?)?,
        Operator::ShiftRight => l.checked_shr(shift()?)?,
        Operator::ShiftRightZero => (l as u64).checked_shr(shift()?)? as i64,
        Operator::Add => l.checked_add(r)?,
        Operator::Subtract => l.checked_sub(r)?,
        Operator::Multiply => l.checked_mul(r)?,
        Operator::Divide => l.checked_div(r)?,
        Operator::Remainder => l.checked_rem(r)?,
    })
}
