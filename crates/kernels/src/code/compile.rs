//! Lowering of a kernel with its functions.

use std::collections::HashMap;

use crate::code::builder::Builder;
use crate::code::routine::CompiledRoutine;
use crate::lowering::layout::Layout;
use crate::lowering::step::{Lowered, Run};
use crate::lowering::{LowerError, Lowering, text_only};
use visakit::isa::Instruction;
use visakit::object::Routine;
use visakit_machine::fault::Trap;
use visakit_machine::memory::function_address;
use visakit_machine::thread::ExecMask;

/// Executes instructions by the semantics on their pages instead of by kernels.
pub trait Interpreter: Sync {
    /// Lowers an instruction. Returns `None` to leave it to its kernel, or to leave it unsupported
    /// if `has_kernel` is false.
    fn lower(&self, instruction: &Instruction, lowering: &mut Lowering<'_>, has_kernel: bool) -> Option<Lowered>;
}

impl CompiledRoutine {
    /// Lowers a kernel and the functions that it may call, each with its layout, the kernel first.
    /// `symbols` are the addresses of the program's data. An instruction that cannot be lowered
    /// stops only the threads that reach it.
    ///
    /// # Errors
    /// A branch without a target.
    pub fn new(
        kernel: &Routine,
        functions: &[&Routine],
        layouts: Vec<Layout>,
        symbols: &HashMap<String, u64>,
        interpreter: Option<&dyn Interpreter>,
        records: bool,
    ) -> Result<Self, String> {
        let mut symbols = symbols.clone();
        for (n, function) in functions.iter().enumerate() {
            symbols.insert(function.name(), function_address(n));
        }
        let mut builder = Builder::default();
        let mut constants = Vec::new();
        for (routine, layout) in std::iter::once(&kernel).chain(functions).zip(&layouts) {
            let mut lowering = Lowering::new(layout, routine).with_symbols(&symbols);
            (lowering.constants, lowering.records) = (constants, records);
            builder.begin(routine.name());
            for instruction in &routine.instructions {
                let otherwise = |l: &mut Lowering<'_>, has| interpreter.and_then(|i| i.lower(instruction, l, has));
                let lowered = match otherwise(&mut lowering, true) {
                    Some(lowered) => Ok(lowered),
                    None => text_only::check(instruction).and_then(|()| instruction.dispatch(&mut lowering)).or_else(
                        |error| match error {
                            LowerError::Stub(_) => otherwise(&mut lowering, false).ok_or(error),
                            error => Err(error),
                        },
                    ),
                };
                let lowered = lowered.unwrap_or_else(|error| {
                    let trouble = Trap::from(error);
                    let run = Run::new(move |_, _| Err(Box::new(trouble.clone())));
                    lowering.step(ExecMask::all(1), run)
                });
                builder.add(lowered);
            }
            builder.end_routine()?;
            builder.ordered |= lowering.ordered();
            builder.updates.extend(lowering.updates());
            constants = lowering.into_constants();
        }
        builder.finish(layouts, constants)
    }
}
