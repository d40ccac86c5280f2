//! An overlay: corrections of somebody else's documents, as data, so that they give the facts of
//! our pages.
//!
//! An entry names a place (see [`crate::places`]), the facts that the documents have there, those
//! that are right, and why. What is right stands on our page: the overlay's folder is where it is
//! taken from, and an entry that says something else than the page is an error. So no fact is
//! written a second time without being checked.

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

/// An overlay and the specification that it belongs to.
#[derive(Clone, Debug)]
pub struct Overlay {
    /// The entries in order.
    pub entries: Vec<Entry>,
    /// The specification in whose folder it stands.
    pub base: Model,
    shown: String,
    text: String,
}

/// A correction.
#[derive(Clone, Debug)]
pub struct Entry {
    /// What is corrected.
    pub path: FactPath,
    /// Facts that are wrong.
    pub old: BTreeSet<String>,
    /// Facts that are right, and missing.
    pub new: BTreeSet<String>,
    /// Facts of an older revision that are as they should be there: they are left alone.
    pub kept: BTreeSet<String>,
    /// Why.
    pub reason: String,
    start: usize,
    end: usize,
}

/// What an entry corrects.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FactPath {
    /// A page that the documents lack: path below the folder.
    Page(String),
    /// A group of facts, as [`crate::places`] names it.
    Facts(String),
}

/// What became of an entry in a specification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// It was needed.
    Applied,
    /// The documents are right by now.
    Already,
    /// The revision has other facts there, and rightly so; or it has no such page.
    Kept,
    /// Neither the old facts nor the new ones are there.
    Neither,
}

/// Reads an overlay and the specification in its folder. The error is the file that could not be
/// read and why.
pub fn read_overlay(file: &Path) -> Result<(Overlay, Vec<Diagnostic>), (PathBuf, io::Error)> {
    read_overlay_or(file, Model::default)
}

/// Reads an overlay and the specification in its folder, or takes another one where the folder has
/// none. The error is the file that could not be read and why.
pub fn read_overlay_or(
    file: &Path,
    otherwise: impl FnOnce() -> Model,
) -> Result<(Overlay, Vec<Diagnostic>), (PathBuf, io::Error)> {
    let text = folder::read_page(file).map_err(|e| (file.to_owned(), e))?;
    let shown = file.display().to_string();
    if parse::entries(&text, &shown, &mut Vec::new()).is_empty() {
        // Nothing is compared with pages.
        return Ok(overlay_of(text, shown, Model::default()));
    }
    let folder = match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    // Any folder may have an overlay in it; only a specification is read as a whole.
    let (pages, _, _) = specification::load_with_links(folder, 1)?;
    let is_specification = specification::says_something(folder, &read::read_pages(pages, None).0).is_ok();
    let base = if is_specification { specification::read_dir(folder)?.0 } else { otherwise() };
    Ok(overlay_of(text, shown, base))
}

/// Reads an overlay that is at hand, with the specification that it belongs to; `shown` is its name
/// in messages.
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

/// Reads a specification folder and corrects it. What became of each entry comes with it.
#[expect(clippy::type_complexity, reason = "the same as read_dir, and one thing more")]
pub fn read_dir_with(
    dir: &Path,
    overlay: &Overlay,
) -> Result<(Model, Vec<Diagnostic>, Vec<Use>), (PathBuf, io::Error)> {
    let (pages, files, links) = specification::load_with_links(dir, usize::MAX)?;
    let plain = pages.iter().any(|p| !matches!(p.path.as_str(), "README.md" | "upstream-overlay.md"));
    let (mut read, none) = (corrected(pages, Some(files), overlay), Model::default());
    // Pages that the overlay adds are none of the folder.
    specification::says_something(dir, if plain { &read.0 } else { &none })?;
    read.1.extend(links);
    Ok(read)
}

/// Corrects a specification that is at hand as pages, in whatever order.
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

/// Reads a specification folder as a build does: one that has no overlay of its own is the
/// vendor's, and is corrected. Entries that it does not need are left unsaid.
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

/// The entries that would be needed beside those that are there, in the overlay's notation; their
/// reasons are left to be written.
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

/// Entries that none of the specifications needed: the overlay says more than it must.
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
    /// A finding of an entry at the line of one of its facts, where it has that.
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
