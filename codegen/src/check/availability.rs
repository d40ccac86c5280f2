//! Checks that marks name existing platforms, and that some platform and version satisfies them.

use crate::model::{Availability, Bound, FieldKind, Instruction, ListKind, Model, SourceSpan};
use visakit_diag::{Diagnostic, Severity};

pub(super) fn check(model: &Model, marks: &Availability, at: SourceSpan, out: &mut Vec<Diagnostic>) {
    if model.platforms.is_empty() {
        return;
    }
    let mut all_known = true;
    for mark in &marks.0 {
        if let Bound::From(p) | Bound::Before(p) | Bound::Only(p) = mark
            && p.to.is_none()
        {
            let name = &p.name;
            all_known = false;
            model.report(
                Severity::Warning,
                "platform-unknown",
                model.word(at, name),
                format!("`{name}` is not a platform"),
                "use a name or alias of platforms.md",
                out,
            );
        }
    }
    if all_known && !possible(model, marks) {
        model.report(
            Severity::Warning,
            "mark-contradiction",
            at,
            format!("no combination of platform and version satisfies these marks: {marks}"),
            "all marks in a row must hold; write alternatives as groups separated by commas",
            out,
        );
    }
}

/// Returns true if some platform and version satisfies all marks.
fn possible(model: &Model, marks: &Availability) -> bool {
    let platform = |at: usize| {
        marks.0.iter().all(|mark| match mark {
            Bound::From(p) => p.to.is_none_or(|p| at >= p),
            Bound::Before(p) => p.to.is_none_or(|p| at < p),
            Bound::Only(p) => p.to.is_none_or(|p| at == p),
            Bound::FromVersion(..) | Bound::BeforeVersion(..) => true,
        })
    };
    let from =
        marks.0.iter().filter_map(|m| if let Bound::FromVersion(a, b) = m { Some((a, b)) } else { None }).max();
    let before =
        marks.0.iter().filter_map(|m| if let Bound::BeforeVersion(a, b) = m { Some((a, b)) } else { None }).min();
    let version = from.zip(before).is_none_or(|(from, before)| from < before);
    version && (0..model.platforms.len()).any(platform)
}

/// Checks the marks of lists and structures.
pub(super) fn chapters(model: &Model, out: &mut Vec<Diagnostic>) {
    for list in &model.lists {
        match &list.kind {
            ListKind::Enumeration { values, .. } => values.iter().for_each(|v| check(model, &v.marks, v.at, out)),
            ListKind::Parts(parts) => parts.iter().for_each(|p| check(model, &p.marks, p.at, out)),
        }
    }
    // The values that a page selects from a shared list carry marks on that page.
    for spelled in &model.spelled {
        if let ListKind::Enumeration { values, .. } = &spelled.kind {
            values.iter().for_each(|v| check(model, &v.marks, v.at, out));
        }
    }
    for member in model.structures.iter().flat_map(|s| &s.members) {
        member.storage.iter().for_each(|(marks, _)| check(model, marks, member.at, out));
    }
}

/// Checks the marks of an instruction.
pub(super) fn instruction(model: &Model, instruction: &Instruction, out: &mut Vec<Diagnostic>) {
    for marks in &instruction.platforms {
        check(model, marks, instruction.platforms_at, out);
    }
    for (_, marks) in &instruction.types {
        check(model, marks, instruction.types_at, out);
    }
    for map in &instruction.type_maps {
        check(model, &map.marks, map.at, out);
    }
    let mut seen: Vec<SourceSpan> = Vec::new();
    for form in &instruction.forms {
        check(model, &form.versions, form.at, out);
        for field in &form.fields {
            if seen.contains(&field.at) || matches!(field.shape, FieldKind::Copy(_)) {
                continue;
            }
            seen.push(field.at);
            field.storage.iter().for_each(|(marks, _)| check(model, marks, field.at, out));
            for (nth, only) in field.only.iter().enumerate() {
                only.values.iter().for_each(|(_, marks)| check(model, marks, field.place("Only", nth), out));
            }
        }
    }
}
