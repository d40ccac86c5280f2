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
    images: Option<Option<Images>>,
}

/// What threads find in their registers, beside zeros.
pub(super) struct Images {
    threads: Vec<Image>,
    /// Words that are the group's id in a dimension.
    ids: Vec<(u32, usize)>,
    /// Bytes in which all is zero but for that.
    len: usize,
}

struct Image {
    /// The first bytes.
    begin: Vec<u8>,
    /// Words behind it that are not zero.
    words: Vec<(u32, u32)>,
}

/// So many bytes behind the payload are copied rather than set word by word.
const NEAR: usize = 512;

impl Starts {
    pub(super) fn new(plan: &Plan<'_>, size: [u32; 3]) -> Self {
        Self { size, threads: plan.payload.threads(size, plan.order()), images: None }
    }

    /// What they find in their registers, as [`restart`] makes it.
    pub(super) fn make_images(&mut self, plan: &Plan<'_>) {
        self.images.get_or_insert_with(|| Images::new(plan, &self.threads));
    }

    /// The same, if it has been made.
    pub(super) fn images(&self) -> Option<&Images> {
        self.images.as_ref()?.as_ref()
    }
}

impl Images {
    /// Nothing when they depend on the group otherwise than by words that are its id.
    fn new(plan: &Plan<'_>, starts: &[ThreadStart]) -> Option<Self> {
        let len = plan.code.layout.len as usize;
        let mut thread = new_thread(plan);
        let mut registers = |start: &ThreadStart, index: u32, group: [u32; 3]| {
            restart(plan, &mut thread, start, group, index);
            thread.registers.bytes(0)[..len].to_vec()
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
        let images = (0..).zip(starts).map(|(index, start)| {
            let mut begin = registers(start, index, [0; 3]);
            // The variables that are set stand close behind the payload.
            let near = start.payload.len().saturating_add(NEAR).min(len);
            let last = begin[..near].iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
            let rest = begin.split_off(last.next_multiple_of(64).min(len));
            let behind = begin.len() as u32;
            let words = words(&rest).filter(|(_, word)| *word != 0).map(|(at, word)| (at + behind, word));
            Image { words: words.collect(), begin }
        });
        Some(Self { threads: images.collect(), ids, len })
    }

    /// Fills the registers of a thread of a group.
    #[inline]
    pub(super) fn fill(&self, index: usize, group: [u32; 3], registers: &mut [u8]) {
        let image = &self.threads[index];
        let registers = &mut registers[..self.len];
        let (begin, rest) = registers.split_at_mut(image.begin.len());
        begin.copy_from_slice(&image.begin);
        rest.fill(0);
        let mut set = |at: u32, word: u32| {
            registers[at as usize..at as usize + 4].copy_from_slice(&word.to_le_bytes());
        };
        image.words.iter().for_each(|(at, word)| set(*at, *word));
        self.ids.iter().for_each(|(at, dimension)| set(*at, group[*dimension]));
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
