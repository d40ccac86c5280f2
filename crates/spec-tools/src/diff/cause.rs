//! Changes grouped by their causes: one edit of a page often changes many facts, and many pages
//! often have the same edit. The groups are in the order in which a reader of a new revision needs
//! them.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::change::{Change, Class, Side};

/// Edit of one page, or equal edits of several pages, with the resulting changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Cause {
    /// Most severe class of the edit's changes.
    pub class: Class,
    /// Short description of the edit.
    pub what: String,
    /// Old place of the edit's first change; `None` if the subject is new.
    pub old: Option<Location>,
    /// New place of the edit's first change; `None` if the subject was removed.
    pub new: Option<Location>,
    /// Edited instructions, lists, structures or chapters.
    pub subjects: Vec<String>,
    /// Instructions that use the changed shared list.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub touches: Vec<String>,
    /// Advice to the user.
    pub help: &'static str,
    /// Positions of the edit's changes in the list of all changes.
    #[serde(skip)]
    pub changes: Vec<usize>,
    /// Changes of the first subject; those of the others are equal.
    #[serde(skip)]
    pub first: Vec<usize>,
    /// True if only prose without facts changed.
    #[serde(skip)]
    pub is_prose: bool,
}

/// Line of a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Location {
    /// Path of the page, as in diagnostics.
    pub file: String,
    /// Line number, from 1.
    pub line: u32,
}

/// Groups changes by their causes, most severe and most frequent first.
pub fn causes(changes: &[Change]) -> Vec<Cause> {
    let mut alike: BTreeMap<Vec<Signature<'_>>, Vec<Vec<usize>>> = BTreeMap::new();
    for edit in edits(changes) {
        alike.entry(edit.iter().map(|&i| Signature::of(&changes[i])).collect()).or_default().push(edit);
    }
    let mut out = Vec::new();
    let mut words: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for same in alike.into_values() {
        let first = same[0].clone();
        if same.len() == 1 && first.iter().all(|&i| changes[i].is_prose()) {
            words.entry(changes[first[0]].subject()).or_default().extend(first);
        } else {
            out.push(cause(changes, first, same.concat()));
        }
    }
    // Sentences that changed on a single page form one entry per page.
    out.extend(words.into_values().map(|mut all| {
        all.sort_unstable();
        cause(changes, all.clone(), all)
    }));
    out.sort_by_key(|c| {
        let width = c.subjects.len() + c.touches.len();
        (c.class, c.is_prose, Reverse(width), Reverse(c.changes.len()), c.changes.first().copied())
    });
    out
}

impl Change {
    /// Returns the instruction, structure, list or chapter that changed.
    pub fn subject(&self) -> &str {
        self.path.split('.').next().unwrap_or(&self.path)
    }

    /// Returns the changed detail of the subject; empty for the subject itself.
    pub fn detail(&self) -> &str {
        self.path.get(self.subject().len() + 1..).unwrap_or("")
    }

    /// Returns true if the change is one of prose without facts.
    pub fn is_prose(&self) -> bool {
        matches!(self.kind, "semantics" | "description" | "notes" | "examples" | "index" | "prose")
            || self.kind.starts_with("page-")
    }

    /// Returns the place of the change on the new side, or on the old side if the fact was removed.
    pub fn place(&self) -> Option<&Side> {
        self.new.as_ref().or(self.old.as_ref())
    }

    /// Returns the element that a set lost or gained, if the path ends with it.
    fn element(&self) -> Option<&str> {
        let (_, name) = self.detail().rsplit_once('.')?;
        let has = |side: &Side| {
            side.value.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|w| w.eq_ignore_ascii_case(name))
        };
        let is_set = matches!(self.kind, "type" | "operand-class" | "type-map")
            && matches!(self.class, Class::Narrowed | Class::Widened);
        let said = self.old.as_ref().zip(self.new.as_ref()).is_some_and(|(old, new)| has(old) || has(new));
        (is_set && said).then_some(name)
    }

    /// Returns the table of a change that may concern lines below the table: the fields of a form,
    /// or the columns of a list.
    fn table(&self) -> Option<&'static str> {
        match self.kind {
            "form-added" | "form-removed" | "condition" | "field-added" | "field-removed" | "field-renamed"
            | "order" => Some("fields"),
            "column-added" | "column-removed" => Some("columns"),
            _ => None,
        }
    }
}

/// Groups changes by edited line. Changes of one line on either side belong together, as do those
/// of one page's layout.
fn edits(changes: &[Change]) -> Vec<Vec<usize>> {
    #[derive(PartialEq, Eq, PartialOrd, Ord)]
    enum Key<'a> {
        Table(&'a str, &'a str),
        Line(usize, &'a str, u32, &'a str),
    }
    fn root(of: &mut [usize], mut i: usize) -> usize {
        while of[i] != i {
            of[i] = of[of[i]];
            i = of[i];
        }
        i
    }
    let mut of: Vec<usize> = (0..changes.len()).collect();
    let mut first: BTreeMap<Key<'_>, usize> = BTreeMap::new();
    for (i, change) in changes.iter().enumerate() {
        let subject = change.subject();
        let lines = [&change.old, &change.new].into_iter().enumerate().filter_map(|(side, said)| {
            let said = said.as_ref().filter(|_| !change.is_prose())?;
            Some(Key::Line(side, &said.file, said.line, subject))
        });
        for key in lines.chain(change.table().map(|table| Key::Table(subject, table))) {
            let other = *first.entry(key).or_insert(i);
            let (a, b) = (root(&mut of, other), root(&mut of, i));
            of[a.max(b)] = a.min(b);
        }
    }
    let mut out: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for i in 0..changes.len() {
        out.entry(root(&mut of, i)).or_default().push(i);
    }
    out.into_values().collect()
}

/// Key that is equal for equal edits of different subjects.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Signature<'a> {
    class: Class,
    kind: &'static str,
    detail: &'a str,
    /// Text of both sides; `None` if the detail names what a set lost or gained.
    said: Option<(Option<&'a str>, Option<&'a str>)>,
}

impl<'a> Signature<'a> {
    fn of(change: &'a Change) -> Self {
        fn value(side: Option<&Side>) -> Option<&str> {
            side.map(|side| side.value.as_str())
        }
        let said = change.element().is_none().then(|| (value(change.old.as_ref()), value(change.new.as_ref())));
        Self { class: change.class, kind: change.kind, detail: change.detail(), said }
    }
}

fn cause(changes: &[Change], first: Vec<usize>, all: Vec<usize>) -> Cause {
    let members = || all.iter().map(|&i| &changes[i]);
    let own: Vec<&Change> = first.iter().map(|&i| &changes[i]).collect();
    let gravest = own.iter().min_by_key(|c| c.class).copied().unwrap_or(&changes[all[0]]);
    let mut subjects: Vec<String> = Vec::new();
    let mut touches: Vec<String> = Vec::new();
    let mut known: (BTreeSet<&str>, BTreeSet<&str>) = Default::default();
    for change in members() {
        if known.0.insert(change.subject()) {
            subjects.push(change.subject().to_owned());
        }
        touches.extend(change.touches.iter().filter(|name| known.1.insert(name)).cloned());
    }
    let location = |side: &Option<Side>| side.as_ref().map(|s| Location { file: s.file.clone(), line: s.line });
    Cause {
        class: gravest.class,
        what: what(&own, subjects.len() > 1),
        old: location(&gravest.old),
        new: location(&gravest.new),
        subjects,
        touches,
        help: help(gravest),
        is_prose: members().all(Change::is_prose),
        changes: all,
        first,
    }
}

/// Describes the changes of one subject. With several subjects, their names are printed separately.
fn what(own: &[&Change], several: bool) -> String {
    if own.iter().all(|change| change.is_prose()) {
        let mut kinds: Vec<&str> = own.iter().map(|change| change.kind).collect();
        kinds.dedup();
        let subject =
            own.first().filter(|_| !several).map_or(String::new(), |change| format!("{}: ", change.subject()));
        return subject + &kinds.join(", ").replace('-', " ");
    }
    let mut places: Vec<(String, Vec<String>)> = Vec::new();
    for change in own {
        let element = change.element();
        let path = match element {
            Some(name) => {
                change.path.strip_suffix(name).map_or(change.path.as_str(), |path| path.trim_end_matches('.'))
            }
            None => change.path.as_str(),
        };
        let path =
            if several { path.get(change.subject().len()..).unwrap_or("").trim_start_matches('.') } else { path };
        let words = match element {
            Some(name) => format!("{}{name}", if change.class == Class::Narrowed { '-' } else { '+' }),
            None => said(change),
        };
        if places.last().is_none_or(|(last, _)| last != path) {
            places.push((path.to_owned(), Vec::new()));
        }
        let kind = change.kind.replace('-', " ");
        let Some((_, all)) = places.last_mut() else { continue };
        let words = match (element, all.last()) {
            (Some(_), Some(last)) if last.starts_with(&kind) => words,
            _ => format!("{kind} {words}").trim_end().to_owned(),
        };
        // Print a removal and an addition to the same set once.
        if !all.contains(&words) {
            match element.and(all.last_mut()) {
                Some(last) => *last += &format!(" {words}"),
                None => all.push(words),
            }
        }
    }
    let more = places.len().saturating_sub(MOST_PLACES);
    let shown = places.into_iter().take(MOST_PLACES).map(|(path, words)| {
        let colon = if path.is_empty() { "" } else { ": " };
        format!("{path}{colon}{}", words.join(", "))
    });
    let mut text = shown.collect::<Vec<_>>().join("; ");
    if more > 0 {
        text += &format!("; and {more} more");
    }
    text
}

/// Maximum number of places to list per page.
const MOST_PLACES: usize = 3;
/// Maximum number of quoted characters per side.
const MOST_SAID: usize = 40;

/// Quotes both sides, or the region around the first difference of long texts. For prose, reports
/// only that it changed.
fn said(change: &Change) -> String {
    let value = |side: &Option<Side>| Some(side.as_ref()?.value.split_whitespace().collect::<Vec<_>>().join(" "));
    let done = change.kind.ends_with("added") || change.kind.ends_with("removed");
    match (value(&change.old), value(&change.new)) {
        _ if change.is_prose() && !done => String::new(),
        (Some(old), Some(new)) => {
            let same = old.chars().zip(new.chars()).take_while(|(a, b)| a == b).count();
            let from =
                if old != new && old.len().max(new.len()) > MOST_SAID { same.saturating_sub(BEFORE) } else { 0 };
            format!("{} -> {}", part(&old, from), part(&new, from))
        }
        (Some(value), None) | (None, Some(value)) if done => part(&value, 0),
        (Some(value), None) => format!("removed: {}", part(&value, 0)),
        (None, Some(value)) => format!("added: {}", part(&value, 0)),
        (None, None) => String::new(),
    }
}

/// Number of quoted characters before a difference.
const BEFORE: usize = 10;

fn part(text: &str, from: usize) -> String {
    let mut out = String::from(if from > 0 { "…" } else { "" });
    out.extend(text.chars().skip(from).take(MOST_SAID));
    out + if text.chars().count() > from + MOST_SAID { "…" } else { "" }
}

/// Returns the advice for a change.
fn help(change: &Change) -> &'static str {
    match (change.kind, change.class) {
        (_, Class::Overlay) => "the overlay corrects one side only: give its entry the facts of both revisions",
        ("semantics", _) => "check with `visa diff` whether the kernels implement the new behaviour",
        ("instruction-added", _) => "build from these pages; `visa diff` names the missing kernel",
        ("instruction-removed", Class::Narrowed) => {
            "restore the page in the overlay if objects still contain the instruction, or delete its kernel"
        }
        (kind, Class::TextOnly) if kind.ends_with("-renamed") => {
            "the Rust name changes: the compiler reports each use, and kernels need no other change"
        }
        ("text", _) => "texts are read or printed differently: compare with what the vendor's assembler accepts",
        ("rule" | "rule-added" | "rule-removed" | "limit", _) => {
            "verdicts change: compare with what the vendor's assembler rejects"
        }
        ("cell", _) => "the meaning of a value changes, and with it verdicts and results of the emulator",
        (_, Class::WireBreaking) => {
            "older objects are read differently: if both encodings exist, limit each to its versions on the page"
        }
        (_, Class::Narrowed) => "a legal form becomes illegal: `visa verify` shows which of your texts use it",
        (_, Class::Widened) => "legal forms stay legal; kernels may need the new case",
        (_, Class::TextOnly) => "encodings and verdicts stay the same",
    }
}
