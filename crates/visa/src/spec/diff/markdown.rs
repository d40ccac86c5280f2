//! Changes as a document, such as the notes of a release: a table for each class.

use std::fmt::Write as _;

use visakit_spec_tools::diff::{Change, Class, Side};

use super::{excerpt, groups, summary};

pub(super) fn text(changes: &[Change], (old, new): (&str, &str)) -> String {
    let mut s = String::new();
    let _ = writeln!(s, "# Changes of the specification\n");
    let _ = writeln!(s, "From `{old}` to `{new}`: {}.", summary(changes));
    for class in Class::ALL {
        let (title, meaning) = match class {
            Class::WireBreaking => ("Wire-breaking", "Bytes are laid out or read differently."),
            Class::Narrowed => ("Narrowed", "Something that was legal no longer is."),
            Class::Widened => ("Widened", "More is legal; what was keeps its meaning."),
            Class::TextOnly => ("Text only", "Neither the bytes nor what is legal."),
        };
        let rows: Vec<Change> = changes.iter().filter(|c| c.class == class).cloned().collect();
        if rows.is_empty() {
            continue;
        }
        let _ = writeln!(s, "\n## {title}\n\n{meaning}\n");
        let _ = writeln!(s, "| Where | What | Old | New |\n| --- | --- | --- | --- |");
        for group in groups(&rows) {
            let change = group.first;
            let whole = match group.subjects.len() {
                1 => change.path.clone(),
                _ => format!("{} of {}", super::detail(change), group.subjects.join(", ")),
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

/// Signs that markdown would take for markup or for the end of a cell.
fn escape(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        if matches!(c, '|' | '*' | '_' | '`' | '<' | '>' | '[' | ']' | '\\') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}
