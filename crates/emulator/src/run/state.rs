//! What a thread held when it stopped: its variables with names and values.

use std::collections::HashSet;

use serde::Serialize;
use visakit::isa::{GeneralId, predefined};
use visakit::rt::Table;

use super::values::Places;
use crate::launch::scalar::Number;
use crate::machine::thread::Thread;

/// Elements of one variable that are kept.
const MOST_ELEMENTS: usize = 1024;
/// Variables that are kept.
const MOST_VARIABLES: usize = 1 << 14;

/// What a thread held.
#[derive(Clone, Debug, Serialize)]
pub struct ThreadState {
    /// The channels that were enabled by control flow, a bit for each.
    pub channels: u32,
    /// The variables of the routine in the order of their declarations, aliases only where the
    /// instruction names them.
    pub variables: Vec<VariableState>,
    /// The predicates: name, and a bit for each channel.
    pub predicates: Vec<(String, u32)>,
}

/// What a variable held.
#[derive(Clone, Debug, Serialize)]
pub struct VariableState {
    /// Its name in the text.
    pub name: String,
    /// Type of its elements.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// Its first 1,024 elements.
    pub values: Vec<Number>,
    /// Whether the instruction that stopped the thread names it.
    pub used: bool,
}

/// What a thread holds in a routine, at an instruction of it.
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
    /// For a person: the variables that the instruction names first, then those that hold something
    /// else than zeros.
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

/// Elements of a variable that a person sees.
const SHOWN: usize = 32;
