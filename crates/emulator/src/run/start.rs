//! Threads at the beginning of a program: what their registers hold.

use crate::kernels::layout::Layout;
use crate::launch::implicit;
use crate::launch::payload::{ThreadStart, group_words};
use crate::machine::flow::Flow;
use crate::machine::poison::Poison;
use crate::machine::thread::{Registers, Thread};
use crate::run::memory::Implicit;
use crate::run::plan::Plan;
use visakit::isa::{R0Element, predefined};
use visakit_native::{Code, PIECE, Piece, Threads};

/// Offset of the byte of r0 that numbers the threads of a group.
const THREAD_BYTE: u32 = R0Element::ThreadInGroup as u32 * 4;
/// Offset of the scratch base in r0.
const SCRATCH_WORD: u32 = R0Element::ScratchBase as u32 * 4;

/// Where the variables stand that a thread finds set.
pub(super) struct Special {
    groups: [u32; 3],
    state: u32,
    pub(super) hardware_id: u32,
    pub(super) stack: u32,
    implicit: [u32; 2],
}

impl Special {
    pub(super) fn of(layout: &Layout) -> Self {
        let at = |id| layout.variable(id).map_or(0, |variable| variable.offset);
        Self {
            groups: [predefined::GROUP_ID_X, predefined::GROUP_ID_Y, predefined::GROUP_ID_Z].map(at),
            state: at(predefined::SR0),
            hardware_id: at(predefined::HW_ID),
            stack: at(predefined::SP),
            implicit: [predefined::IMPL_ARG_BUF_PTR, predefined::LOCAL_ID_BUF_PTR].map(at),
        }
    }
}

/// A thread of a program that has not begun.
pub(super) fn new_thread(plan: &Plan<'_>) -> Thread {
    let code = plan.code;
    let mut thread = Thread::scratch(code.constants_at() as usize + code.constants.len());
    thread.registers.bytes_mut(code.constants_at())[..code.constants.len()].copy_from_slice(&code.constants);
    let [predicates, addresses, states] = code.counts;
    thread.predicates = vec![0; predicates];
    thread.addresses = vec![0; addresses];
    thread.surfaces = vec![0; states];
    thread.flow = Flow::new(code.blocks.len() as u32, code.main_end);
    thread
}

/// How the threads of a group of some size start.
pub(super) struct Starts {
    pub(super) size: [u32; 3],
    pub(super) threads: Vec<ThreadStart>,
}

/// What threads find in their registers, as far as native code reads it.
pub(super) struct Images {
    /// What a thread finds changed by those before it.
    pub(super) threads: Threads,
    /// What nobody changes: it is the same for all threads that have these registers, one after the other.
    once: Vec<Vec<Piece>>,
    /// Words of the registers that are the group's id in a dimension.
    ids: Vec<(u32, usize)>,
    /// Those that are put there for each thread.
    put: Vec<(u32, usize)>,
}

/// How often a piece is put into the registers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// When they are first used.
    Once,
    /// For each thread, the same for all.
    Common,
    /// For each thread.
    Each,
}

impl Starts {
    pub(super) fn new(plan: &Plan<'_>, size: [u32; 3]) -> Self {
        Self { size, threads: plan.payload.threads(size, plan.order()) }
    }
}

impl Images {
    /// As [`restart`] makes it. Nothing when it depends on the group otherwise than by words that are its id.
    pub(super) fn new(plan: &Plan<'_>, starts: &[ThreadStart], code: &Code) -> Option<Self> {
        let first = starts.first()?;
        let mut channels: Vec<u32> = starts.iter().map(|start| start.channels).collect();
        channels.dedup();
        // The pieces that any thread needs, and which words of them.
        let pieces = (0..plan.code.layout.len).step_by(PIECE);
        let needs =
            pieces.map(|at| (at, channels.iter().fold(0, |needs, channels| needs | code.needs(at, *channels))));
        let needed: Vec<(u32, u8)> = needs.filter(|(_, needs)| *needs != 0).collect();
        let mut thread = new_thread(plan);
        let mut registers = |start: &ThreadStart, index: u32, group: [u32; 3]| {
            restart(plan, &mut thread, start, group, index);
            let bytes = thread.registers.bytes(0);
            needed.iter().map(|(at, _)| bytes[*at as usize..].first_chunk().copied().unwrap_or_default()).collect()
        };
        // Ids that no group has, one for each dimension.
        let group = [u32::MAX, u32::MAX - 1, u32::MAX - 2];
        let after: Vec<[u8; PIECE]> = registers(first, 0, group);
        let all: Vec<Vec<[u8; PIECE]>> =
            (0..).zip(starts).map(|(index, start)| registers(start, index, [0; 3])).collect();
        let (mut kinds, mut ids) = (Vec::new(), Vec::new());
        for (n, &(at, needs)) in needed.iter().enumerate() {
            let mut is_common = true;
            for place in (0..PIECE).step_by(4).filter(|place| needs >> (place / 4) & 1 == 1) {
                let word =
                    |bytes: &[u8; PIECE]| bytes[place..].first_chunk().map_or(0, |word| u32::from_le_bytes(*word));
                let (before, after) = (word(&all[0][n]), word(&after[n]));
                is_common &= all.iter().all(|other| word(&other[n]) == before);
                if before != after {
                    let dimension = group.iter().position(|id| *id == after).filter(|_| before == 0)?;
                    ids.push((at + place as u32, dimension));
                }
            }
            // Threads that wait have registers of their own, which the same one has in the next group.
            kinds.push(match (needs & code.changes(at) == 0, is_common) {
                (true, _) if is_common || plan.waits => Kind::Once,
                (_, true) => Kind::Common,
                _ => Kind::Each,
            });
        }
        let piece = |n: usize, registers: &[[u8; PIECE]]| {
            let (at, mut bytes) = (needed[n].0, registers[n]);
            // What is set for each group is never left out as zeros.
            for (id, _) in ids.iter().filter(|(id, _)| (at..at + PIECE as u32).contains(id)) {
                bytes[(id - at) as usize..][..4].fill(u8::MAX);
            }
            Piece { bytes, at }
        };
        let of = |which| (0..).zip(&kinds).filter(move |(_, kind)| **kind == which).map(|(n, _)| n);
        let mut threads = Threads::default();
        of(Kind::Common).for_each(|n| threads.push_common(piece(n, &all[0])));
        for (start, registers) in starts.iter().zip(&all) {
            threads.push(start.channels, of(Kind::Each).map(|n| piece(n, registers)));
        }
        let once = all.iter().map(|registers| of(Kind::Once).map(|n| piece(n, registers)).collect()).collect();
        let is_put = |(at, _): &(u32, usize)| {
            let piece = at - at % PIECE as u32;
            needed.iter().zip(&kinds).any(|((at, _), kind)| *at == piece && *kind != Kind::Once)
        };
        let put = ids.iter().copied().filter(is_put).collect();
        Some(Self { threads, once, ids, put })
    }

    /// Fills the registers of a thread with what nobody changes; of all threads when they have the same registers.
    pub(super) fn fill_once(&self, index: Option<usize>, registers: &mut [u8]) {
        let threads = index.map_or(&self.once[..], |index| &self.once[index..=index]);
        let pieces = threads.iter().flatten();
        pieces.for_each(|piece| registers[piece.at as usize..][..PIECE].copy_from_slice(&piece.bytes));
    }

    /// Puts a group's id into the pieces of its threads, and into their registers.
    pub(super) fn set_group(&mut self, group: [u32; 3], registers: &mut [u8]) {
        self.put.iter().for_each(|(at, dimension)| self.threads.set_word(*at, group[*dimension]));
        self.put_group(group, registers);
    }

    /// Fills what is left in the registers of a thread of a group.
    pub(super) fn fill(&self, index: usize, group: [u32; 3], registers: &mut [u8]) {
        self.threads.fill(index, registers);
        self.put_group(group, registers);
    }

    fn put_group(&self, group: [u32; 3], registers: &mut [u8]) {
        for (at, dimension) in &self.ids {
            registers[*at as usize..*at as usize + 4].copy_from_slice(&group[*dimension].to_le_bytes());
        }
    }
}

/// Brings a thread to the beginning.
pub(super) fn restart(plan: &Plan<'_>, thread: &mut Thread, start: &ThreadStart, group: [u32; 3], index: u32) {
    let layout = &plan.code.layout;
    let registers: &mut Registers = &mut thread.registers;
    let bytes = registers.bytes_mut(0);
    bytes[..start.payload.len()].copy_from_slice(&start.payload);
    // Registers without a value are zero, so that a kernel that reads them does the same in every run.
    bytes[start.payload.len()..layout.len as usize].fill(0);
    if let Some(poison) = plan.poison {
        poison.fill_registers(&mut bytes[..layout.len as usize], start.payload.len());
    }
    for (offset, word) in group_words(group) {
        registers.set(offset, word);
    }
    for (offset, word) in plan.special.groups.iter().zip(group) {
        registers.set(*offset, word);
    }
    // Element 2 of the state register has the channels that the dispatch enabled.
    registers.set(plan.special.state + 8, start.channels);
    registers.set(plan.special.state, plan.program.state_register(index));
    registers.set(plan.special.hardware_id, index);
    // The base is a multiple of the step that its low bits leave out.
    registers.set(THREAD_BYTE, index as u8);
    registers.set(SCRATCH_WORD, (u64::from(index) * plan.mapped.scratch.pitch) as u32);
    if let Some(Implicit { offset, address }) = plan.mapped.implicit {
        // Scratch memory has less than 4 GiB, and buffers begin at multiples of 64.
        registers.set(0, offset as u32);
        let [arguments, ids] = plan.special.implicit;
        registers.set(arguments, address);
        registers.set(ids, address + implicit::BYTES as u64);
        if let Some(at) = plan.payload.implicit() {
            registers.set(at, address);
        }
    }
    for copy in &layout.copies {
        let bytes = registers.bytes_mut(0);
        bytes.copy_within(copy.from as usize..(copy.from + copy.size) as usize, copy.to as usize);
    }
    reset(plan, thread, start, index);
}

/// Brings all but the registers of a thread to the beginning.
pub(super) fn reset(plan: &Plan<'_>, thread: &mut Thread, start: &ThreadStart, index: u32) {
    clear_tables(plan, thread);
    thread.active = start.channels;
    thread.flow.restart(plan.code.main_end);
    begin(thread, start, index);
}

/// Clears what is beside the registers.
pub(super) fn clear_tables(plan: &Plan<'_>, thread: &mut Thread) {
    thread.predicates.fill(plan.poison.map_or(0, Poison::predicate));
    // Few kernels have these; a call for nothing costs as much as the rest.
    for table in [&mut thread.addresses, &mut thread.surfaces] {
        if !table.is_empty() {
            table.fill(0);
        }
    }
}

/// Nothing has been executed yet, nor called.
pub(super) fn begin(thread: &mut Thread, start: &ThreadStart, index: u32) {
    thread.dispatched = start.channels;
    thread.set_mode(0);
    if !thread.activations.is_empty() {
        thread.activations.fill(0);
    }
    thread.outer.clear();
    thread.index = index;
    thread.signals.clear();
    thread.executed = 0;
    thread.outside_reads = 0;
    thread.outside_writes = 0;
}
