//! Constant values of nodes.

use crate::ir::{Binary, Expression, Node, Value};

/// Returns the value of a node if it is constant for all channels.
pub(crate) fn constant_value(expression: &Expression, value: Value) -> Option<u64> {
    let (kind, node) = expression.nodes.get(value)?;
    match node {
        Node::Constant(bits) => Some(*bits),
        Node::Binary(Binary::And, a, b) => Some(constant_value(expression, *a)? & constant_value(expression, *b)?),
        Node::Convert { value, saturate: false } => {
            let from = expression.nodes.get(*value)?.0;
            let is_same = !from.is_float() && !kind.is_float() && from.bytes() >= kind.bytes();
            let bits = constant_value(expression, *value).filter(|_| is_same)?;
            Some(bits & u64::MAX >> (64 - kind.bytes() * 8))
        }
        _ => None,
    }
}
