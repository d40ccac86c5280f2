//! Annotations: the facts of each step of a block, found before its code is written.

use crate::backend::analysis::address_classes::{StepClasses, classes};
use crate::backend::analysis::contiguity::{Pair, pair};
use crate::ir::Block;

/// The annotations of a block's steps, by their position in the block. They hold where all channels
/// of the block are active.
#[derive(Clone, Debug, Default)]
pub(crate) struct Annotations<'a> {
    /// The address classes of each step.
    pub(crate) classes: Vec<StepClasses>,
    /// Number of address classes.
    pub(crate) class_count: u32,
    /// The pair of steps that begins with each step.
    pub(crate) pairs: Vec<Option<Pair<'a>>>,
}

impl<'a> Annotations<'a> {
    /// Annotates a block.
    pub(crate) fn of(block: &'a Block) -> Self {
        let pairs: Vec<_> = (0..block.steps.len()).map(|n| pair(&block.steps[n..])).collect();
        let (classes, class_count) = classes(block, &pairs);
        Self { classes, class_count, pairs }
    }
}
