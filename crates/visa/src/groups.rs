//! Human-readable report of a comparison: the totals first, then the causes of the findings. Causes
//! are sorted by severity, each with its count, its place and what to do.

use crate::outcome::count;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Findings with one cause.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    /// Class of the cause. Groups of one class are adjacent.
    pub(crate) class: &'static str,
    /// Page or list that the cause belongs to; empty if there are several.
    pub(crate) owner: String,
    /// Kind of the cause, such as `enumerator renamed`.
    pub(crate) kind: String,
    /// Short description of the cause.
    pub(crate) what: String,
    /// Number of findings.
    pub(crate) count: usize,
    /// Location of the cause; empty if it has none.
    pub(crate) place: String,
    /// Names of the affected items; empty if there is only one.
    pub(crate) shows: Vec<String>,
    /// Advice on what to do.
    pub(crate) help: String,
    /// True if groups of this kind are only counted.
    pub(crate) is_prose: bool,
}

/// Layout of a report.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    /// Width of a line in columns.
    pub(crate) width: usize,
    pub(crate) color: bool,
}

/// Maximum number of causes shown per class.
const SHOWN: usize = 8;
/// Maximum number of pages with text-only changes that are listed one by one.
const FEW: usize = 2;
/// Minimum number of causes of one page that are merged if space is short.
const TOGETHER: usize = 3;
/// Indentation of the lines below a cause, in columns.
const INDENT: usize = 8;

/// Returns a one-screen summary of the groups. The last lines of a class count the groups that are
/// not shown.
pub(crate) fn summary(groups: &[Group], layout: Layout) -> String {
    let mut s = String::new();
    let mut rest = groups;
    while let Some(first) = rest.first() {
        let size = rest.iter().take_while(|group| group.class == first.class).count();
        let (own, others) = rest.split_at(size);
        rest = others;
        let title = paint(first.class, style(first.class), layout.color);
        let _ = writeln!(s, "\n{title}: {}", count(own.len(), "cause"));
        let (words, facts): (Vec<Group>, Vec<Group>) = own.iter().cloned().partition(|group| group.is_prose);
        let facts = if facts.len() > SHOWN { folded(facts) } else { facts };
        let mut said: Vec<&str> = Vec::new();
        for group in facts.iter().take(SHOWN) {
            row(&mut s, group, &mut said, layout);
        }
        if let Some(more) = facts.len().checked_sub(SHOWN).filter(|more| *more > 0) {
            let total = facts[SHOWN..].iter().map(|group| group.count).sum();
            line(&mut s, total, &format!("in {more} more; --details shows all"), layout);
        }
        if words.len() <= FEW {
            words.iter().for_each(|group| row(&mut s, group, &mut said, layout));
        } else {
            let total = words.iter().map(|group| group.count).sum();
            let names: Vec<String> = words.iter().flat_map(|group| group.shows.clone()).collect();
            let names = listed(&names, layout.width.saturating_sub(INDENT + 24));
            line(&mut s, total, &format!("only in prose: {names}"), layout);
        }
    }
    s
}

/// Merges the groups of a page if it has many, because there is no space for each.
fn folded(groups: Vec<Group>) -> Vec<Group> {
    let mut by_owner: BTreeMap<String, Vec<Group>> = BTreeMap::new();
    let mut out = Vec::new();
    for group in groups {
        match group.owner.is_empty() {
            true => out.push(group),
            false => by_owner.entry(group.owner.clone()).or_default().push(group),
        }
    }
    for (owner, all) in by_owner {
        if all.len() < TOGETHER {
            out.extend(all);
            continue;
        }
        let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
        all.iter().for_each(|group| *kinds.entry(group.kind.as_str()).or_default() += 1);
        let kinds: Vec<String> = kinds.iter().map(|(kind, n)| format!("{kind} {n}")).collect();
        let what = format!("{owner}: {}: {}", count(all.len(), "cause"), kinds.join(", "));
        out.push(Group { what, count: all.iter().map(|g| g.count).sum(), ..all[0].clone() });
    }
    out.sort_by_key(|group| Reverse((group.shows.len(), group.count)));
    out
}

/// Appends a cause: its count and description, its place and affected items, and its advice unless
/// `said` ends with the same advice.
fn row<'a>(s: &mut String, group: &'a Group, said: &mut Vec<&'a str>, layout: Layout) {
    line(s, group.count, &group.what, layout);
    let mut below = |text: &str| {
        let text = format!("{:INDENT$}{}", "", cut(text, layout.width - INDENT));
        let _ = writeln!(s, "{}", paint(&text, "2", layout.color));
    };
    if !group.place.is_empty() {
        below(&short(&group.place, layout.width - INDENT));
    }
    if group.shows.len() > 1 {
        below(&format!("in {}", listed(&group.shows, layout.width - INDENT - 3)));
    }
    if !group.help.is_empty() && !said.contains(&group.help.as_str()) {
        said.push(&group.help);
        wrap(&format!("do: {}", group.help), layout.width - INDENT).iter().for_each(|text| below(text));
    }
}

fn line(s: &mut String, count: usize, text: &str, layout: Layout) {
    let lines = wrap(text, layout.width - INDENT);
    for (n, text) in lines.iter().take(2).enumerate() {
        let lead = if n == 0 { format!("{count:>6}  ") } else { " ".repeat(INDENT) };
        let more = if n == 1 && lines.len() > 2 { " …" } else { "" };
        let _ = writeln!(s, "{lead}{}", cut(&format!("{text}{more}"), layout.width - INDENT));
    }
}

/// Returns the names that fit into `width` columns and the number of the others.
pub(crate) fn listed(names: &[String], width: usize) -> String {
    let mut text = String::new();
    for (n, name) in names.iter().enumerate() {
        let more = format!(" and {} more", names.len() - n);
        if n > 0 && text.chars().count() + name.chars().count() + 2 + more.len() > width {
            return text + &more;
        }
        text += if n > 0 { ", " } else { "" };
        text += name;
    }
    text
}

/// Wraps a text into lines of at most `width` characters. Longer words stay whole.
pub(crate) fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let last = lines.len() - 1;
        let free = lines[last].is_empty() || lines[last].chars().count() + 1 + word.chars().count() <= width;
        match free {
            true if lines[last].is_empty() => lines[last].push_str(word),
            true => lines[last] += &format!(" {word}"),
            false => lines.push(word.to_owned()),
        }
    }
    lines
}

/// Truncates a text to `width` characters.
fn cut(text: &str, width: usize) -> String {
    match text.chars().count() <= width {
        true => text.to_owned(),
        false => text.chars().take(width.saturating_sub(1)).chain(['…']).collect(),
    }
}

/// Shortens a place at its front, because its end identifies it.
fn short(place: &str, width: usize) -> String {
    let length = place.chars().count();
    match length <= width {
        true => place.to_owned(),
        false => ['…'].into_iter().chain(place.chars().skip(length + 1 - width)).collect(),
    }
}

fn style(class: &str) -> &'static str {
    match class {
        "wire-breaking" | "implementation" => "1;31",
        "narrowed" => "1;33",
        "widened" => "1;32",
        _ => "1",
    }
}

pub(crate) fn paint(text: &str, code: &str, color: bool) -> String {
    if color { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(class: &'static str, n: usize) -> Group {
        Group {
            class,
            owner: String::new(),
            kind: "enumerator renamed".to_owned(),
            what: format!(
                "Some_list_with_a_name.0b{n:04b}: enumerator renamed something_long -> something_else_that_is_long"
            ),
            count: n,
            place: "/a/folder/with/a/long/name/and/more/folders/in/it/that/do/not/end/lists.md:7".to_owned(),
            shows: (0..40).map(|i| format!("INSTRUCTION_{i}")).collect(),
            help: "do something about it that takes more words than the line has columns, as one does".to_owned(),
            is_prose: false,
        }
    }

    #[test]
    fn lines_fit_and_nothing_is_lost_silently() {
        let mut groups: Vec<Group> = (0..20).map(|n| group("narrowed", n)).collect();
        groups.extend((0..3).map(|n| Group { is_prose: true, ..group("text-only", n) }));
        for width in [60, 80, 120] {
            let text = summary(&groups, Layout { width, color: false });
            assert!(text.lines().all(|line| line.chars().count() <= width), "{width}:\n{text}");
            assert!(text.starts_with("\nnarrowed: 20 causes\n"), "{text}");
            assert!(text.contains("  in 12 more; --details shows all\n"), "{text}");
            assert_eq!(text.matches("do: ").count(), 1, "the same is said once:\n{text}");
            assert!(text.contains("in INSTRUCTION_0, INSTRUCTION_1") && text.contains(" more"), "{text}");
            assert!(text.contains("lists.md:7\n"), "the end of a place is kept:\n{text}");
            assert!(!text.contains('\x1b'));
        }
        assert!(summary(&groups, Layout { width: 80, color: true }).contains("\x1b[1;33mnarrowed\x1b[0m"));
    }
}
