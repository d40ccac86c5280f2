//! Changes that an overlay makes between two corrected specifications.

use std::collections::{BTreeMap, BTreeSet};

use super::change::{Change, Class, Side};

/// Assigns the class [`Class::Overlay`] to changes of corrected specifications if the overlay makes
/// them: it corrects only one side, or the documents lack the change. The others keep the class
/// that they have in the documents. `documents` are the changes without the overlay, and `ours` the
/// names of the overlay's pages.
pub fn set_apart(changes: &mut [Change], documents: &[Change], ours: &BTreeSet<String>) {
    let known: BTreeSet<(&str, &str)> = documents.iter().map(|change| (change.kind, change.path.as_str())).collect();
    let classes: BTreeMap<_, Class> = documents.iter().map(|change| (fact(change), change.class)).collect();
    for change in changes {
        let is_ours = [&change.old, &change.new].into_iter().flatten().any(|side| ours.contains(&side.file));
        if is_ours || !known.contains(&(change.kind, change.path.as_str())) {
            change.class = Class::Overlay;
        } else if let Some(class) = classes.get(&fact(change)) {
            change.class = *class;
        }
    }
}

/// Returns what identifies a change: its kind, path and both values.
fn fact(change: &Change) -> (&'static str, String, Option<String>, Option<String>) {
    let value = |side: &Option<Side>| side.as_ref().map(|side| side.value.clone());
    (change.kind, change.path.clone(), value(&change.old), value(&change.new))
}
