//! Changes that an overlay makes between two corrected specifications.

use std::collections::BTreeSet;

use super::change::{Change, Class};

/// Gives changes of corrected specifications the class [`Class::Overlay`] if the overlay corrects
/// only one side. `documents` are the changes without the overlay, and `ours` the names of the
/// overlay's pages.
pub fn set_apart(changes: &mut [Change], documents: &[Change], ours: &BTreeSet<String>) {
    let known: BTreeSet<(&str, &str)> = documents.iter().map(|change| (change.kind, change.path.as_str())).collect();
    for change in changes {
        let sides = [&change.old, &change.new];
        let is_ours = sides.into_iter().flatten().any(|side| ours.contains(&side.file));
        // The side without the fact may be one of our pages.
        let is_one_sided = sides.into_iter().any(Option::is_none);
        if is_ours || is_one_sided && !known.contains(&(change.kind, change.path.as_str())) {
            change.class = Class::Overlay;
        }
    }
}
