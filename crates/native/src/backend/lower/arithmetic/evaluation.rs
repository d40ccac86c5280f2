//! The state of an expression while it is evaluated.

use crate::backend::asm::operand::{Vector, Width};
use crate::ir::{Expression, Mask};

/// Vectors in which an expression's channels are computed.
#[derive(Clone, Copy)]
pub(crate) struct Units {
    /// The number of channels of a vector.
    pub(crate) lanes: u32,
    /// The number of vectors.
    pub(crate) count: u32,
    /// A single channel, whose values are in all elements.
    pub(crate) single: Option<u32>,
}

/// An expression that is being computed for one vector of channels.
pub(crate) struct Evaluation<'e> {
    pub(crate) expression: &'e Expression,
    pub(crate) units: Units,
    /// The number of the vector.
    pub(crate) unit: u32,
    pub(crate) registers: Vec<Option<Vector>>,
    /// Number of remaining uses of each node.
    pub(crate) uses: Vec<u32>,
}

/// Returns the vectors for an expression. Returns `None` if the channels of the mask have gaps.
pub(crate) fn units(expression: &Expression, uses: &[u32], mask: &Mask, least: u32, width: Width) -> Option<Units> {
    let lanes = mask.lanes.count_ones();
    if !lanes.is_power_of_two() || mask.lanes.trailing_ones() != lanes {
        return None;
    }
    let needed = expression.nodes.iter().zip(uses).filter(|(_, uses)| **uses > 0);
    let bytes = needed.map(|((kind, _), _)| kind.bytes()).chain([least]).max()?;
    if lanes == 1 {
        return Some(Units { lanes: Width::X.bytes() / bytes, count: 1, single: Some(0) });
    }
    let most = width.bytes() / bytes;
    Some(Units { lanes: lanes.min(most), count: lanes.div_ceil(most), single: None })
}
