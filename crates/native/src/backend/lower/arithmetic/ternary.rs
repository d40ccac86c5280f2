//! Ternary logic: logic of up to three values that AVX-512 computes by one instruction.

use crate::backend::analysis::operands::operands;
use crate::backend::lower::arithmetic::evaluation::Evaluation;
use crate::ir::{Binary, Node, Unary, Value};

/// The truth table of each of three values.
const TABLES: [u8; 3] = [0xf0, 0xcc, 0xaa];

/// Logic of up to three values.
pub(crate) struct FusedLogic {
    /// Operands of the logic; a value may occur more than once.
    pub(crate) leaves: Vec<Value>,
    pub(crate) distinct: Vec<Value>,
    /// Result for each combination of bits, in the instruction's encoding.
    pub(crate) table: u8,
}

/// Fuses a node with the logic nodes that it uses, and takes over their uses. Returns `None` if its
/// operands are not logic nodes.
pub(crate) fn fuse(e: &mut Evaluation<'_>, value: Value) -> Option<FusedLogic> {
    let leaves = leaves(e, value)?;
    let distinct = distinct(&leaves);
    let table = table(e, value, &distinct);
    // Fused nodes are used by this node only, or other users compute them again.
    take_in(e, value, &distinct);
    Some(FusedLogic { leaves, distinct, table })
}

/// Adjusts the use counts as if the fused nodes were a part of this node.
fn take_in(e: &mut Evaluation<'_>, value: Value, leaves: &[Value]) {
    for inner in inside(e, value).into_iter().flatten().filter(|inner| !leaves.contains(inner)) {
        e.uses[inner] -= 1;
        if e.uses[inner] > 0 {
            // Other users still compute the inner node from the same operands.
            inside(e, inner).into_iter().flatten().for_each(|from| e.uses[from] += 1);
        }
        take_in(e, inner, leaves);
    }
}

/// Returns the operands of a node of logic.
fn inside(e: &Evaluation<'_>, value: Value) -> Option<Vec<Value>> {
    let (_, node) = e.expression.nodes.get(value)?;
    let is_logic =
        matches!(node, Node::Binary(Binary::And | Binary::Or | Binary::Xor, ..) | Node::Unary(Unary::Not, _));
    is_logic.then(|| operands(node))
}

/// Returns the values without repetitions.
fn distinct(values: &[Value]) -> Vec<Value> {
    let mut distinct = values.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    distinct
}

/// Returns the up to three values that a node is logic of; a value may occur more than once.
/// Returns `None` if these are its own operands.
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

/// Returns the truth table of a node.
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
