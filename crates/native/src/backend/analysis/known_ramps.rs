//! Ramps at the beginning of blocks: those that a thread begins with, and those that an earlier
//! block has computed.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

use crate::backend::analysis::byte_set::WorkingSet;
use crate::backend::analysis::effects::{Elements, reaches_all, reads, writes};
use crate::backend::analysis::liveness::{Cursor, Liveness};
use crate::backend::analysis::ramps::{Form, Ramp, Ramps, StepRamps, written};
use crate::ir::{Behind, Block, End, Routine, Step};

/// Ramps at the beginning of blocks.
pub(crate) struct KnownRamps {
    /// Ramps that a thread begins with.
    begin: Ramps,
    /// True if the first block is executed once.
    is_once: bool,
    /// Ramps in registers that nothing changes later, each with the blocks in which they are known.
    rows: Vec<(Range<u32>, Ramp)>,
}

/// The largest number of ramps that blocks know from earlier ones.
const MOST: usize = 1 << 10;

impl KnownRamps {
    /// Finds the ramps of a routine. `has_bits` is true if vectors have 16 dwords.
    pub(crate) fn of(routine: &Routine, live: &Liveness, has_bits: bool) -> Self {
        let blocks = &routine.blocks;
        let begin = Ramps::initial(routine, has_bits);
        let mut known = Self { begin, is_once: false, rows: Vec::new() };
        let edges = edges(blocks);
        known.is_once = edges.as_ref().is_some_and(|edges| edges.iter().all(|(_, to)| *to > 0));
        let steps = || blocks.iter().flat_map(|block| &block.steps);
        if known.is_once && blocks.len() == 1 || steps().any(reaches_all) {
            return known;
        }
        let changes = Changes::of(routine);
        let kept = known.begin.rows().filter(|row| changes.are_below(1, row));
        known.rows = kept.map(|row| (0..u32::MAX, *row)).collect();
        for behind in edges.iter().flat_map(|edges| once(blocks.len() as u32, edges)) {
            let n = behind.start - 1;
            let before = known.at(n);
            let mut ramps = before.clone();
            blocks[n as usize].steps.iter().for_each(|step| _ = ramps.step(step));
            let is_new = |row: &&Ramp| {
                // A checked value may wrap, and the thread continues elsewhere.
                !row.slope.is_checked
                    && !before.rows().any(|other| other == *row)
                    && live.end(n, true).touch(row.at, row.end() - row.at)
                    && changes.are_below(2, row)
            };
            known.rows.extend(ramps.rows().filter(is_new).map(|row| (behind.clone(), *row)));
            if known.rows.len() > MOST {
                break;
            }
        }
        known
    }

    /// Returns the ramps at the beginning of block `n`.
    fn at(&self, n: u32) -> Ramps {
        if n == 0 && self.is_once {
            return self.begin.clone();
        }
        self.begin.with_rows(self.rows.iter().filter(|(blocks, _)| blocks.contains(&n)).map(|(_, row)| *row))
    }

    /// Returns true if the ramps of two halves of 32 channels are apart.
    pub(crate) fn are_halves(&self) -> bool {
        self.begin.most < u32::BITS
    }

    /// Returns the part that ramps have in each step of block `n`. `tested` are transfers that test
    /// the addresses of all channels, and `wanted` has the bytes that are live after the block;
    /// `live` stands before its first step.
    pub(crate) fn steps(
        &self,
        (n, block): (u32, &Block),
        tested: &[usize],
        wanted: &mut WorkingSet,
        live: &Cursor,
    ) -> Vec<StepRamps> {
        let mut ramps = self.at(n);
        let mut parts: Vec<_> = block.steps.iter().map(|step| ramps.step(step)).collect();
        for n in tested {
            parts[*n].form = parts[*n].form.filter(|form| *form != Form::Contiguous);
        }
        for (n, (step, part)) in block.steps.iter().zip(&mut parts).enumerate().rev() {
            if live.is_dead(n) {
                *part = StepRamps::none();
            } else {
                want_elements(step, part, wanted);
            }
        }
        // Checks take time, so they must have a use.
        if !parts.iter().any(|part| part.is_checked && (part.result.is_some() || part.form.is_some())) {
            for part in parts.iter_mut().filter(|part| part.is_checked) {
                *part = StepRamps::none();
            }
        }
        parts
    }
}

/// Returns the jumps and branches between blocks. Returns `None` if the caller may continue
/// anywhere.
fn edges(blocks: &[Block]) -> Option<Vec<(u32, u32)>> {
    let anywhere = |block: &Block| matches!(block.end, End::Outside(Behind::Anything));
    let edge = |(n, block): (u32, &Block)| match block.end {
        End::Branch { target, .. } | End::Jump { target, .. } => Some((n, target)),
        End::Fall | End::Pause(_) | End::Outside(_) => None,
    };
    (!blocks.iter().any(anywhere)).then(|| (0..).zip(blocks).filter_map(edge).collect())
}

/// Returns, for each block that is executed at most once, the blocks after it that channels reach
/// through this block only.
fn once(count: u32, edges: &[(u32, u32)]) -> Vec<Range<u32>> {
    // The last block of the loops that begin with each block.
    let mut loops = vec![0; count as usize + 1];
    for (from, to) in edges.iter().filter(|(from, to)| to <= from) {
        loops[*to as usize] = loops[*to as usize].max(*from + 1);
    }
    let (mut all, mut around, mut targets, mut next) = (Vec::new(), 0, BinaryHeap::new(), 0);
    let mut work = WORK;
    for n in 0..count {
        around = around.max(loops[n as usize]);
        // Jumps from earlier blocks past this one.
        while let Some((_, to)) = edges.get(next).filter(|(from, _)| *from < n) {
            targets.push(Reverse(*to));
            next += 1;
        }
        while targets.peek().is_some_and(|Reverse(to)| *to <= n) {
            targets.pop();
        }
        let end = targets.peek().map_or(count, |Reverse(to)| *to);
        let returns = || loops[n as usize + 1..end as usize].iter().any(|last| *last > end);
        if around > n || n + 1 == end {
            continue;
        }
        let Some(left) = work.checked_sub(end - n) else { break };
        work = left;
        if !returns() {
            all.push(n + 1..end);
        }
    }
    all
}

/// The largest number of blocks in which loops are sought.
const WORK: u32 = 1 << 18;

/// The number of changes of each dword of the registers, at most two.
struct Changes(Vec<u8>);

impl Changes {
    fn of(routine: &Routine) -> Self {
        let mut counts = vec![0; routine.register_bytes.div_ceil(4) as usize];
        for (at, end) in routine.blocks.iter().flat_map(|block| &block.steps).flat_map(written) {
            let dwords = counts.get_mut(at as usize / 4..end.div_ceil(4) as usize);
            dwords.unwrap_or_default().iter_mut().for_each(|count: &mut u8| *count = (*count + 1).min(2));
        }
        Self(counts)
    }

    /// Returns true if each dword of a row is changed fewer times.
    fn are_below(&self, count: u8, row: &Ramp) -> bool {
        let dwords = self.0.get(row.at as usize / 4..row.end().div_ceil(4) as usize);
        dwords.is_some_and(|dwords| dwords.iter().all(|changes| *changes < count))
    }
}

/// Moves `wanted`, the bytes that later steps need in full, before a step. A result of which all
/// elements are wanted is not computed as a ramp.
fn want_elements(step: &Step, part: &mut StepRamps, wanted: &mut WorkingSet) {
    let is_wanted = |row: &Elements| row.spans().any(|(at, bytes)| wanted.touch(at, bytes));
    let results = writes(step);
    part.result = part.result.filter(|_| !results.iter().any(is_wanted));
    if step.mask.predicate == 0 {
        results.iter().flat_map(|row| row.spans()).for_each(|(at, bytes)| wanted.remove(at, bytes, None));
    }
    if reaches_all(step) {
        wanted.fill();
    }
    // The first element of a ramp follows from those of the operands.
    if part.result.is_none() {
        let others = reads(step).into_iter().skip(usize::from(part.form.is_some()));
        others.flat_map(|(row, _)| row.spans()).for_each(|(at, bytes)| wanted.add(at, bytes, None));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the blocks that a path from block `from` reaches without block `without`.
    fn reached(count: u32, edges: &[(u32, u32)], from: u32, without: u32) -> Vec<bool> {
        let mut reached = vec![false; count as usize + 1];
        let mut open = vec![from];
        while let Some(n) = open.pop().filter(|n| *n != without) {
            if !std::mem::replace(&mut reached[n as usize], true) && n < count {
                open.extend(edges.iter().filter(|(from, _)| *from == n).map(|(_, to)| *to).chain([n + 1]));
            }
        }
        reached
    }

    /// Paths through random routines reach the blocks through the block before them only, and that
    /// block once.
    #[test]
    fn blocks_are_behind_a_block_that_is_executed_once() {
        let (mut seed, mut found) = (1_u64, [0; 2]);
        let mut below = |end: u32| {
            seed = seed.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            (seed >> 33) as u32 % end
        };
        for _ in 0..20_000 {
            let count = 1 + below(9);
            let edges: Vec<_> = (0..count)
                .filter(|_| below(3) == 0)
                .collect::<Vec<_>>()
                .into_iter()
                .map(|n| (n, below(count + 1)))
                .collect();
            for behind in once(count, &edges) {
                let n = behind.start - 1;
                let avoided = reached(count, &edges, 0, n);
                let again = edges.iter().filter(|(from, _)| *from == n).map(|(_, to)| *to).chain([n + 1]);
                let again = again.flat_map(|next| reached(count, &edges, next, u32::MAX).get(n as usize).copied());
                assert!(!again.into_iter().any(|again| again), "{n} of {edges:?}");
                assert!(!behind.clone().any(|n| avoided[n as usize]), "{behind:?} of {edges:?}");
                found[usize::from(!edges.is_empty())] += behind.len();
            }
        }
        assert!(found[1] > 10_000, "{found:?}");
    }
}
