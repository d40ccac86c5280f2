//! Changes as a Markdown document, such as release notes: one table per class.

use std::fmt::Write as _;

use visakit_spec_tools::diff::{Cause, Change, Class, Side};

use super::{excerpt, totals};
use crate::summary::escape;

pub(super) fn text(changes: &[Change], causes: &[Cause], (old, new): (&str, &str)) -> String {
    let mut s = String::new();
    let _ = writeln!(s, "# Changes of the specification\n");
    let _ = writeln!(s, "From `{old}` to `{new}`: {}.", totals(changes));
    for class in Class::ALL {
        let (title, meaning) = match class {
            Class::WireBreaking => ("Wire-breaking", "The encoding changes: bytes are laid out or read differently."),
            Class::Narrowed => ("Narrowed", "Something that was legal is now illegal."),
            Class::Widened => ("Widened", "More is legal; the meaning of legal input is unchanged."),
            Class::TextOnly => ("Text only", "Neither the encoding nor the legal input changes."),
            Class::Overlay => ("Overlay", "The overlay corrects one side only; the documents did not change."),
        };
        let own =
            |cause: &Cause| cause.first.iter().map(|&i| &changes[i]).filter(|c| c.class == class).collect::<Vec<_>>();
        let rows: Vec<_> = causes.iter().flat_map(|cause| own(cause).into_iter().map(move |c| (cause, c))).collect();
        if rows.is_empty() {
            continue;
        }
        let _ = writeln!(s, "\n## {title}\n\n{meaning}\n");
        let _ = writeln!(s, "| Where | What | Old | New |\n| --- | --- | --- | --- |");
        for (cause, change) in rows {
            let whole = match cause.subjects.as_slice() {
                [_] => change.path.clone(),
                all => format!("{} of {}", change.detail(), all.join(", ")),
            };
            let value = |side: &Option<Side>| side.as_ref().map_or("", |s| s.value.as_str()).to_owned();
            let (a, b) = excerpt(&value(&change.old), &value(&change.new));
            let (a, b) = (cell(&a, &change.old), cell(&b, &change.new));
            let _ = writeln!(s, "| {} | {} | {a} | {b} |", escape(&whole), change.kind.replace('-', " "));
        }
    }
    s
}

fn cell(value: &str, side: &Option<Side>) -> String {
    match side {
        Some(side) => format!("{} ({}:{})", escape(value), escape(&side.file), side.line),
        None => String::new(),
    }
}
