//! Liveness: the bytes of the register file that may be read before they are written again. Only
//! these must be stored.
//!
//! Each block has two results: for its code with all channels active, and with any. A store of all
//! channels kills bytes in the first result, and a store without a mask in both. In the second
//! result, reads of bytes that the same channels have written earlier in the block do not count,
//! because the active channels stay the same until the end of the block.

use std::ops::Range;
use std::rc::Rc;

use crate::backend::analysis::backward::before_step;
use crate::backend::analysis::byte_set::{ByteSet, Undo, WorkingSet};
use crate::backend::analysis::dataflow::Dataflow;
use crate::backend::analysis::effects::{Elements, reaches_all, writes};
use crate::backend::analysis::exposure::Owners;
use crate::backend::analysis::joins::{joins, joins_in};
use crate::ir::{Behind, Block, End, Routine};

/// The live bytes of a routine.
#[derive(Debug)]
pub(crate) struct Liveness {
    /// At the beginning: with all channels of the first block active, and with any.
    pub(crate) begin: [ByteSet; 2],
    /// The bytes that any step writes.
    pub(crate) written: ByteSet,
    /// After each block: for all of its channels, and for any.
    ends: Vec<[Rc<ByteSet>; 2]>,
    /// Reads of each block's steps that the same channels have not written earlier in the block.
    exposed: Vec<Vec<Vec<Elements>>>,
    /// The blocks at which channels may wait for others, in ascending order.
    joins: Vec<u32>,
}

impl Liveness {
    /// Returns the bytes that are live after a block.
    pub(crate) fn end(&self, block: u32, is_full: bool) -> &ByteSet {
        &self.ends[block as usize][usize::from(!is_full)]
    }

    /// Sets a cursor before the first step of block `n`.
    pub(crate) fn here(&self, n: u32, block: &Block, is_full: bool, here: &mut Cursor) {
        self.walk(n, block, (is_full, &[]), here);
    }

    /// Sets a cursor for the bytes of inactive channels before the first step of block `n`.
    pub(crate) fn of_others(&self, n: u32, block: &Block, here: &mut Cursor) {
        self.walk(n, block, (false, &self.exposed[n as usize]), here);
    }

    /// Sets a cursor and reuses the memory of its last block.
    fn walk(&self, n: u32, block: &Block, (is_full, exposed): (bool, &[Vec<Elements>]), here: &mut Cursor) {
        let Cursor { bytes, changes, steps, dead } = here;
        bytes.set(self.end(n, is_full));
        changes.clear();
        steps.clear();
        dead.clear();
        for (n, step) in block.steps.iter().enumerate().rev() {
            steps.push(changes.len());
            dead.push(before_step(step, exposed.get(n), is_full, bytes, Some(changes)));
        }
        dead.reverse();
    }

    /// Returns the joins in a range of blocks.
    pub(crate) fn joins_in(&self, range: Range<u32>) -> &[u32] {
        joins_in(&self.joins, range)
    }

    /// Analyses a routine. Returns `None` if the analysis exceeds the budget.
    pub(crate) fn of(routine: &Routine) -> Option<Self> {
        let joins = joins(routine);
        let mut owners = Owners::new(routine.register_bytes);
        let exposed: Vec<_> = routine.blocks.iter().map(|block| owners.exposed(block)).collect();
        let [begin, ends] = Dataflow::of(routine, &joins, &exposed).solve()?;
        let begin = begin.first()?.clone().map(Rc::unwrap_or_clone);
        let written = written(routine);
        Some(Self { begin, written, ends, exposed, joins })
    }
}

/// The live bytes at a place in a block.
#[derive(Clone, Debug)]
pub(crate) struct Cursor {
    bytes: WorkingSet,
    /// Inverse changes: from after each step to before it, the last step first.
    changes: Vec<Undo>,
    /// The number of changes after each step, the last step first.
    steps: Vec<usize>,
    /// True for each step whose results nothing needs, the first step first.
    dead: Vec<bool>,
}

impl Cursor {
    /// Returns a cursor without live bytes.
    pub(crate) fn new(register_bytes: u32) -> Self {
        Self { bytes: WorkingSet::new(register_bytes), changes: Vec::new(), steps: Vec::new(), dead: Vec::new() }
    }

    /// Returns true if nothing needs the results of step `n` of the block.
    pub(crate) fn is_dead(&self, n: usize) -> bool {
        self.dead.get(n).is_some_and(|is_dead| *is_dead)
    }

    /// Moves past the next step.
    pub(crate) fn advance(&mut self) {
        if let Some(first) = self.steps.pop() {
            self.changes.drain(first..).rev().for_each(|undo| self.bytes.undo(&undo));
        }
    }

    /// Removes all live bytes, so that the cursor can serve another block.
    pub(crate) fn clear(&mut self) {
        self.bytes.clear();
        self.changes.clear();
        self.steps.clear();
        self.dead.clear();
    }

    /// Returns true if any of the bytes are live.
    pub(crate) fn touch(&self, at: u32, bytes: u32) -> bool {
        self.bytes.touch(at, bytes)
    }
}

/// Bytes that any step writes.
fn written(routine: &Routine) -> ByteSet {
    let mut written = WorkingSet::new(routine.register_bytes);
    let anything = routine
        .blocks
        .iter()
        .any(|block| matches!(block.end, End::Outside(Behind::Anything)) || block.steps.iter().any(reaches_all));
    if anything {
        written.fill();
    }
    for row in routine.blocks.iter().flat_map(|block| &block.steps).flat_map(writes) {
        row.spans().for_each(|(at, bytes)| written.add(at, bytes, None));
    }
    written.byte_set()
}
