//! `visa spec diff`: what changed between two specifications.

mod human;
mod input;
mod markdown;

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::ValueEnum;
use serde_json::json;
use visakit_codegen::model::{Platform as Row, SourceSpan};
use visakit_spec_tools::diff::{Change, Class, Side, diff};

use crate::io::{color, note};
use crate::spec::source::OverlayArg;
use crate::{Findings, Format, Outcome, answer, count, finish, out};
use visakit::isa::Platform;

/// What changed between two specifications: folders, or single pages.
///
/// Changes are found by meaning: reformatting a page changes nothing. A page against a folder is compared with the
/// page of the folder that it would replace. `builtin` stands for the pages in this program. Exit code 1 when anything
/// changed, text included, or what --fail-on names.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  visa spec diff old new
  visa spec diff builtin pages --fail-on wire-breaking,narrowed
  visa spec diff old/ADD.md new/ADD.md --format markdown

With `--format json`, `changes` has `class`, `kind`, `path`, and `old` and `new` with `value`, `file` and `line`.

Exit codes: 0 nothing changed, or nothing of the classes of --fail-on, 1 something did, 2 usage, or a page could not be read")]
pub(crate) struct Args {
    /// The old specification, or one of its pages
    old: PathBuf,
    /// The new specification, or one of its pages
    new: PathBuf,
    #[command(flatten)]
    overlay: OverlayArg,
    /// The classes of changes that give exit code 1; all when left out
    #[arg(long, value_name = "CLASS", value_delimiter = ',', value_parser = Class::ALL.map(Class::name))]
    fail_on: Vec<String>,
    /// How changes are reported
    #[arg(long, value_enum, default_value_t)]
    format: DiffFormat,
}

/// How changes are reported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum DiffFormat {
    /// Text for a person.
    #[default]
    Human,
    /// One JSON object on standard output.
    Json,
    /// A document: a table by class.
    Markdown,
}

pub(super) fn run(args: Args) -> Outcome {
    let format = if args.format == DiffFormat::Json { Format::Json } else { Format::Human };
    finish(compare(&args), format)
}

fn compare(args: &Args) -> Result<Outcome, Findings> {
    let sides = input::read(&args.old, &args.new, &args.overlay)?;
    for (path, findings) in [(&args.old, sides.findings[0]), (&args.new, sides.findings[1])] {
        if findings > 0 {
            let (path, findings) = (path.display(), count(findings, "finding"));
            note(&format!("note: {path}: {findings} in the pages; `visa spec lint {path}` shows them"));
        }
    }
    let mut changes = diff(&sides.old, &sides.new, &platforms());
    if let Some(scope) = &sides.scope {
        let inside = |side: &Option<Side>| side.as_ref().is_some_and(|s| scope.contains(&s.file));
        changes.retain(|c| inside(&c.old) || inside(&c.new));
    }
    match args.format {
        DiffFormat::Human => out(&human::text(&changes, color(&std::io::stdout()))),
        DiffFormat::Json => answer(&[], json!({ "changes": changes })),
        DiffFormat::Markdown => {
            let title = (args.old.display().to_string(), args.new.display().to_string());
            out(&markdown::text(&changes, (&title.0, &title.1)));
        }
    }
    let fails = |change: &Change| args.fail_on.is_empty() || args.fail_on.contains(&change.class.name().to_owned());
    Ok(if changes.iter().any(fails) { Outcome::Found } else { Outcome::Done })
}

/// The platforms of this build, for documents that have no table of them.
fn platforms() -> Vec<Row> {
    let row = |p: &Platform| Row {
        name: p.name().to_owned(),
        aliases: p.aliases().iter().map(|a| (*a).to_owned()).collect(),
        gen_codes: Vec::new(),
        families: Vec::new(),
        register_bytes: 0,
        at: SourceSpan::default(),
    };
    Platform::ALL.iter().map(row).collect()
}

/// `3 wire-breaking, 1 narrowed, 0 widened, 12 text-only`.
fn summary(changes: &[Change]) -> String {
    let count = |class| changes.iter().filter(|c| c.class == class).count();
    Class::ALL.map(|class| format!("{} {}", count(class), class.name())).join(", ")
}

/// The instruction, structure, list or chapter of a change.
fn subject(change: &Change) -> &str {
    change.path.split('.').next().unwrap_or(&change.path)
}

/// What changed inside the subject; nothing where it is the subject itself.
fn detail(change: &Change) -> &str {
    change.path.get(subject(change).len() + 1..).unwrap_or("")
}

/// The same change of several subjects, with the subjects in order.
struct Group<'a> {
    first: &'a Change,
    subjects: Vec<&'a str>,
}

/// Puts equal changes of at least three subjects together; the others stay alone.
fn groups(changes: &[Change]) -> Vec<Group<'_>> {
    type Key<'a> = (Class, &'a str, &'a str, Option<&'a str>, Option<&'a str>);
    fn key(c: &Change) -> Key<'_> {
        let (old, new) = (c.old.as_ref().map(|s| s.value.as_str()), c.new.as_ref().map(|s| s.value.as_str()));
        (c.class, c.kind, detail(c), old, new)
    }
    let mut all: BTreeMap<Key<'_>, Vec<usize>> = BTreeMap::new();
    for (i, change) in changes.iter().enumerate() {
        all.entry(key(change)).or_default().push(i);
    }
    let mut out: Vec<(usize, Group<'_>)> = Vec::new();
    for members in all.into_values() {
        if members.len() >= 3 && !detail(&changes[members[0]]).is_empty() {
            let subjects = members.iter().map(|&i| subject(&changes[i])).collect();
            out.push((members[0], Group { first: &changes[members[0]], subjects }));
        } else {
            out.extend(
                members.into_iter().map(|i| (i, Group { first: &changes[i], subjects: vec![subject(&changes[i])] })),
            );
        }
    }
    out.sort_by_key(|(i, _)| *i);
    out.into_iter().map(|(_, group)| group).collect()
}

/// The words that differ with a few words around them, and an ellipsis for the rest.
fn excerpt(old: &str, new: &str) -> (String, String) {
    const AROUND: usize = 6;
    const MOST: usize = 40;
    let (a, b): (Vec<&str>, Vec<&str>) = (old.split_whitespace().collect(), new.split_whitespace().collect());
    let front = a.iter().zip(&b).take_while(|(x, y)| x == y).count();
    let rest = a.len().min(b.len()) - front;
    let back = a.iter().rev().zip(b.iter().rev()).take(rest).take_while(|(x, y)| x == y).count();
    let cut = |words: &[&str]| {
        let start = front.saturating_sub(AROUND);
        let end = (words.len() - back + AROUND).min(words.len());
        let end_shown = end.min(start + MOST);
        let mut text = words[start..end_shown].join(" ");
        if start > 0 {
            text.insert_str(0, "… ");
        }
        if end_shown < words.len() {
            text.push_str(" …");
        }
        text
    };
    (cut(&a), cut(&b))
}
