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
    thread.predicates.fill(plan.poison.map_or(0, Poison::predicate));
    // Few kernels have these; a call for nothing costs as much as the rest.
    for table in [&mut thread.addresses, &mut thread.surfaces] {
        if !table.is_empty() {
            table.fill(0);
        }
    }
    thread.active = start.channels;
    thread.dispatched = start.channels;
    thread.set_mode(0);
    thread.flow.restart(plan.code.main_end);
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
