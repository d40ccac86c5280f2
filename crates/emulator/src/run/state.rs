//! State of a stopped thread: its variables with names and values.

use std::collections::HashSet;

use serde::Serialize;
use visakit::isa::{GeneralId, predefined};
use visakit::rt::Table;

use super::values::Places;
use crate::launch::scalar::Number;
use crate::machine::thread::Thread;

/// Largest number of reported elements of a variable.
const MOST_ELEMENTS: usize = 1024;
/// Largest number of reported variables.
const MOST_VARIABLES: usize = 1 << 14;

/// State of a thread.
#[derive(Clone, Debug, Serialize)]
pub struct ThreadState {
    /// Active channels, as bits.
    pub channels: u32,
    /// Variables of the routine in order of declaration; aliases only if the instruction uses them.
    pub variables: Vec<VariableState>,
    /// Predicates: name, and one bit per channel.
    pub predicates: Vec<(String, u32)>,
}

/// State of a variable.
#[derive(Clone, Debug, Serialize)]
pub struct VariableState {
    /// Name in the text.
    pub name: String,
    /// Element type.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// First 1,024 elements.
    pub values: Vec<Number>,
    /// True if the instruction that stopped the thread uses the variable.
    pub used: bool,
}

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

impl ThreadState {
    /// Formats the state as text: first the variables that the instruction uses, then the other
    /// non-zero ones.
    pub fn table(&self) -> String {
        let bits = |channels: u32| format!("0x{channels:x}");
        let mut out = format!("channels {}\n", bits(self.channels));
        let is_zero = |number: &Number| number.to_f64() == 0.0;
        let (used, others): (Vec<_>, Vec<_>) = self.variables.iter().partition(|variable| variable.used);
        let others = others.into_iter().filter(|variable| !variable.values.iter().all(is_zero));
        for variable in used.into_iter().chain(others) {
            out += &format!("  {} {} x {}:", variable.name, variable.values.len(), variable.kind);
            variable.values.iter().take(SHOWN).for_each(|value| out += &format!(" {value}"));
            out += if variable.values.len() > SHOWN { " ...\n" } else { "\n" };
        }
        for (name, channels) in self.predicates.iter().filter(|(_, channels)| *channels != 0) {
            out += &format!("  {name}: {}\n", bits(*channels));
        }
        out
    }
}

/// Largest number of elements of a variable in the text.
const SHOWN: usize = 32;
