//! Liveness across blocks: which bytes of the register file are live at the beginning and at the
//! end of each block.
//!
//! The search visits the blocks from the last to the first until nothing changes. It skips blocks
//! whose successors have not changed. Blocks may share sets. Time and memory have a budget.

use std::rc::Rc;

use crate::backend::analysis::backward::before;
use crate::backend::analysis::byte_set::{ByteSet, WorkingSet};
use crate::backend::analysis::channels::channels;
use crate::backend::analysis::effects::Elements;
use crate::backend::analysis::joins::joins_in;
use crate::ir::{Action, Behind, Block, End, Routine};

/// Maximum number of set words that the search may touch, which takes about a quarter of a second.
const WORK: u64 = 1 << 26;
/// Maximum number of stored set words, 16 bytes each.
const KEPT: usize = 1 << 22;
/// Maximum number of joins that a branch passes before all later joins count as its successors.
const NEAR: usize = 32;

/// The sets of a block: for code with all of its channels active, and for code with any.
type BlockSets = [Rc<ByteSet>; 2];

/// The state of the search.
pub(crate) struct Dataflow<'a> {
    routine: &'a Routine,
    /// The blocks at which channels may wait for others.
    joins: &'a [u32],
    exposed: &'a [Vec<Vec<Elements>>],
    /// The channels of each block.
    channels: Vec<u32>,
    /// The successors of each block.
    next: Vec<Successors>,
    begins: Vec<BlockSets>,
    ends: Vec<BlockSets>,
    /// The step of the search in which the set at the beginning of each block last changed.
    changed: Vec<u64>,
    /// The number of words of the sets in `begins` and `ends`.
    kept: usize,
}

/// The successors of a block.
struct Successors {
    /// Blocks, each with true if it begins with the same channels.
    to: Vec<(u32, bool)>,
    /// True if all later joins are successors too.
    joins: bool,
}

/// Returns the successors of block `n`. If channels leave while others wait at a join, execution
/// continues at that join.
fn next(n: u32, block: &Block, joins: &[u32]) -> Successors {
    let next = n + 1;
    let waiting = |mut to: Vec<(u32, bool)>, end: u32| {
        let near = joins_in(joins, next..end);
        let is_near = near.len() <= NEAR;
        to.extend(near.iter().filter(|_| is_near).map(|join| (*join, false)));
        Successors { to, joins: !is_near }
    };
    let only = |to| Successors { to, joins: false };
    match block.end {
        End::Fall | End::Pause(_) | End::Outside(Behind::Next | Behind::Barrier) => only(vec![(next, true)]),
        End::Jump { target, .. } => only(vec![(next, true), (target, true)]),
        End::Branch { uniform, target, .. } => waiting(vec![(next, uniform), (target, uniform)], target),
        End::Outside(Behind::Others(_)) => waiting(vec![(next, false)], u32::MAX),
        End::Outside(Behind::Anything) => only(Vec::new()),
    }
}

impl<'a> Dataflow<'a> {
    /// Prepares the search.
    pub(crate) fn of(routine: &'a Routine, joins: &'a [u32], exposed: &'a [Vec<Vec<Elements>>]) -> Self {
        let count = routine.blocks.len();
        let nothing = Rc::new(ByteSet::default());
        let nothing = [Rc::clone(&nothing), nothing];
        Self {
            routine,
            joins,
            exposed,
            channels: routine.blocks.iter().map(|block| channels(block, routine.count)).collect(),
            next: (0..).zip(&routine.blocks).map(|(n, block)| next(n, block, joins)).collect(),
            begins: vec![nothing.clone(); count + 1],
            ends: vec![nothing; count],
            changed: vec![0; count + 1],
            kept: 0,
        }
    }

    /// Returns the live bytes at the beginning of each block and after the last block, and at the
    /// end of each block. Returns `None` if the search exceeds the budget.
    pub(crate) fn solve(mut self) -> Option<[Vec<BlockSets>; 2]> {
        let mut live = WorkingSet::new(self.routine.register_bytes);
        let mut later = WorkingSet::new(self.routine.register_bytes);
        let always = always(self.routine);
        let uses_later = self.next.iter().any(|next| next.joins);
        let mut visited = vec![0; self.routine.blocks.len()];
        let (mut clock, mut looked) = (1, 0);
        loop {
            let begun = clock;
            later.clear();
            let mut later_changed = 0;
            let mut joins = self.joins.iter().rev().peekable();
            for n in (0..self.routine.blocks.len()).rev() {
                if uses_later && joins.next_if(|join| **join as usize == n + 1).is_some() {
                    self.begins[n + 1].iter().for_each(|begin| later.unite(begin));
                    later_changed = later_changed.max(self.changed[n + 1]);
                }
                let next = &self.next[n];
                looked += 1 + next.to.len() as u64;
                let near = next.to.iter().map(|(next, _)| self.changed.get(*next as usize).copied().unwrap_or(0));
                let changed = near.max().unwrap_or(0).max(if next.joins { later_changed } else { 0 });
                if visited[n] != 0 && changed < visited[n] {
                    continue;
                }
                visited[n] = clock;
                for (kind, is_full) in [true, false].into_iter().enumerate() {
                    live.set(&always);
                    self.add_live_after(n, is_full, &later, &mut live);
                    self.keep(n, kind, false, live.byte_set());
                    before(&self.routine.blocks[n], &self.exposed[n], is_full, &mut live);
                    if self.keep(n, kind, true, live.byte_set()) {
                        self.changed[n] = clock;
                    }
                }
                clock += 1;
                if live.spent() + later.spent() + looked > WORK || self.kept > KEPT {
                    return None;
                }
            }
            if !self.changed.iter().any(|changed| *changed >= begun) {
                return Some([self.begins, self.ends]);
            }
        }
    }

    /// Adds the bytes that are live after a block.
    fn add_live_after(&self, n: usize, is_full: bool, later: &WorkingSet, live: &mut WorkingSet) {
        if let End::Outside(Behind::Anything) = self.routine.blocks[n].end {
            live.fill();
        }
        for &(next, keeps) in &self.next[n].to {
            // All channels stay active if none has left.
            let needed = self.channels.get(next as usize).copied().unwrap_or(0);
            let stays = is_full && keeps && needed != 0 && needed & !self.channels[n] == 0;
            let begin = &self.begins[next as usize];
            live.unite(&begin[0]);
            if !stays && !Rc::ptr_eq(&begin[0], &begin[1]) {
                live.unite(&begin[1]);
            }
        }
        if self.next[n].joins {
            live.unite_with(later);
        }
    }

    /// Stores a set for the beginning or the end of a block, and returns true if it has changed.
    /// Neighbours share equal sets.
    fn keep(&mut self, n: usize, kind: usize, is_begin: bool, bytes: ByteSet) -> bool {
        let old = if is_begin { &self.begins[n][kind] } else { &self.ends[n][kind] };
        if **old == bytes {
            return false;
        }
        let near =
            [&self.ends[n][0], &self.ends[n][1], &self.begins[n][0], &self.begins[n + 1][0], &self.begins[n + 1][1]];
        let shared = near.into_iter().find(|other| ***other == bytes).map(Rc::clone);
        if Rc::strong_count(old) == 1 {
            self.kept -= old.len();
        }
        let new = shared.unwrap_or_else(|| {
            self.kept += bytes.len();
            Rc::new(bytes)
        });
        let slot = if is_begin { &mut self.begins[n][kind] } else { &mut self.ends[n][kind] };
        *slot = new;
        true
    }
}

/// Returns the bytes that are set when a thread begins: its floating-point mode.
fn always(routine: &Routine) -> ByteSet {
    let mut always = WorkingSet::new(routine.register_bytes);
    for step in routine.blocks.iter().flat_map(|block| &block.steps) {
        if let Action::Control { at, .. } = step.action {
            always.add(at, 4, None);
        }
    }
    always.byte_set()
}
