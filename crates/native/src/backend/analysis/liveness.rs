//! Which registers still matter: what may be read before it is written again. Nothing else has to
//! be in the register file.
//!
//! It is asked for bytes, once for each way in which the code of a block is made: with all of its
//! channels active, or any. What a step writes for all channels of the first, or whatever the masks
//! say, was not needed before it. In the second, what the active channels have written is there for
//! what the same channels read behind it in the block, since they are the same ones until its end.

use std::ops::Range;
use std::rc::Rc;

use crate::backend::analysis::backward::before_step;
use crate::backend::analysis::byte_set::{ByteSet, Undo, WorkingSet};
use crate::backend::analysis::dataflow::Flow;
use crate::backend::analysis::effects::{Elements, writes};
use crate::backend::analysis::exposure::Owners;
use crate::backend::analysis::joins::{joins, joins_in};
use crate::ir::{Action, Behind, Block, End, Routine};

/// What matters where.
#[derive(Debug)]
pub(crate) struct Liveness {
    /// When the routine begins: with all channels of the first block, and with any.
    pub(crate) begin: [ByteSet; 2],
    /// What any step writes.
    pub(crate) written: ByteSet,
    /// Behind each block, made for all of its channels, and for any.
    ends: Vec<[Rc<ByteSet>; 2]>,
    /// What each step of each block reads that the same channels have not written before it in the
    /// block.
    exposed: Vec<Vec<Vec<Elements>>>,
    /// The blocks at which channels may wait for others, in their order.
    joins: Vec<u32>,
}

impl Liveness {
    /// Behind a block.
    pub(crate) fn end(&self, block: u32, is_full: bool) -> &ByteSet {
        &self.ends[block as usize][usize::from(!is_full)]
    }

    /// What matters at the beginning of a block. What channels have written matters for the same
    /// ones as well.
    pub(crate) fn here(&self, n: u32, block: &Block, is_full: bool, here: &mut Cursor) {
        self.walk(n, block, (is_full, &[]), here);
    }

    /// What matters of channels that are not active.
    pub(crate) fn of_others(&self, n: u32, block: &Block, here: &mut Cursor) {
        self.walk(n, block, (false, &self.exposed[n as usize]), here);
    }

    /// The memory of the last block's answer is used again.
    fn walk(&self, n: u32, block: &Block, (is_full, exposed): (bool, &[Vec<Elements>]), here: &mut Cursor) {
        let Cursor { bytes, changes, steps } = here;
        bytes.set(self.end(n, is_full));
        changes.clear();
        steps.clear();
        for (n, step) in block.steps.iter().enumerate().rev() {
            steps.push(changes.len());
            before_step(step, exposed.get(n), is_full, bytes, Some(changes));
        }
    }

    /// Returns the joins in a range of blocks.
    pub(crate) fn joins_in(&self, range: Range<u32>) -> &[u32] {
        joins_in(&self.joins, range)
    }

    /// Asks a routine. Nothing when the answer takes more than the budget.
    pub(crate) fn of(routine: &Routine) -> Option<Self> {
        let joins = joins(routine);
        let mut owners = Owners::new(routine.register_bytes);
        let exposed: Vec<_> = routine.blocks.iter().map(|block| owners.exposed(block)).collect();
        let [begin, ends] = Flow::of(routine, &joins, &exposed).solve()?;
        let begin = begin.first()?.clone().map(Rc::unwrap_or_clone);
        let written = written(routine);
        Some(Self { begin, written, ends, exposed, joins })
    }
}

/// What matters at a place in a block: before its first step to begin with.
#[derive(Clone, Debug)]
pub(crate) struct Cursor {
    bytes: WorkingSet,
    /// The changes from before a step to after it, the last step first.
    changes: Vec<Undo>,
    /// How many changes there are behind each step, the last one first.
    steps: Vec<usize>,
}

impl Cursor {
    /// Nothing matters of a register file.
    pub(crate) fn new(register_bytes: u32) -> Self {
        Self { bytes: WorkingSet::new(register_bytes), changes: Vec::new(), steps: Vec::new() }
    }

    /// Goes behind the next step.
    pub(crate) fn advance(&mut self) {
        if let Some(first) = self.steps.pop() {
            self.changes.drain(first..).rev().for_each(|undo| self.bytes.undo(&undo));
        }
    }

    /// Nothing matters, in a block of any steps.
    pub(crate) fn clear(&mut self) {
        self.bytes.clear();
        self.changes.clear();
        self.steps.clear();
    }

    /// Whether any of some bytes matter.
    pub(crate) fn touch(&self, at: u32, bytes: u32) -> bool {
        self.bytes.touch(at, bytes)
    }
}

/// Returns the bytes that any step writes.
fn written(routine: &Routine) -> ByteSet {
    let mut written = WorkingSet::new(routine.register_bytes);
    let anything = routine.blocks.iter().any(|block| {
        matches!(block.end, End::Outside(Behind::Anything))
            || block.steps.iter().any(|step| matches!(step.action, Action::Outside))
    });
    if anything {
        written.fill();
    }
    for row in routine.blocks.iter().flat_map(|block| &block.steps).flat_map(writes) {
        row.spans().for_each(|(at, bytes)| written.add(at, bytes, None));
    }
    written.byte_set()
}
