//! Native code for the groups of a host thread, and its access to the machine.

use visakit_native::ir::Action;
use visakit_native::{Buffer as NativeBuffer, Code, Exit, Frame, Lent, Memory, Resume, Together};

use crate::plan::Plan;
use crate::start::{Images, begin, clear_tables};
use crate::stats::Counts;
use visakit_kernels::code::CompiledRoutine;
use visakit_launch::payload::ThreadStart;
use visakit_machine::World;
use visakit_machine::access::Target;
use visakit_machine::buffer::Buffer;
use visakit_machine::observer::AccessKind;
use visakit_machine::thread::Thread;
use visakit_machine::trace::Trace;

/// Native code and the memory of the groups that a host thread runs.
pub(super) struct Native<'a> {
    /// Number of the code's version.
    version: usize,
    code: &'a Code,
    /// Register offset of the control register, if the program starts by setting it.
    control: Option<u32>,
    memory: Memory<'a>,
    /// Hash of the recording state when the memory was last handed over.
    state: Option<u64>,
}

/// A thread's time slice that native code has started.
pub(super) struct Begun {
    /// Number of instructions that the thread had executed before.
    pub(super) before: u64,
    /// Exit of the native code.
    pub(super) exit: Option<Exit>,
}

/// Threads of a group that native code has run together.
pub(super) struct Stopped {
    /// Index of the thread that returned; the number of threads if all have ended.
    pub(super) index: usize,
    /// Its time slice.
    pub(super) begun: Option<Begun>,
    /// True if the threads before it have ended; otherwise they wait at a barrier.
    pub(super) have_ended: bool,
}

impl<'a> Native<'a> {
    /// Returns the native code of a launch, if it has been compiled.
    pub(super) fn of(plan: &'a Plan<'_>, world: &World<'a>) -> Option<Self> {
        plan.lowered.native(plan.variant).map(|native| Self::new(native, plan.code, world))
    }

    /// As [`Native::of`], in a group that has executed `done` instructions and may be the only one.
    /// Its remaining work is unknown; assuming the same amount again, and similar remaining groups,
    /// wastes only part of the time spent if wrong.
    pub(super) fn within(plan: &'a Plan<'_>, world: &World<'a>, done: u64, left: u64) -> Option<Self> {
        plan.lowered.warm(done.saturating_mul(left.max(1)), plan.variant);
        Self::of(plan, world)
    }

    fn new((version, code): (usize, &'a Code), routine: &CompiledRoutine, world: &World<'a>) -> Self {
        let control = match routine.actions[..] {
            [Action::Control { at, .. }, ..] if routine.blocks[0].end > 0 => Some(at),
            _ => None,
        };
        let mut native = Self { version, code, control, memory: Memory::default(), state: None };
        native.refresh(world);
        native
    }

    /// Updates the recording modes of buffers, if they may have changed.
    #[inline]
    pub(super) fn refresh(&mut self, world: &World<'a>) {
        let kinds = u64::from(world.trace.kinds());
        let uses = world.memory.buffers().iter().chain(world.private);
        // A stale mode is correct but slow: an access kind that is not recorded is never recorded
        // later.
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
        let memory = Memory::new(buffers, surfaces, world.local.words());
        self.memory = memory.with_slots(world.memory.slots()).with_private(lend(world.scratch));
    }

    /// Returns the code, with the number of its version.
    pub(super) fn code(&self) -> (usize, &'a Code) {
        (self.version, self.code)
    }

    /// Returns true if native code can start threads, because it sets their floating-point mode.
    pub(super) fn begins(&self) -> bool {
        self.control.is_some()
    }

    /// Runs a group's threads without barriers sequentially from number `first`, all in the
    /// registers of `thread`, and then those of the next groups. Returns `None` if all have ended;
    /// otherwise the first thread that needs the caller, and its exit.
    pub(super) fn run_starts(
        &self,
        plan: &Plan<'_>,
        thread: &mut Thread,
        (starts, images): (&[ThreadStart], &mut Images),
        (mut first, until): (usize, u64),
        counts: &mut Counts,
        mut next: impl FnMut() -> Option<[u32; 3]>,
    ) -> Option<(usize, Exit)> {
        clear_tables(plan, thread);
        let frame = Frame { until, ..frame(thread, &mut [], &mut []) };
        let mut lent = self.code.lend(frame, &self.memory);
        let (index, exit) = loop {
            let (ended, executed, exit) = lent.run_in_turn(&images.threads, first);
            counts.instructions += executed;
            counts.with_native += executed;
            if let Some(exit) = exit {
                break (first + ended, exit);
            }
            let group = next()?;
            lent.change(|registers| images.set_group(group, registers));
            first = 0;
        };
        let (active, own) = lent.progress();
        begin(thread, &starts[index], index as u32);
        (thread.active, thread.executed) = (active, own);
        thread.set_mode(self.control.map_or(0, |at| thread.registers.get(at)));
        Some((index, exit))
    }

    /// Runs the threads of a group together, from barrier to barrier, until one needs the caller,
    /// at the latest after `turn` instructions. After all have ended, `renew` may start those of
    /// another group. Returns `None` if a thread cannot run natively.
    pub(super) fn run_together(
        &self,
        plan: &Plan<'_>,
        threads: &mut [Thread],
        counts: &mut Counts,
        turn: u64,
        mut renew: impl FnMut(&mut [Lent<'_>]) -> bool,
    ) -> Option<Stopped> {
        let is_ready = |thread: &Thread| thread.is_plain() || self.begins() && thread.flow.block == 0;
        threads.iter().all(|thread| is_ready(thread) && !thread.flow.is_divergent()).then_some(())?;
        let mut blocks: Vec<u32> = threads.iter().map(|thread| thread.flow.block).collect();
        let mut before: Vec<u64> = threads.iter().map(|thread| thread.executed).collect();
        let lent = threads.iter_mut().map(|thread| {
            thread.until = plan.limit.min(thread.executed.saturating_add(turn));
            // Step counts are not requested.
            self.code.lend(frame(thread, &mut [], &mut []), &self.memory)
        });
        let mut lents: Vec<Lent<'_>> = lent.collect();
        let Together { thread: index, exit, have_ended } = loop {
            let together = Lent::run_together(&mut lents, &mut blocks);
            let executed: u64 = lents.iter().map(|lent| lent.progress().1).sum();
            if together.thread < lents.len() || !renew(&mut lents) {
                break together;
            }
            counts.instructions += executed;
            counts.with_native += executed - before.iter().sum::<u64>();
            blocks.fill(0);
            before.fill(0);
        };
        let progress: Vec<_> = lents.iter().map(Lent::progress).collect();
        drop(lents);
        for (n, (thread, (active, executed))) in threads.iter_mut().zip(progress).enumerate() {
            (thread.active, thread.executed, thread.flow.block) = (active, executed, blocks[n]);
            if let Some(at) = self.control.filter(|_| executed > 0) {
                thread.set_mode(thread.registers.get(at));
            }
            if n != index {
                counts.with_native += executed - before[n];
            }
        }
        let begun = before.get(index).map(|before| Begun { before: *before, exit });
        Some(Stopped { index, begun, have_ended })
    }

    /// Runs a thread from the start of its block.
    #[inline(always)]
    pub(super) fn run(&self, thread: &mut Thread, counts: &mut Counts) -> Option<Exit> {
        let block = thread.flow.block;
        if thread.is_plain() {
            return self.lent(thread, counts, |lent| lent.run(block));
        }
        // In other floating-point modes than the host's, only the interpreter computes, unless this
        // code sets the mode.
        let control = self.control.filter(|_| block == 0)?;
        let exit = self.lent(thread, counts, |lent| lent.run(block));
        thread.set_mode(thread.registers.get(control));
        exit
    }

    /// Resumes a thread after a step.
    #[inline(always)]
    pub(super) fn resume(&self, resume: Resume, thread: &mut Thread, counts: &mut Counts) -> Option<Exit> {
        thread.is_plain().then(|| self.lent(thread, counts, |lent| lent.resume(resume)))?
    }

    /// Returns the position at which native code can resume after a step, if any.
    #[inline(always)]
    pub(super) fn behind(&self, step: usize, thread: &Thread) -> Option<Resume> {
        self.code.behind(step as u32, thread.active).filter(|_| thread.is_plain())
    }

    #[inline(always)]
    fn lent(
        &self,
        thread: &mut Thread,
        counts: &mut Counts,
        run: impl FnOnce(&mut Lent<'_>) -> Option<Exit>,
    ) -> Option<Exit> {
        let mut lent = self.code.lend(frame(thread, &mut counts.steps, &mut counts.branches), &self.memory);
        let exit = run(&mut lent);
        (thread.active, thread.executed) = lent.progress();
        exit
    }
}

/// Returns a thread's state as native code accesses it.
#[inline(always)]
fn frame<'t>(thread: &'t mut Thread, counts: &'t mut [[u64; 2]], branches: &'t mut [[u64; 2]]) -> Frame<'t> {
    let (waiting, occupied) = thread.flow.tables();
    Frame {
        registers: thread.registers.bytes_mut(0),
        predicates: &mut thread.predicates,
        states: &mut thread.surfaces,
        waiting,
        occupied,
        counts,
        branches,
        active: thread.active,
        executed: thread.executed,
        until: thread.until,
    }
}

fn lend<'a>(buffer: &'a Buffer, trace: &'a Trace) -> NativeBuffer<'a> {
    NativeBuffer {
        words: buffer.words(),
        loads: trace.marks(buffer, AccessKind::Load),
        stores: trace.marks(buffer, AccessKind::Store),
        updates: trace.marks(buffer, AccessKind::Atomic),
    }
}
