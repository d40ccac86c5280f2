//! Which registers still matter: what may be read before it is written again. Nothing else has to be in the register file.
//!
//! It is asked for bytes, once for each way in which the code of a block is made: with all of its channels active, or any. What a
//! step writes for all channels of the first, or whatever the masks say, was not needed before it. In the second, what the
//! active channels have written is there for what the same channels read behind it in the block, since they are the same
//! ones until its end.

use crate::block::channels;
use crate::compute::operands;
use crate::ir::{
    Access, Action, Addresses, Behind, Binary, Block, Change, End, Expression, Mask, Node, Routine, Step, Unit, Value,
};

/// A set of bytes of the register file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Bytes {
    words: Vec<u64>,
    /// If that is wanted, the words that have been changed, and what they were before.
    log: Option<Vec<(usize, u64)>>,
}

impl Bytes {
    fn new(bytes: u32, all: bool) -> Self {
        Self { words: vec![if all { u64::MAX } else { 0 }; bytes.div_ceil(64) as usize], log: None }
    }

    /// The words that some bytes are in, and which bits of them they are.
    fn words(at: u32, bytes: u32) -> impl Iterator<Item = (usize, u64)> {
        let end = at + bytes;
        (at / 64..end.div_ceil(64)).map(move |word| {
            let (first, end) = (at.max(word * 64) - word * 64, end.min(word * 64 + 64) - word * 64);
            (word as usize, u64::MAX >> (64 - (end - first)) << first)
        })
    }

    fn add(&mut self, at: u32, bytes: u32) {
        Self::words(at, bytes).for_each(|(word, bits)| self.change(word, |old| old | bits));
    }

    fn add_row(&mut self, row: Row) {
        row.spans().for_each(|(at, bytes)| self.add(at, bytes));
    }

    fn remove_row(&mut self, row: Row) {
        for (word, bits) in row.spans().flat_map(|(at, bytes)| Self::words(at, bytes)) {
            self.change(word, |old| old & !bits);
        }
    }

    fn add_all(&mut self) {
        (0..self.words.len()).for_each(|word| self.change(word, |_| u64::MAX));
    }

    fn change(&mut self, n: usize, to: impl FnOnce(u64) -> u64) {
        let Some(word) = self.words.get_mut(n) else { return };
        let old = std::mem::replace(word, to(*word));
        if let Some(log) = &mut self.log {
            log.push((n, old));
        }
    }

    fn unite(&mut self, other: &Self) {
        self.words.iter_mut().zip(&other.words).for_each(|(word, other)| *word |= other);
    }

    /// Whether any of some bytes are among them.
    pub(crate) fn touch(&self, at: u32, bytes: u32) -> bool {
        Self::words(at, bytes).any(|(word, bits)| self.words.get(word).is_some_and(|word| word & bits != 0))
    }

    /// The dwords of a [`PIECE`](crate::PIECE) at a multiple of its size that any of them are in, one bit each.
    pub(crate) fn of_piece(&self, at: u32) -> u8 {
        (0..8).fold(0, |all, dword| all | u8::from(self.touch(at + dword * 4, 4)) << dword)
    }
}

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
    ends: Vec<[Bytes; 2]>,
    /// What each step of each block reads that the same channels have not written before it in the block.
    exposed: Vec<Vec<Vec<Row>>>,
    /// The blocks at which channels may wait for others, in their order.
    pub(crate) joins: Vec<u32>,
}

impl Live {
    /// Behind a block.
    pub(crate) fn end(&self, block: u32, is_full: bool) -> &Bytes {
        &self.ends[block as usize][usize::from(!is_full)]
    }

    /// What matters at the beginning of a block. What channels have written matters for the same ones as well.
    pub(crate) fn here(&self, n: u32, block: &Block, is_full: bool) -> Here {
        self.walk(n, block, (is_full, &[]))
    }

    /// What matters of channels that are not active.
    pub(crate) fn of_others(&self, n: u32, block: &Block) -> Here {
        self.walk(n, block, (false, &self.exposed[n as usize]))
    }

    fn walk(&self, n: u32, block: &Block, (is_full, exposed): (bool, &[Vec<Row>])) -> Here {
        let mut bytes = self.end(n, is_full).clone();
        let mut changes = Vec::new();
        for (n, step) in block.steps.iter().enumerate().rev() {
            bytes.log = Some(Vec::new());
            before_step(step, exposed.get(n), is_full, &mut bytes);
            changes.extend(bytes.log.take());
        }
        Here { bytes, changes }
    }

    /// Asks a routine.
    pub(crate) fn of(routine: &Routine) -> Self {
        let bytes = routine.register_bytes;
        let none = || Bytes::new(bytes, false);
        let mut written = none();
        // Who begins threads finds the mode that they compute in there.
        let mut always = none();
        for step in routine.blocks.iter().flat_map(|block| &block.steps) {
            match &step.action {
                Action::Outside => written = Bytes::new(bytes, true),
                Action::Control { at, .. } => always.add(*at, 4),
                _ => {}
            }
            writes(step).into_iter().for_each(|write| written.add_row(write));
        }
        if routine.blocks.iter().any(|block| matches!(block.end, End::Outside(Behind::Anything))) {
            written = Bytes::new(bytes, true);
        }
        let count = routine.blocks.len();
        let joins = joins(routine);
        let all: Vec<u32> = routine.blocks.iter().map(|block| channels(block, routine.count)).collect();
        let mut owners = Owners { bytes: vec![(0, 0); bytes as usize], block: 0 };
        let exposed: Vec<_> = routine.blocks.iter().map(|block| owners.exposed(block)).collect();
        let mut begins = vec![[none(), none()]; count + 1];
        let mut ends = vec![[none(), none()]; count];
        loop {
            let mut is_same = true;
            for (n, block) in routine.blocks.iter().enumerate().rev() {
                for (kind, is_full) in [true, false].into_iter().enumerate() {
                    let mut live = always.clone();
                    if let End::Outside(Behind::Anything) = block.end {
                        live = Bytes::new(bytes, true);
                    }
                    for (next, keeps) in successors(n as u32, block, &joins) {
                        // Channels that were all active still are, where none has left.
                        let needed = all.get(next as usize).copied().unwrap_or(0);
                        let stays = is_full && keeps && needed != 0 && needed & !all[n] == 0;
                        let begin = &begins[next as usize];
                        live.unite(&begin[0]);
                        if !stays {
                            live.unite(&begin[1]);
                        }
                    }
                    ends[n][kind] = live.clone();
                    before(block, &exposed[n], is_full, &mut live);
                    if live != begins[n][kind] {
                        begins[n][kind] = live;
                        is_same = false;
                    }
                }
            }
            if is_same {
                break;
            }
        }
        Self { begin: begins.swap_remove(0), written, ends, exposed, joins }
    }
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

/// Where it may go on behind a block, and whether with the same channels. Those that leave do so past others that wait, who are next
/// then.
fn successors(n: u32, block: &Block, joins: &[u32]) -> Vec<(u32, bool)> {
    let next = n + 1;
    let waiting = |end: u32| joins.iter().filter(move |join| (next..end).contains(join)).map(|join| (*join, false));
    match block.end {
        End::Fall | End::Outside(Behind::Next) => vec![(next, true)],
        End::Jump { target, .. } => vec![(next, true), (target, true)],
        End::Branch { uniform, target, .. } => {
            [(next, uniform), (target, uniform)].into_iter().chain(waiting(target)).collect()
        }
        End::Outside(Behind::Others(_)) => std::iter::once((next, false)).chain(waiting(u32::MAX)).collect(),
        End::Outside(Behind::Anything) => Vec::new(),
    }
}

/// From what matters behind a block, what does before it.
fn before(block: &Block, exposed: &[Vec<Row>], is_full: bool, live: &mut Bytes) {
    for (n, step) in block.steps.iter().enumerate().rev() {
        before_step(step, exposed.get(n).filter(|_| !is_full), is_full, live);
    }
}

/// The same for a step, with what it reads unless that is all it has to do with.
fn before_step(step: &Step, exposed: Option<&Vec<Row>>, is_full: bool, live: &mut Bytes) {
    if let Action::Outside = step.action {
        live.add_all();
        return;
    }
    let mask = &step.mask;
    // Of the control register some bits stay.
    let is_whole = !matches!(step.action, Action::Control { .. });
    if mask.predicate == 0 && is_row(mask) && (is_full || mask.always) && is_whole {
        writes(step).into_iter().for_each(|write| live.remove_row(write));
    }
    match exposed {
        Some(reads) => reads.iter().for_each(|read| live.add_row(*read)),
        None => reads(step).into_iter().for_each(|(read, _)| live.add_row(read)),
    }
}

/// What matters at a place in a block: before its first step to begin with.
#[derive(Clone, Debug, Default)]
pub(crate) struct Here {
    bytes: Bytes,
    /// The words that change from before a step to behind it, the last step first.
    changes: Vec<Vec<(usize, u64)>>,
}

impl Here {
    /// Goes behind the next step.
    pub(crate) fn advance(&mut self) {
        for (word, value) in self.changes.pop().into_iter().flatten().rev() {
            self.bytes.words[word] = value;
        }
    }

    /// Whether any of some bytes matter.
    pub(crate) fn touch(&self, at: u32, bytes: u32) -> bool {
        self.bytes.touch(at, bytes)
    }
}

/// For each byte of the registers, the channel that has written it in a block, and which block that was.
struct Owners {
    bytes: Vec<(u32, u32)>,
    block: u32,
}

impl Owners {
    /// Whether a channel has written these bytes.
    fn own(&self, channel: u32, at: u32, bytes: u32) -> bool {
        let own = (self.block, channel);
        self.bytes.get(at as usize..(at + bytes) as usize).is_some_and(|all| all.iter().all(|other| *other == own))
    }

    fn set(&mut self, owner: (u32, u32), at: u32, bytes: u32) {
        let place = at as usize..(at + bytes) as usize;
        self.bytes.get_mut(place).into_iter().flatten().for_each(|other| *other = owner);
    }

    /// What the steps of the next block read, as far as it is not what the same channels have written before.
    fn exposed(&mut self, block: &Block) -> Vec<Vec<Row>> {
        self.block += 1;
        block.steps.iter().map(|step| self.exposed_by(step)).collect()
    }

    fn exposed_by(&mut self, step: &Step) -> Vec<Row> {
        let mask = &step.mask;
        let is_own = is_row(mask) && !mask.always;
        let mut all = Vec::new();
        for (read, each) in reads(step) {
            if is_own && each {
                let open = (0..read.count).filter(|n| !self.own(mask.shift + n, read.element(*n), read.bytes));
                all.extend(open.map(|n| Row::one(read.element(n), read.bytes)));
            } else {
                all.push(read);
            }
        }
        for write in writes(step) {
            for n in 0..write.count {
                let (channel, place) = (mask.shift + n, write.element(n));
                // Where a predicate does not hold, what the channel has written before is still there.
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
        all
    }
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

/// What a step reads of the registers for what it does, and whether that is an element for each channel. What it writes only in part it
/// reads as well, to write it again: that needs to be nothing in particular.
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
            match transfer.addresses {
                Addresses::None => {}
                Addresses::Dwords(at) => all.push(row(at, 4)),
                Addresses::Qwords(at) => all.push(row(at, 8)),
            }
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

/// Which bytes of each value somebody wants: the first, and the end. Elements with gaps are parts of wider ones that are loaded.
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
