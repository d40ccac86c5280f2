//! A thread in which single instructions run, by their pages or by the emulator's kernels, from the same state.

use visakit::isa::{GeneralId, Instruction, Platform};
use visakit::object::Routine;
use visakit_codegen::model::Model;
use visakit_emulator::kernels::layout::Layout;
use visakit_emulator::kernels::lowering::{LowerError, Lowering};
use visakit_emulator::kernels::step::{Exchange, Lowered, Run};
use visakit_emulator::machine::World;
use visakit_emulator::machine::buffer::Buffer;
use visakit_emulator::machine::fault::Trap;
use visakit_emulator::machine::memory::Memory;
use visakit_emulator::machine::thread::{Thread, ones};
use visakit_emulator::machine::trace::Trace;

use crate::{Program, Refusal, program};

/// Room for the constants of an instruction that runs by its kernel.
const CONSTANTS: usize = 1 << 14;

/// The variables of a routine, with places.
pub struct Stage<'a> {
    /// The routine.
    pub routine: &'a Routine,
    layout: Layout,
}

/// What a kernel has become.
pub struct Kernel {
    run: Run,
    constants: Vec<u8>,
    at: u32,
    /// Where a part of an operand stands, the bytes of this thread's and of its neighbour's, and where both go.
    exchange: Option<(u32, [u32; 2], u32)>,
}

impl Kernel {
    /// Executes the instruction for a thread.
    ///
    /// # Errors
    /// When the machine stops the thread.
    pub fn run(&self, thread: &mut Thread, world: &World<'_>) -> Result<(), Box<Trap>> {
        self.run_beside(thread, None, world)
    }

    /// The same for the first of two threads that run side by side.
    ///
    /// # Errors
    /// As [`Kernel::run`].
    pub fn run_beside(
        &self,
        thread: &mut Thread,
        neighbour: Option<&Thread>,
        world: &World<'_>,
    ) -> Result<(), Box<Trap>> {
        self.prepare(thread);
        if let Some((own, [first, second], shared)) = self.exchange {
            let Some(neighbour) = neighbour else {
                return Err(Box::new(Trap::Illegal("it takes a part of an operand from another thread".to_owned())));
            };
            let mut both = thread.registers.bytes(own)[..first as usize].to_vec();
            both.extend_from_slice(&neighbour.registers.bytes(own)[..second as usize]);
            thread.registers.bytes_mut(shared)[..both.len()].copy_from_slice(&both);
        }
        self.run.call(thread, world)
    }

    /// Puts the constants behind the variables, as a launch does.
    pub fn prepare(&self, thread: &mut Thread) {
        thread.registers.bytes_mut(self.at)[..self.constants.len()].copy_from_slice(&self.constants);
    }
}

impl<'a> Stage<'a> {
    /// Places the variables that the instructions of a routine use.
    ///
    /// # Errors
    /// What is wrong with the routine's tables.
    pub fn new(routine: &'a Routine, platform: Platform) -> Result<Self, String> {
        Ok(Self { routine, layout: Layout::new(routine, platform, 0)? })
    }

    /// A thread of so many channels, all of them enabled, with nothing but zeros.
    pub fn thread(&self, channels: usize) -> Thread {
        Thread {
            predicates: vec![0; self.layout.predicate_count() as usize + 1],
            addresses: vec![0; self.layout.address_count()],
            surfaces: vec![0; self.layout.state_count()],
            active: ones(channels),
            dispatched: ones(channels),
            ..Thread::scratch(self.layout.len.next_multiple_of(64) as usize + CONSTANTS)
        }
    }

    /// Where the bytes of a variable begin in the register file.
    pub fn offset(&self, id: GeneralId) -> Option<u32> {
        self.layout.variable(id).map(|v| v.offset)
    }

    /// The number of a predicate in the thread.
    pub fn predicate(&self, id: u32) -> Option<u32> {
        self.layout.predicate(id)
    }

    /// The first element of an address variable in the thread.
    pub fn address(&self, id: u32) -> Option<u32> {
        self.layout.address(id)
    }

    /// Bytes of the register file that variables have.
    pub fn register_bytes(&self) -> usize {
        self.layout.len as usize
    }

    /// An instruction by its page.
    ///
    /// # Errors
    /// As [`program`].
    pub fn by_page(&self, model: &Model, instruction: &Instruction) -> Result<Program, Refusal> {
        program(model, instruction, self.routine, &self.layout)
    }

    /// An instruction by its kernel; none where it is one that goes to other places, or waits.
    ///
    /// # Errors
    /// When there is no kernel, or it takes no such operands.
    pub fn by_kernel(&self, instruction: &Instruction) -> Result<Option<Kernel>, LowerError> {
        let mut lowering = Lowering::new(&self.layout, self.routine).alone();
        let lowered = instruction.dispatch(&mut lowering)?;
        let constants = lowering.into_constants();
        let at = self.layout.len.next_multiple_of(64);
        Ok(match lowered {
            Lowered::Op(op) if constants.len() <= CONSTANTS => {
                Some(Kernel { run: op.run, constants, at, exchange: None })
            }
            Lowered::Exchange(Exchange { own, parts, shared, run }) if constants.len() <= CONSTANTS => {
                Some(Kernel { run, constants, at, exchange: Some((own, parts, shared)) })
            }
            _ => None,
        })
    }
}

/// Memory that instructions without messages need: none.
#[derive(Default)]
pub struct Nowhere {
    memory: Memory,
    none: Buffer,
    trace: Trace,
}

impl Nowhere {
    /// What a thread sees of it.
    pub fn world(&self) -> World<'_> {
        World {
            memory: &self.memory,
            local: &self.none,
            scratch: &self.none,
            private: &[],
            bindings: &[],
            images: &[],
            samplers: &[],
            watch: None,
            trace: &self.trace,
        }
    }
}

impl std::fmt::Debug for Kernel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Kernel").finish_non_exhaustive()
    }
}
