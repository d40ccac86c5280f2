//! State of a stopped thread: its variables with names and values.

use std::collections::HashSet;

use visakit::isa::{GeneralId, predefined};
use visakit::rt::Table;

use super::values::Places;
use visakit_machine::state::{ThreadState, VariableState};
use visakit_machine::thread::Thread;

/// Largest number of reported elements of a variable.
const MOST_ELEMENTS: usize = 1024;
/// Largest number of reported variables.
const MOST_VARIABLES: usize = 1 << 14;

/// Returns the state of a thread in a routine, at an instruction.
pub(super) fn state(places: &Places<'_>, instruction: u32, thread: &Thread) -> ThreadState {
    let at = places.routine.instructions.get(instruction as usize);
    let used: HashSet<u32> = at
        .into_iter()
        .flat_map(|instruction| instruction.uses())
        .filter(|used| used.table == Table::General)
        .map(|used| used.id)
        .collect();
    let variables = places.routine.variables.iter().zip(predefined::DECLARED..).take(MOST_VARIABLES);
    let variables = variables.filter_map(|(declared, id)| {
        let is_used = used.contains(&id);
        (is_used || declared.alias_index.0 == 0).then(|| VariableState {
            name: places.routine.name_of(Table::General, id),
            kind: declared.bit_properties.type_.name(),
            values: places.elements(GeneralId(id), thread, MOST_ELEMENTS),
            used: is_used,
        })
    });
    let predicates = (1..=places.routine.predicates.len() as u32).take(MOST_VARIABLES);
    let predicates = predicates.filter_map(|id| {
        let bits = *thread.predicates.get(places.layout.predicate(id)? as usize)?;
        Some((places.routine.name_of(Table::Predicate, id), bits))
    });
    ThreadState { channels: thread.active, variables: variables.collect(), predicates: predicates.collect() }
}
