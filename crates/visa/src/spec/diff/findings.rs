//! Changes as findings for code review services: each at its line of the new pages, or of the old
//! pages for a removal.

use visakit_diag::{Diagnostic, Severity};
use visakit_spec_tools::diff::{Cause, Change, Class};

use super::excerpt;

/// Returns one finding per change, in the order of the causes.
pub(super) fn of(changes: &[Change], causes: &[Cause]) -> Vec<Diagnostic> {
    let of_cause = |cause: &'_ Cause| cause.changes.iter().map(|&i| finding(&changes[i], cause)).collect::<Vec<_>>();
    causes.iter().flat_map(of_cause).collect()
}

fn finding(change: &Change, cause: &Cause) -> Diagnostic {
    let severity = match change.class {
        Class::WireBreaking | Class::Narrowed => Severity::Error,
        Class::Widened => Severity::Warning,
        Class::TextOnly | Class::Overlay => Severity::Note,
    };
    let value = |side: &Option<_>| side.as_ref().map(|side: &visakit_spec_tools::diff::Side| side.value.clone());
    let said = match (value(&change.old), value(&change.new)) {
        (Some(old), Some(new)) => {
            let (old, new) = excerpt(&old, &new);
            format!("`{old}` became `{new}`")
        }
        (Some(old), None) => format!("`{}` is gone", excerpt(&old, "").0),
        (None, Some(new)) => format!("`{}` is new", excerpt("", &new).1),
        (None, None) => "changed".to_owned(),
    };
    let (file, line) = change.place().map_or((String::new(), 0), |side| (side.file.clone(), side.line));
    let message = format!("{}, {}: {said}", change.class.name(), change.path);
    let found = Diagnostic { line, column: 1, ..Diagnostic::new(change.kind, severity, file, message) };
    found.help(cause.help)
}
