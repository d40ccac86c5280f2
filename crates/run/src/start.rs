//! Initial state of threads: register contents at the program entry.

use std::ops::Range;
use std::sync::{Arc, PoisonError};

use crate::cache::{Lowered, SIZES};
use crate::memory::Implicit;
use crate::plan::Plan;
use crate::starts::{Kind, Starts, Template, TemplatePiece};
use visakit::isa::R0Element;
use visakit_launch::implicit;
use visakit_launch::payload::{ThreadStart, group_words};
use visakit_machine::activation::{self, Function};
use visakit_machine::flow::Flow;
use visakit_machine::poison::Poison;
use visakit_machine::thread::{Activations, Registers, Thread};
use visakit_native::{Code, PIECE, Piece, Threads, WordPlace};

/// Offset in r0 of the byte with the thread's number in its group.
const THREAD_BYTE: u32 = R0Element::ThreadInGroup as u32 * 4;
/// Offset of the scratch base in r0.
const SCRATCH_WORD: u32 = R0Element::ScratchBase as u32 * 4;

/// Base of the surface-state addresses of threads' scratch memory, whose low bits hold an offset.
/// No buffer or other state has such an address.
const SCRATCH_STATES: u64 = 1 << 63;

impl Lowered {
    /// Returns the initial thread states for groups of a size.
    pub(super) fn starts(&self, plan: &Plan<'_>, size: [u32; 3]) -> Arc<Starts> {
        let mut all = self.starts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = all.iter().find(|starts| starts.is_for(plan, size)) {
            return Arc::clone(known);
        }
        let new = Arc::new(Starts::new(plan, size));
        if all.len() == SIZES {
            all.remove(0);
        }
        all.push(Arc::clone(&new));
        new
    }
}

/// Returns a thread before its first start.
pub(super) fn new_thread(plan: &Plan<'_>) -> Thread {
    let code = plan.code;
    let constants_at = code.layout.constants_at;
    let mut thread = Thread::scratch(constants_at as usize + code.constants.len());
    thread.registers.bytes_mut(constants_at)[..code.constants.len()].copy_from_slice(&code.constants);
    let [predicates, states] = code.counts;
    thread.predicates = vec![0; predicates];
    thread.surfaces = vec![0; states];
    thread.flow = Flow::new(code.blocks.len() as u32, code.main_end);
    thread
}

/// Initial registers of threads, as far as native code reads them.
pub(super) struct Images {
    /// Pieces that threads modify and that are restored for each.
    pub(super) threads: Threads,
    /// Pieces that no thread modifies, shared by all threads that use the same registers
    /// sequentially.
    once: Vec<Vec<Piece>>,
    /// Offsets of words that equal the group's id in a dimension.
    ids: Vec<(u32, usize)>,
    /// Locations of group-id words in the restored pieces, with their dimension.
    put: Vec<(WordPlace, usize)>,
}

/// Placeholder group ids, one per dimension, that no group has.
const NO_GROUP: [u32; 3] = [u32::MAX, u32::MAX - 1, u32::MAX - 2];

impl Starts {
    pub(super) fn new(plan: &Plan<'_>, size: [u32; 3]) -> Self {
        let (order, pitch) = (plan.order(), plan.mapped.scratch.pitch);
        Self { size, order, pitch, threads: plan.payload.threads(size, order), templates: Default::default() }
    }

    /// Returns true if these are the initial states for groups of `size` in a launch.
    pub(super) fn is_for(&self, plan: &Plan<'_>, size: [u32; 3]) -> bool {
        self.size == size && self.order == plan.order() && self.pitch == plan.mapped.scratch.pitch
    }

    /// Returns the register images of a launch's threads. Overwrites the registers of `thread`,
    /// which must not be running.
    pub(super) fn images(
        &self,
        plan: &Plan<'_>,
        (version, code): (usize, &Code),
        thread: &mut Thread,
    ) -> Option<Images> {
        let template = &self.templates[plan.variant.index()][version];
        let template = template.get_or_init(|| Template::new(plan, self, code, thread)).as_ref()?;
        Some(template.images(plan, self, thread))
    }
}

impl Template {
    /// Builds the template from the registers that [`restart`] writes.
    fn new(plan: &Plan<'_>, starts: &Starts, code: &Code, thread: &mut Thread) -> Option<Self> {
        let mut channels: Vec<u32> = starts.threads.iter().map(|start| start.channels).collect();
        channels.dedup();
        // Pieces that any thread reads, and their relevant words.
        let pieces = (0..plan.code.layout.constants_at).step_by(PIECE);
        let needs =
            pieces.map(|at| (at, channels.iter().fold(0, |needs, channels| needs | code.needs(at, *channels))));
        let needed: Vec<(u32, u8)> = needs.filter(|(_, needs)| *needs != 0).collect();
        let mut registers = |index: u32, group: [u32; 3]| -> Vec<[u8; PIECE]> {
            restart(plan, thread, starts, group, index);
            needed.iter().map(|(at, _)| piece_of(thread, *at)).collect()
        };
        let after = registers(0, NO_GROUP);
        let all: Vec<_> = (0..starts.threads.len() as u32).map(|index| registers(index, [0; 3])).collect();
        let (mut pieces, mut ids, mut put) = (Vec::new(), Vec::new(), Vec::new());
        for (n, &(at, needs)) in needed.iter().enumerate() {
            let mut bytes: Vec<[u8; PIECE]> = all.iter().map(|registers| registers[n]).collect();
            let (mut common, before) = (0, ids.len());
            for word in 0..PIECE / 4 {
                let of =
                    |bytes: &[u8; PIECE]| bytes[word * 4..].first_chunk().map_or(0, |word| u32::from_le_bytes(*word));
                let (first, after) = (of(bytes.first()?), of(&after[n]));
                common |= u8::from(bytes.iter().all(|other| of(other) == first)) << word;
                if first != after && needs >> word & 1 == 1 {
                    let dimension = NO_GROUP.iter().position(|id| *id == after).filter(|_| first == 0)?;
                    ids.push((at + word as u32 * 4, dimension));
                }
            }
            // Threads with barriers have their own registers, which the corresponding thread of the
            // next group reuses.
            let kind = match (needs & code.changes(at) == 0, needs & !common == 0) {
                (true, is_common) if is_common || plan.waits => Kind::Once,
                (_, true) => Kind::Common,
                _ => Kind::Each,
            };
            // Words set for each group must not be skipped as zeros.
            for (id, _) in &ids[before..] {
                let place = (id - at) as usize;
                bytes.iter_mut().for_each(|bytes| bytes[place..][..4].fill(u8::MAX));
                common &= !(1 << (place / 4));
            }
            if kind != Kind::Once {
                put.extend_from_slice(&ids[before..]);
            }
            pieces.push(TemplatePiece { at, kind, common, bytes });
        }
        Some(Self { pieces, ids, put })
    }

    /// Returns the images with the arguments of a launch.
    fn images(&self, plan: &Plan<'_>, starts: &Starts, thread: &mut Thread) -> Images {
        restart(plan, thread, starts, [0; 3], 0);
        let piece = |piece: &TemplatePiece, index: usize| {
            let at = piece.at;
            let (mut bytes, now) = (piece.bytes[index], piece_of(thread, at));
            for word in (0..PIECE / 4).filter(|word| piece.common >> word & 1 == 1) {
                bytes[word * 4..][..4].copy_from_slice(&now[word * 4..][..4]);
            }
            Piece { bytes, at }
        };
        let of = |kind| self.pieces.iter().filter(move |piece| piece.kind == kind);
        let mut threads = Threads::default();
        of(Kind::Common).for_each(|common| threads.push_common(piece(common, 0)));
        for (index, start) in starts.threads.iter().enumerate() {
            threads.push(start.channels, of(Kind::Each).map(|each| piece(each, index)));
        }
        // Threads without barriers share one set of registers.
        let own = if plan.waits { starts.threads.len() } else { 1 };
        let once = (0..own).map(|index| of(Kind::Once).map(|once| piece(once, index)).collect()).collect();
        let put = self
            .put
            .iter()
            .flat_map(|(at, dimension)| threads.places(*at).into_iter().map(|place| (place, *dimension)));
        Images { put: put.collect(), threads, once, ids: self.ids.clone() }
    }
}

/// Returns a piece of a thread's registers.
fn piece_of(thread: &Thread, at: u32) -> [u8; PIECE] {
    thread.registers.bytes(0)[at as usize..].first_chunk().copied().unwrap_or_default()
}

impl Images {
    /// Writes the constant pieces of a thread to the registers, or of all threads that share them.
    pub(super) fn fill_once(&self, index: Option<usize>, registers: &mut [u8]) {
        let threads = index.map_or(&self.once[..], |index| &self.once[index..=index]);
        let pieces = threads.iter().flatten();
        pieces.for_each(|piece| registers[piece.at as usize..][..PIECE].copy_from_slice(&piece.bytes));
    }

    /// Writes a group's id to the pieces of its threads and to the registers.
    pub(super) fn set_group(&mut self, group: [u32; 3], registers: &mut [u8]) {
        self.put.iter().for_each(|(place, dimension)| self.threads.set_word(place, group[*dimension]));
        self.put_group(group, registers);
    }

    /// Writes the remaining pieces of a group's thread to its registers.
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

/// Clears the state of the kernel or of a function, except registers before offset `first`.
/// Unwritten registers are zero, so that a kernel that reads them behaves the same in every run.
pub(super) fn clear(plan: &Plan<'_>, thread: &mut Thread, function: &Function, first: u32) {
    activation::clear(thread, function, first);
    if let Some(poison) = plan.poison {
        let Range { start, end } = function.registers[0];
        let registers = &mut thread.registers.bytes_mut(0)[..end as usize];
        poison.fill_registers(registers, start.max(first) as usize);
        thread.predicates[function.predicates.clone()].fill(poison.predicate());
    }
}

/// Resets a thread to the program entry, as thread `index` of the group.
pub(super) fn restart(plan: &Plan<'_>, thread: &mut Thread, starts: &Starts, group: [u32; 3], index: u32) {
    let (layout, start) = (&plan.code.layout, &starts.threads[index as usize]);
    // The state of functions is cleared when they are called.
    clear(plan, thread, &layout.own(), plan.payload.len() as u32);
    let registers: &mut Registers = &mut thread.registers;
    plan.payload.fill(registers.bytes_mut(0), starts.size, start);
    for (offset, word) in group_words(group) {
        registers.set(offset, word);
    }
    for (offset, word) in plan.special.groups.iter().zip(group) {
        registers.set(*offset, word);
    }
    // Element 2 of the state register holds the dispatched channels.
    registers.set(plan.special.state + 8, start.channels);
    let id = plan.program.thread_id(index);
    registers.set(plan.special.state, id.sr0);
    registers.set(plan.special.message, id.msg0);
    registers.set(plan.special.hardware_id, index);
    registers.set(plan.special.scratch, SCRATCH_STATES | (u64::from(index) * plan.mapped.scratch.pitch));
    // The base is a multiple of the granularity, so its low bits are free.
    registers.set(THREAD_BYTE, index as u8);
    registers.set(SCRATCH_WORD, (u64::from(index) * plan.mapped.scratch.pitch) as u32);
    if let Some(Implicit { offset, address }) = plan.mapped.implicit {
        // Scratch memory is smaller than 4 GiB, and buffers start at multiples of 64.
        registers.set(0, offset as u32);
        let [arguments, ids] = plan.special.implicit;
        registers.set(arguments, address);
        registers.set(ids, address + implicit::BYTES as u64);
        if let Some(at) = plan.payload.implicit() {
            registers.set(at, address);
        }
        if let Some(at) = plan.payload.indirect() {
            registers.set(at, address + implicit::BYTES as u64);
        }
    }
    for copy in &layout.copies {
        let bytes = registers.bytes_mut(0);
        bytes.copy_within(copy.from as usize..(copy.from + copy.size) as usize, copy.to as usize);
    }
    enter(plan, thread, start, index);
}

/// Resets a thread's state except its registers.
pub(super) fn reset(plan: &Plan<'_>, thread: &mut Thread, start: &ThreadStart, index: u32) {
    clear_tables(plan, thread);
    enter(plan, thread, start, index);
}

/// Moves a thread to the program entry.
fn enter(plan: &Plan<'_>, thread: &mut Thread, start: &ThreadStart, index: u32) {
    thread.active = start.channels;
    thread.flow.restart(plan.code.main_end);
    begin(thread, start, index);
}

/// Clears predicates and surfaces.
pub(super) fn clear_tables(plan: &Plan<'_>, thread: &mut Thread) {
    thread.predicates.fill(plan.poison.map_or(0, Poison::predicate));
    // Few kernels use surfaces; a call on an empty table would double the cost.
    if !thread.surfaces.is_empty() {
        thread.surfaces.fill(0);
    }
}

/// Resets mode, calls and counters of a thread.
pub(super) fn begin(thread: &mut Thread, start: &ThreadStart, index: u32) {
    thread.dispatched = start.channels;
    thread.set_mode(0);
    thread.activations.fill(Activations::default());
    thread.outer.clear();
    thread.index = index;
    thread.signals.clear();
    thread.executed = 0;
    thread.outside_reads = 0;
    thread.outside_writes = 0;
}
