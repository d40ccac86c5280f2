//! Conversion of enumerator names to numbers, and formats of numbers.

use std::collections::BTreeSet;

use crate::diff::matching::norm;
use visakit_codegen::model::{BitFieldKind, Enumerator, List, ListKind, Model, Reference};

/// Formats a value in a base that suits its width.
pub(crate) fn spelled(value: u64, width: u32) -> String {
    match width {
        0..=4 => format!("0b{value:0width$b}", width = width as usize),
        _ => format!("0x{value:0digits$x}", digits = (width as usize).div_ceil(4).min(16)),
    }
}

/// Returns the named values of a list or of its part.
pub(crate) fn enumerators<'a>(model: &'a Model, list: &'a List, part: &str) -> &'a [Enumerator] {
    match &list.kind {
        ListKind::Enumeration { values, .. } => values,
        ListKind::Parts(parts) => parts
            .iter()
            .find(|p| norm(&p.name) == norm(part))
            .and_then(|p| match p.kind {
                BitFieldKind::Enumeration(id) => match &model.list(id).kind {
                    ListKind::Enumeration { values, .. } => Some(values.as_slice()),
                    ListKind::Parts(_) => None,
                },
                _ => None,
            })
            .unwrap_or(&[]),
    }
}

/// Returns the values of a condition's names, so that different spellings are equal.
pub(crate) fn meant(values: &[Reference<u64>]) -> BTreeSet<String> {
    values.iter().map(|r| r.to.map_or_else(|| r.name.to_ascii_lowercase(), |code| format!("{code:#x}"))).collect()
}
