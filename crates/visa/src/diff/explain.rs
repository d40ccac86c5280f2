//! Root causes of findings.
//!
//! This program was built from the pages that it carries. When other pages are probed, an edit
//! between the two sets of pages may explain a finding. A finding that no edit explains is a defect
//! of the implementation.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use visakit_codegen::model::Model;
use visakit_conform::{Finding, own_model};
use visakit_diag::Diagnostic;
use visakit_spec_tools::diff::{self, Cause as Edit, Change, Class};

use crate::groups::Group;
use crate::spec::platforms;

/// Root cause of findings: an edit of the pages, or a defect of the implementation.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Cause {
    id: usize,
    /// Class of the edit, as in `visa spec diff`, or [`IMPLEMENTATION`].
    pub(super) class: &'static str,
    /// Code of most findings of the cause.
    code: &'static str,
    what: String,
    file: String,
    line: u32,
    /// Number of facts that fail because of this cause.
    pub(super) facts: usize,
    /// Instructions, lists and structures of these facts.
    instructions: Vec<String>,
    help: String,
}

/// Advice for making the implementation follow pages that it was not built from.
const FOLLOW: &str = "build from these pages";

/// Class of findings that no edit explains.
const IMPLEMENTATION: &str = "implementation";

/// Returns the causes, most severe first, and the index of the cause of each finding. Findings that
/// an edit explains are moved to the line of the edit.
pub(super) fn causes(findings: &mut [Finding], model: &Model) -> (Vec<Cause>, Vec<usize>) {
    if findings.is_empty() {
        return (Vec::new(), Vec::new());
    }
    let (own, _) = own_model();
    let changes = diff::diff(&own, model, &platforms());
    let edits = diff::causes(&changes);
    let mut edit_of = vec![0; changes.len()];
    for (n, edit) in edits.iter().enumerate() {
        edit.changes.iter().for_each(|&i| edit_of[i] = n);
    }
    let searched: Vec<Searched<'_>> = changes.iter().map(Searched::new).collect();
    // Defects of the implementation sort before the edits, which keep their order.
    let mut members: BTreeMap<(bool, usize, &'static str, String), Vec<usize>> = BTreeMap::new();
    for (n, finding) in findings.iter_mut().enumerate() {
        let key = match explaining(finding, &searched) {
            Some(i) => {
                point_at(&mut finding.diagnostic, &changes[i], &own, model);
                (true, edit_of[i], "", String::new())
            }
            None => {
                let code = finding.diagnostic.code;
                let of = if code == "kernel-missing" { String::new() } else { subject(&finding.path) };
                (false, 0, code, of)
            }
        };
        members.entry(key).or_default().push(n);
    }
    let mut causes = Vec::new();
    let mut of = vec![0; findings.len()];
    let mut all: Vec<_> = members.into_iter().collect();
    all.sort_by_key(|((explained, edit, ..), facts)| {
        (*explained, edits.get(*edit).filter(|_| *explained).map(|e| e.class), std::cmp::Reverse(facts.len()), *edit)
    });
    for ((explained, edit, code, _), facts) in all {
        let id = causes.len() + 1;
        facts.iter().for_each(|&n| of[n] = id);
        let first = &findings[facts[0]];
        let instructions = shown_in(facts.iter().map(|&n| findings[n].path.as_str()));
        let place = (first.diagnostic.file.clone(), first.diagnostic.line);
        let (class, what, help) = match (explained, code) {
            (true, _) => {
                let Edit { class, what, help, .. } = &edits[edit];
                // A text-only edit changes what is printed and parsed, and the verdicts on
                // statements that are illegal anyway.
                let help =
                    if *class == Class::TextOnly && !help.starts_with("the Rust name") { FOLLOW } else { help };
                (class.name(), what.clone(), help.to_owned())
            }
            (false, "kernel-missing") => {
                (IMPLEMENTATION, "instructions without a kernel".to_owned(), first.diagnostic.help.clone())
            }
            (false, _) => {
                (IMPLEMENTATION, format!("{code}: {}", first.diagnostic.message), first.diagnostic.help.clone())
            }
        };
        let code = first.diagnostic.code;
        causes.push(Cause {
            id,
            class,
            code,
            what,
            file: place.0,
            line: place.1,
            facts: facts.len(),
            instructions,
            help,
        });
    }
    (causes, of)
}

impl From<Cause> for Group {
    fn from(cause: Cause) -> Self {
        let place = if cause.file.is_empty() { String::new() } else { format!("{}:{}", cause.file, cause.line) };
        Self {
            class: cause.class,
            owner: if let [one] = cause.instructions.as_slice() { one.clone() } else { String::new() },
            kind: cause.code.to_owned(),
            what: cause.what,
            count: cause.facts,
            place,
            shows: cause.instructions,
            help: cause.help,
            is_prose: false,
        }
    }
}

/// Returns the instructions, lists and structures that facts belong to. Opcodes and mnemonics are
/// included only if they belong to nothing else.
fn shown_in<'a>(paths: impl Iterator<Item = &'a str>) -> Vec<String> {
    let all: BTreeSet<String> = paths.map(subject).collect();
    let is_code = |name: &str| name.starts_with("0x");
    let is_mnemonic = |name: &str| {
        let page = name.to_ascii_uppercase();
        page != name && all.contains(&page)
    };
    let named: Vec<String> = all.iter().filter(|name| !is_code(name) && !is_mnemonic(name)).cloned().collect();
    if named.is_empty() { all.into_iter().collect() } else { named }
}

/// Returns the instruction, list or structure that a fact belongs to.
fn subject(path: &str) -> String {
    words(path).next().unwrap_or(path).to_owned()
}

/// Returns the names in the path of a fact.
fn words(path: &str) -> impl Iterator<Item = &str> {
    const KINDS: [&str; 6] = ["predefined", "Data_type", "platform", "attribute", "input", "mnemonic"];
    let all = path.split(['.', '=', '@', '[', ']', ':', '*', ' ']).filter(|word| !word.is_empty());
    all.filter(|word| !KINDS.contains(word))
}

/// Change with the words that facts use for its subject.
struct Searched<'a> {
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
            let related = same_line
                || subject
                || touched && (fits || value)
                || value && fits
                || fits && (same_file || at.file.is_empty());
            let exact = s.change.kind == at.code.rsplit_once('-').map_or(at.code, |(what, _)| what);
            let score =
                [(same_line, 60), (subject, 40), (touched, 20), (value, 15), (fits, 25), (exact, 10), (same_file, 5)];
            let score = score.iter().filter(|(holds, _)| *holds).map(|(_, n)| n).sum::<usize>() + inside * 12;
            // If two changes explain a finding equally well, the more severe one wins.
            related.then_some((score, std::cmp::Reverse((s.change.class, i))))
        });
    scored.max().map(|(_, std::cmp::Reverse((_, i)))| i)
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
            starts(&["enumerator", "part", "bits", "values", "list", "text"])
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
        "predefined" => starts(&["variable", "surface", "sampler", "type", "range"]),
        "across" | "rule" => starts(&["rule", "limit", "cell"]),
        "attribute" => starts(&["attribute", "range", "width", "values", "type"]),
        _ => false,
    }
}

/// Moves a finding to the line of an edit: in the new page, or in our own page if the edit removed
/// the line.
fn point_at(finding: &mut Diagnostic, change: &Change, own: &Model, model: &Model) {
    let Some(side) = change.place() else { return };
    if (side.file.as_str(), side.line) == (finding.file.as_str(), finding.line) {
        return;
    }
    let pages = if change.new.is_some() { &model.pages } else { &own.pages };
    let page = pages.iter().find(|page| page.shown == side.file);
    let line = page.and_then(|page| page.text.lines().nth(side.line.checked_sub(1)? as usize)).unwrap_or("");
    let start = line.len() - line.trim_start().len();
    finding.file.clone_from(&side.file);
    *finding = finding.clone().at_line(side.line, line, start, line.trim_end().len().max(start));
}
