//! The platforms that conditions name exist.

use crate::model::{Availability, Bound, Model, SourceSpan};
use visakit_diag::{Diagnostic, Severity};

pub(super) fn check(model: &Model, marks: &Availability, at: SourceSpan, out: &mut Vec<Diagnostic>) {
    if model.platforms.is_empty() {
        return;
    }
    for mark in &marks.0 {
        if let Bound::From(name) | Bound::Before(name) | Bound::Only(name) = mark
            && model.platform(name).is_none()
        {
            model.report(
                Severity::Warning,
                "platform-unknown",
                at,
                format!("`{name}` is no platform"),
                "use a name or alias of platforms.md",
                out,
            );
        }
    }
}
