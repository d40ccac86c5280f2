//! Native code for the groups of one host thread: what it reaches of the machine.

use visakit_native::ir::Action;
use visakit_native::{Buffer as NativeBuffer, Code, Exit, Frame, Lent, Memory, Resume};

use crate::plan::Plan;
use crate::start::{Images, begin, clear_tables};
use crate::stats::Counts;
use visakit_kernels::code::{CompiledRoutine, Terminator};
use visakit_launch::payload::ThreadStart;
use visakit_machine::World;
use visakit_machine::access::Target;
use visakit_machine::buffer::Buffer;
use visakit_machine::observer::AccessKind;
use visakit_machine::thread::Thread;
use visakit_machine::trace::Trace;

/// The code, and the memory of the groups that one host thread runs.
pub(super) struct Native<'a> {
    code: &'a Code,
    /// Where the control register stands, if the program begins with setting it.
    control: Option<u32>,
    memory: Memory<'a>,
    /// What it was when it was last asked who wants to know of accesses.
    state: Option<u64>,
}

/// For so many rounds threads are lent to native code each for itself, before all of them are at
/// once.
const ROUNDS_APART: usize = 2;

/// A turn of a thread that native code has begun.
pub(super) struct Begun {
    /// How many instructions the thread had executed before.
    pub(super) before: u64,
    /// What the code says.
    pub(super) exit: Option<Exit>,
}

impl<'a> Native<'a> {
    /// The native code of a launch, as soon as there is any.
    pub(super) fn of(plan: &'a Plan<'_>, world: &World<'a>) -> Option<Self> {
        plan.lowered.native(plan.count).map(|code| Self::new(code, plan.code, world))
    }

    /// The same in a group that has done so much, which may be the only one. How much it still has
    /// to do nobody knows. To take it for as much again, and the groups that are left for like it,
    /// costs a part of what was done where that is mistaken.
    pub(super) fn within(plan: &'a Plan<'_>, world: &World<'a>, done: u64, left: u64) -> Option<Self> {
        plan.lowered.warm(done.saturating_mul(left.max(1)), plan.count);
        Self::of(plan, world)
    }

    fn new(code: &'a Code, routine: &CompiledRoutine, world: &World<'a>) -> Self {
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
        // An old answer is right but slow: accesses that nobody wants to know of will not be noted
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
        self.memory = Memory::new(buffers, surfaces, world.local.words()).with_private(lend(world.scratch));
    }

    /// The code.
    pub(super) fn code(&self) -> &'a Code {
        self.code
    }

    /// Whether the code begins threads: it sets their floating-point mode.
    pub(super) fn begins(&self) -> bool {
        self.control.is_some()
    }

    /// Runs the threads of a group one after the other from a number on, all of them in the state
    /// of this one, where nobody waits, and then those of the next groups. `None`: all have ended.
    /// Else the number of the first for which the caller has something to do, and what the code
    /// says.
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

    /// Runs threads from barrier to barrier, all of them to one before any goes on to the next,
    /// until there is something else to do. Those before the thread that has it have come to the
    /// barrier behind.
    pub(super) fn run_rounds(
        &self,
        plan: &Plan<'_>,
        threads: &mut [Thread],
        turn: u64,
        counts: &mut Counts,
    ) -> (usize, Begun) {
        // The first step of a thread sets its mode; and in many programs there is one barrier only.
        let count = threads.len();
        for index in (0..ROUNDS_APART).flat_map(|_| 0..count) {
            let thread = &mut threads[index];
            let before = thread.executed;
            thread.until = plan.limit.min(before.saturating_add(turn));
            let exit = self.run(thread, counts);
            let Some(block) = barrier(plan.code, exit).filter(|_| !thread.flow.is_divergent()) else {
                return (index, Begun { before, exit });
            };
            counts.with_native += thread.executed - before;
            counts.interpreted += 1;
            thread.flow.block = block + 1;
        }
        let mut places: Vec<u32> = threads.iter().map(|thread| thread.flow.block).collect();
        // Nobody wants to know the counts of steps.
        let lend = |thread| self.code.lend(frame(thread, &mut [], &mut []), &self.memory);
        let mut lent: Vec<Lent<'_>> = threads.iter_mut().map(lend).collect();
        let (index, begun) = 'rounds: loop {
            for (index, (lent, place)) in lent.iter_mut().zip(&mut places).enumerate() {
                let (_, before) = lent.progress();
                lent.set_until(plan.limit.min(before.saturating_add(turn)));
                let exit = lent.run(*place);
                let Some(block) = barrier(plan.code, exit).filter(|_| !lent.is_divergent()) else {
                    break 'rounds (index, Begun { before, exit });
                };
                counts.with_native += lent.progress().1 - before;
                counts.interpreted += 1;
                *place = block + 1;
            }
        };
        let progress: Vec<_> = lent.iter().map(Lent::progress).collect();
        drop(lent);
        for ((thread, (active, executed)), place) in threads.iter_mut().zip(progress).zip(places) {
            (thread.active, thread.executed, thread.flow.block) = (active, executed, place);
            thread.until = plan.limit.min(begun.before.saturating_add(turn));
        }
        (index, begun)
    }

    /// Runs a thread from the beginning of its block on.
    #[inline(always)]
    pub(super) fn run(&self, thread: &mut Thread, counts: &mut Counts) -> Option<Exit> {
        let block = thread.flow.block;
        if thread.is_plain() {
            return self.lent(thread, counts, |lent| lent.run(block));
        }
        // In other floating-point modes than the host's the interpreter computes, unless this is
        // what ends them.
        let control = self.control.filter(|_| block == 0)?;
        let exit = self.lent(thread, counts, |lent| lent.run(block));
        thread.set_mode(thread.registers.get(control));
        exit
    }

    /// Runs it from behind a step on.
    #[inline(always)]
    pub(super) fn resume(&self, resume: Resume, thread: &mut Thread, counts: &mut Counts) -> Option<Exit> {
        thread.is_plain().then(|| self.lent(thread, counts, |lent| lent.resume(resume)))?
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
        run: impl FnOnce(&mut Lent<'_>) -> Option<Exit>,
    ) -> Option<Exit> {
        let mut lent = self.code.lend(frame(thread, &mut counts.steps, &mut counts.branches), &self.memory);
        let exit = run(&mut lent);
        (thread.active, thread.executed) = lent.progress();
        exit
    }
}

/// What the code finds of a thread.
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

/// The block behind which a thread has come to a barrier.
fn barrier(code: &CompiledRoutine, exit: Option<Exit>) -> Option<u32> {
    let Some(Exit::End { block }) = exit else { return None };
    matches!(code.blocks[block as usize].next, Terminator::Barrier).then_some(block)
}

fn lend<'a>(buffer: &'a Buffer, trace: &'a Trace) -> NativeBuffer<'a> {
    NativeBuffer {
        words: buffer.words(),
        loads: trace.marks(buffer, AccessKind::Load),
        stores: trace.marks(buffer, AccessKind::Store),
        updates: trace.marks(buffer, AccessKind::Atomic),
    }
}
