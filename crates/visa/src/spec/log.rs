//! Command `visa spec log`: the history of the facts of a name.

use std::path::{Path, PathBuf};

use serde::Serialize;
use visakit_codegen::model::Model;
use visakit_diag::Diagnostic;
use visakit_spec_tools::diff::{Change, diff};
use visakit_spec_tools::export::export;

use super::source::{self, OverlayArg};
use super::{platforms, revision, show};
use crate::io::{layout, out};
use crate::outcome::{Outcome, OutputFormat, count};
use crate::progress::Bar;
use crate::report::{Findings, answer, finish};

/// Show when each fact of a name appeared and changed.
///
/// The first part lists the changes over the git revisions of the pages, newest first. The second
/// part lists what the pages themselves state: the versions and platforms of facts, and the sources
/// with the date or version since which they have a fact.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  visa spec log GATHER                 an instruction
  visa spec log Exec_size              a list
  visa spec log dg2 --limit 10         a platform, in the last ten revisions of its page
  visa spec log ADD --spec pages       pages at another path of the repository

With `--format json`, `revisions` has `revision`, `date`, `title` and `changes`, and `stated` has `file`, `line`, `text`, \
and optionally `since` and `sources`.

Exit codes: 0 shown, 1 the word is not known, 2 usage, or a page could not be read")]
pub(crate) struct Args {
    /// An instruction, a list, a type, a platform or another word of the pages
    #[arg(value_name = "NAME")]
    name: String,
    /// Path of the pages in the repository around the working folder
    #[arg(long, value_name = "DIR", default_value = "spec")]
    spec: PathBuf,
    /// Revision to begin with
    #[arg(long, value_name = "REV", default_value = "HEAD")]
    revision: String,
    /// Maximum number of revisions of the page
    #[arg(long, value_name = "NUMBER", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    limit: u32,
    /// How it is shown
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
}

/// Revision that changed the name.
#[derive(Debug, Serialize)]
pub(super) struct Entry {
    pub(super) revision: String,
    pub(super) date: String,
    pub(super) title: String,
    pub(super) changes: Vec<Change>,
}

/// Statement of a page about versions, platforms or sources.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
struct Stated {
    file: String,
    line: u32,
    text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    since: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    sources: Vec<String>,
}

pub(super) fn run(args: Args) -> Outcome {
    finish(log(&args), args.format)
}

fn log(args: &Args) -> Result<Outcome, Findings> {
    let (model, _) = read(&args.revision, &args.spec)?;
    let (subject, page) = subject(&model, args.name.trim())?;
    let file = args.spec.join(&page);
    let entries = entries(&args.revision, &args.spec, &file, args.limit, &|change| is_about(change, &subject))?;
    let stated = stated(&model, &subject, &page);
    match args.format {
        OutputFormat::Json => answer(&[], serde_json::json!({ "revisions": entries, "stated": stated })),
        OutputFormat::Human => out(&human(&args.name, &entries, &stated)),
        OutputFormat::Github | OutputFormat::Sarif => {}
    }
    Ok(Outcome::Done)
}

/// Returns the last revisions of a file or folder that changed facts, newest first, with the
/// changes that `keep` selects.
///
/// # Errors
/// git is missing, or the revision does not exist.
pub(super) fn entries(
    from: &str,
    spec: &Path,
    file: &Path,
    limit: u32,
    keep: &dyn Fn(&Change) -> bool,
) -> Result<Vec<Entry>, Box<Diagnostic>> {
    let revisions = revision::log(from, file, limit)?;
    let mut bar = Bar::new("revisions", revisions.len() as u64);
    let before = revision::before(&revisions, limit, file)?;
    // The pages of a broken revision are read as far as possible; a revision without pages has no
    // facts.
    let pages = |revision: Option<&str>| -> Model {
        revision.and_then(|revision| read(revision, spec).ok()).map(|(model, _)| model).unwrap_or_default()
    };
    let name = |n: usize| revisions.get(n).map(|one| one.revision.as_str());
    let mut entries = Vec::new();
    let mut new = pages(name(0));
    for (n, one) in revisions.iter().enumerate() {
        let old = pages(name(n + 1).or(before.as_deref()));
        let mut changes = diff(&old, &new, &platforms());
        changes.retain(|change| keep(change));
        if !changes.is_empty() {
            let (revision, date, title) = (one.revision.clone(), one.date.clone(), one.title.clone());
            entries.push(Entry { revision, date, title, changes });
        }
        new = old;
        bar.show(n as u64 + 1, revisions.len() as u64);
    }
    bar.clear();
    Ok(entries)
}

fn read(revision: &str, spec: &Path) -> Result<(Model, Vec<Diagnostic>), Box<Diagnostic>> {
    let operand = PathBuf::from(format!("git:{revision}:{}", spec.display()));
    source::read(Some(&operand), &OverlayArg { overlay: None })
}

/// Returns the names of changes that concern a word, in the order of likelihood, and the page that
/// defines the word.
fn subject(model: &Model, word: &str) -> Result<(Vec<String>, String), Box<Diagnostic>> {
    let all = export(model);
    let mnemonics = visakit_codegen::mnemonics(model);
    let groups = show::find::find(&all, &mnemonics, word);
    let Some(first) = groups.first() else {
        return Err(Box::new(show::unknown(word, &show::find::words(&all, &mnemonics))));
    };
    let mut names = Vec::new();
    for hit in first {
        match hit {
            show::find::Hit::Enumerator { list, enumerator } => {
                names.push(format!("{}.{}", list.name, enumerator.name));
                names.push(format!("{}.0b{:b}", list.name, enumerator.value));
            }
            hit => names.push(hit.name().to_owned()),
        }
    }
    Ok((names, first[0].place().file.clone()))
}

/// Returns true if a change concerns one of the names.
fn is_about(change: &Change, names: &[String]) -> bool {
    let path = change.path.to_ascii_lowercase();
    names.iter().any(|name| {
        let name = name.to_ascii_lowercase();
        let whole = path == name || path.starts_with(&format!("{name}."));
        whole || path.split(['.', ' ']).any(|word| word == name)
    })
}

/// Returns the lines of a page that limit facts of the subject to versions or platforms, and the
/// rows with a source.
fn stated(model: &Model, names: &[String], path: &str) -> Vec<Stated> {
    let mut out = Vec::new();
    let is_named = |text: &str| {
        text.split(|c: char| !(c.is_alphanumeric() || c == '_'))
            .any(|word| names.iter().any(|name| name.eq_ignore_ascii_case(word)))
    };
    for page in &model.pages {
        let is_own = page.path == path;
        let is_whole = is_own && names.iter().any(|name| page.stem().eq_ignore_ascii_case(name));
        let mut heading = String::new();
        for (line, text) in (1..).zip(page.text.lines()) {
            if text.starts_with('#') {
                heading = text.to_owned();
            }
            let concerns = is_whole || is_named(text) || is_own && is_named(&heading);
            if concerns && has_mark(text) {
                let text = text.trim().to_owned();
                out.push(Stated { file: page.shown.clone(), line, text, since: None, sources: Vec::new() });
            }
        }
    }
    for row in &model.provenance {
        let Some(page) = model.pages.get(row.at.page as usize) else { continue };
        let is_own = page.path == path && names.iter().any(|name| page.stem().eq_ignore_ascii_case(name));
        if !is_own && !is_named(&row.label) && !is_named(&row.section) {
            continue;
        }
        let line = page.text.get(..row.at.start as usize).map_or(0, |text| text.lines().count() as u32);
        let text = if row.section.is_empty() { row.label.clone() } else { format!("{}: {}", row.section, row.label) };
        let (since, sources) = (row.since.clone(), row.sources.clone());
        out.push(Stated { file: page.shown.clone(), line: line.max(1), text, since, sources });
    }
    out.sort();
    out.dedup();
    out
}

/// Returns true if a text has a mark such as `{DG2+}`, `{-PVC}` or `{3.4+}`.
fn has_mark(text: &str) -> bool {
    let mut rest = text;
    while let Some((_, after)) = rest.split_once('{') {
        let Some((mark, next)) = after.split_once('}') else { return false };
        let mark = mark.trim_start_matches('-').trim_end_matches('+');
        let is_name = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || "._-".contains(c);
        if !mark.is_empty() && mark.chars().all(is_name) {
            return true;
        }
        rest = next;
    }
    false
}

fn human(name: &str, entries: &[Entry], stated: &[Stated]) -> String {
    use std::fmt::Write as _;
    let width = layout().width;
    let mut s = format!("{name}: changed in {}\n", count(entries.len(), "revision"));
    for entry in entries {
        let _ = writeln!(s, "\n{} {} {}", entry.date, &entry.revision[..entry.revision.len().min(8)], entry.title);
        for change in &entry.changes {
            let short = |text: &str| {
                let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
                match words.chars().count() > 48 {
                    true => words.chars().take(47).chain(['…']).collect(),
                    false => words,
                }
            };
            let said = match (&change.old, &change.new) {
                (Some(old), Some(new)) if !change.is_prose() => {
                    format!(": {} -> {}", short(&old.value), short(&new.value))
                }
                (None, Some(new)) if !change.is_prose() => format!(": {}", short(&new.value)),
                (Some(old), None) if !change.is_prose() => format!(": {}", short(&old.value)),
                _ => String::new(),
            };
            let text = format!("{} {} {}{said}", change.class.name(), change.kind.replace('-', " "), change.path);
            crate::groups::wrap(&text, width.saturating_sub(4)).iter().enumerate().for_each(|(n, line)| {
                let _ = writeln!(s, "{}{line}", if n == 0 { "  " } else { "    " });
            });
        }
    }
    if !stated.is_empty() {
        s.push_str("\nstated by the pages\n");
    }
    for one in stated {
        let since = one.since.as_ref().map_or(String::new(), |since| format!(", since {since}"));
        let sources = if one.sources.is_empty() { String::new() } else { format!(" ({})", one.sources.join(", ")) };
        let file = one.file.splitn(3, ':').last().unwrap_or(&one.file);
        let _ = writeln!(s, "  {file}:{}: {}{since}{sources}", one.line, one.text);
    }
    s
}

#[cfg(test)]
mod tests {
    use super::has_mark;

    #[test]
    fn marks_are_recognised() {
        for text in ["### CONDITION byte {3.4+}{-4.0}", "{XEHP+}{-MTL}BF", "| a | {ADL-S} |"] {
            assert!(has_mark(text), "{text}");
        }
        for text in ["channels i {", "{it} is saturated", "} else {", "{}"] {
            assert!(!has_mark(text), "{text}");
        }
    }
}
