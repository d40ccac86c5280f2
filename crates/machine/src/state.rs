//! State of a stopped thread: its variables with names and values.

use serde::Serialize;

use crate::scalar::Number;

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
