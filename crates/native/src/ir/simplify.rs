//! Peephole simplification: removes logic with all ones or zeros, sums and products with zero or
//! one, double negations, repeated nodes, and the upper parts of arithmetic if only the low bits
//! are used. It runs whenever a node is added.

use crate::ir::expression::{Binary, Expression, Kind, Node, Unary, Value};

impl Expression {
    /// Adds a node, unless one with the same value exists, and returns its number.
    pub fn push(&mut self, kind: Kind, node: Node) -> Value {
        if let Some(known) = self.simple(kind, node) {
            return known;
        }
        let known = self.nodes.iter().position(|known| *known == (kind, node));
        known.unwrap_or_else(|| {
            self.nodes.push((kind, node));
            self.nodes.len() - 1
        })
    }

    /// Returns the value of a logic node if it equals one of its operands, or a constant.
    fn simple(&mut self, kind: Kind, node: Node) -> Option<Value> {
        let all = u64::MAX >> (64 - kind.bytes() * 8);
        match node {
            Node::Unary(Unary::Not, a) => match self.nodes.get(a)?.1 {
                Node::Constant(bits) => Some(self.push(kind, Node::Constant(!bits & all))),
                Node::Unary(Unary::Not, a) => self.of_kind(kind, a),
                _ => None,
            },
            Node::Binary(binary @ (Binary::And | Binary::Or | Binary::Xor), a, b) => {
                if let (Some(a), Some(b)) = (self.number(a), self.number(b)) {
                    let bits = match binary {
                        Binary::And => a & b,
                        Binary::Or => a | b,
                        _ => a ^ b,
                    };
                    return Some(self.push(kind, Node::Constant(bits)));
                }
                self.with_number(kind, all, binary, a, b)
                    .or_else(|| self.with_number(kind, all, binary, b, a))
                    .or_else(|| self.of_two(kind, all, binary, a, b))
            }
            Node::Binary(binary @ (Binary::Add | Binary::Mul), a, b) if !kind.is_float() => {
                self.neutral(kind, binary, a, b).or_else(|| self.neutral(kind, binary, b, a))
            }
            Node::Convert { value, saturate: false } if !kind.is_float() => self.low(kind, value),
            _ => None,
        }
    }

    /// Returns the low bits of a wider integer, computed from the low bits of its operands.
    fn low(&mut self, kind: Kind, value: Value) -> Option<Value> {
        let (from, node) = *self.nodes.get(value)?;
        if from == kind {
            return Some(value);
        }
        (!from.is_float() && from.bytes() > kind.bytes()).then_some(())?;
        let node = match node {
            Node::Constant(bits) => Node::Constant(bits & u64::MAX >> (64 - kind.bytes() * 8)),
            Node::Convert { value, saturate: false } if !self.nodes.get(value)?.0.is_float() => {
                Node::Convert { value, saturate: false }
            }
            Node::Unary(unary @ (Unary::Neg | Unary::Not), a) => Node::Unary(unary, self.low(kind, a)?),
            Node::Binary(
                binary @ (Binary::Add | Binary::Sub | Binary::Mul | Binary::And | Binary::Or | Binary::Xor),
                a,
                b,
            ) => Node::Binary(binary, self.low(kind, a)?, self.low(kind, b)?),
            Node::Pick(mask, a, b) => Node::Pick(mask, self.low(kind, a)?, self.low(kind, b)?),
            _ => return None,
        };
        Some(self.push(kind, node))
    }

    /// Returns the value of a sum or a product with zero or one.
    fn neutral(&mut self, kind: Kind, binary: Binary, a: Value, b: Value) -> Option<Value> {
        match (binary, self.number(b)?) {
            (Binary::Add, 0) | (Binary::Mul, 1) => self.of_kind(kind, a),
            (Binary::Mul, 0) => self.of_kind(kind, b),
            _ => None,
        }
    }

    /// Returns the value of logic with all ones or zeros.
    fn with_number(&mut self, kind: Kind, all: u64, binary: Binary, a: Value, b: Value) -> Option<Value> {
        match (binary, self.number(b)?) {
            (Binary::And, 0) => Some(self.push(kind, Node::Constant(0))),
            (Binary::Or, bits) if bits == all => Some(self.push(kind, Node::Constant(all))),
            (Binary::Xor, bits) if bits == all => Some(self.push(kind, Node::Unary(Unary::Not, a))),
            (Binary::And, bits) if bits == all => self.of_kind(kind, a),
            (Binary::Or | Binary::Xor, 0) => self.of_kind(kind, a),
            _ => None,
        }
    }

    /// Returns the value of logic of a value and itself, or its inverse.
    fn of_two(&mut self, kind: Kind, all: u64, binary: Binary, a: Value, b: Value) -> Option<Value> {
        if a == b {
            return match binary {
                Binary::Xor => Some(self.push(kind, Node::Constant(0))),
                _ => self.of_kind(kind, a),
            };
        }
        if self.is_not(a, b) {
            return Some(self.push(kind, Node::Constant(if binary == Binary::And { 0 } else { all })));
        }
        // The result is equal for any other operand.
        let and = |value: Value| match self.nodes.get(value)?.1 {
            Node::Binary(Binary::And, a, b) => Some([a, b]),
            _ => None,
        };
        let ([a, b], [c, d]) = (and(a)?, and(b)?);
        let same = [(a, b, c, d), (a, b, d, c), (b, a, c, d), (b, a, d, c)];
        let (value, ..) = same.into_iter().find(|(a, b, c, d)| a == c && self.is_not(*b, *d))?;
        (binary != Binary::And).then(|| self.of_kind(kind, value))?
    }

    /// Returns true if one value is the inverse of the other.
    fn is_not(&self, a: Value, b: Value) -> bool {
        let not = |value: Value| match self.nodes.get(value)?.1 {
            Node::Unary(Unary::Not, other) => Some(other),
            _ => None,
        };
        not(a) == Some(b) || not(b) == Some(a)
    }

    /// Returns the bits of a constant.
    fn number(&self, value: Value) -> Option<u64> {
        match self.nodes.get(value)?.1 {
            Node::Constant(bits) => Some(bits),
            _ => None,
        }
    }

    /// Returns a value if it has this kind.
    fn of_kind(&self, kind: Kind, value: Value) -> Option<Value> {
        (self.nodes.get(value)?.0 == kind).then_some(value)
    }
}
