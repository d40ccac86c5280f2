//! A lowered routine as input of the native code generator.

use crate::code::routine::{Block, CompiledRoutine, Terminator};
use crate::operation::record::mask_in;
use visakit_native::ir::{self, Behind, End};

impl CompiledRoutine {
    /// Returns the routine as input of the native code generator. With `count`, native code counts
    /// steps and channels.
    pub fn native(&self, count: bool) -> ir::Routine {
        // The return targets of subroutines are unknown to native code.
        let calls = |block: &Block| {
            matches!(block.next, Terminator::Call { .. } | Terminator::Enter { .. } | Terminator::CallAddress { .. })
        };
        let has_calls = self.blocks.iter().any(calls);
        let block = |block: &Block| {
            let range = block.first as usize..block.end as usize;
            let steps = self.actions[range.clone()].iter().zip(&self.marks[range]);
            let mask = mask_in(&block.mark.enable);
            ir::Block {
                steps: steps
                    .map(|(action, mark)| ir::Step { mask: mask_in(&mark.enable), action: action.clone() })
                    .collect(),
                instructions: block.instructions,
                end: match block.next {
                    Terminator::Fall => End::Fall,
                    Terminator::Branch { uniform, target } => End::Branch { mask, uniform, target },
                    Terminator::Jump { target } => End::Jump { mask, target },
                    Terminator::Barrier | Terminator::Signal(None) | Terminator::Wait(None) => {
                        End::Outside(Behind::Next)
                    }
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
            blocks: self.blocks.iter().map(block).collect(),
            count,
        }
    }
}
