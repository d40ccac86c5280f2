//! Control-flow graph of a routine: basic blocks and their successors.

use std::ops::Range;

use crate::isa::{Instruction, InstructionGroup as Group, LabelId};
use crate::object::Routine;

/// Page that explains control flow.
pub(super) const FLOW: &str = "3_execution_model.md";

/// Basic block.
#[derive(Debug)]
pub(super) struct Block {
    /// Range of the block's instruction numbers.
    pub(super) instructions: Range<usize>,
    /// Successors of the block.
    pub(super) next: Vec<usize>,
}

/// Basic blocks of a routine in code order. The graph follows one channel; that the channels of a
/// thread run blocks together does not matter.
#[derive(Debug)]
pub(super) struct Graph {
    pub(super) blocks: Vec<Block>,
}

impl Graph {
    pub(super) fn new(routine: &Routine) -> Self {
        let all = &routine.instructions;
        let mut firsts: Vec<usize> = Vec::new();
        for (number, instruction) in all.iter().enumerate() {
            if number == 0 || instruction.placed_label().is_some() || ends_block(&all[number - 1]) {
                firsts.push(number);
            }
        }
        let block_of = |number: usize| firsts.partition_point(|&first| first <= number) - 1;
        let labels = labels(routine);
        let target = |label: LabelId| labels.get(label.0 as usize).copied().flatten().map(block_of);
        let returns = Returns::new(routine, &target, &block_of);
        let blocks = firsts.iter().enumerate().map(|(at, &first)| {
            let end = firsts.get(at + 1).copied().unwrap_or(all.len());
            let next = Some(at + 1).filter(|&next| next < firsts.len());
            let last = &all[end - 1];
            let mut out: Vec<usize> = Vec::new();
            if ends_block(last) {
                out.extend(last.labels().filter_map(&target));
            }
            if last.is_in(Group::SubroutineReturn) {
                out.extend(returns.from(at));
            }
            // A called subroutine may have no effect, so the next block is a successor too.
            let goes_on = !ends_block(last) || last.is_in(Group::SubroutineCall) || last.predicate().is_some();
            out.extend(next.filter(|_| goes_on));
            Block { instructions: first..end, next: out }
        });
        Self { blocks: blocks.collect() }
    }

    /// Returns, for each block, true if it is reachable.
    pub(super) fn reached(&self) -> Vec<bool> {
        let mut reached = vec![false; self.blocks.len()];
        let mut rest = vec![0];
        while let Some(at) = rest.pop() {
            if let Some(seen @ false) = reached.get_mut(at) {
                *seen = true;
                rest.extend(&self.blocks[at].next);
            }
        }
        reached
    }
}

/// Returns the instruction number of each label, if it is placed.
pub(super) fn labels(routine: &Routine) -> Vec<Option<usize>> {
    let mut labels = vec![None; routine.labels.len()];
    for (number, instruction) in routine.instructions.iter().enumerate() {
        let Some(label) = instruction.placed_label() else { continue };
        if let Some(place) = labels.get_mut(label.0 as usize) {
            *place = Some(number);
        }
    }
    labels
}

fn ends_block(instruction: &Instruction) -> bool {
    let groups = [Group::Branch, Group::SubroutineCall, Group::SubroutineReturn, Group::FunctionReturn];
    groups.into_iter().any(|group| instruction.is_in(group))
}

/// Return targets of subroutines.
struct Returns {
    /// First block of each subroutine.
    starts: Vec<usize>,
    /// Blocks after the calls of each subroutine.
    behind: Vec<Vec<usize>>,
}

impl Returns {
    fn new(
        routine: &Routine,
        target: &impl Fn(LabelId) -> Option<usize>,
        block_of: &impl Fn(usize) -> usize,
    ) -> Self {
        let all = routine.instructions.iter().enumerate();
        let starts = all.clone().filter(|(_, one)| one.is_in(Group::SubroutineStart));
        let starts: Vec<usize> = starts.map(|(number, _)| block_of(number)).collect();
        let mut behind = vec![Vec::new(); starts.len()];
        for (number, instruction) in all {
            if instruction.is_in(Group::SubroutineCall)
                && number + 1 < routine.instructions.len()
                && let Some(called) =
                    instruction.labels().next().and_then(target).and_then(|block| starts.binary_search(&block).ok())
            {
                behind[called].push(block_of(number + 1));
            }
        }
        Self { starts, behind }
    }

    /// Returns the successors of a return in a block.
    fn from(&self, block: usize) -> &[usize] {
        let own = self.starts.partition_point(|&start| start <= block).checked_sub(1);
        own.and_then(|own| self.behind.get(own)).map_or(&[], Vec::as_slice)
    }
}
