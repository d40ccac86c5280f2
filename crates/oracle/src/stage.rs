//! A thread in which single instructions run, by their pages or by the emulator's kernels, from the
//! same state.

use std::collections::HashMap;

use visakit::isa::{GeneralId, Instruction, Platform, StringId};
use visakit::object::Routine;
use visakit_codegen::model::Model;
use visakit_kernels::layout::Layout;
use visakit_kernels::lowering::{LowerError, Lowering};
use visakit_kernels::step::{Exchange, Lowered, Run};
use visakit_machine::World;
use visakit_machine::buffer::Buffer;
use visakit_machine::fault::Trap;
use visakit_machine::memory::Memory;
use visakit_machine::thread::{Thread, ones};
use visakit_machine::trace::Trace;

use crate::bind::bind;
use crate::{Program, Refusal, Sent};

/// Room for the constants of an instruction that runs by its kernel.
const CONSTANTS: usize = 1 << 14;

/// The address of the first symbol, and how far the next is behind it.
const FIRST_SYMBOL: u64 = 0x1_0000_4000;
const SYMBOL_BYTES: usize = 64;

/// The variables of a routine, with places.
pub struct Stage<'a> {
    /// The routine.
    pub routine: &'a Routine,
    layout: Layout,
    /// Addresses that the routine's strings have where they are names of something.
    symbols: HashMap<String, u64>,
}

/// What a kernel has become.
pub struct Kernel {
    run: Run,
    constants: Vec<u8>,
    at: u32,
    /// Where a part of an operand stands, the bytes of this thread's and of its neighbour's, and
    /// where both go.
    exchange: Option<(u32, [u32; 2], u32)>,
    /// What it does with the channels, where it lets them go somewhere.
    lowered: Option<Lowered>,
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

    /// Where the instruction lets channels go, or what the thread waits for; nothing where they go
    /// on.
    ///
    /// # Errors
    /// When the machine stops the thread.
    pub fn sends(&self, thread: &Thread, stage: &Stage<'_>) -> Result<Option<Sent>, Box<Trap>> {
        self.lowered.as_ref().map_or(Ok(None), |lowered| Sent::by_kernel(lowered, thread, stage.routine))
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
        let strings = (0..routine.strings.len() as u32).filter_map(|id| routine.string(StringId(id)));
        let symbols = strings.zip((FIRST_SYMBOL..).step_by(SYMBOL_BYTES)).collect();
        Ok(Self { routine, layout: Layout::new(routine, platform, 0)?, symbols })
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
    /// When the pages say nothing of the instruction, or nothing that can be executed.
    pub fn by_page(&self, model: &Model, instruction: &Instruction) -> Result<Program, Refusal> {
        bind(model, instruction, self.routine, &self.layout, &|name| self.symbols.get(name).copied())
    }

    /// An instruction by its kernel; none where it has more constants than there is room for.
    ///
    /// # Errors
    /// When there is no kernel, or it takes no such operands.
    pub fn by_kernel(&self, instruction: &Instruction) -> Result<Option<Kernel>, LowerError> {
        let mut lowering = Lowering::new(&self.layout, self.routine).alone().with_symbols(&self.symbols);
        let lowered = instruction.dispatch(&mut lowering)?;
        let constants = lowering.into_constants();
        let at = self.layout.len.next_multiple_of(64);
        if constants.len() > CONSTANTS {
            return Ok(None);
        }
        Ok(Some(match lowered {
            Lowered::Op(op) => Kernel { run: op.run, constants, at, exchange: None, lowered: None },
            Lowered::Exchange(Exchange { own, parts, shared, run }) => {
                Kernel { run, constants, at, exchange: Some((own, parts, shared)), lowered: None }
            }
            other => Kernel { run: Run::new(|_, _| Ok(())), constants, at, exchange: None, lowered: Some(other) },
        }))
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
