//! The transfer function of liveness: from the bytes that are live after a step to those that are
//! live before it.

use crate::backend::analysis::byte_set::{Undo, WorkingSet};
use crate::backend::analysis::effects::{Elements, is_dense, reaches_all, reads, writes};
use crate::ir::{Action, Block, Step};

/// Replaces the set of bytes that are live after a block by the set before it.
pub(crate) fn before(block: &Block, exposed: &[Vec<Elements>], is_full: bool, live: &mut WorkingSet) {
    for (n, step) in block.steps.iter().enumerate().rev() {
        before_step(step, exposed.get(n).filter(|_| !is_full), is_full, live, None);
    }
}

/// Replaces the set of bytes that are live after a step by the set before it. `exposed` has the
/// reads that count; without it, all reads of the step count. `log` takes the inverse of each
/// change. Returns true if the step is dead: nothing needs its results.
pub(crate) fn before_step(
    step: &Step,
    exposed: Option<&Vec<Elements>>,
    is_full: bool,
    live: &mut WorkingSet,
    mut log: Option<&mut Vec<Undo>>,
) -> bool {
    if reaches_all(step) {
        if let Some(log) = log {
            log.push(Undo::All(live.byte_set()));
        }
        live.fill();
        return false;
    }
    let written = writes(step);
    // Without all reads, the set does not tell.
    let may_be_dead = matches!(step.action, Action::Compute { .. }) && exposed.is_none();
    if may_be_dead && !written.iter().any(|row| row.spans().any(|(at, bytes)| live.touch(at, bytes))) {
        return true;
    }
    let mask = &step.mask;
    // A step that changes control bits keeps the other bits.
    let is_whole = !matches!(step.action, Action::Control { .. } | Action::Rounding { .. });
    if mask.predicate == 0 && is_dense(mask) && (is_full || mask.always) && is_whole {
        for (at, bytes) in written.into_iter().flat_map(Elements::spans) {
            live.remove(at, bytes, log.as_deref_mut());
        }
    }
    let mut add = |row: Elements| row.spans().for_each(|(at, bytes)| live.add(at, bytes, log.as_deref_mut()));
    match exposed {
        Some(reads) => reads.iter().copied().for_each(add),
        None => reads(step).into_iter().for_each(|(read, _)| add(read)),
    }
    false
}
