//! Human-readable report of changes: by cause, most severe first. With details, each change has its
//! class, both values and both places.

use std::fmt::Write as _;

use visakit_spec_tools::diff::{Cause, Change, Class, Side};

use crate::groups::{Group, Layout, paint, wrap};
use crate::outcome::count;

use super::{excerpt, totals};

pub(super) fn text(changes: &[Change], causes: &[Cause], details: bool, layout: Layout) -> String {
    if changes.is_empty() {
        return "nothing changed\n".to_owned();
    }
    let of_documents = changes.iter().filter(|change| change.class != Class::Overlay).count();
    let edits = causes.iter().filter(|cause| cause.class != Class::Overlay).count();
    let mut s = format!("{} by {}: {}\n", count(of_documents, "change"), count(edits, "cause"), totals(changes));
    if !details {
        let groups: Vec<Group> = causes.iter().map(|cause| group(cause, changes)).collect();
        return s + &crate::groups::summary(&groups, layout) + "\n--details shows each change\n";
    }
    let mut last = String::new();
    for cause in causes {
        let subjects = cause.subjects.join(", ");
        if subjects != last {
            let title = wrap(&subjects, layout.width);
            let _ = writeln!(s, "\n{}", paint(&title.join("\n"), "1", layout.color));
        }
        last = subjects;
        cause.first.iter().for_each(|&i| entry(&mut s, &changes[i], cause, layout));
    }
    s
}

fn group(cause: &Cause, changes: &[Change]) -> Group {
    // Text-only changes of a page are identified by the page, not by their content.
    let place =
        cause.new.as_ref().or(cause.old.as_ref()).map_or(String::new(), |at| format!("{}:{}", at.file, at.line));
    let shows = if cause.touches.len() > 1 { &cause.touches } else { &cause.subjects };
    Group {
        class: cause.class.name(),
        owner: if let [one] = cause.subjects.as_slice() { one.clone() } else { String::new() },
        kind: cause.first.first().map_or(String::new(), |&i| changes[i].kind.replace('-', " ")),
        what: cause.what.clone(),
        count: cause.changes.len(),
        place,
        shows: shows.clone(),
        help: cause.help.to_owned(),
        // A changed Semantics section is more than a change of words.
        is_prose: cause.is_prose && !cause.changes.iter().any(|&i| changes[i].kind == "semantics"),
    }
}

fn entry(s: &mut String, change: &Change, cause: &Cause, layout: Layout) {
    let color = layout.color;
    let code = match change.class {
        Class::WireBreaking => "1;31",
        Class::Narrowed => "33",
        Class::Widened => "32",
        Class::TextOnly | Class::Overlay => "2",
    };
    let class = paint(&format!("{:<13}", change.class.name()), code, color);
    let what = change.detail();
    // The kind of a text change already describes its subject.
    let words = ["semantics", "description", "notes", "examples", "prose", "text", "index"].contains(&change.kind);
    let (what, kind) = match (what.is_empty(), words) {
        (true, _) => (String::new(), change.kind.replace('-', " ")),
        (false, true) => (String::new(), what.to_owned()),
        (false, false) => (format!("{what}: "), change.kind.replace('-', " ")),
    };
    let _ = write!(s, "  {class}  {what}");
    match (&change.old, &change.new) {
        (Some(old), Some(new)) if old.value.len() + new.value.len() + what.len() + kind.len() + 24 < layout.width => {
            let _ = writeln!(s, "{kind} {} -> {}", old.value, new.value);
        }
        (Some(old), Some(new)) => {
            let (a, b) = excerpt(&old.value, &new.value);
            let _ = writeln!(s, "{kind}");
            wrapped(s, layout, "- ", &a, color.then_some("31"));
            wrapped(s, layout, "+ ", &b, color.then_some("32"));
        }
        (one, other) => {
            let Some(side) = one.as_ref().or(other.as_ref()) else { return };
            let done = kind.ends_with("added") || kind.ends_with("removed");
            let verb = match (done, one.is_some()) {
                (true, _) => "",
                (false, true) => " removed",
                (false, false) => " added",
            };
            let value = excerpt(&side.value, "").0;
            match value.len() + what.len() + kind.len() + 30 < layout.width {
                true => {
                    let _ = writeln!(s, "{kind}{verb}: {value}");
                }
                false => {
                    let _ = writeln!(s, "{kind}{verb}");
                    let (sign, code) = if one.is_some() { ("- ", "31") } else { ("+ ", "32") };
                    wrapped(s, layout, sign, &value, color.then_some(code));
                }
            }
        }
    }
    if !change.touches.is_empty() {
        wrapped(s, layout, "for ", &listed(&change.touches), None);
    }
    let place = |side: &Option<Side>| side.as_ref().map(|s| format!("{}:{}", s.file, s.line));
    let places: Vec<String> = [place(&change.old), place(&change.new)].into_iter().flatten().collect();
    let first = if cause.subjects.len() > 1 { "first at " } else { "" };
    wrapped(s, layout, first, &places.join(" -> "), color.then_some("2"));
}

/// Returns the first names, and the number of the others.
fn listed(names: &[String]) -> String {
    match names.len() {
        0..=8 => names.join(", "),
        n => format!("{} and {} more instructions", names[..6].join(", "), n - 6),
    }
}

/// Indentation of an entry's text, below its class.
const INDENT: &str = "                 ";

fn wrapped(s: &mut String, layout: Layout, sign: &str, text: &str, code: Option<&str>) {
    for (n, line) in wrap(text, layout.width.saturating_sub(INDENT.len() + sign.len())).iter().enumerate() {
        let lead = if n == 0 { sign.to_owned() } else { " ".repeat(sign.len()) };
        let text = format!("{lead}{line}");
        let _ = writeln!(s, "{INDENT}{}", code.map_or_else(|| text.clone(), |c| paint(&text, c, true)));
    }
}
