//! Overlays: corrections of the vendor's documents, as data, so that they give the facts of our
//! pages.
//!
//! An entry names a place (see [`crate::places`]), the wrong facts of the documents, the right
//! ones, and a reason. The right facts come from the page in the overlay's folder, and an entry
//! that disagrees with the page is an error. Thus the repeated fact is always checked.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use crate::anatomy::Anatomy;
use crate::model::{Model, Page};
use crate::places::places;
use crate::{check, folder, read, resolve, specification};
use visakit_diag::{Diagnostic, Severity};

mod apply;
mod parse;

/// Overlay with its specification.
#[derive(Clone, Debug)]
pub struct Overlay {
    /// Entries in order.
    pub entries: Vec<Entry>,
    /// Specification in the overlay's folder.
    pub base: Model,
    shown: String,
    text: String,
}

/// Correction.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Subject of the correction.
    pub path: FactPath,
    /// Wrong facts.
    pub old: BTreeSet<String>,
    /// Right facts that are missing.
    pub new: BTreeSet<String>,
    /// Facts that are right in an older revision; they are kept.
    pub kept: BTreeSet<String>,
    /// Reason of the correction.
    pub reason: String,
    start: usize,
    end: usize,
}

/// Subject of a correction.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FactPath {
    /// A page that the documents lack, by its path in the folder.
    Page(String),
    /// A group of facts, with its name in [`crate::places`].
    Facts(String),
}

/// Outcome of an entry for a specification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// The entry was applied.
    Applied,
    /// The documents are already right.
    Already,
    /// The revision rightly has other facts, or has no such page.
    Kept,
    /// The documents have neither the old facts nor the new ones.
    Neither,
}

/// Reads an overlay and the specification in its folder.
///
/// # Errors
///
/// The file that could not be read, and the reason.
pub fn read_overlay(file: &Path) -> Result<(Overlay, Vec<Diagnostic>), (PathBuf, io::Error)> {
    read_overlay_or(file, Model::default)
}

/// Reads an overlay and the specification in its folder; `otherwise` supplies the specification if
/// the folder has none.
///
/// # Errors
///
/// The file that could not be read, and the reason.
pub fn read_overlay_or(
    file: &Path,
    otherwise: impl FnOnce() -> Model,
) -> Result<(Overlay, Vec<Diagnostic>), (PathBuf, io::Error)> {
    let text = folder::read_page(file).map_err(|e| (file.to_owned(), e))?;
    let shown = file.display().to_string();
    if parse::entries(&text, &shown, &mut Vec::new()).is_empty() {
        // An empty overlay needs no pages for comparison.
        return Ok(overlay_of(text, shown, Model::default()));
    }
    let folder = match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    // Any folder may contain an overlay; only a specification is read as a whole.
    let (pages, _, _) = specification::load_with_links(folder, 1)?;
    let is_specification = specification::says_something(folder, &read::read_pages(pages, None).0).is_ok();
    let base = if is_specification { specification::read_dir(folder)?.0 } else { otherwise() };
    Ok(overlay_of(text, shown, base))
}

/// Parses an overlay in memory, with its specification; `shown` is its name in messages.
pub fn overlay_of(mut text: String, shown: String, base: Model) -> (Overlay, Vec<Diagnostic>) {
    read::skip_mark(&mut text);
    let mut diagnostics = Vec::new();
    let entries = parse::entries(&text, &shown, &mut diagnostics);
    if entries.is_empty() {
        let message = "the overlay has no corrections";
        let help = "write `### PLACE` with a block of `- wrong` and `+ right` facts, or `### page PATH`";
        let first = text.lines().next().map_or(0, str::len);
        let finding = Diagnostic::new("overlay-empty", Severity::Error, shown.as_str(), message);
        diagnostics.push(finding.at_text(&text, 0, first).help(help));
    }
    let overlay = Overlay { entries, base, shown, text };
    apply::check(&overlay, &mut diagnostics);
    (overlay, diagnostics)
}

/// Reads a specification folder and corrects it. Also returns the outcome of each entry.
#[expect(clippy::type_complexity, reason = "the result of read_dir with one more element")]
pub fn read_dir_with(
    dir: &Path,
    overlay: &Overlay,
) -> Result<(Model, Vec<Diagnostic>, Vec<Use>), (PathBuf, io::Error)> {
    let (pages, files, links) = specification::load_with_links(dir, usize::MAX)?;
    let plain = pages.iter().any(|p| !matches!(p.path.as_str(), "README.md" | "upstream-overlay.md"));
    let (mut read, none) = (corrected(pages, Some(files), overlay), Model::default());
    // Pages that the overlay adds do not count as pages of the folder.
    specification::says_something(dir, if plain { &read.0 } else { &none })?;
    read.1.extend(links);
    Ok(read)
}

/// Corrects a specification whose pages are in memory, in any order.
pub fn read_texts_with(mut pages: Vec<Page>, overlay: &Overlay) -> (Model, Vec<Diagnostic>, Vec<Use>) {
    pages.sort_by(|a, b| a.path.cmp(&b.path));
    corrected(pages, None, overlay)
}

fn corrected(
    mut pages: Vec<Page>,
    files: Option<BTreeSet<String>>,
    overlay: &Overlay,
) -> (Model, Vec<Diagnostic>, Vec<Use>) {
    let mut uses = vec![Use::Neither; overlay.entries.len()];
    apply::pages(overlay, &mut pages, &mut uses);
    let (mut model, mut diagnostics) = read::read_pages(pages, files);
    apply::facts(overlay, &mut model, &mut diagnostics, &mut uses);
    resolve::names(&mut model);
    model.anatomy = Anatomy::find(&model).ok();
    check::model(&model, &mut diagnostics);
    visakit_diag::sort(&mut diagnostics);
    (model, diagnostics, uses)
}

/// Reads a specification folder for a build. A folder without its own overlay is the vendor's and
/// is corrected. Unneeded entries are not reported.
pub fn read_to_build(dir: &Path, overlay: &Path) -> Result<(Model, Vec<Diagnostic>), (PathBuf, io::Error)> {
    let own = overlay.file_name().is_none_or(|name| dir.join(name).exists());
    if own {
        return specification::read_dir(dir);
    }
    let (overlay, mut diagnostics) = read_overlay(overlay)?;
    let (model, found, _) = read_dir_with(dir, &overlay)?;
    diagnostics.extend(found.into_iter().filter(|d| d.severity != Severity::Note));
    Ok((model, diagnostics))
}

/// Returns the missing entries in the overlay's notation, with their reasons left blank.
pub fn draft(model: &Model, overlay: &Overlay) -> String {
    let (ours, theirs) = (places(&overlay.base), places(model));
    let names: BTreeSet<&String> = ours.keys().chain(theirs.keys()).collect();
    let none = BTreeSet::new();
    let mut out = String::new();
    for name in names {
        let (right, wrong) = (ours.get(name).unwrap_or(&none), theirs.get(name).unwrap_or(&none));
        if right == wrong {
            continue;
        }
        out.push_str(&format!("### {name}\n\n```\n"));
        wrong.difference(right).for_each(|line| out.push_str(&format!("- {line}\n")));
        right.difference(wrong).for_each(|line| out.push_str(&format!("+ {line}\n")));
        out.push_str("```\n\n");
    }
    out
}

/// Reports entries that no specification needed.
pub fn unused(overlay: &Overlay, uses: &[Vec<Use>]) -> Vec<Diagnostic> {
    let needed = |i: usize| uses.iter().any(|u| u.get(i) == Some(&Use::Applied));
    let idle = overlay.entries.iter().enumerate().filter(|(i, _)| !needed(*i));
    idle.map(|(_, entry)| {
        overlay.report(
            entry,
            Severity::Error,
            "overlay-unused",
            "no revision of the documents needs this entry",
            "remove it",
        )
    })
    .collect()
}

impl Overlay {
    /// Places a finding of an entry at the line of one of its facts, if the entry has that line.
    fn at_line(&self, finding: Diagnostic, entry: &Entry, sign: &str, fact: &str) -> Diagnostic {
        let mut start = entry.end;
        for line in self.text[entry.end..].split_inclusive('\n').take_while(|line| !line.starts_with("##")) {
            if !sign.is_empty() && line.strip_prefix(sign).is_some_and(|rest| rest.trim_end() == fact) {
                return finding.at_text(&self.text, start, start + line.trim_end().len());
            }
            start += line.len();
        }
        finding
    }

    fn report(
        &self,
        entry: &Entry,
        severity: Severity,
        code: &'static str,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Diagnostic {
        Diagnostic::new(code, severity, self.shown.as_str(), message)
            .at_text(&self.text, entry.start, entry.end)
            .help(help)
    }
}
