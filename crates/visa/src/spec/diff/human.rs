//! Changes for a person at a terminal: by instruction, the gravest mark first in the eye, both places below.

use std::fmt::Write as _;

use visakit_spec_tools::diff::{Change, Class, Side};

use crate::count;

use super::{Group, detail, excerpt, groups, subject, summary};

pub(super) fn text(changes: &[Change], color: bool) -> String {
    let mut s = String::new();
    let mut last = None;
    let (many, single): (Vec<_>, Vec<_>) = groups(changes).into_iter().partition(|g| g.subjects.len() > 1);
    for group in &single {
        let name = subject(group.first);
        if last != Some(name) {
            let gap = if last.is_some() { "\n" } else { "" };
            let _ = writeln!(s, "{gap}{}", paint(name, "1", color));
            last = Some(name);
        }
        entry(&mut s, group, color);
    }
    if !many.is_empty() {
        let gap = if last.is_some() { "\n" } else { "" };
        let _ = writeln!(s, "{gap}{}", paint("The same in several places", "1", color));
        for group in &many {
            entry(&mut s, group, color);
        }
    }
    let gap = if changes.is_empty() { "" } else { "\n" };
    let _ = match changes.is_empty() {
        true => writeln!(s, "nothing changed"),
        false => writeln!(s, "{gap}{}: {}", count(changes.len(), "change"), summary(changes)),
    };
    s
}

fn entry(s: &mut String, group: &Group<'_>, color: bool) {
    let change = group.first;
    let code = match change.class {
        Class::WireBreaking => "1;31",
        Class::Narrowed => "33",
        Class::Widened => "32",
        Class::TextOnly => "2",
    };
    let class = paint(&format!("{:<13}", change.class.name()), code, color);
    let what = detail(change);
    // Prose says by its place what it is.
    let words = ["semantics", "description", "notes", "examples", "prose", "text", "index"].contains(&change.kind);
    let (what, kind) = match (what.is_empty(), words) {
        (true, _) => (String::new(), change.kind.replace('-', " ")),
        (false, true) => (String::new(), what.to_owned()),
        (false, false) => (format!("{what}: "), change.kind.replace('-', " ")),
    };
    let _ = write!(s, "  {class}  {what}");
    match (&change.old, &change.new) {
        (Some(old), Some(new)) if old.value.len() + new.value.len() + what.len() < 70 => {
            let _ = writeln!(s, "{kind} {} -> {}", old.value, new.value);
        }
        (Some(old), Some(new)) => {
            let (a, b) = excerpt(&old.value, &new.value);
            let _ = writeln!(s, "{kind}");
            wrapped(s, "- ", &a, color.then_some("31"));
            wrapped(s, "+ ", &b, color.then_some("32"));
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
            match value.len() + what.len() < 60 {
                true => {
                    let _ = writeln!(s, "{kind}{verb}: {value}");
                }
                false => {
                    let _ = writeln!(s, "{kind}{verb}");
                    let (sign, code) = if one.is_some() { ("- ", "31") } else { ("+ ", "32") };
                    wrapped(s, sign, &value, color.then_some(code));
                }
            }
        }
    }
    if group.subjects.len() > 1 {
        wrapped(s, "in ", &group.subjects.join(", "), None);
    }
    if !change.touches.is_empty() {
        wrapped(s, "for ", &listed(&change.touches), None);
    }
    let place = |side: &Option<Side>| side.as_ref().map(|s| format!("{}:{}", s.file, s.line));
    let places: Vec<String> = [place(&change.old), place(&change.new)].into_iter().flatten().collect();
    let first = if group.subjects.len() > 1 { "first at " } else { "" };
    let _ = writeln!(s, "{INDENT}{}", paint(&format!("{first}{}", places.join(" -> ")), "2", color));
}

/// The first names, and how many there are.
fn listed(names: &[String]) -> String {
    match names.len() {
        0..=8 => names.join(", "),
        n => format!("{} and {} more instructions", names[..6].join(", "), n - 6),
    }
}

/// Where the text of an entry begins, below its class.
const INDENT: &str = "                 ";

fn wrapped(s: &mut String, sign: &str, text: &str, code: Option<&str>) {
    let mut line = String::new();
    let mut lead = sign.to_owned();
    let flush = |s: &mut String, lead: &str, line: &str| {
        let text = format!("{lead}{line}");
        let _ = writeln!(s, "{INDENT}{}", code.map_or_else(|| text.clone(), |c| paint(&text, c, true)));
    };
    for word in text.split_whitespace() {
        if !line.is_empty() && line.chars().count() + word.chars().count() > 90 {
            flush(s, &lead, &line);
            lead = " ".repeat(sign.len());
            line.clear();
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    flush(s, &lead, &line);
}

fn paint(text: &str, code: &str, color: bool) -> String {
    if color { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
}
