//! Names of enumerators as the numbers that they stand for, and numbers as they are shown.

use std::collections::BTreeSet;

use super::matching::norm;
use visakit_codegen::model::{BitFieldKind, Enumerator, FieldKind, Form, List, ListKind, Model};

/// A value in the base that its width suggests.
pub(super) fn spelled(value: u64, width: u32) -> String {
    match width {
        0..=4 => format!("0b{value:0width$b}", width = width as usize),
        _ => format!("0x{value:0digits$x}", digits = (width as usize).div_ceil(4).min(16)),
    }
}

/// The named values of a list, or of one of its parts.
pub(super) fn enumerators<'a>(model: &'a Model, list: &'a List, part: &str) -> &'a [Enumerator] {
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

/// What a name in a condition on a field stands for, so that another spelling of it is the same condition.
pub(super) fn resolve(model: &Model, form: &Form, field: &str, part: &str, name: &str) -> String {
    let shape = form.fields.iter().find(|f| norm(&f.name) == norm(field)).map(|f| f.shape);
    let found = match shape {
        Some(FieldKind::List(id)) => {
            enumerators(model, model.list(id), part).iter().find(|v| v.name.eq_ignore_ascii_case(name))
        }
        _ => None,
    };
    match found {
        Some(value) => format!("{:#x}", value.value),
        None => {
            visakit_codegen::phrase::number(name).map_or_else(|| name.to_ascii_lowercase(), |n| format!("{n:#x}"))
        }
    }
}

/// The numbers of the names of a condition.
pub(super) fn resolve_all(model: &Model, form: &Form, field: &str, part: &str, names: &[String]) -> BTreeSet<String> {
    names.iter().map(|name| resolve(model, form, field, part, name)).collect()
}
