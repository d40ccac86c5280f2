//! Native code for the groups of one host thread: what it reaches of the machine.

use visakit_native::ir::Action;
use visakit_native::{Buffer as NativeBuffer, Code, Exit, Frame, Memory, Resume};

use crate::kernels::code::CompiledRoutine;
use crate::machine::World;
use crate::machine::access::Target;
use crate::machine::buffer::Buffer;
use crate::machine::observer::AccessKind;
use crate::machine::thread::Thread;
use crate::machine::trace::Trace;
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
        let (waiting, occupied) = thread.flow.tables();
        let mut frame = Frame {
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
        };
        let exit = run(&mut frame);
        (thread.active, thread.executed) = (frame.active, frame.executed);
        exit
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
