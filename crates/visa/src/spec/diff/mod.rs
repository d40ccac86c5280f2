//! Command `visa spec diff`: compares two specifications.

mod findings;
mod human;
mod input;
mod markdown;

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::ValueEnum;
use serde::Serialize;
use visakit_spec_tools::diff::{Cause, Change, Class, KINDS, Side, causes, diff, set_apart};

use crate::accept::{Accepted, AcceptedUse};
use crate::io::{layout, note, out};
use crate::outcome::{Outcome, OutputFormat, count};
use crate::report::sarif::{self, Notes};
use crate::report::{Findings, answer, finish, report};
use crate::spec::platforms;
use crate::spec::source::OverlayArg;
use crate::summary;

/// Compare two specifications: folders, or single pages.
///
/// The comparison is by meaning: reformatting a page is not a change. The report begins with
/// totals, followed by the edits that caused the changes, most severe first. If one side is a page
/// and the other a folder, the page is compared with the page of the folder that it would replace.
/// `builtin` stands for the built-in pages, and `git:REV:PATH` for a path in a revision of the git
/// repository around the working folder. The exit code is 1 if anything changed, text included;
/// --fail-on limits this to some classes.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  visa spec diff old new
  visa spec diff git:main:spec spec             compare with a revision of the repository
  visa spec diff builtin pages --fail-on wire-breaking,narrowed
  visa spec diff old/ADD.md new/ADD.md --format markdown
  visa spec diff old spec --format github     annotate the lines of the new pages
  visa spec diff git:main:spec spec --accept accepted.toml --summary \"$GITHUB_STEP_SUMMARY\"

With `--format json`, `changes` has `class`, `kind`, `path`, `old` and `new` with `value`, `file` and `line`, and the number of \
its `cause`; `causes` has `id`, `class`, `what`, `old` and `new`, `subjects`, `touches`, `changes` and `help`.

Exit codes: 0 nothing changed (in the classes of --fail-on), 1 something changed, 2 usage, or a page could not be read")]
pub(crate) struct Args {
    /// The old specification, or one of its pages
    old: PathBuf,
    /// The new specification, or one of its pages
    new: PathBuf,
    #[command(flatten)]
    overlay: OverlayArg,
    /// Classes of changes that give exit code 1 [default: all]
    #[arg(long, value_name = "CLASS", value_delimiter = ',', value_parser = Class::ALL.map(Class::name))]
    fail_on: Vec<String>,
    /// Accepted changes, which do not count: a TOML file of entries `[[accept]]` with `path`,
    /// `reason` and optionally `kind`
    #[arg(long, value_name = "FILE")]
    accept: Option<PathBuf>,
    /// Append a Markdown summary to a file, such as $GITHUB_STEP_SUMMARY
    #[arg(long, value_name = "FILE")]
    summary: Option<PathBuf>,
    /// Show each change with its old and new value
    #[arg(long)]
    details: bool,
    /// How changes are reported
    #[arg(long, value_enum, default_value_t)]
    format: DiffFormat,
}

/// Report format of a comparison.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum DiffFormat {
    /// Text for a person.
    #[default]
    Human,
    /// A JSON object on standard output.
    Json,
    /// A document with one table per class.
    Markdown,
    /// The changes as annotations of a GitHub workflow.
    Github,
    /// The changes as SARIF 2.1.0.
    Sarif,
}

impl DiffFormat {
    /// Returns the format of findings that end the command.
    fn output(self) -> OutputFormat {
        match self {
            Self::Human | Self::Markdown => OutputFormat::Human,
            Self::Json => OutputFormat::Json,
            Self::Github => OutputFormat::Github,
            Self::Sarif => OutputFormat::Sarif,
        }
    }
}

pub(super) fn run(args: Args) -> Outcome {
    finish(compare(&args), args.format.output())
}

fn compare(args: &Args) -> Result<Outcome, Findings> {
    let accepted = Accepted::read(args.accept.as_deref(), &|kind| KINDS.contains(&kind))?;
    let sides = input::read(&args.old, &args.new, &args.overlay)?;
    for (path, findings) in [(&args.old, sides.findings[0]), (&args.new, sides.findings[1])] {
        if findings > 0 {
            let (path, findings) = (path.display(), count(findings, "finding"));
            note(&format!("note: {path}: {findings} in the pages; `visa spec lint {path}` lists them"));
        }
    }
    let mut changes = diff(&sides.old, &sides.new, &platforms());
    if let Some(documents) = &sides.documents {
        let documents = diff(&documents.old, &documents.new, &platforms());
        set_apart(&mut changes, &documents, &sides.ours);
    }
    if let Some(scope) = &sides.scope {
        let inside = |side: &Option<Side>| side.as_ref().is_some_and(|s| scope.contains(&s.file));
        changes.retain(|c| inside(&c.old) || inside(&c.new));
    }
    changes.retain(|change| accepted.reason(change.kind, &change.path).is_none());
    let (uses, unused) = (accepted.uses(), accepted.unused());
    let causes = causes(&changes);
    let marked = || findings::of(&changes, &causes).into_iter().chain(unused.clone()).collect::<Vec<_>>();
    let document = || {
        let title = (args.old.display().to_string(), args.new.display().to_string());
        markdown::text(&changes, &causes, (&title.0, &title.1)) + &summary::accepted(&uses)
    };
    match args.format {
        DiffFormat::Human => out(&human::text(&changes, &causes, args.details, layout())),
        DiffFormat::Json => answer(&unused, Answer::new(&changes, &causes, &uses)),
        DiffFormat::Github => report(&marked(), OutputFormat::Github),
        DiffFormat::Sarif => sarif::print(&marked(), Notes::Stand, BTreeMap::new()),
        DiffFormat::Markdown => out(&document()),
    }
    if matches!(args.format, DiffFormat::Human | DiffFormat::Markdown) {
        let times: usize = uses.iter().map(|used| used.times).sum();
        if times > 0 {
            note(&format!("note: {} accepted by {}", count(times, "change"), count(uses.len(), "--accept rule")));
        }
        report(&unused, OutputFormat::Human);
    }
    if let Some(file) = &args.summary {
        summary::append(file, &document())?;
    }
    let fails = |change: &Change| match args.fail_on.as_slice() {
        [] => change.class != Class::Overlay,
        classes => classes.iter().any(|class| class == change.class.name()),
    };
    Ok(if changes.iter().any(fails) { Outcome::Found } else { Outcome::Done })
}

/// JSON report: changes with their causes.
#[derive(Serialize)]
struct Answer<'a> {
    causes: Vec<CauseEntry<'a>>,
    changes: Vec<ChangeEntry<'a>>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    accepted: &'a [AcceptedUse],
}

#[derive(Serialize)]
struct CauseEntry<'a> {
    id: usize,
    #[serde(flatten)]
    cause: &'a Cause,
    changes: usize,
}

#[derive(Serialize)]
struct ChangeEntry<'a> {
    #[serde(flatten)]
    change: &'a Change,
    cause: usize,
}

impl<'a> Answer<'a> {
    fn new(changes: &'a [Change], causes: &'a [Cause], accepted: &'a [AcceptedUse]) -> Self {
        let mut of = vec![0; changes.len()];
        for (id, cause) in (1..).zip(causes) {
            cause.changes.iter().for_each(|&i| of[i] = id);
        }
        let entry = |(id, cause): (usize, &'a Cause)| CauseEntry { id, cause, changes: cause.changes.len() };
        Self {
            causes: (1..).zip(causes).map(entry).collect(),
            changes: changes.iter().zip(of).map(|(change, cause)| ChangeEntry { change, cause }).collect(),
            accepted,
        }
    }
}

/// Formats the counts: `3 wire-breaking, 1 narrowed, 0 widened, 12 text-only`.
fn totals(changes: &[Change]) -> String {
    let count = |class| changes.iter().filter(|c| c.class == class).count();
    let (documents, overlay): (Vec<Class>, Vec<Class>) =
        Class::ALL.into_iter().partition(|class| *class != Class::Overlay);
    let documents = documents.into_iter().map(|class| format!("{} {}", count(class), class.name()));
    let overlay = overlay.into_iter().filter(|class| count(*class) > 0);
    let overlay = overlay.map(|class| format!("{} where the overlay corrects one side only", count(class)));
    documents.chain(overlay).collect::<Vec<_>>().join(", ")
}

/// Returns the differing words of both texts with some context; ellipses replace the rest.
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
