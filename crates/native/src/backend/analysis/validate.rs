//! Validation: conditions that a routine must satisfy so that its code stays inside a frame's
//! tables.

use std::ops::Range;

use crate::ir::{
    Access, Action, Addresses, Block, End, Expression, Indirect, Mask, Node, Own, Routine, Space, Transfer, Update,
    Value,
};

/// Maximum number of instructions, elements or bytes, which the code counts in 32 bits.
const MOST: u32 = 1 << 24;

/// Returns true if the code can count the routine's parts.
pub(crate) fn is_countable(routine: &Routine) -> bool {
    let steps: usize = routine.blocks.iter().map(|block| block.steps.len()).sum();
    [routine.register_bytes, routine.predicates, routine.states].iter().all(|count| *count <= MOST)
        && routine.blocks.len() < MOST as usize
        && steps < MOST as usize
}

/// Returns true if all offsets and numbers are within the routine's declarations: the code reads
/// nothing after the last register, not even as part of a vector.
pub(crate) fn is_sound(routine: &Routine) -> bool {
    let is_private = |range: &Range<u32>| range.end <= routine.register_bytes;
    routine.blocks.iter().all(|block| is_block(routine, block, routine.blocks.len() as u32))
        && routine.private.iter().all(is_private)
        && routine.ramps.iter().all(|row| row.lanes <= 32 && is_inside(routine, row.at, row.lanes * 2))
}

fn is_block(routine: &Routine, block: &Block, count: u32) -> bool {
    let end = match block.end {
        End::Branch { mask, target, .. } | End::Jump { mask, target } => is_mask(routine, &mask) && target < count,
        End::Fall | End::Pause(_) | End::Outside(_) => true,
    };
    end && block.instructions <= MOST
        && block.steps.iter().all(|step| is_mask(routine, &step.mask) && is_action(routine, &step.mask, &step.action))
}

fn is_mask(routine: &Routine, mask: &Mask) -> bool {
    mask.shift < 32 && is_predicate(routine, mask.predicate)
}

fn is_predicate(routine: &Routine, predicate: u32) -> bool {
    predicate < routine.predicates.max(1)
}

fn is_action(routine: &Routine, mask: &Mask, action: &Action) -> bool {
    let lanes = mask.lanes.count_ones();
    match action {
        Action::Outside | Action::Nothing => true,
        Action::Compute { expression, results, pitch } => {
            let bytes_of = |result: Value| expression.nodes.get(result).map_or(0, |(kind, _)| kind.bytes());
            let bytes = results.first().map_or(0, |(result, _)| bytes_of(*result));
            let pitch = pitch.unwrap_or(bytes);
            let span = |to: u32| is_inside(routine, to, pitch * (lanes.max(1) - 1) + bytes);
            is_expression(routine, expression, lanes)
                && bytes > 0
                && (bytes..=MOST / 32).contains(&pitch)
                && results.iter().all(|(result, to)| bytes_of(*result) == bytes && span(*to))
        }
        Action::Compare { expression, sides, to, .. } => {
            sides.iter().all(|side| *side < expression.nodes.len())
                && is_expression(routine, expression, lanes)
                && *to > 0
                && is_predicate(routine, *to)
        }
        Action::Logic { from, to, .. } => *to > 0 && from.iter().chain([to]).all(|p| is_predicate(routine, *p)),
        Action::SetPredicate { from, number, to } => {
            *to > 0 && is_predicate(routine, *to) && (number.is_some() || is_inside(routine, *from, 4))
        }
        Action::SetState { element, from, .. } => *element < routine.states && is_inside(routine, *from, 4),
        Action::Control { at, .. } | Action::Rounding { at, .. } => {
            mask.always && mask.predicate == 0 && is_inside(routine, *at, 4)
        }
        Action::Transfer(transfer) => is_transfer(routine, transfer, lanes),
        Action::Indirect(indirect) => is_indirect(routine, indirect, lanes),
    }
}

fn is_expression(routine: &Routine, expression: &Expression, lanes: u32) -> bool {
    expression.nodes.iter().all(|(kind, node)| match node {
        Node::Load { at, step } => {
            *step <= MOST
                && u64::from(*at) + u64::from(*step) * u64::from(lanes.max(1) - 1) + u64::from(kind.bytes())
                    <= u64::from(routine.register_bytes)
        }
        Node::Pick(mask, ..) => is_mask(routine, mask),
        _ => true,
    })
}

fn is_transfer(routine: &Routine, transfer: &Transfer, lanes: u32) -> bool {
    let addresses = transfer.addresses;
    let is_flat = transfer.space == Space::Flat || !matches!(addresses, Addresses::Offsets { .. });
    let addresses = is_flat && addresses.place().is_none_or(|at| is_inside(routine, at, lanes * addresses.bytes()));
    let space = match transfer.space {
        Space::Surface { element, shift } => element < routine.states && shift < u32::BITS,
        Space::Named { at, shift } => is_inside(routine, at, 4) && shift < u32::BITS,
        Space::Private { number, unit } => is_inside(routine, number, 4) && matches!(unit, 1 | 16),
        Space::Flat | Space::Local { .. } => true,
    };
    let update = match transfer.access {
        Access::Update(Update { kind, second, result, .. }) => {
            second.into_iter().chain(result).all(|at| is_inside(routine, at, lanes * kind.bytes()))
        }
        Access::Load | Access::Store => true,
    };
    addresses
        && space
        && update
        && transfer.global.is_none_or(|(at, bytes)| is_inside(routine, at, bytes))
        && matches!(transfer.alignment, 1 | 2 | 4 | 8)
        && (1..=8).contains(&transfer.unit.bytes())
        && transfer.elements.iter().all(|(distance, at)| {
            *distance <= MOST && is_inside(routine, *at, lanes * transfer.unit.register_bytes())
        })
}

fn is_indirect(routine: &Routine, indirect: &Indirect, lanes: u32) -> bool {
    let Indirect { bytes, address, address_step, pitch, limit, .. } = *indirect;
    let row = |step: u32, bytes: u32| step * (lanes.max(1) - 1) + bytes;
    matches!(bytes, 1 | 2 | 4 | 8)
        && matches!(address_step, 0 | 4)
        && is_inside(routine, address, row(address_step, 4))
        && pitch <= MOST
        && limit <= routine.register_bytes
        && match indirect.own {
            Own::Loads(at) => is_inside(routine, at, row(bytes, bytes)),
            Own::Stores { at, step } => step <= bytes && is_inside(routine, at, row(step, bytes)),
            Own::Number(_) => true,
        }
}

fn is_inside(routine: &Routine, at: u32, bytes: u32) -> bool {
    at.checked_add(bytes).is_some_and(|end| end <= routine.register_bytes)
}
