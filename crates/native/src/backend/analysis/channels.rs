//! The channels of a block.

use crate::ir::{Action, Block, End, Mask};

/// Returns the channels whose activity affects a block's steps or its end. With `count`, steps of
/// the caller are included.
pub(crate) fn channels(block: &Block, count: bool) -> u32 {
    let of = |mask: &Mask| if mask.always { 0 } else { mask.lanes << mask.shift };
    let steps = block.steps.iter();
    let steps = steps.filter(|step| count || !matches!(step.action, Action::Outside | Action::Nothing));
    let all = steps.fold(0, |all, step| all | of(&step.mask));
    match &block.end {
        End::Branch { mask, uniform: false, .. } => all | of(mask),
        _ => all,
    }
}
