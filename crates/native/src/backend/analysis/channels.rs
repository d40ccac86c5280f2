//! The channels that a block is for.

use crate::ir::{Action, Block, End, Mask};

/// The channels that the steps of a block and its end have, where it matters which of them are
/// active: where steps are counted, also for those that the caller does.
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
