//! Algebra of the nodes of a recording.

use crate::operation::algebra::{Compare, Integer, Lane, Real};
use crate::operation::record::{Answer, Node};
use visakit_native::ir::{self, Binary, Kind, Relation, Unary};

impl Lane for Node<'_> {
    fn add(self, other: Self) -> Self {
        self.binary(Binary::Add, other)
    }

    fn mul(self, other: Self) -> Self {
        self.binary(Binary::Mul, other)
    }

    fn mul_add(self, other: Self, addend: Self) -> Self {
        if self.kind.is_float() {
            let node = ir::Node::Fused(self.value, other.value, addend.value);
            self.recording.push(self.kind, node)
        } else {
            self.mul(other).add(addend)
        }
    }

    fn div(self, other: Self) -> Self {
        match self.kind {
            Kind::U32 => self.call(other, <u32 as Lane>::div),
            Kind::I32 => self.call(other, <i32 as Lane>::div),
            kind if kind.is_float() => self.binary(Binary::Div, other),
            _ => self.unknown(),
        }
    }

    fn min(self, other: Self) -> Self {
        self.binary(Binary::Min, other)
    }

    fn max(self, other: Self) -> Self {
        self.binary(Binary::Max, other)
    }

    fn neg(self) -> Self {
        self.unary(Unary::Neg)
    }
}

impl Integer for Node<'_> {
    fn bits(self) -> u32 {
        self.kind.bytes() * 8
    }

    fn constant(self, value: u32) -> Self {
        Node::bits(self, value.into())
    }

    fn and(self, other: Self) -> Self {
        self.binary(Binary::And, other)
    }

    fn or(self, other: Self) -> Self {
        self.binary(Binary::Or, other)
    }

    fn xor(self, other: Self) -> Self {
        self.binary(Binary::Xor, other)
    }

    fn not(self) -> Self {
        self.unary(Unary::Not)
    }

    fn shl(self, by: Self, mask: u32) -> Self {
        self.binary(Binary::Shl, self.count(by, mask))
    }

    fn shr(self, by: Self, mask: u32) -> Self {
        self.binary(Binary::Shr, self.count(by, mask))
    }

    fn rotate(self, by: Self) -> Self {
        self.binary(Binary::Rotate, self.count(by, u32::MAX))
    }

    fn mean(self, other: Self) -> Self {
        let one = Integer::constant(self, 1);
        self.add(other).add(one).shr(one, 1)
    }

    fn rem(self, other: Self) -> Self {
        self.binary(Binary::Sub, self.div(other).mul(other))
    }
}

impl Real for Node<'_> {
    fn constant(self, value: f32) -> Self {
        self.real(value)
    }

    fn sqrt(self) -> Self {
        self.unary(Unary::Sqrt)
    }

    fn rsqrt(self) -> Self {
        self.real(1.0).binary(Binary::Div, self.unary(Unary::Sqrt))
    }

    fn floor(self) -> Self {
        self.unary(Unary::Floor)
    }

    fn ceil(self) -> Self {
        self.unary(Unary::Ceil)
    }

    fn trunc(self) -> Self {
        self.unary(Unary::Trunc)
    }

    fn round(self) -> Self {
        self.unary(Unary::Round)
    }

    fn fract(self) -> Self {
        self.binary(Binary::Sub, self.unary(Unary::Floor))
    }
}

impl<'r> Compare for Node<'r> {
    type Answer = Answer<'r>;

    fn equal(self, other: Self) -> Answer<'r> {
        Answer { relation: Relation::Equal, sides: [self, other] }
    }

    fn less(self, other: Self) -> Answer<'r> {
        Answer { relation: Relation::Less, sides: [self, other] }
    }

    fn less_or_equal(self, other: Self) -> Answer<'r> {
        Answer { relation: Relation::LessOrEqual, sides: [self, other] }
    }
}
