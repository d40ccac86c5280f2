//! Conditions of the rows of verification.md: postfix code
//! and its evaluation. A [`Facts`] implementation supplies the values of fields and built-ins.

use super::super::isa::RuleBuiltin;

/// Operation of a condition, in postfix order on a stack of values.
#[derive(Clone, Copy, Debug)]
pub enum Op {
    /// Pushes an absent value.
    Nothing,
    /// Pushes a number; truth values are 0 and 1.
    Number(i64),
    /// Pushes the number, the index or all bits of the field at a position.
    Field(u8),
    /// Pushes a range of bits of a field.
    Part {
        /// Position of the field.
        field: u8,
        /// Lowest bit.
        lo: u8,
        /// Number of bits.
        width: u8,
    },
    /// Replaces a code by the number that its name stands for.
    Named(&'static [(i64, i64)]),
    /// Tests whether the value is in the list.
    OneOf(&'static [i64]),
    /// Tests whether the two values form a pair of the list.
    Pairs(&'static [(i64, i64)]),
    /// Calls a built-in whose arguments are on the stack.
    Builtin(RuleBuiltin),
    /// Calls a built-in for the operand at a position.
    Operand(RuleBuiltin, u8),
    /// Calls a built-in for the operand that the row or the enclosing quantifier concerns.
    It(RuleBuiltin),
    /// Calls a built-in for the destination.
    Destination(RuleBuiltin),
    /// Calls a built-in that tests a condition for several operands.
    Quantified(RuleBuiltin, &'static [Op]),
    /// Negates the value.
    Negate,
    /// Negates a truth value.
    Not,
    /// Inverts all bits.
    Complement,
    /// Skips operations if the last value has this truth value, which then is the result of the
    /// last of them.
    Unless(bool, u8),
    /// Applies an operator to two values.
    Binary(Operator),
    /// Selects the second value if the first is true, otherwise the third.
    Choose,
}

/// Binary operator, in the notation of semantics.md.
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

/// Source of the facts that a condition needs of an instruction.
pub trait Facts {
    /// Returns the bits of the field at a position, if the field is present and no operand.
    fn field(&self, position: usize) -> Option<i64>;
    /// Returns the result of a built-in for an operand.
    fn operand(&self, builtin: RuleBuiltin, position: usize) -> Option<i64>;
    /// Returns the result of a built-in for the operand that the condition concerns.
    fn it(&self, builtin: RuleBuiltin) -> Option<i64>;
    /// Returns the result of a built-in for the destination.
    fn destination(&self, builtin: RuleBuiltin) -> Option<i64>;
    /// Returns the result of a built-in that tests a condition for several operands.
    fn quantified(&self, builtin: RuleBuiltin, condition: &'static [Op]) -> Option<i64>;
    /// Returns the result of a built-in; pops its arguments from the stack.
    fn builtin(&self, builtin: RuleBuiltin, stack: &mut Stack) -> Option<i64>;
}

/// Values of a condition under evaluation. The first few need no allocation.
#[derive(Debug, Default)]
pub struct Stack {
    few: [Option<i64>; 8],
    length: usize,
    more: Vec<Option<i64>>,
}

impl Stack {
    fn push(&mut self, value: Option<i64>) {
        match self.few.get_mut(self.length) {
            Some(place) => *place = value,
            None => self.more.push(value),
        }
        self.length += 1;
    }

    /// Removes the last value; `None` if it is absent.
    pub fn pop(&mut self) -> Option<i64> {
        self.length = self.length.checked_sub(1)?;
        match self.few.get(self.length) {
            Some(value) => *value,
            None => self.more.pop().flatten(),
        }
    }
}

/// Returns the value of a condition, or `None` if it depends on an absent value.
pub fn evaluate(code: &[Op], facts: &impl Facts) -> Option<i64> {
    let mut stack = Stack::default();
    let mut next = 0;
    while let Some(op) = code.get(next) {
        next += 1;
        let value = match *op {
            Op::Nothing => None,
            Op::Number(number) => Some(number),
            Op::Field(at) => facts.field(at.into()),
            Op::Part { field, lo, width } => facts.field(field.into()).map(|bits| {
                let mask = 1i64.checked_shl(width.into()).map_or(-1, |bit| bit.wrapping_sub(1));
                bits.checked_shr(lo.into()).unwrap_or(0) & mask
            }),
            Op::Named(names) => {
                let code = stack.pop();
                code.and_then(|code| names.iter().find(|(c, _)| *c == code)).map(|(_, number)| *number)
            }
            Op::OneOf(numbers) => stack.pop().map(|n| numbers.contains(&n).into()),
            Op::Pairs(pairs) => {
                let (right, left) = (stack.pop(), stack.pop());
                left.zip(right).map(|pair| pairs.contains(&pair).into())
            }
            Op::Builtin(builtin) => facts.builtin(builtin, &mut stack),
            Op::Operand(builtin, at) => facts.operand(builtin, at.into()),
            Op::It(builtin) => facts.it(builtin),
            Op::Destination(builtin) => facts.destination(builtin),
            Op::Quantified(builtin, condition) => facts.quantified(builtin, condition),
            Op::Negate => stack.pop().and_then(i64::checked_neg),
            Op::Not => stack.pop().map(|n| (n == 0).into()),
            Op::Complement => stack.pop().map(|n| !n),
            Op::Unless(truth, skipped) => match stack.pop() {
                Some(value) if (value != 0) == truth => {
                    next += usize::from(skipped);
                    Some(truth.into())
                }
                value => value,
            },
            Op::Binary(operator) => {
                let (right, left) = (stack.pop(), stack.pop());
                binary(operator, left, right)
            }
            Op::Choose => {
                let (otherwise, then) = (stack.pop(), stack.pop());
                stack.pop().and_then(|condition| if condition != 0 { then } else { otherwise })
            }
        };
        stack.push(value);
    }
    stack.pop()
}

fn binary(operator: Operator, left: Option<i64>, right: Option<i64>) -> Option<i64> {
    // One side may decide the result even if the other is absent.
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
