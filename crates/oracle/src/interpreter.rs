//! Execution of whole programs by their pages. The emulator uses it for instructions without a
//! kernel, or for all instructions.

use std::collections::BTreeSet;
use std::sync::{Mutex, OnceLock, PoisonError};

use visakit::isa::{Instruction, LabelId, LabelKind, StringId};
use visakit_codegen::model::Model;
use visakit_kernels::code::Interpreter;
use visakit_kernels::lowering::Lowering;
use visakit_kernels::step::{Callee, Lowered, Op, Run};
use visakit_machine::fault::Trap;

use crate::bind::bind;
use crate::execution::Halt;
use crate::program::Flow;
use crate::program::Program;

/// Instructions that run by their pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// Instructions without a kernel.
    Missing,
    /// All instructions that can. Branches and waits remain with the machine.
    All,
}

/// Interpreter that executes instructions by their pages.
pub struct ByPages<'a> {
    which: Which,
    pages: Pages<'a>,
    used: Mutex<BTreeSet<&'static str>>,
    left: Mutex<BTreeSet<&'static str>>,
}

/// Pages to execute.
enum Pages<'a> {
    Known(&'a Model),
    ToRead(&'a (dyn Fn() -> Model + Sync), OnceLock<Box<Model>>),
}

impl<'a> ByPages<'a> {
    /// Creates an interpreter that reads the pages when the first instruction needs them.
    pub fn new(which: Which, read: &'a (dyn Fn() -> Model + Sync)) -> Self {
        Self::of(which, Pages::ToRead(read, OnceLock::new()))
    }

    /// Creates an interpreter with pages that are already read.
    pub fn with_model(which: Which, model: &'a Model) -> Self {
        Self::of(which, Pages::Known(model))
    }

    fn of(which: Which, pages: Pages<'a>) -> Self {
        Self { which, pages, used: Mutex::default(), left: Mutex::default() }
    }

    /// Returns the instructions that ran by their pages.
    pub fn used(&self) -> Vec<&'static str> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner).iter().copied().collect()
    }

    /// Returns the instructions that were left to their kernels although all were requested.
    pub fn left(&self) -> Vec<&'static str> {
        self.left.lock().unwrap_or_else(PoisonError::into_inner).iter().copied().collect()
    }
}

impl Interpreter for ByPages<'_> {
    fn lower(&self, instruction: &Instruction, lowering: &mut Lowering<'_>, has_kernel: bool) -> Option<Lowered> {
        if has_kernel && self.which == Which::Missing {
            return None;
        }
        let name = instruction.page().name;
        let note = |set: &Mutex<BTreeSet<&'static str>>| {
            set.lock().unwrap_or_else(PoisonError::into_inner).insert(name);
        };
        let model: &Model = match &self.pages {
            Pages::Known(model) => model,
            Pages::ToRead(read, model) => model.get_or_init(|| Box::new(read())),
        };
        let symbols = |name: &str| lowering.symbol(name);
        let Ok(program) = bind(model, instruction, lowering.routine, lowering.layout, &symbols) else {
            note(&self.left);
            return None;
        };
        if program.has_flow() {
            let lowered = program.flow().and_then(|flow| self::flow(&program, flow, lowering));
            note(if lowered.is_some() { &self.used } else { &self.left });
            return lowered;
        }
        // Only the machine can run fused threads together.
        if program.wants_neighbour() {
            note(&self.left);
            return None;
        }
        if program.touches.atomic {
            lowering.note_ordered();
        }
        // Labels and similar marks execute nothing; the machine handles them.
        if program.statements.is_empty() {
            return (!has_kernel).then_some(Lowered::Nothing);
        }
        note(&self.used);
        let enable = program.mask();
        let run = Run::new(move |thread, world| match program.run(thread, world) {
            Ok(_) => Ok(()),
            Err(Halt::Trap(trap)) => Err(trap),
            Err(halt) => Err(Box::new(Trap::Illegal(halt.to_string()))),
        });
        Some(Lowered::Op(Op::interpreted(run, enable)))
    }
}

/// Returns the machine's operation for an instruction that redirects channels. The page selects the
/// channels; chapter 3 defines how they reconverge.
fn flow(program: &Program, flow: Flow, lowering: &Lowering<'_>) -> Option<Lowered> {
    let enable = program.mask();
    Some(match flow {
        Flow::Branch(label) => Lowered::Branch { enable, label: LabelId(label) },
        Flow::Jump(label) => Lowered::Jump { enable, label: LabelId(label) },
        Flow::Call(label) => {
            let info = lowering.routine.labels.get(label as usize)?;
            let label = LabelId(label);
            (info.kind == LabelKind::Subroutine).then_some(Lowered::Call { enable, label })?
        }
        Flow::Function(name) => {
            let callee = Callee::Named(lowering.routine.string(StringId(name))?);
            Lowered::Function { enable, callee }
        }
        Flow::Leave => Lowered::Return { enable },
        Flow::Barrier => Lowered::Barrier,
        Flow::Signal => Lowered::Signal { barrier: None, threads: None },
        Flow::Wait => Lowered::Wait { barrier: None },
    })
}
