//! Operators: exact on integers, rounded once on floats, unrounded on real numbers.

use ethnum::I256;
use visakit_codegen::model::semantics::{BinaryOperator, UnaryOperator};
use visakit_machine::float::FloatMode;

use crate::convert;
use crate::execution::{Halt, Result, senseless};
use crate::float::{Join, join_wide, wide_of_integer};
use crate::sum::Sum;
use crate::value::{Float, Integer, Slack, Value};

/// Evaluates a unary operator.
pub(crate) fn unary(operator: UnaryOperator, value: Value) -> Result<Value> {
    Ok(match (operator, value) {
        (_, Value::Unknown) => Value::Unknown,
        (UnaryOperator::Negate, Value::Integer(Integer { value, bits })) => {
            Value::Integer(Integer { value: value.wrapping_neg(), bits })
        }
        (UnaryOperator::Negate, Value::Real(real)) => Value::Real(-real),
        (UnaryOperator::Negate, Value::Float(float)) if matches!(float.slack, Slack::None | Slack::Nan) => {
            Value::Float(Float { bits: float.bits ^ float.format.sign(), ..float })
        }
        (UnaryOperator::Not, Value::Truth(truth)) => Value::Truth(!truth),
        (UnaryOperator::Complement, Value::Integer(Integer { value, bits })) => {
            Value::Integer(Integer { value: !value, bits })
        }
        (UnaryOperator::Complement, Value::Float(Float { format, bits, .. })) => {
            Value::float(format, bits ^ convert::ones(format.bits()))
        }
        (operator, value) => return senseless(format!("{operator:?} of {value:?}")),
    })
}

/// Evaluates a binary operator.
pub(crate) fn binary(operator: BinaryOperator, left: Value, right: Value, mode: FloatMode) -> Result<Value> {
    use BinaryOperator as O;
    Ok(match (left, right) {
        (Value::Unknown, _) | (_, Value::Unknown) => Value::Unknown,
        (Value::Integer(a), Value::Integer(b)) => integers(operator, a, b)?,
        (Value::Float(a), Value::Float(b)) if a.format == b.format => floats(operator, &a, &b, mode)?,
        (Value::Between { low, high }, b) | (b, Value::Between { low, high }) if operator == O::Add => {
            let Value::Float(b) = b else { return Ok(Value::Unknown) };
            let b = b.format.to_real(b.bits);
            // The sum of the range's ends is rounded.
            let room = |sum: f64| sum.abs() * f64::from(f32::EPSILON);
            Value::Between { low: low + b - room(low + b), high: high + b + room(high + b) }
        }
        // Bit operations use the float's bits in the register.
        (Value::Float(a), Value::Integer(b)) if matches!(operator, O::And | O::Or | O::Xor) => {
            integers(operator, Integer { value: a.bits.into(), bits: Some(a.format.bits()) }, b)?
        }
        (Value::Real(a), Value::Real(b)) => reals(operator, a, b)?,
        (a @ (Value::Wide(_) | Value::Sum(_)), b) | (a, b @ (Value::Wide(_) | Value::Sum(_))) => {
            of_matrices(operator, &a, &b)?
        }
        // A literal of the page takes the format of the other operand.
        (Value::Float(a), Value::Real(b)) => {
            let b = Value::float(a.format, a.format.of_real(b, FloatMode::PLAIN));
            binary(operator, Value::Float(a), b, mode)?
        }
        (Value::Real(a), Value::Float(b)) => {
            let a = Value::float(b.format, b.format.of_real(a, FloatMode::PLAIN));
            binary(operator, a, Value::Float(b), mode)?
        }
        (Value::Truth(a), Value::Truth(b)) => Value::Truth(match operator {
            O::Equal => a == b,
            O::NotEqual | O::Xor => a != b,
            O::And => a && b,
            O::Or => a || b,
            _ => return senseless("truth values in arithmetic"),
        }),
        (Value::Truth(a), b) => binary(operator, Value::integer(u32::from(a)), b, mode)?,
        (a, Value::Truth(b)) => binary(operator, a, Value::integer(u32::from(b)), mode)?,
        (a, b) => return senseless(format!("{operator:?} of {a:?} and {b:?}")),
    })
}

fn integers(
    operator: BinaryOperator,
    Integer { value: a, bits }: Integer,
    Integer { value: b, bits: other }: Integer,
) -> Result<Value> {
    use BinaryOperator as O;
    let too_large = || Halt::Senseless("a number of more than 255 bits".to_owned());
    let count = || {
        u32::try_from(b)
            .ok()
            .filter(|n| *n < 256)
            .ok_or_else(|| Halt::Senseless("a shift by a negative count or by more than 255 bits".to_owned()))
    };
    let truth = |truth| Ok(Value::Truth(truth));
    let value = match operator {
        O::Equal => return truth(a == b),
        O::NotEqual => return truth(a != b),
        O::Less => return truth(a < b),
        O::LessOrEqual => return truth(a <= b),
        O::Greater => return truth(a > b),
        O::GreaterOrEqual => return truth(a >= b),
        O::Or => a | b,
        O::Xor => a ^ b,
        O::And => a & b,
        O::ShiftLeft => a.checked_mul(I256::ONE << count()?.min(254)).ok_or_else(too_large)?,
        O::ShiftRight => a >> count()?,
        O::ShiftRightZero => {
            let pattern = match (a.is_negative(), bits) {
                (false, _) => a,
                (true, Some(bits)) => a & ((I256::ONE << bits) - I256::ONE),
                (true, None) => return senseless("a zero-filling right shift of a negative number without a type"),
            };
            pattern >> count()?
        }
        O::Add => a.checked_add(b).ok_or_else(too_large)?,
        O::Subtract => a.checked_sub(b).ok_or_else(too_large)?,
        O::Multiply => a.checked_mul(b).ok_or_else(too_large)?,
        // The result of an integer division by zero is unpublished.
        O::Divide | O::Remainder if b == I256::ZERO => return Ok(Value::Unknown),
        O::Divide => a / b,
        O::Remainder => a % b,
        O::OrElse | O::AndThen => return senseless("numbers as truth values"),
    };
    Ok(Value::Integer(Integer { value, bits: bits.or(other) }))
}

fn floats(operator: BinaryOperator, a: &Float, b: &Float, mode: FloatMode) -> Result<Value> {
    use BinaryOperator as O;
    use std::cmp::Ordering::{Equal, Greater, Less};
    let order = || a.format.compare(a.bits, b.bits, mode);
    let truth = |truth| Ok(Value::Truth(truth));
    let how = match operator {
        O::Equal => return truth(order() == Some(Equal)),
        O::NotEqual => return truth(order() != Some(Equal)),
        O::Less => return truth(order() == Some(Less)),
        O::LessOrEqual => return truth(matches!(order(), Some(Less | Equal))),
        O::Greater => return truth(order() == Some(Greater)),
        O::GreaterOrEqual => return truth(matches!(order(), Some(Greater | Equal))),
        // Bit operations use the bits in the registers.
        O::Or => return Ok(Value::float(a.format, a.bits | b.bits)),
        O::Xor => return Ok(Value::float(a.format, a.bits ^ b.bits)),
        O::And => return Ok(Value::float(a.format, a.bits & b.bits)),
        O::Add => Join::Sum,
        O::Subtract => Join::Difference,
        O::Multiply => Join::Product,
        O::Divide => Join::Quotient,
        O::Remainder => Join::Remainder,
        _ => return senseless(format!("{operator:?} of floats")),
    };
    let none = Float { format: a.format, bits: 0, slack: Slack::None };
    Ok(Float::joined(how, [a, b, &none], mode))
}

fn of_matrices(operator: BinaryOperator, left: &Value, right: &Value) -> Result<Value> {
    use BinaryOperator as O;
    if let (O::Multiply, Value::Wide(a), Value::Wide(b)) = (operator, left, right) {
        // Products of elements are exact.
        return Ok(join_wide(Join::Product, *a, *b).map_or(Value::Unknown, Value::Wide));
    }
    let (left, right) = (sum(left)?, sum(right)?);
    Ok(Value::Sum(Box::new(match operator {
        O::Add => left.plus(&right),
        O::Subtract => left.plus(&right.negated()),
        _ => return senseless(format!("{operator:?} of elements of matrices")),
    })))
}

/// Converts a value to a sum.
fn sum(value: &Value) -> Result<Sum> {
    let bits = match value {
        Value::Sum(sum) => return Ok(Sum::clone(sum)),
        Value::Wide(bits) => *bits,
        Value::Float(float) => float.format.wide(float.bits),
        Value::Integer(Integer { value, .. }) => wide_of_integer(value.as_i128()),
        value => return senseless(format!("{value:?} as an element of a matrix")),
    };
    Sum::of(bits).ok_or_else(|| Halt::Senseless("a number of this magnitude as an element of a matrix".to_owned()))
}

fn reals(operator: BinaryOperator, a: f64, b: f64) -> Result<Value> {
    use BinaryOperator as O;
    Ok(match operator {
        O::Add => Value::Real(a + b),
        O::Subtract => Value::Real(a - b),
        O::Multiply => Value::Real(a * b),
        O::Divide => Value::Real(a / b),
        O::Less => Value::Truth(a < b),
        O::Greater => Value::Truth(a > b),
        O::Equal => Value::Truth(a == b),
        O::NotEqual => Value::Truth(a != b),
        _ => return senseless(format!("{operator:?} of real numbers")),
    })
}
