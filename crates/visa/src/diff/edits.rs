//! Edits between the built-in pages and the probed pages, and the edit that each finding follows
//! from.

use std::cmp::Reverse;

use visakit_codegen::model::Model;
use visakit_conform::Finding;
use visakit_diag::Diagnostic;
use visakit_spec_tools::diff::{self, Cause as Edit, Change, Class, Hunk};

use super::at_whole_line;
use crate::spec::platforms;

/// Source of findings. Defects of the implementation sort before edits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Source {
    /// Defect of the implementation: the code of the findings, and their subject.
    Defect(&'static str, String),
    /// Edit with a meaning, by its number.
    Edit(usize),
    /// Edited lines without a meaning, by their number.
    Hunk(usize),
}

/// Edits between two sets of pages.
pub(super) struct Edits {
    changes: Vec<Change>,
    pub(super) edits: Vec<Edit>,
    /// Edit of each change. Changes on the same edited lines have the same edit.
    of: Vec<usize>,
    /// Edited line of each edit, if it has changes.
    places: Vec<Option<(String, u32)>>,
    hunks: Vec<Hunk>,
}

/// Maximum number of lines of an edit whose changes belong together.
const ONE_EDIT: usize = 2;

impl Edits {
    /// Compares the built-in pages with the probed ones.
    pub(super) fn new(own: &Model, model: &Model) -> Self {
        let changes = diff::diff(own, model, &platforms());
        let edits = diff::causes(&changes);
        let hunks = diff::hunks(own, model);
        let mut of = vec![0; changes.len()];
        for (n, edit) in edits.iter().enumerate() {
            edit.changes.iter().for_each(|&i| of[i] = n);
        }
        for hunk in &hunks {
            let is_small = hunk.old.len() <= ONE_EDIT && hunk.new.len() <= ONE_EDIT;
            let inside = |i: &usize| hunks.len() == 1 || is_small && hunk.has(&changes[*i]);
            let all: Vec<usize> = (0..changes.len()).filter(inside).map(|i| of[i]).collect();
            // The edits are sorted by severity, so the first is the most severe.
            if let Some(first) = all.iter().min().copied() {
                of.iter_mut().filter(|edit| all.contains(edit)).for_each(|edit| *edit = first);
            }
        }
        let places = (0..edits.len()).map(|edit| place(edit, &changes, &of, &hunks)).collect();
        Self { changes, edits, of, places, hunks }
    }

    /// Returns the changes with the words that facts use for their subjects.
    pub(super) fn searched(&self) -> Vec<Searched<'_>> {
        self.changes.iter().map(Searched::new).collect()
    }

    /// Returns the sort key of a source: defects first, then edits by severity.
    pub(super) fn class(&self, source: &Source) -> (u8, Option<Class>) {
        match source {
            Source::Defect(..) => (0, None),
            Source::Edit(edit) => (1, Some(self.edits[*edit].class)),
            Source::Hunk(_) => (2, None),
        }
    }

    /// Describes an edit, and counts the other changes on its lines.
    pub(super) fn what(&self, edit: usize) -> String {
        let own = &self.edits[edit];
        let merged = self.of.iter().filter(|of| **of == edit).count();
        match merged.saturating_sub(own.changes.len()) {
            0 => own.what.clone(),
            more => format!("{}; and {more} more on this line", own.what),
        }
    }

    /// Returns the edit that a finding follows from, if there is any edit.
    pub(super) fn source(&self, finding: &Finding, searched: &[Searched<'_>]) -> Option<Source> {
        if self.hunks.is_empty() {
            return None;
        }
        let found = match self.hunks.len() {
            1 => explaining(finding, searched).or((!self.changes.is_empty()).then_some(0)),
            _ => explaining(finding, searched),
        };
        found.map(|i| Source::Edit(self.of[i])).or_else(|| self.nearest(finding))
    }

    /// Returns the edit that is nearest to a finding: on the same page, on a page that shows the
    /// finding, or the first.
    fn nearest(&self, finding: &Finding) -> Option<Source> {
        let at = &finding.diagnostic;
        let distance = |(n, hunk): &(usize, &Hunk)| {
            let (file, line) = hunk.place();
            let shows = finding.pages.iter().any(|name| file.ends_with(&format!("/{name}.md")));
            (file != at.file, !shows, line.abs_diff(at.line), *n)
        };
        let (n, hunk) = self.hunks.iter().enumerate().min_by_key(distance)?;
        let change = self.changes.iter().position(|change| !change.is_prose() && hunk.has(change));
        Some(change.map_or(Source::Hunk(n), |i| Source::Edit(self.of[i])))
    }

    /// Moves a finding to the line of an edit: in the new page, or in our own page if the edit
    /// removed the line.
    pub(super) fn point_at(&self, finding: &mut Diagnostic, source: &Source, own: &Model, model: &Model) {
        let place = match source {
            Source::Defect(..) => None,
            Source::Edit(edit) => self.places[*edit].clone(),
            Source::Hunk(n) => self.hunks.get(*n).map(|hunk| (hunk.place().0.to_owned(), hunk.place().1)),
        };
        let Some((file, line)) = place.filter(|place| *place != (finding.file.clone(), finding.line)) else { return };
        let moved = Diagnostic { file, ..finding.clone() };
        *finding = at_whole_line(moved, line, model.pages.iter().chain(&own.pages));
    }
}

/// Returns the names in the path of a fact.
pub(super) fn words(path: &str) -> impl Iterator<Item = &str> {
    const KINDS: [&str; 6] = ["predefined", "Data_type", "platform", "attribute", "input", "mnemonic"];
    let all = path.split(['.', '=', '@', '[', ']', ':', '*', ' ']).filter(|word| !word.is_empty());
    all.filter(|word| !KINDS.contains(word))
}

/// Returns the edited line of an edit: that of its most severe change on an edited line. Other
/// changes may concern unedited lines, such as the description of a removed field.
fn place(edit: usize, changes: &[Change], of: &[usize], hunks: &[Hunk]) -> Option<(String, u32)> {
    let all = changes.iter().zip(of).filter(|(_, of)| **of == edit).map(|(change, _)| change);
    let (change, is_inside) = all
        .map(|change| (change, hunks.iter().any(|hunk| hunk.has(change))))
        .min_by_key(|(change, is_inside)| (!is_inside, change.is_prose(), change.class))?;
    if let (false, [hunk]) = (is_inside, hunks) {
        let (file, line) = hunk.place();
        return Some((file.to_owned(), line));
    }
    change.place().map(|side| (side.file.clone(), side.line))
}

/// Change with the words that facts use for its subject.
pub(super) struct Searched<'a> {
    change: &'a Change,
    words: Vec<String>,
    /// Old and new value, if they are names or numbers.
    values: Vec<String>,
}

impl<'a> Searched<'a> {
    fn new(change: &'a Change) -> Self {
        let lower = |text: &str| text.to_ascii_lowercase();
        let sides = change.old.iter().chain(&change.new);
        let values = sides.flat_map(|side| side.value.split([' ', ',', '=', ':', '[', '('])).filter(|v| v.len() > 1);
        Self { change, words: words(&change.path).map(lower).collect(), values: values.map(lower).collect() }
    }

    /// Returns true if the change concerns a page: the page itself, or one that uses the changed
    /// list.
    fn covers(&self, page: &str) -> bool {
        self.change.subject() == page || self.change.touches.iter().any(|touched| touched == page)
    }
}

/// Returns the index of the change that best explains a finding, if any.
fn explaining(finding: &Finding, all: &[Searched<'_>]) -> Option<usize> {
    let path: Vec<String> = words(&finding.path).map(str::to_ascii_lowercase).collect();
    let at = &finding.diagnostic;
    let scored = all
        .iter()
        .enumerate()
        .filter(|(_, s)| !s.change.is_prose() || at.code == "behaviour" && fits(at.code, s.change.kind))
        .filter_map(|(i, s)| {
            let place = s.change.place();
            let same_file = place.is_some_and(|side| side.file == at.file);
            let same_line = same_file && place.is_some_and(|side| side.line == at.line);
            let subject = s.words.first().is_some_and(|word| path.contains(word));
            let touched =
                path.first().is_some_and(|word| s.change.touches.iter().any(|t| t.eq_ignore_ascii_case(word)));
            let value = path.iter().any(|word| s.values.contains(word));
            let inside = s.words.iter().skip(1).filter(|word| path.contains(word)).count();
            let fits = fits(at.code, s.change.kind);
            let shown = finding.pages.iter().any(|page| s.covers(page));
            let only_there = shown && finding.pages.iter().all(|page| s.covers(page));
            let related = same_line
                || subject
                || only_there
                || shown && (fits || value)
                || touched && (fits || value)
                || value && fits
                || fits && (same_file || at.file.is_empty());
            let exact = s.change.kind == at.code.rsplit_once('-').map_or(at.code, |(what, _)| what);
            let score = [
                (same_line, 60),
                (subject, 40),
                (only_there, 30),
                (shown, 10),
                (touched, 20),
                (value, 15),
                (fits, 25),
                (exact, 10),
                (same_file, 5),
            ];
            let score = score.iter().filter(|(holds, _)| *holds).map(|(_, n)| n).sum::<usize>() + inside * 12;
            // If two changes explain a finding equally well, the more severe one wins.
            related.then_some((score, Reverse((s.change.class, i))))
        });
    scored.max().map(|(_, Reverse((_, i)))| i)
}

/// Returns true if a change of `kind` can cause findings with `code`.
fn fits(code: &str, kind: &str) -> bool {
    let starts = |all: &[&str]| all.iter().any(|one| kind.starts_with(one));
    let what = code.rsplit_once('-').map_or(code, |(what, _)| what);
    match what {
        "platform" => starts(&["platform"]),
        "type-map" => starts(&["type-map", "type", "platform", "width"]),
        "type" => starts(&["type", "platform", "width"]),
        "data-type" | "data" => starts(&["type", "width"]),
        "class" => starts(&["operand-class"]),
        "range" | "zero" => starts(&["range"]),
        "only" => starts(&["enumerator", "platform"]),
        "mask" => starts(&["cell"]),
        "behaviour" => starts(&["semantics"]),
        "column" | "execution" => starts(&["cell", "column", "limit"]),
        "saturation" | "modifier" => starts(&["property"]),
        "text" | "mnemonic" | "alias" => starts(&["text", "enumerator", "part", "instruction", "variable"]),
        "opcode" | "sub-opcode" | "sub" | "instruction" | "kernel" => starts(&["opcode", "instruction", "kind"]),
        "enumerator" | "reserved" | "declaration" => {
            starts(&["enumerator", "part", "bits", "values", "list", "text", "cell"])
        }
        "field" | "presence" | "layout" | "encoded" | "repeat" | "value" | "member" | "form" | "copy"
        | "structure" => starts(&[
            "order",
            "width",
            "type",
            "field",
            "form",
            "presence",
            "condition",
            "bits",
            "values",
            "part",
            "structure",
        ]),
        "predefined" => starts(&["variable", "surface", "sampler", "type", "range", "enumerator", "cell"]),
        "across" | "rule" => starts(&["rule", "limit", "cell"]),
        "attribute" => starts(&["attribute", "range", "width", "values", "type"]),
        _ => false,
    }
}
