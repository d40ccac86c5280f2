//! Which registers still matter: what may be read before it is written again. Nothing else has to be in the register file.
//!
//! It is asked for dwords, once for each way in which the code of a block is made: with all of its channels active, or any. What a
//! step writes for all channels of the first, or whatever the masks say, was not needed before it. In the second, what the
//! active channels have written is there for what the same channels read behind it in the block, since they are the same
//! ones until its end.

use crate::block::channels;
use crate::compute::uses;
use crate::ir::{
    Access, Action, Addresses, Behind, Block, Change, End, Mask, Node, Routine, Space, Step, Unit, Value,
};

/// A set of dwords of the register file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Dwords(Vec<u64>);

impl Dwords {
    fn new(bytes: u32, all: bool) -> Self {
        Self(vec![if all { u64::MAX } else { 0 }; bytes.div_ceil(256) as usize])
    }

    /// Those that some bytes lie in, or that lie in them.
    fn change(&mut self, first: u32, end: u32, to: bool) {
        for dword in first..end {
            let (word, bit) = (dword as usize / 64, 1 << (dword % 64));
            let Some(word) = self.0.get_mut(word) else { return };
            *word = if to { *word | bit } else { *word & !bit };
        }
    }

    fn add(&mut self, (at, bytes): (u32, u32)) {
        self.change(at / 4, (at + bytes).div_ceil(4), true);
    }

    fn remove(&mut self, (at, bytes): (u32, u32)) {
        self.change(at.div_ceil(4), (at + bytes) / 4, false);
    }

    fn unite(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(word, other)| *word |= other);
    }

    /// Whether any of some bytes lie in them.
    pub(crate) fn touch(&self, at: u32, bytes: u32) -> bool {
        (at / 4..(at + bytes).div_ceil(4)).any(|dword| self.has(dword))
    }

    /// Whether a dword is one of them.
    fn has(&self, dword: u32) -> bool {
        self.0.get(dword as usize / 64).is_some_and(|word| word >> (dword % 64) & 1 == 1)
    }

    /// Those of a [`PIECE`](crate::PIECE) at a multiple of its size, one bit each.
    pub(crate) fn of_piece(&self, at: u32) -> u8 {
        self.0.get(at as usize / 256).map_or(0, |word| (word >> (at / 4 % 64)) as u8)
    }
}

/// What matters where.
#[derive(Debug)]
pub(crate) struct Live {
    /// When the routine begins: with all channels of the first block, and with any.
    pub(crate) begin: [Dwords; 2],
    /// What any step writes.
    pub(crate) written: Dwords,
    /// Behind each block, made for all of its channels, and for any.
    ends: Vec<[Dwords; 2]>,
    /// The blocks at which channels may wait for others, in their order.
    pub(crate) joins: Vec<u32>,
}

impl Live {
    /// Behind a block.
    pub(crate) fn end(&self, block: u32, is_full: bool) -> &Dwords {
        &self.ends[block as usize][usize::from(!is_full)]
    }

    /// Asks a routine.
    pub(crate) fn of(routine: &Routine) -> Self {
        let bytes = routine.register_bytes;
        let none = || Dwords::new(bytes, false);
        let mut written = none();
        // Who begins threads finds the mode that they compute in there.
        let mut always = none();
        for step in routine.blocks.iter().flat_map(|block| &block.steps) {
            match &step.action {
                Action::Outside => written = Dwords::new(bytes, true),
                Action::Control { at, .. } => always.add((*at, 4)),
                _ => {}
            }
            writes(step).into_iter().for_each(|write| written.add(write));
        }
        if routine.blocks.iter().any(|block| matches!(block.end, End::Outside(Behind::Anything))) {
            written = Dwords::new(bytes, true);
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
                        live = Dwords::new(bytes, true);
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
        Self { begin: begins.swap_remove(0), written, ends, joins }
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
fn before(block: &Block, exposed: &[Vec<(u32, u32)>], is_full: bool, live: &mut Dwords) {
    for (n, step) in block.steps.iter().enumerate().rev() {
        if let Action::Outside = step.action {
            *live = Dwords::new(live.0.len() as u32 * 256, true);
            continue;
        }
        let mask = &step.mask;
        if mask.predicate == 0 && is_row(mask) && (is_full || mask.always) && !keeps(step) {
            writes(step).into_iter().for_each(|write| live.remove(write));
        }
        match exposed.get(n).filter(|_| !is_full) {
            Some(reads) => reads.iter().for_each(|read| live.add(*read)),
            None => reads(step).into_iter().for_each(|(read, _)| live.add(read)),
        }
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
    fn exposed(&mut self, block: &Block) -> Vec<Vec<(u32, u32)>> {
        self.block += 1;
        block.steps.iter().map(|step| self.exposed_by(step)).collect()
    }

    fn exposed_by(&mut self, step: &Step) -> Vec<(u32, u32)> {
        let mask = &step.mask;
        let count = if is_row(mask) { mask.lanes.count_ones() } else { 0 };
        let mut all = Vec::new();
        for ((at, bytes), each) in reads(step) {
            match each.filter(|_| !mask.always && count > 0) {
                Some(each) => {
                    let open = (0..count).filter(|n| !self.own(mask.shift + n, at + n * each, each));
                    all.extend(open.map(|n| (at + n * each, each)));
                }
                None => all.push((at, bytes)),
            }
        }
        for (at, bytes) in writes(step) {
            let each = bytes / count.max(1);
            if count > 0 && !mask.always && !keeps(step) {
                for n in 0..count {
                    let (channel, place) = (mask.shift + n, at + n * each);
                    // Where a predicate does not hold, what the channel has written before is still there.
                    if mask.predicate == 0 {
                        self.set((self.block, channel), place, each);
                    } else if !self.own(channel, place, each) {
                        self.set((0, 0), place, each);
                    }
                }
            } else {
                self.set((0, 0), at, bytes);
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

/// Whether what a step writes keeps a part of what was there.
fn keeps(step: &Step) -> bool {
    matches!(&step.action, Action::Transfer(transfer) if matches!(transfer.unit, Unit::Part { keeps: true, .. }))
        || matches!(step.action, Action::Control { .. })
}

/// What a step writes of the registers, as places and bytes.
pub(crate) fn writes(step: &Step) -> Vec<(u32, u32)> {
    let lanes = 32 - step.mask.lanes.leading_zeros();
    match &step.action {
        Action::Compute { expression, result, to } => {
            vec![(*to, lanes * expression.nodes.get(*result).map_or(0, |(kind, _)| kind.bytes()))]
        }
        Action::Control { at, .. } => vec![(*at, 4)],
        Action::Transfer(transfer) if transfer.access == Access::Load => {
            transfer.elements.iter().map(|(_, at)| (*at, lanes * transfer.unit.register_bytes())).collect()
        }
        _ => Vec::new(),
    }
}

/// What a step reads of the registers; of rows with an element for each channel, the bytes of those.
pub(crate) fn reads(step: &Step) -> Vec<((u32, u32), Option<u32>)> {
    let lanes = 32 - step.mask.lanes.leading_zeros();
    let row = |at: u32, each: u32| ((at, lanes * each), Some(each));
    let nodes = |expression: &crate::ir::Expression, roots: &[Value]| {
        let uses = uses(expression, roots).unwrap_or_else(|| vec![1; expression.nodes.len()]);
        let needed = expression.nodes.iter().zip(uses).filter(|(_, uses)| *uses > 0);
        let loads = needed.filter_map(|((kind, node), _)| match *node {
            Node::Load { at, step } if step == kind.bytes() => Some(row(at, step)),
            Node::Load { at, step } => Some(((at, step * lanes.saturating_sub(1) + kind.bytes()), None)),
            _ => None,
        });
        loads.collect::<Vec<_>>()
    };
    match &step.action {
        Action::Compute { expression, result, .. } => nodes(expression, &[*result]),
        Action::Compare { expression, sides, .. } => nodes(expression, sides),
        Action::SetState { from, .. } => vec![((*from, 4), None)],
        Action::Control { at, .. } => vec![((*at, 4), None)],
        Action::Transfer(transfer) => {
            let mut all = Vec::new();
            match transfer.addresses {
                Addresses::None => {}
                Addresses::Dwords(at) => all.push(row(at, 4)),
                Addresses::Qwords(at) => all.push(row(at, 8)),
            }
            all.extend(transfer.global.map(|global| (global, None)));
            if let Space::Named(at) = transfer.space {
                all.push(((at, 4), None));
            }
            let has_operand = match transfer.access {
                Access::Load => keeps(step),
                Access::Store => true,
                Access::Update(change) => !matches!(change, Change::Increment | Change::Decrement),
            };
            if has_operand {
                all.extend(transfer.elements.iter().map(|(_, at)| row(*at, transfer.unit.register_bytes())));
            }
            all
        }
        Action::Outside | Action::Nothing | Action::Logic { .. } => Vec::new(),
    }
}
