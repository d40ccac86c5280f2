//! Joins: the blocks at which channels may wait for others.

use std::ops::Range;

use crate::ir::{End, Routine};

/// Returns the blocks at which channels may wait for others, in ascending order.
pub(crate) fn joins(routine: &Routine) -> Vec<u32> {
    let targets = (0..).zip(&routine.blocks).filter_map(|(n, block)| match block.end {
        // All channels can wait at the target too, if others wait before it.
        End::Branch { target, .. } if target > n => Some(target),
        End::Branch { uniform: false, .. } => Some(n + 1),
        _ => None,
    });
    let mut joins: Vec<u32> = targets.collect();
    joins.sort_unstable();
    joins.dedup();
    joins
}

/// Returns the joins in a range of blocks.
pub(crate) fn joins_in(joins: &[u32], range: Range<u32>) -> &[u32] {
    let first = joins.partition_point(|join| *join < range.start);
    let end = joins.partition_point(|join| *join < range.end);
    joins.get(first..end).unwrap_or_default()
}
