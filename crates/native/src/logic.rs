//! Logic of up to three values becomes one instruction, where the host has one for any of it:
//! AVX-512.

use crate::asm::{Vector, Width};
use crate::compute::{Evaluation, operands};
use crate::emit::Emitter;
use crate::ir::{Binary, Node, Unary, Value};
use crate::op;

/// What each of three values is in a table of what logic gives: for all that they can be.
const TABLES: [u8; 3] = [0xf0, 0xcc, 0xaa];

impl Emitter<'_> {
    /// The value of a node that is logic of other logic. Nothing where it is of two values that are
    /// something else; and nothing inside of it for the lack of registers.
    pub(crate) fn fused_logic(
        &mut self,
        e: &mut Evaluation<'_>,
        value: Value,
        width: Width,
    ) -> Option<Option<Vector>> {
        if !self.has_bits {
            return None;
        }
        let leaves = leaves(e, value)?;
        let distinct = distinct(&leaves);
        let table = table(e, value, &distinct);
        // What is inside has this as its one user, or is made again by others.
        take_in(e, value, &distinct);
        Some(self.ternary(e, (&leaves, &distinct), width, table))
    }

    fn ternary(
        &mut self,
        e: &mut Evaluation<'_>,
        (leaves, distinct): (&[Value], &[Value]),
        width: Width,
        table: u8,
    ) -> Option<Vector> {
        let vectors: Option<Vec<Vector>> = distinct.iter().map(|leaf| self.node(e, *leaf)).collect();
        let vectors = vectors?;
        for leaf in distinct {
            for _ in 1..leaves.iter().filter(|other| *other == leaf).count() {
                let again = self.node(e, *leaf)?;
                self.cache.drop(again);
            }
        }
        let d = self.copy(vectors[0], width)?;
        let [b, c] = [1, 2].map(|n| vectors.get(n).copied().unwrap_or(d));
        self.asm.v3i(op::TERNLOGD, width, d, b, c, i32::from(table));
        vectors[1..].iter().for_each(|vector| self.cache.drop(*vector));
        Some(d)
    }
}

/// Counts the uses as if what is inside were nothing of its own.
fn take_in(e: &mut Evaluation<'_>, value: Value, leaves: &[Value]) {
    for inner in inside(e, value).into_iter().flatten().filter(|inner| !leaves.contains(inner)) {
        e.uses[inner] -= 1;
        if e.uses[inner] > 0 {
            // Others make it from these too.
            inside(e, inner).into_iter().flatten().for_each(|from| e.uses[from] += 1);
        }
        take_in(e, inner, leaves);
    }
}

/// What a node of logic is of.
fn inside(e: &Evaluation<'_>, value: Value) -> Option<Vec<Value>> {
    let (_, node) = e.expression.nodes.get(value)?;
    let is_logic =
        matches!(node, Node::Binary(Binary::And | Binary::Or | Binary::Xor, ..) | Node::Unary(Unary::Not, _));
    is_logic.then(|| operands(node))
}

fn distinct(values: &[Value]) -> Vec<Value> {
    let mut distinct = values.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    distinct
}

/// The up to three values, some more than once, that a node is logic of; nothing when these are its
/// operands.
fn leaves(e: &Evaluation<'_>, value: Value) -> Option<Vec<Value>> {
    let mut leaves = inside(e, value)?;
    let mut is_deep = false;
    loop {
        let can_enter = |leaf: &Value| {
            let is_not = matches!(e.expression.nodes[*leaf].1, Node::Unary(..));
            e.registers[*leaf].is_none() && (e.uses[*leaf] == 1 || is_not)
        };
        let next = leaves.iter().enumerate().filter(|(_, leaf)| can_enter(leaf)).find_map(|(n, leaf)| {
            let mut deeper = leaves.clone();
            deeper.swap_remove(n);
            deeper.extend(inside(e, *leaf)?);
            (distinct(&deeper).len() <= 3).then_some(deeper)
        });
        match next {
            Some(deeper) => (leaves, is_deep) = (deeper, true),
            None => return is_deep.then_some(leaves),
        }
    }
}

/// What a node gives for all that its leaves can be.
fn table(e: &Evaluation<'_>, value: Value, leaves: &[Value]) -> u8 {
    if let Some(n) = leaves.iter().position(|leaf| *leaf == value) {
        return TABLES[n];
    }
    match e.expression.nodes[value].1 {
        Node::Binary(binary, a, b) => {
            let (a, b) = (table(e, a, leaves), table(e, b, leaves));
            match binary {
                Binary::And => a & b,
                Binary::Or => a | b,
                _ => a ^ b,
            }
        }
        Node::Unary(_, a) => !table(e, a, leaves),
        _ => 0,
    }
}
