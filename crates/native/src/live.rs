//! Which registers still matter: what may be read before it is written again. Nothing else has to
//! be in the register file.
//!
//! It is asked for bytes, once for each way in which the code of a block is made: with all of its
//! channels active, or any. What a step writes for all channels of the first, or whatever the masks
//! say, was not needed before it. In the second, what the active channels have written is there for
//! what the same channels read behind it in the block, since they are the same ones until its end.

use std::ops::Range;
use std::rc::Rc;

use crate::bytes::{Bytes, Changing, Undo};
use crate::compute::operands;
use crate::flow::{Flow, joins_in};
use crate::ir::{
    Access, Action, Behind, Binary, Block, Change, End, Expression, Mask, Node, Routine, Step, Unit, Value,
};

/// Elements of the register file, those of channels that follow each other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    pub(crate) at: u32,
    /// Bytes of an element.
    bytes: u32,
    /// The distance to the next one.
    pub(crate) pitch: u32,
    pub(crate) count: u32,
}

impl Row {
    fn one(at: u32, bytes: u32) -> Self {
        Self { at, bytes, pitch: bytes, count: 1 }
    }

    fn element(self, n: u32) -> u32 {
        self.at + n * self.pitch
    }

    /// The bytes, in as few parts as can be: places and how many.
    fn spans(self) -> impl Iterator<Item = (u32, u32)> {
        let (count, bytes) =
            if self.bytes == self.pitch { (1, self.count * self.bytes) } else { (self.count, self.bytes) };
        (0..count).map(move |n| (self.element(n), bytes)).filter(|(_, bytes)| *bytes > 0)
    }
}

/// Whether any bytes are in both.
pub(crate) fn touch(a: Row, b: Row) -> bool {
    a.spans().any(|(at, bytes)| b.spans().any(|(other, size)| at < other + size && other < at + bytes))
}

/// What matters where.
#[derive(Debug)]
pub(crate) struct Live {
    /// When the routine begins: with all channels of the first block, and with any.
    pub(crate) begin: [Bytes; 2],
    /// What any step writes.
    pub(crate) written: Bytes,
    /// Behind each block, made for all of its channels, and for any.
    ends: Vec<[Rc<Bytes>; 2]>,
    /// What each step of each block reads that the same channels have not written before it in the
    /// block.
    exposed: Vec<Vec<Vec<Row>>>,
    /// The blocks at which channels may wait for others, in their order.
    joins: Vec<u32>,
}

impl Live {
    /// Behind a block.
    pub(crate) fn end(&self, block: u32, is_full: bool) -> &Bytes {
        &self.ends[block as usize][usize::from(!is_full)]
    }

    /// What matters at the beginning of a block. What channels have written matters for the same
    /// ones as well.
    pub(crate) fn here(&self, n: u32, block: &Block, is_full: bool, here: &mut Here) {
        self.walk(n, block, (is_full, &[]), here);
    }

    /// What matters of channels that are not active.
    pub(crate) fn of_others(&self, n: u32, block: &Block, here: &mut Here) {
        self.walk(n, block, (false, &self.exposed[n as usize]), here);
    }

    /// The memory of the last block's answer is used again.
    fn walk(&self, n: u32, block: &Block, (is_full, exposed): (bool, &[Vec<Row>]), here: &mut Here) {
        let Here { bytes, changes, steps } = here;
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

/// Returns the bytes that any step writes.
fn written(routine: &Routine) -> Bytes {
    let mut written = Changing::new(routine.register_bytes);
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
    written.bytes()
}

/// The blocks at which channels may wait for others.
fn joins(routine: &Routine) -> Vec<u32> {
    let targets = (0..).zip(&routine.blocks).filter_map(|(n, block)| match block.end {
        // All channels wait there too, when others do before.
        End::Branch { target, .. } if target > n => Some(target),
        End::Branch { uniform: false, .. } => Some(n + 1),
        _ => None,
    });
    let mut joins: Vec<u32> = targets.collect();
    joins.sort_unstable();
    joins.dedup();
    joins
}

/// Adds to a set what matters before a block, from what does behind it.
pub(crate) fn before(block: &Block, exposed: &[Vec<Row>], is_full: bool, live: &mut Changing) {
    for (n, step) in block.steps.iter().enumerate().rev() {
        before_step(step, exposed.get(n).filter(|_| !is_full), is_full, live, None);
    }
}

/// The same for a step, with what it reads unless that is all it has to do with.
fn before_step(
    step: &Step,
    exposed: Option<&Vec<Row>>,
    is_full: bool,
    live: &mut Changing,
    mut log: Option<&mut Vec<Undo>>,
) {
    if let Action::Outside = step.action {
        if let Some(log) = log {
            log.push(Undo::All(live.bytes()));
        }
        live.fill();
        return;
    }
    let mask = &step.mask;
    // Of the control register some bits stay.
    let is_whole = !matches!(step.action, Action::Control { .. });
    if mask.predicate == 0 && is_row(mask) && (is_full || mask.always) && is_whole {
        for (at, bytes) in writes(step).into_iter().flat_map(Row::spans) {
            live.remove(at, bytes, log.as_deref_mut());
        }
    }
    let mut add = |row: Row| row.spans().for_each(|(at, bytes)| live.add(at, bytes, log.as_deref_mut()));
    match exposed {
        Some(reads) => reads.iter().copied().for_each(add),
        None => reads(step).into_iter().for_each(|(read, _)| add(read)),
    }
}

/// What matters at a place in a block: before its first step to begin with.
#[derive(Clone, Debug)]
pub(crate) struct Here {
    bytes: Changing,
    /// The changes from before a step to after it, the last step first.
    changes: Vec<Undo>,
    /// How many changes there are behind each step, the last one first.
    steps: Vec<usize>,
}

impl Here {
    /// Nothing matters of a register file.
    pub(crate) fn new(register_bytes: u32) -> Self {
        Self { bytes: Changing::new(register_bytes), changes: Vec::new(), steps: Vec::new() }
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

/// A block and a channel of it.
type Owner = (u32, u32);

/// For each byte of the registers that has been written, the channel that has written it in a
/// block, and which block that was.
struct Owners {
    /// [`OWNED`] bytes each, in their order; none where no byte is written.
    pages: Vec<Option<Box<[Owner; OWNED]>>>,
    block: u32,
}

/// Bytes whose owners are kept together.
const OWNED: usize = 64;

impl Owners {
    fn new(bytes: u32) -> Self {
        Self { pages: vec![None; (bytes as usize).div_ceil(OWNED)], block: 0 }
    }

    /// Whether a channel has written these bytes.
    fn own(&self, channel: u32, at: u32, bytes: u32) -> bool {
        let own = (self.block, channel);
        parts(at, bytes).all(|(page, part)| {
            let page = self.pages.get(page).and_then(Option::as_deref);
            page.is_some_and(|page| page[part].iter().all(|other| *other == own))
        })
    }

    fn set(&mut self, owner: Owner, at: u32, bytes: u32) {
        for (page, part) in parts(at, bytes) {
            if let Some(page) = self.pages.get_mut(page) {
                page.get_or_insert_with(|| Box::new([(0, 0); OWNED]))[part].fill(owner);
            }
        }
    }

    /// What the steps of the next block read, as far as it is not what the same channels have
    /// written before.
    fn exposed(&mut self, block: &Block) -> Vec<Vec<Row>> {
        self.block += 1;
        block.steps.iter().map(|step| self.exposed_by(step)).collect()
    }

    fn exposed_by(&mut self, step: &Step) -> Vec<Row> {
        let mask = &step.mask;
        let is_own = is_row(mask) && !mask.always;
        let mut all: Vec<Row> = Vec::new();
        for (read, each) in reads(step) {
            if is_own && each {
                self.add_open(read, mask.shift, &mut all);
            } else {
                all.push(read);
            }
        }
        for write in writes(step) {
            for n in 0..write.count {
                let (channel, place) = (mask.shift + n, write.element(n));
                // Where a predicate does not hold, what the channel has written before is still
                // there.
                if is_own && mask.predicate == 0 {
                    self.set((self.block, channel), place, write.bytes);
                } else if !is_own || !self.own(channel, place, write.bytes) {
                    self.set((0, 0), place, write.bytes);
                }
            }
        }
        if let Action::Outside = step.action {
            self.block += 1;
        }
        all.shrink_to_fit();
        all
    }

    /// Adds the elements of a row that their channels, from `shift` on, have not written
    /// themselves.
    fn add_open(&self, read: Row, shift: u32, all: &mut Vec<Row>) {
        let mut open: Option<Row> = None;
        for n in 0..read.count {
            if self.own(shift + n, read.element(n), read.bytes) {
                all.extend(open.take());
            } else {
                let row = open.get_or_insert(Row { at: read.element(n), count: 0, ..read });
                row.count += 1;
            }
        }
        all.extend(open);
    }
}

/// Returns the pages that some bytes lie in, and which part of each they are.
fn parts(at: u32, bytes: u32) -> impl Iterator<Item = (usize, Range<usize>)> {
    let (at, end) = (at as usize, (at + bytes) as usize);
    (at / OWNED..end.div_ceil(OWNED)).map(move |page| {
        let first = page * OWNED;
        (page, at.max(first) - first..end.min(first + OWNED) - first)
    })
}

/// Whether the channels are the first ones, without gaps.
fn is_row(mask: &Mask) -> bool {
    mask.lanes.trailing_ones() == mask.lanes.count_ones()
}

/// What a step writes of the registers.
pub(crate) fn writes(step: &Step) -> Vec<Row> {
    let count = 32 - step.mask.lanes.leading_zeros();
    match &step.action {
        Action::Compute { expression, result, to } => {
            let bytes = expression.nodes.get(*result).map_or(0, |(kind, _)| kind.bytes());
            vec![Row { at: *to, bytes, pitch: bytes, count }]
        }
        Action::Control { at, .. } => vec![Row::one(*at, 4)],
        Action::Transfer(transfer) if transfer.access == Access::Load => {
            let pitch = transfer.unit.register_bytes();
            let bytes = match transfer.unit {
                Unit::Part { bytes, keeps: true } => bytes,
                _ => pitch,
            };
            transfer.elements.iter().map(|(_, at)| Row { at: *at, bytes, pitch, count }).collect()
        }
        _ => Vec::new(),
    }
}

/// What a step reads of the registers for what it does, and whether that is an element for each
/// channel. What it writes only in part it reads as well, to write it again: that needs to be
/// nothing in particular.
pub(crate) fn reads(step: &Step) -> Vec<(Row, bool)> {
    let count = 32 - step.mask.lanes.leading_zeros();
    let row = |at: u32, bytes: u32| (Row { at, bytes, pitch: bytes, count }, true);
    let one = |at: u32| (Row::one(at, 4), false);
    let nodes = |expression: &Expression, roots: &[Value]| {
        let loads = expression.nodes.iter().zip(wanted(expression, roots)).filter_map(|((_, node), wanted)| {
            let (Node::Load { at, step }, Some((first, end))) = (*node, wanted) else { return None };
            let (at, bytes) = (at + first, end - first);
            Some(if step == 0 { (Row::one(at, bytes), false) } else { (Row { at, bytes, pitch: step, count }, true) })
        });
        loads.collect::<Vec<_>>()
    };
    match &step.action {
        Action::Compute { expression, result, .. } => nodes(expression, &[*result]),
        Action::Compare { expression, sides, .. } => nodes(expression, sides),
        Action::SetState { from, .. } => vec![one(*from)],
        Action::Control { at, .. } => vec![one(*at)],
        Action::Transfer(transfer) => {
            let mut all = Vec::new();
            all.extend(transfer.addresses.place().map(|at| row(at, transfer.addresses.bytes())));
            all.extend(transfer.global.map(|(at, bytes)| (Row::one(at, bytes), false)));
            all.extend(transfer.space.number().map(one));
            let has_operand = match transfer.access {
                Access::Load => false,
                Access::Store => true,
                Access::Update(change) => !matches!(change, Change::Increment | Change::Decrement),
            };
            if has_operand {
                let (bytes, pitch) = (transfer.unit.bytes(), transfer.unit.register_bytes());
                all.extend(transfer.elements.iter().map(|(_, at)| (Row { at: *at, bytes, pitch, count }, true)));
            }
            all
        }
        Action::Outside | Action::Nothing | Action::Logic { .. } => Vec::new(),
    }
}

/// Which bytes of each value somebody wants: the first, and the end. Elements with gaps are parts
/// of wider ones that are loaded.
fn wanted(expression: &Expression, roots: &[Value]) -> Vec<Option<(u32, u32)>> {
    let nodes = &expression.nodes;
    let mut wanted: Vec<Option<(u32, u32)>> = vec![None; nodes.len()];
    let want = |wanted: &mut [Option<(u32, u32)>], value: Value, part: Option<(u32, u32)>| {
        if let Some(((kind, _), all)) = nodes.get(value).zip(wanted.get_mut(value)) {
            let (first, end) = part.unwrap_or((0, kind.bytes()));
            let (first, end) = all.map_or((first, end), |(a, b)| (first.min(a), end.max(b)));
            *all = Some((first, end.min(kind.bytes())));
        }
    };
    roots.iter().for_each(|root| want(&mut wanted, *root, None));
    for (n, (kind, node)) in nodes.iter().enumerate().rev() {
        let Some((first, end)) = wanted[n] else { continue };
        let is_wider = |value: Value| {
            nodes
                .get(value)
                .is_some_and(|(from, _)| !from.is_float() && !kind.is_float() && kind.bytes() < from.bytes())
        };
        // By so many bytes a value is shifted.
        let shift = |by: Value| match nodes.get(by) {
            Some((_, Node::Constant(bits))) if bits % 8 == 0 => {
                Some(*bits as u32 / 8).filter(|by| *by < kind.bytes())
            }
            _ => None,
        };
        let part = match *node {
            Node::Convert { value, saturate: false } if is_wider(value) => Some((value, first, end)),
            // What comes in at the top is made of the uppermost byte.
            Node::Binary(Binary::Shr, value, by) => {
                shift(by).map(|by| (value, (first + by).min(kind.bytes() - 1), end + by))
            }
            _ => None,
        };
        match part {
            Some((value, first, end)) => want(&mut wanted, value, Some((first, end))),
            None => operands(node).into_iter().for_each(|value| want(&mut wanted, value, None)),
        }
    }
    wanted
}
