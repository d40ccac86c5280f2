//! Whole programs by their pages: what the emulator asks when an instruction has no kernel, or when it is not to use any.

use std::collections::BTreeSet;
use std::sync::{Mutex, OnceLock, PoisonError};

use visakit::isa::Instruction;
use visakit_codegen::model::Model;
use visakit_emulator::kernels::code::Interpreter;
use visakit_emulator::kernels::lowering::Lowering;
use visakit_emulator::kernels::step::{Lowered, Op};
use visakit_emulator::machine::World;
use visakit_emulator::machine::fault::Trap;
use visakit_emulator::machine::thread::Thread;

use crate::{Halt, program};

/// Which instructions run by their pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// Those without a kernel.
    Missing,
    /// All that can: what goes to other places or waits is the machine's.
    All,
}

/// Executes instructions by their pages.
pub struct ByPages<'a> {
    which: Which,
    read: &'a (dyn Fn() -> Model + Sync),
    model: OnceLock<Model>,
    used: Mutex<BTreeSet<&'static str>>,
    left: Mutex<BTreeSet<&'static str>>,
}

impl<'a> ByPages<'a> {
    /// With pages that are read when the first instruction needs them.
    pub fn new(which: Which, read: &'a (dyn Fn() -> Model + Sync)) -> Self {
        let (used, left) = (Mutex::default(), Mutex::default());
        Self { which, read, model: OnceLock::new(), used, left }
    }

    /// The instructions that ran by their pages.
    pub fn used(&self) -> Vec<&'static str> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner).iter().copied().collect()
    }

    /// The instructions that should have, and were left to their kernels.
    pub fn left(&self) -> Vec<&'static str> {
        self.left.lock().unwrap_or_else(PoisonError::into_inner).iter().copied().collect()
    }
}

impl Interpreter for ByPages<'_> {
    fn lower(&self, instruction: &Instruction, lowering: &Lowering<'_>, has_kernel: bool) -> Option<Lowered> {
        if has_kernel && self.which == Which::Missing {
            return None;
        }
        let name = instruction.page().name;
        let note = |set: &Mutex<BTreeSet<&'static str>>| {
            set.lock().unwrap_or_else(PoisonError::into_inner).insert(name);
        };
        let model = self.model.get_or_init(|| (self.read)());
        let Ok(program) = program(model, instruction, lowering.routine, lowering.layout) else {
            note(&self.left);
            return None;
        };
        // Labels and other marks: where nothing is executed, the machine knows what stands there.
        if program.statements.is_empty() {
            return (!has_kernel).then_some(Lowered::Nothing);
        }
        note(&self.used);
        let enable = program.mask();
        let run = Box::new(move |thread: &mut Thread, world: &World<'_>| match program.run(thread, world) {
            Ok(_) => Ok(()),
            Err(Halt::Trap(trap)) => Err(trap),
            Err(halt) => Err(Box::new(Trap::Illegal(halt.to_string()))),
        });
        Some(Lowered::Op(Op::interpreted(run, enable)))
    }
}
