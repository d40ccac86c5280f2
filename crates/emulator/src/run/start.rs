//! Threads at the beginning of a program: what their registers hold.

use std::sync::OnceLock;

use crate::kernels::layout::Layout;
use crate::launch::implicit;
use crate::launch::payload::{ThreadStart, group_words};
use crate::machine::flow::Flow;
use crate::machine::poison::Poison;
use crate::machine::thread::{Registers, Thread};
use crate::run::memory::Implicit;
use crate::run::plan::Plan;
use visakit::isa::{R0Element, predefined};
use visakit_native::Code;

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
    /// What they find in their registers, once that is worth its making.
    images: OnceLock<Option<Images>>,
}

/// What threads find in their registers, as far as native code reads it.
pub(super) struct Images {
    threads: Vec<Image>,
}

struct Image {
    /// What a thread finds changed by those before it.
    each: Vec<Piece>,
    /// What nobody changes: it is the same for all threads that have these registers, one after the other.
    once: Vec<Piece>,
    /// Words that are the group's id in a dimension.
    ids: Vec<(u32, usize)>,
}

/// So many bytes of the registers are copied together.
const PIECE: usize = 32;

struct Piece {
    at: u32,
    bytes: [u8; PIECE],
}

impl Starts {
    pub(super) fn new(plan: &Plan<'_>, size: [u32; 3]) -> Self {
        Self { size, threads: plan.payload.threads(size, plan.order()), images: OnceLock::new() }
    }

    /// What they find in their registers, as [`restart`] makes it, for this code.
    pub(super) fn make_images(&self, plan: &Plan<'_>, code: &Code) {
        self.images.get_or_init(|| Images::new(plan, &self.threads, code));
    }

    /// The same, if it has been made.
    pub(super) fn images(&self) -> Option<&Images> {
        self.images.get()?.as_ref()
    }
}

impl Images {
    /// Nothing when they depend on the group otherwise than by words that are its id.
    fn new(plan: &Plan<'_>, starts: &[ThreadStart], code: &Code) -> Option<Self> {
        let len = plan.code.layout.len as usize;
        let mut thread = new_thread(plan);
        let mut registers = |start: &ThreadStart, index: u32, group: [u32; 3]| {
            restart(plan, &mut thread, start, group, index);
            thread.registers.bytes(0)[..len.next_multiple_of(PIECE)].to_vec()
        };
        let words = |bytes: &[u8]| {
            let words = bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word));
            (0..).step_by(4).zip(words.collect::<Vec<_>>())
        };
        let mut ids = Vec::new();
        for (dimension, start) in (0..3).zip(starts.first().into_iter().cycle()) {
            let mut group = [0; 3];
            let before = registers(start, 0, group);
            group[dimension] = u32::MAX;
            let after = registers(start, 0, group);
            for ((at, before), (_, after)) in words(&before).zip(words(&after)).filter(|(a, b)| a != b) {
                ((before, after) == (0, u32::MAX)).then(|| ids.push((at, dimension)))?;
            }
        }
        let all: Vec<Vec<u8>> = (0..).zip(starts).map(|(index, start)| registers(start, index, [0; 3])).collect();
        // Threads that wait have registers of their own, which the same one has in the next group.
        let is_common = |n: usize| plan.waits || all.iter().all(|other| other[n..n + PIECE] == all[0][n..n + PIECE]);
        let pieces = (0..all.first().map_or(0, Vec::len)).step_by(PIECE);
        let pieces: Vec<(usize, bool)> = pieces
            .map(|n| (n, is_common(n) && !(n..n + PIECE).step_by(4).any(|at| code.changes(at as u32))))
            .collect();
        let images = starts.iter().zip(&all).map(|(start, registers)| {
            let needs = |at: usize| code.needs(at as u32, start.channels);
            let needed = pieces.iter().filter(|(n, _)| (*n..n + PIECE).step_by(4).any(needs));
            let mut image = Image { each: Vec::new(), once: Vec::new(), ids: Vec::new() };
            for &(n, is_once) in needed {
                let mut bytes = [0; PIECE];
                bytes.copy_from_slice(&registers[n..n + PIECE]);
                let pieces = if is_once { &mut image.once } else { &mut image.each };
                pieces.push(Piece { at: n as u32, bytes });
            }
            image.ids = ids.iter().copied().filter(|(at, _)| needs(*at as usize)).collect();
            image
        });
        Some(Self { threads: images.collect() })
    }

    /// Fills the registers of a thread with what nobody changes; of all threads when they have the same registers.
    pub(super) fn fill_once(&self, index: Option<usize>, registers: &mut [u8]) {
        let threads = index.map_or(&self.threads[..], |index| &self.threads[index..=index]);
        threads.iter().flat_map(|image| &image.once).for_each(|piece| piece.put(registers));
    }

    /// Fills what is left in the registers of a thread of a group.
    #[inline]
    pub(super) fn fill(&self, index: usize, group: [u32; 3], registers: &mut [u8]) {
        let image = &self.threads[index];
        image.each.iter().for_each(|piece| piece.put(registers));
        for (at, dimension) in &image.ids {
            registers[*at as usize..*at as usize + 4].copy_from_slice(&group[*dimension].to_le_bytes());
        }
    }
}

impl Piece {
    #[inline(always)]
    fn put(&self, registers: &mut [u8]) {
        registers[self.at as usize..self.at as usize + PIECE].copy_from_slice(&self.bytes);
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
