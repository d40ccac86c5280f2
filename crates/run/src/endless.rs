//! Threads that do the same for ever, found long before they have used up what they may execute.
//!
//! A thread that has run for long is looked at: it is run block by block for a while, and compared
//! with what it was at the beginning of that. When everything is the same again and no memory was
//! involved, it will never end. When memory was read, another one may still change it; when no
//! thread of the group does, the group is waiting for somebody who does not come. It is looked at
//! after twice as many instructions each time, so that this costs next to nothing.

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

/// Instructions after which a thread is looked at for the first time.
const FIRST: u64 = 1 << 20;
/// A look takes this part of what was executed until then, as a power of two.
const SHARE: u32 = 8;

/// Whether a thread is to be looked at that has gone on from so many instructions.
pub(super) fn is_due(before: u64, now: u64) -> bool {
    now >= FIRST && before.checked_ilog2() != now.checked_ilog2()
}

/// What a look has shown.
pub(super) enum Look {
    /// The thread has gone on, to what comes next.
    On(Next, DebugLoc),
    /// It does the same again and again. `waits`: it looks at memory, which nobody has changed so
    /// far.
    Same { waits: bool, mark: DebugLoc, instructions: u64 },
}

/// Runs a thread for a while and looks whether it comes back to where it is, with nothing changed.
pub(super) fn look(
    plan: &Plan<'_>,
    thread: &mut Thread,
    world: &World<'_>,
    (group, spot): ([u32; 3], &std::cell::Cell<Spot>),
    counts: &mut Counts,
) -> Result<Look, (Box<Trap>, DebugLoc)> {
    let notes = Notes { inner: world.watch.map(|watch| watch.observer), seen: RefCell::default() };
    let watched = World { watch: Some(Watch { observer: &notes, group, spot }), ..*world };
    let (first, begun) = (thread.clone(), thread.executed);
    while thread.executed - begun < begun >> SHARE {
        let (next, mark) = run_thread(plan, thread, &watched, counts, 1, None)?;
        if next != Next::Pause {
            return Ok(Look::On(next, mark));
        }
        if !is_same(thread, &first) {
            continue;
        }
        let seen = notes.seen.into_inner();
        if seen.changes {
            break;
        }
        return Ok(Look::Same { waits: seen.looks, mark, instructions: thread.executed - begun });
    }
    Ok(Look::On(Next::Pause, DebugLoc::nowhere()))
}

/// Whether a thread is in the same state as before.
fn is_same(now: &Thread, before: &Thread) -> bool {
    now.flow == before.flow
        && now.active == before.active
        && now.predicates == before.predicates
        && now.addresses == before.addresses
        && now.surfaces == before.surfaces
        && now.signals == before.signals
        && now.mode == before.mode
        && now.outer == before.outer
        && now.registers.bytes(0)[..now.registers.len()] == before.registers.bytes(0)[..before.registers.len()]
}

/// What a thread does with memory.
#[derive(Debug)]
struct Notes<'a> {
    /// Who is told as well.
    inner: Option<&'a dyn Observer>,
    seen: RefCell<Seen>,
}

#[derive(Debug, Default)]
struct Seen {
    /// It looks at memory that others may change.
    looks: bool,
    /// It changes memory, or may do so.
    changes: bool,
}

impl Observer for Notes<'_> {
    fn access(&self, access: &Access) {
        if let Some(inner) = self.inner {
            inner.access(access);
        }
        let mut seen = self.seen.borrow_mut();
        // Nobody else has private memory.
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
