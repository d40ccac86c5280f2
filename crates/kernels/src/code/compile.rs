//! Lowering of a kernel with its functions.

use std::collections::HashMap;
use std::ops::Range;

use crate::code::builder::Builder;
use crate::code::inline::{Copied, copied};
use crate::code::routine::CompiledRoutine;
use crate::lowering::layout::Layout;
use crate::lowering::step::{Lowered, Run};
use crate::lowering::{LowerError, Lowering, text_only};
use visakit::isa::Instruction;
use visakit::object::Routine;
use visakit_machine::fault::Trap;
use visakit_machine::thread::ExecMask;

/// Executes instructions by the semantics on their pages instead of by kernels.
pub trait Interpreter: Sync {
    /// Lowers an instruction. Returns `None` to leave it to its kernel, or to leave it unsupported
    /// if `has_kernel` is false.
    fn lower(&self, instruction: &Instruction, lowering: &mut Lowering<'_>, has_kernel: bool) -> Option<Lowered>;
}

impl CompiledRoutine {
    /// Lowers a kernel and the functions that it may call, each with its layout, the kernel first.
    /// A thread may begin with `channels`. `symbols` are the addresses of the program's data
    /// and functions. An instruction that cannot be lowered stops only the threads that reach it.
    ///
    /// # Errors
    /// A branch without a target.
    pub fn new(
        kernel: &Routine,
        functions: &[&Routine],
        layouts: Vec<Layout>,
        symbols: &HashMap<String, u64>,
        channels: u32,
        interpreter: Option<&dyn Interpreter>,
        records: bool,
    ) -> Result<Self, String> {
        let mut builder = Builder::new(channels);
        let mut constants = Vec::new();
        let mut first = 0;
        for (routine, layout) in std::iter::once(&kernel).chain(functions).zip(&layouts) {
            let mut lowering = Lowering::new(layout, routine).with_symbols(symbols);
            (lowering.constants, lowering.records) = (constants, records);
            builder.begin(routine.name());
            let lowered: Vec<_> =
                routine.instructions.iter().map(|inst| lower(&mut lowering, inst, interpreter)).collect();
            let copied = copied(&lowered, channels);
            Body { lowering: &mut lowering, builder: &mut builder, interpreter, copied, first }.add(0, lowered);
            builder.end_routine()?;
            builder.ordered |= lowering.ordered();
            builder.updates.extend(lowering.updates());
            constants = lowering.into_constants();
            first += routine.instructions.len() as u32;
        }
        builder.finish(layouts, constants)
    }
}

/// Lowers an instruction.
fn lower(lowering: &mut Lowering<'_>, instruction: &Instruction, interpreter: Option<&dyn Interpreter>) -> Lowered {
    let otherwise = |l: &mut Lowering<'_>, has| interpreter.and_then(|i| i.lower(instruction, l, has));
    if let Some(lowered) = otherwise(lowering, true) {
        return lowered;
    }
    let lowered = text_only::check(instruction).and_then(|()| instruction.dispatch(lowering));
    let lowered = lowered.or_else(|error| match error {
        LowerError::Stub(_) => otherwise(lowering, false).ok_or(error),
        error => Err(error),
    });
    lowered.unwrap_or_else(|error| {
        let trouble = Trap::from(error);
        let run = Run::new(move |_, _| Err(Box::new(trouble.clone())));
        lowering.step(ExecMask::all(1), run)
    })
}

/// The instructions of a routine on their way to blocks.
struct Body<'a, 'l> {
    lowering: &'a mut Lowering<'l>,
    builder: &'a mut Builder,
    interpreter: Option<&'a dyn Interpreter>,
    copied: Copied,
    /// Number of instructions of the routines before.
    first: u32,
}

impl Body<'_, '_> {
    /// Adds instructions from number `first` on. Copies of subroutines replace their calls.
    fn add(&mut self, first: usize, lowered: Vec<Lowered>) {
        let mut next = first;
        for (n, lowered) in (first..).zip(lowered) {
            if n < next {
                continue;
            }
            let number = self.first + n as u32;
            let copied = |label| self.copied.get(label).cloned();
            match lowered {
                Lowered::Subroutine(label) => match copied(&label).filter(|body| body.start == n + 1) {
                    Some(body) => next = body.end,
                    None => self.builder.add(lowered, number),
                },
                Lowered::Call { enable, label } => match copied(&label) {
                    Some(body) => self.add_copy(body, enable, number),
                    None => self.builder.add(lowered, number),
                },
                lowered => self.builder.add(lowered, number),
            }
        }
    }

    /// Adds a copy of a subroutine, which is lowered for each copy, for call number `call`.
    fn add_copy(&mut self, body: Range<usize>, enable: ExecMask, call: u32) {
        let instructions = &self.lowering.routine.instructions[body.clone()];
        let lowered = instructions.iter().map(|inst| lower(self.lowering, inst, self.interpreter)).collect();
        self.builder.begin_copy(enable, call);
        self.add(body.start, lowered);
        self.builder.end_copy();
    }
}
