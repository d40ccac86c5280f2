//! Unique names for explicit texts: words that are not reserved, each different from all others.

use std::collections::HashSet;

use crate::builder::numbered;
use crate::isa::{DeclaredClass, LscAddrType, StringId, candidates, predefined, predefined_surface};
use crate::object::Routine;

/// Unique names for the entries of a routine's tables.
#[derive(Clone, Debug, Default)]
pub(super) struct Unique {
    pub(super) general: Vec<String>,
    pub(super) addresses: Vec<String>,
    pub(super) predicates: Vec<String>,
    pub(super) labels: Vec<String>,
}

impl Unique {
    pub(super) fn new(routine: &Routine) -> Self {
        let mut taken: HashSet<String> = HashSet::new();
        for entry in predefined::ALL.iter().chain(predefined_surface::ALL) {
            taken.extend([
                entry.name.to_owned(),
                entry.old_name.to_owned(),
                numbered(DeclaredClass::SurfaceClass, entry.id),
            ]);
        }
        taken.extend((0..routine.samplers.len().max(32)).map(|i| numbered(DeclaredClass::SamplerClass, i)));
        let surfaces = (predefined_surface::DECLARED..).take(routine.surfaces.len());
        taken.extend(surfaces.map(|id| numbered(DeclaredClass::SurfaceClass, id)));
        let name = |taken: &mut HashSet<String>, id: StringId, kind: &str, number: usize| {
            let own = routine.string(id).filter(|s| is_word(s) && !taken.contains(s));
            let mut name = own.unwrap_or_else(|| format!("{kind}{number}_"));
            while !taken.insert(name.clone()) {
                name.push('_');
            }
            name
        };
        let mut out = Self::default();
        for (i, v) in routine.variables.iter().enumerate() {
            out.general.push(name(&mut taken, v.name_index, "V", i + predefined::DECLARED as usize));
        }
        for (i, a) in routine.addresses.iter().enumerate() {
            out.addresses.push(name(&mut taken, a.name_index, "A", i));
        }
        for (i, p) in routine.predicates.iter().enumerate() {
            out.predicates.push(name(&mut taken, p.name_index, "P", i + 1));
        }
        // Labels and variables have separate namespaces and may share names.
        let mut labels = HashSet::new();
        for (i, l) in routine.labels.iter().enumerate() {
            out.labels.push(name(&mut labels, l.name_index, "L", i));
        }
        out
    }
}

/// Returns true if a text can be a name.
pub(super) fn is_word(text: &str) -> bool {
    let begins = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    begins && !is_reserved(text) && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Returns true if a word is reserved: it begins instructions or is part of their syntax.
pub(super) fn is_reserved(word: &str) -> bool {
    !candidates(word).is_empty() || LscAddrType::ALL.iter().any(|t| t.text() == word)
}
