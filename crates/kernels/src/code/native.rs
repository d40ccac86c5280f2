//! A lowered routine as input of the native code generator.

use std::collections::HashMap;

use crate::code::routine::{Block, CompiledRoutine, Terminator};
use crate::operation::record::mask_in;
use visakit_machine::float::{FloatMode, Rounding};
use visakit_machine::flow::PAUSE;
use visakit_machine::thread::ExecMask;
use visakit_native::ir::{self, Action, Behind, Combine, End, Mask, Step};

impl CompiledRoutine {
    /// Returns the routine as input of the native code generator. With `count`, native code counts
    /// steps and channels. Functions for which `has_code` returns false are left to the
    /// interpreter.
    pub fn native(&self, count: bool, has_code: impl Fn(usize) -> bool) -> ir::Routine {
        // The return targets of subroutines are unknown to native code.
        let calls = |block: &Block| {
            matches!(block.next, Terminator::Call { .. } | Terminator::Enter { .. } | Terminator::CallAddress { .. })
        };
        let has_calls = self.blocks.iter().any(calls);
        let plain = self.actions.iter().find_map(|action| match action {
            Action::Control { plain, .. } => Some(*plain),
            _ => None,
        });
        let left = self.functions.iter().enumerate().filter(|(n, _)| !has_code(*n));
        let left: Vec<_> = left.map(|(_, function)| function.blocks.clone()).collect();
        let is_left = |n: usize| left.iter().any(|blocks| blocks.contains(&(n as u32)));
        let block = |(n, block): (usize, &Block)| {
            let range = block.first as usize..block.end as usize;
            if is_left(n) {
                let step = Step { mask: mask_in(&block.mark.enable), action: Action::Outside };
                let end = End::Outside(Behind::Anything);
                return ir::Block { steps: vec![step; range.len()], instructions: block.instructions, end };
            }
            let steps = range.map(|step| self.native_action(step, count));
            let mut known = HashMap::new();
            let mask = mask_in(&block.mark.enable);
            ir::Block {
                steps: with_rounding(
                    steps.map(|(action, enable)| known_channels(&mut known, mask_in(enable), action)).collect(),
                    plain,
                ),
                instructions: block.instructions,
                end: match block.next {
                    Terminator::Fall => End::Fall,
                    Terminator::Pause => End::Pause(PAUSE as u32),
                    Terminator::Branch { uniform, target } => End::Branch { mask, uniform, target },
                    Terminator::Jump { target } => End::Jump { mask, target },
                    Terminator::Barrier => End::Outside(Behind::Barrier),
                    Terminator::Signal(None) | Terminator::Wait(None) => End::Outside(Behind::Next),
                    Terminator::Return { .. } if has_calls => End::Outside(Behind::Anything),
                    Terminator::Return { uniform: true } if mask.predicate == 0 => {
                        End::Outside(Behind::Others(u32::MAX))
                    }
                    Terminator::Return { .. } if mask.predicate != 0 => End::Outside(Behind::Others(0)),
                    Terminator::Return { .. } => End::Outside(Behind::Others(mask.lanes << mask.shift)),
                    _ => End::Outside(Behind::Anything),
                },
            }
        };
        let [predicates, states] = self.counts;
        ir::Routine {
            register_bytes: self.layout.constants_at + self.constants.len() as u32,
            predicates: predicates as u32,
            states: states as u32,
            blocks: self.blocks.iter().enumerate().map(block).collect(),
            private: self.functions.iter().flat_map(|function| function.registers.clone()).collect(),
            left,
            ramps: Vec::new(),
            count,
        }
    }

    /// Returns the native action of a step and its enable mask. Steps that are counted have those
    /// of their instruction.
    fn native_action(&self, step: usize, counts: bool) -> (&Action, &ExecMask) {
        let replaced = if counts { &[] } else { &self.replaced[..] };
        match replaced.binary_search_by_key(&(step as u32), |step| step.step) {
            Ok(n) => (&replaced[n].action, &replaced[n].enable),
            Err(_) => (&self.actions[step], &self.marks[step].enable),
        }
    }
}

/// Returns a step. An indirect move by a predicate whose bits are known applies to these channels
/// alone: compilers store the elements of a private array in one move for each channel. `known` has
/// the bits of predicates before the step, and receives those after it.
fn known_channels(known: &mut HashMap<u32, u32>, mask: Mask, action: &Action) -> Step {
    let mut step = Step { mask, action: action.clone() };
    match action {
        Action::SetPredicate { number: Some(number), to, .. } if mask.shift == 0 && mask.lanes == u32::MAX => {
            known.insert(*to, *number);
        }
        Action::SetPredicate { to, .. } | Action::Compare { to, .. } | Action::Logic { to, .. } => {
            known.remove(to);
        }
        Action::Outside => known.clear(),
        Action::Indirect(indirect) if mask.combine == Combine::Each => {
            let Some(bits) = known.get(&mask.predicate) else { return step };
            let bits = if mask.inverse { !bits } else { *bits } >> mask.shift & mask.lanes;
            let (first, count) = (bits.trailing_zeros(), bits.count_ones());
            if bits == 0 {
                step.action = Action::Nothing;
            } else if bits >> first == u32::MAX >> (32 - count) {
                step.mask =
                    Mask { shift: mask.shift + first, lanes: bits >> first, predicate: 0, inverse: false, ..mask };
                step.action = Action::Indirect(indirect.advanced(first));
            }
        }
        _ => {}
    }
    step
}

/// Completes the steps of a block that change the rounding. `plain` is the control register in the
/// mode of native code, which is the mode before the block.
fn with_rounding(mut steps: Vec<Step>, plain: Option<u32>) -> Vec<Step> {
    let mut flipped = 0;
    for step in &mut steps {
        if let Action::Rounding { bits, toward_zero, .. } = &mut step.action {
            flipped ^= *bits;
            let mode = plain.map(|plain| FloatMode::from_bits(plain ^ flipped));
            *toward_zero = mode == Some(FloatMode { rounding: Rounding::Zero, ..FloatMode::PLAIN });
            if !*toward_zero && mode != Some(FloatMode::PLAIN) {
                step.action = Action::Outside;
            }
        }
    }
    steps
}
