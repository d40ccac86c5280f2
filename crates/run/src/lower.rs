//! Lowering of a program for the payload of a launch.

use std::collections::HashMap;

use crate::program::Program;
use crate::values::Places;
use visakit_diag::{Diagnostic, Severity};
use visakit_kernels::code::{CompiledRoutine, Interpreter};
use visakit_kernels::layout::Layout;
use visakit_launch::payload::Payload;
use visakit_machine::memory::function_address;

/// Lowers a program.
pub(super) fn lower(
    program: &Program,
    payload: &Payload,
    symbols: &HashMap<String, u64>,
    interpreter: Option<&dyn Interpreter>,
    records: bool,
) -> Result<CompiledRoutine, Box<Diagnostic>> {
    let functions: Vec<_> = program.functions.iter().map(|function| &function.routine).collect();
    let layouts = layouts(program, payload)?;
    let channels = payload.all_channels();
    // Kernels may exchange the addresses of functions, so those of the whole file are known.
    let functions_at = program.data.functions.iter().enumerate().map(|(n, name)| (name.clone(), function_address(n)));
    let symbols = symbols.clone().into_iter().chain(functions_at).collect();
    CompiledRoutine::new(&program.routine, &functions, layouts, &symbols, channels, interpreter, records)
        .map_err(|message| problem(program, message))
}

/// Returns the layouts of the variables, the kernel's first.
fn layouts(program: &Program, payload: &Payload) -> Result<Vec<Layout>, Box<Diagnostic>> {
    let payload_bytes = u32::try_from(payload.len()).map_err(|e| problem(program, e.to_string()))?;
    let functions: Vec<_> = program.functions.iter().map(|function| &function.routine).collect();
    Layout::with_functions(&program.routine, &functions, program.platform, payload_bytes)
        .map_err(|message| problem(program, message))
}

/// Returns the routines with the layouts of their variables, the kernel first.
pub(super) fn places<'p>(program: &'p Program, payload: &Payload) -> Result<Vec<Places<'p>>, Box<Diagnostic>> {
    let routines = program.functions.iter().map(|function| &function.routine);
    let routines = std::iter::once(&program.routine).chain(routines);
    Ok(routines.zip(layouts(program, payload)?).map(|(routine, layout)| Places { routine, layout }).collect())
}

fn problem(program: &Program, message: String) -> Box<Diagnostic> {
    Box::new(Diagnostic::new("lowering", Severity::Error, program.file.clone(), message))
}
