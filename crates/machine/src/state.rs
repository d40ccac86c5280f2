//! The variables of a stopped thread, with names and values.

use serde::Serialize;

use crate::scalar::Number;

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
