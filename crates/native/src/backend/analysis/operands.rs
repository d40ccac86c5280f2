//! Operands of nodes, and the number of uses of each node of an expression.

use crate::ir::{Expression, Node, Value};

/// Returns the number of uses of each node for the values of `roots`. Returns `None` if a node
/// refers to a later one.
pub(crate) fn uses(expression: &Expression, roots: &[Value]) -> Option<Vec<u32>> {
    let mut uses = vec![0; expression.nodes.len()];
    for root in roots {
        *uses.get_mut(*root)? += 1;
    }
    for n in (0..expression.nodes.len()).rev() {
        if uses[n] > 0 {
            for from in operands(&expression.nodes[n].1) {
                // Nodes refer to earlier ones.
                *uses[..n].get_mut(from)? += 1;
            }
        }
    }
    Some(uses)
}

/// Returns the operands of a node.
pub(crate) fn operands(node: &Node) -> Vec<Value> {
    match *node {
        Node::Load { .. } | Node::Constant(_) => Vec::new(),
        Node::Unary(_, a) | Node::Convert { value: a, .. } => vec![a],
        Node::Binary(_, a, b) | Node::Pick(_, a, b) | Node::Call(_, a, b) | Node::Holds(_, a, b) => {
            vec![a, b]
        }
        Node::Fused(a, b, c) => vec![a, b, c],
    }
}
