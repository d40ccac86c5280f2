//! Detection of endless threads, long before they exhaust their instruction budget.
//!
//! A thread that has run for long is sampled: it runs block by block for a while, and its state is
//! compared with the state at the start of the sample. If the state recurs and no memory was
//! involved, the thread never ends. If it reads memory, another thread may still change that
//! memory. If no thread of the group does, the group waits forever. The interval between samples
//! doubles each time, so that sampling costs almost nothing.

use std::cell::RefCell;

use crate::execute::run_thread;
use crate::plan::Plan;
use crate::stats::Counts;
use visakit_kernels::code::DebugLoc;
use visakit_machine::World;
use visakit_machine::fault::Trap;
use visakit_machine::flow::Next;
use visakit_machine::observer::{Access, AccessKind, Observer, Space, Spot, Watch};
use visakit_machine::thread::Thread;

/// Number of instructions before the first sample of a thread.
const FIRST: u64 = 1 << 20;
/// Base-two logarithm of the ratio between executed instructions and the length of a sample.
const SHARE: u32 = 8;

/// Returns true if a thread is due for a sample after running from `before` to `now` instructions.
pub(super) fn is_due(before: u64, now: u64) -> bool {
    now >= FIRST && before.checked_ilog2() != now.checked_ilog2()
}

/// Result of a sample.
pub(super) enum Look {
    /// The thread has progressed; it stopped for the given reason.
    On(Next, DebugLoc),
    /// The thread repeats its state. `waits` is true if it reads memory, which no thread has
    /// changed so far.
    Same { waits: bool, mark: DebugLoc, instructions: u64 },
}

/// Samples of threads that run long.
#[derive(Default)]
pub(super) struct Samples {
    /// True if each sampled thread repeats its state.
    pub(super) all_same: bool,
    /// First thread that repeats its state and waits for others: its index, location and number of
    /// instructions.
    pub(super) same: Option<(u32, DebugLoc, u64)>,
}

impl Samples {
    /// Notes the sample of a thread, and returns how the thread continues.
    pub(super) fn note(
        &mut self,
        index: u32,
        out: Result<Look, (Box<Trap>, DebugLoc)>,
    ) -> Result<(Next, DebugLoc), (Box<Trap>, DebugLoc)> {
        match out? {
            Look::Same { waits: false, mark, instructions } => {
                Err((Box::new(Trap::Endless { waits: false, instructions }), mark))
            }
            Look::Same { waits: true, mark, instructions } => {
                self.same = self.same.or(Some((index, mark, instructions)));
                Ok((Next::Pause, mark))
            }
            Look::On(next, mark) => {
                self.all_same = false;
                Ok((next, mark))
            }
        }
    }
}

/// Samples a thread: runs it for a while and checks if its state recurs.
pub(super) fn look(
    plan: &Plan<'_>,
    thread: &mut Thread,
    world: &World<'_>,
    (group, spot): ([u32; 3], &std::cell::Cell<Spot>),
    counts: &mut Counts,
) -> Result<Look, (Box<Trap>, DebugLoc)> {
    let notes = Notes { inner: world.watch.map(|watch| watch.observer), seen: RefCell::default() };
    let watched = World { watch: Some(Watch { observer: &notes, group, spot }), ..*world };
    let begun = thread.executed;
    let (out, recurs) = recur(thread, begun >> SHARE, |thread| run_thread(plan, thread, &watched, counts, 1, None))?;
    let seen = notes.seen.into_inner();
    if !recurs || seen.changes {
        return Ok(Look::On(out.0, out.1));
    }
    Ok(Look::Same { waits: seen.looks, mark: out.1, instructions: thread.executed - begun })
}

/// Runs a thread block by block by `run` for a number of instructions. Returns why it stopped, and
/// true if its state recurs.
pub(super) fn recur<E>(
    thread: &mut Thread,
    instructions: u64,
    mut run: impl FnMut(&mut Thread) -> Result<(Next, DebugLoc), E>,
) -> Result<((Next, DebugLoc), bool), E> {
    let first = thread.clone();
    let mut out = (Next::Pause, DebugLoc::nowhere());
    while out.0 == Next::Pause && thread.executed - first.executed < instructions {
        out = run(thread)?;
        if out.0 == Next::Pause && is_same(thread, &first) {
            return Ok((out, true));
        }
    }
    Ok((out, false))
}

/// Returns true if a thread is in the same state as before.
fn is_same(now: &Thread, before: &Thread) -> bool {
    now.flow == before.flow
        && now.active == before.active
        && now.predicates == before.predicates
        && now.surfaces == before.surfaces
        && now.signals == before.signals
        && now.mode == before.mode
        && now.outer == before.outer
        && now.registers.bytes(0)[..now.registers.len()] == before.registers.bytes(0)[..before.registers.len()]
}

/// Observer of a sampled thread's memory accesses.
#[derive(Debug)]
struct Notes<'a> {
    /// Observer of the run, which also receives the reports.
    inner: Option<&'a dyn Observer>,
    seen: RefCell<Seen>,
}

#[derive(Debug, Default)]
struct Seen {
    /// True if the thread reads memory that other threads may change.
    looks: bool,
    /// True if the thread changes memory, or may do so.
    changes: bool,
}

impl Observer for Notes<'_> {
    fn access(&self, access: &Access) {
        if let Some(inner) = self.inner {
            inner.access(access);
        }
        let mut seen = self.seen.borrow_mut();
        // No other thread can access private memory.
        seen.looks |= access.space != Space::Scratch;
        seen.changes |= access.kind != AccessKind::Load && access.changes;
    }

    fn fence(&self, thread: u32, is_local: bool) {
        self.inner.iter().for_each(|inner| inner.fence(thread, is_local));
    }

    fn block(&self, thread: u32, block: u32, channels: u32, spot: Spot) {
        if let Some(inner) = self.inner {
            inner.block(thread, block, channels, spot);
        }
    }
}
