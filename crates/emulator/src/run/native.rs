//! Native code for the groups of one host thread: what it reaches of the machine.

use visakit_native::ir::Action;
use visakit_native::{Buffer as NativeBuffer, Code, Exit, Frame, Memory, Resume};

use crate::kernels::code::{CompiledRoutine, Terminator};
use crate::launch::payload::ThreadStart;
use crate::machine::World;
use crate::machine::access::Target;
use crate::machine::buffer::Buffer;
use crate::machine::observer::AccessKind;
use crate::machine::thread::Thread;
use crate::machine::trace::Trace;
use crate::run::plan::Plan;
use crate::run::start::{Images, begin, clear_tables};
use crate::run::stats::Counts;

/// The code, and the memory of the groups that one host thread runs.
pub(super) struct Native<'a> {
    code: &'a Code,
    /// Where the control register stands, if the program begins with setting it.
    control: Option<u32>,
    memory: Memory<'a>,
    /// What it was when it was last asked who wants to know of accesses.
    state: Option<u64>,
}

/// A turn of a thread that native code has begun.
pub(super) struct Begun {
    /// How many instructions the thread had executed before.
    pub(super) before: u64,
    /// What the code says.
    pub(super) exit: Option<Exit>,
}

impl<'a> Native<'a> {
    pub(super) fn new(code: &'a Code, routine: &CompiledRoutine, world: &World<'a>) -> Self {
        let control = match routine.actions[..] {
            [Action::Control { at, .. }, ..] if routine.blocks[0].end > 0 => Some(at),
            _ => None,
        };
        let mut native = Self { code, control, memory: Memory::default(), state: None };
        native.refresh(world);
        native
    }

    /// Asks anew who wants to know of accesses, if that may have changed.
    #[inline]
    pub(super) fn refresh(&mut self, world: &World<'a>) {
        let kinds = u64::from(world.trace.kinds());
        let uses = world.memory.buffers().iter().chain(world.private);
        // An old answer is right but slow: accesses that nobody wants to know of will not be noted later.
        let state = uses.fold(kinds, |state, buffer| state.wrapping_mul(0x100_0000_01b3) ^ u64::from(buffer.uses()));
        if self.state != Some(state) {
            self.state = Some(state);
            self.lend(world);
        }
    }

    #[cold]
    fn lend(&mut self, world: &World<'a>) {
        let lend = |buffer: &'a Buffer| lend(buffer, world.trace);
        let buffers: Vec<_> = world.memory.buffers().iter().chain(world.private).map(lend).collect();
        let surfaces = (0..world.bindings.len() as u32).map(|entry| match world.surface(entry) {
            Target::Surface(_, buffer) => Some(lend(buffer)),
            _ => None,
        });
        let surfaces: Vec<_> = surfaces.collect();
        self.memory = Memory::new(buffers, surfaces, world.local.words());
    }

    /// The code.
    pub(super) fn code(&self) -> &'a Code {
        self.code
    }

    /// Whether the code begins threads: it sets their floating-point mode.
    pub(super) fn begins(&self) -> bool {
        self.control.is_some()
    }

    /// Runs the threads of a group one after the other from a number on, all of them in the state of this one, where nobody waits. `None`: all
    /// have ended. Else the number of the first for which the caller has something to do, and what the code says.
    pub(super) fn run_starts(
        &self,
        plan: &Plan<'_>,
        thread: &mut Thread,
        (starts, images): (&[ThreadStart], &Images),
        (first, group): (usize, [u32; 3]),
        until: u64,
        counts: &mut Counts,
    ) -> Option<(usize, Option<Exit>)> {
        clear_tables(plan, thread);
        let mut out = None;
        let (mut executed, mut ended) = (0, 0);
        let mut frame = frame(thread, counts);
        frame.until = until;
        for (index, start) in starts.iter().enumerate().skip(first) {
            images.fill(index, group, frame.registers);
            if index > first {
                frame.predicates.fill(0);
                frame.states.fill(0);
            }
            (frame.active, frame.executed) = (start.channels, 0);
            let exit = self.code.run(0, &mut frame, &self.memory);
            if !has_ended(plan.code, exit, &frame) {
                out = Some((index, exit));
                break;
            }
            executed += frame.executed;
            ended += 1;
        }
        if let Some((index, _)) = out {
            let (active, executed) = (frame.active, frame.executed);
            begin(thread, &starts[index], index as u32);
            (thread.active, thread.executed) = (active, executed);
            thread.set_mode(self.control.map_or(0, |at| thread.registers.get(at)));
        }
        counts.instructions += executed;
        counts.with_native += executed;
        // What ends a thread is nothing that is compiled.
        counts.interpreted += ended;
        out
    }

    /// Runs threads from barrier to barrier, all of them to one before any goes on to the next, until there is something else to do.
    /// Those before the thread that has it have come to the barrier behind.
    pub(super) fn run_rounds(
        &self,
        plan: &Plan<'_>,
        threads: &mut [Thread],
        turn: u64,
        counts: &mut Counts,
    ) -> (usize, Begun) {
        loop {
            for (index, thread) in threads.iter_mut().enumerate() {
                let before = thread.executed;
                thread.until = plan.limit.min(before.saturating_add(turn));
                let exit = self.run(thread, counts);
                let Some(Exit::End { block, .. }) = exit else { return (index, Begun { before, exit }) };
                if !matches!(plan.code.blocks[block as usize].next, Terminator::Barrier) || thread.flow.is_divergent()
                {
                    return (index, Begun { before, exit });
                }
                counts.with_native += thread.executed - before;
                counts.interpreted += 1;
                thread.flow.block = block + 1;
            }
        }
    }

    /// Runs a thread from the beginning of its block on.
    #[inline(always)]
    pub(super) fn run(&self, thread: &mut Thread, counts: &mut Counts) -> Option<Exit> {
        let block = thread.flow.block;
        if thread.is_plain() {
            return self.lent(thread, counts, |frame| self.code.run(block, frame, &self.memory));
        }
        // In other floating-point modes than the host's the interpreter computes, unless this is what ends them.
        let control = self.control.filter(|_| block == 0)?;
        let exit = self.lent(thread, counts, |frame| self.code.run(block, frame, &self.memory));
        thread.set_mode(thread.registers.get(control));
        exit
    }

    /// Runs it from behind a step on.
    #[inline(always)]
    pub(super) fn resume(&self, resume: Resume, thread: &mut Thread, counts: &mut Counts) -> Option<Exit> {
        thread.is_plain().then(|| self.lent(thread, counts, |frame| self.code.resume(resume, frame, &self.memory)))?
    }

    /// Where the code goes on behind a step, if it can.
    #[inline(always)]
    pub(super) fn behind(&self, step: usize, thread: &Thread) -> Option<Resume> {
        self.code.behind(step as u32, thread.active).filter(|_| thread.is_plain())
    }

    #[inline(always)]
    fn lent(
        &self,
        thread: &mut Thread,
        counts: &mut Counts,
        run: impl FnOnce(&mut Frame<'_>) -> Option<Exit>,
    ) -> Option<Exit> {
        let mut frame = frame(thread, counts);
        let exit = run(&mut frame);
        (thread.active, thread.executed) = (frame.active, frame.executed);
        exit
    }
}

/// What the code finds of a thread.
#[inline(always)]
fn frame<'t>(thread: &'t mut Thread, counts: &'t mut Counts) -> Frame<'t> {
    let (waiting, occupied) = thread.flow.tables();
    Frame {
        registers: thread.registers.bytes_mut(0),
        predicates: &mut thread.predicates,
        states: &mut thread.surfaces,
        waiting,
        occupied,
        counts: &mut counts.steps,
        branches: &mut counts.branches,
        active: thread.active,
        executed: thread.executed,
        until: thread.until,
    }
}

/// Whether a thread that has called nothing has come to its end, all of it.
fn has_ended(code: &CompiledRoutine, exit: Option<Exit>, frame: &Frame<'_>) -> bool {
    let Some(Exit::End { block, .. }) = exit else { return false };
    let block = &code.blocks[block as usize];
    let Terminator::Return { uniform } = block.next else { return false };
    let enable = &block.mark.enable;
    let leave =
        uniform || frame.active >> enable.shift & !enable.lanes == 0 && frame.active.trailing_zeros() >= enable.shift;
    leave && enable.predicate == 0 && frame.occupied.iter().all(|word| *word == 0)
}

fn lend<'a>(buffer: &'a Buffer, trace: &'a Trace) -> NativeBuffer<'a> {
    NativeBuffer {
        words: buffer.words(),
        loads: trace.marks(buffer, AccessKind::Load),
        stores: trace.marks(buffer, AccessKind::Store),
        updates: trace.marks(buffer, AccessKind::Atomic),
    }
}
