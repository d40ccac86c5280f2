//! Lowering of a program for the payload of a launch.

use std::collections::HashMap;

use crate::program::Program;
use crate::values::Places;
use visakit_diag::{Diagnostic, Severity};
use visakit_kernels::code::{CompiledRoutine, Interpreter};
use visakit_kernels::layout::Layout;
use visakit_launch::payload::Payload;
use visakit_machine::memory::function_address;
use visakit_native::ir::InitialRamp;

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

/// Returns the local ids that are ramps in launches whose threads are parts of lines.
pub(super) fn ramps(program: &Program, payload: &Payload) -> Vec<InitialRamp> {
    let lanes = program.info.execution_env.simd_size;
    let rows = payload.id_rows(order(program));
    rows.into_iter().map(|(at, is_first)| InitialRamp { at, lanes, step: u16::from(is_first) }).collect()
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

/// Returns the dimensions in the order in which work items are assigned to threads.
pub(super) fn order(program: &Program) -> [u32; 3] {
    program.info.execution_env.work_group_walk_order_dimensions
}

fn problem(program: &Program, message: String) -> Box<Diagnostic> {
    Box::new(Diagnostic::new("lowering", Severity::Error, program.file.clone(), message))
}
