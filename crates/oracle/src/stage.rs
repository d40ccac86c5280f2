//! Test thread in which single instructions run from the same state, by their pages or by the
//! emulator's kernels.

use std::collections::HashMap;

use visakit::isa::{GeneralId, Instruction, Platform, StringId, predefined};
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
use crate::program::Program;
use crate::refusal::Refusal;
use crate::sent::Sent;

/// Space for the constants of an instruction's kernel, in bytes.
const CONSTANTS: usize = 1 << 14;

/// Address of the first symbol, and the distance between symbols.
const FIRST_SYMBOL: u64 = 0x1_0000_4000;
const SYMBOL_BYTES: usize = 64;

/// Layout of a routine's variables for single instructions.
pub struct Stage<'a> {
    /// Routine with the instructions.
    pub routine: &'a Routine,
    layout: Layout,
    /// Addresses of the strings in the routine, which may be symbol names.
    symbols: HashMap<String, u64>,
}

/// Compiled kernel of an instruction.
pub struct Kernel {
    run: Run,
    constants: Vec<u8>,
    at: u32,
    /// Parts of an operand shared by fused threads: offset, byte counts of this thread and its
    /// neighbour, and the offset of the combined bytes.
    exchange: Option<(u32, [u32; 2], u32)>,
    /// Redirection of channels, if the kernel has one.
    lowered: Option<Lowered>,
}

impl Kernel {
    /// Executes the instruction for a thread.
    ///
    /// # Errors
    /// A trap of the machine.
    pub fn run(&self, thread: &mut Thread, world: &World<'_>) -> Result<(), Box<Trap>> {
        self.run_beside(thread, None, world)
    }

    /// Executes the instruction for the first of two fused threads.
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
                return Err(Box::new(Trap::Illegal(
                    "the operand needs data of a fused thread, which does not exist".to_owned(),
                )));
            };
            let mut both = thread.registers.bytes(own)[..first as usize].to_vec();
            both.extend_from_slice(&neighbour.registers.bytes(own)[..second as usize]);
            thread.registers.bytes_mut(shared)[..both.len()].copy_from_slice(&both);
        }
        self.run.call(thread, world)
    }

    /// Returns the redirection of channels by the instruction; `None` if they continue.
    ///
    /// # Errors
    /// A trap of the machine.
    pub fn sends(&self, thread: &Thread, stage: &Stage<'_>) -> Result<Option<Sent>, Box<Trap>> {
        self.lowered.as_ref().map_or(Ok(None), |lowered| Sent::by_kernel(lowered, thread, stage.routine))
    }

    /// Copies the constants to their place after the variables, as a launch does.
    pub fn prepare(&self, thread: &mut Thread) {
        thread.registers.bytes_mut(self.at)[..self.constants.len()].copy_from_slice(&self.constants);
    }
}

impl<'a> Stage<'a> {
    /// Lays out the variables that the instructions of a routine use.
    ///
    /// # Errors
    /// A defect of the routine's tables.
    pub fn new(routine: &'a Routine, platform: Platform) -> Result<Self, String> {
        let strings = (0..routine.strings.len() as u32).filter_map(|id| routine.string(StringId(id)));
        let symbols = strings.zip((FIRST_SYMBOL..).step_by(SYMBOL_BYTES)).collect();
        Ok(Self { routine, layout: Layout::new(routine, platform, 0)?, symbols })
    }

    /// Creates a zeroed thread of `channels` channels, all enabled.
    pub fn thread(&self, channels: usize) -> Thread {
        Thread {
            predicates: vec![0; self.layout.predicate_count() as usize + 1],
            surfaces: vec![0; self.layout.state_count()],
            active: ones(channels),
            dispatched: ones(channels),
            ..Thread::scratch(self.layout.constants_at as usize + CONSTANTS)
        }
    }

    /// Returns the offset of a variable in the register file.
    pub fn offset(&self, id: GeneralId) -> Option<u32> {
        self.layout.variable(id).map(|v| v.offset)
    }

    /// Returns the offsets of all variables in the register file.
    pub fn starts(&self) -> Vec<usize> {
        let count = self.routine.variables.len() as u32 + predefined::DECLARED;
        (0..count).filter_map(|id| self.offset(GeneralId(id))).map(|at| at as usize).collect()
    }

    /// Returns the number of a predicate in the thread.
    pub fn predicate(&self, id: u32) -> Option<u32> {
        self.layout.predicate(id)
    }

    /// Returns the register offset of an address variable.
    pub fn address(&self, id: u32) -> Option<u32> {
        self.layout.address(id)
    }

    /// Returns the register offsets of the elements of address variables.
    pub fn addresses(&self) -> impl Iterator<Item = u32> + use<> {
        self.layout.addresses().step_by(4)
    }

    /// Returns the size of the variables in the register file in bytes.
    pub fn register_bytes(&self) -> usize {
        self.layout.len as usize
    }

    /// Binds an instruction to its page.
    ///
    /// # Errors
    /// Fails if no page describes the instruction in an executable form.
    pub fn by_page(&self, model: &Model, instruction: &Instruction) -> Result<Program, Refusal> {
        bind(model, instruction, self.routine, &self.layout, &|name| self.symbols.get(name).copied())
    }

    /// Lowers an instruction to its kernel; returns `None` if its constants do not fit.
    ///
    /// # Errors
    /// Fails if there is no kernel, or the kernel does not support the operands.
    pub fn by_kernel(&self, instruction: &Instruction) -> Result<Option<Kernel>, LowerError> {
        let mut lowering = Lowering::new(&self.layout, self.routine).alone().with_symbols(&self.symbols);
        let lowered = instruction.dispatch(&mut lowering)?;
        let constants = lowering.into_constants();
        let at = self.layout.constants_at;
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

/// Memory of single instructions; empty for those without messages.
#[derive(Default)]
pub struct TestMemory {
    memory: Memory,
    none: Buffer,
    trace: Trace,
}

impl TestMemory {
    /// Creates memory with one buffer of `bytes`, at the first address; `None` if the buffer is too
    /// large.
    pub fn of_bytes(bytes: &[u8]) -> Option<Self> {
        let mut memory = Memory::default();
        memory.map(Buffer::from_bytes(bytes))?;
        Some(Self { memory, ..Self::default() })
    }

    /// Returns the bytes of the buffer; none of empty memory.
    pub fn bytes(&self) -> Vec<u8> {
        self.memory.buffers().first().map_or_else(Vec::new, Buffer::to_bytes)
    }

    /// Returns the thread's view of this memory.
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
