//! Specification that a command reads: the pages in this program or a folder, optionally corrected
//! by an overlay.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use visakit_codegen::model::{Model, Page};
use visakit_codegen::overlay::{self, Overlay, Use};
use visakit_diag::Diagnostic;

use super::revision::{self, Tree, is_revision};
use crate::io::read_text;
use crate::report::problem;

/// Argument that stands for the pages or the overlay in this program.
pub(crate) const BUILTIN: &str = "builtin";

/// Option for an overlay that corrects a specification.
#[derive(Debug, clap::Args)]
pub(crate) struct OverlayArg {
    /// Overlay that corrects the folders first; `builtin` is the overlay for the vendor's documents
    #[arg(long, value_name = "FILE|builtin")]
    pub(crate) overlay: Option<PathBuf>,
}

/// Returns true if a path stands for the pages in this program.
pub(crate) fn is_builtin(path: &Path) -> bool {
    path.as_os_str() == BUILTIN
}

/// Returns the pages of a folder, which may be in a revision, and the paths of its files.
///
/// # Errors
/// Fails if the folder cannot be read.
pub(super) fn load(dir: &Path) -> Result<(Vec<Page>, BTreeSet<String>), Box<Diagnostic>> {
    if is_revision(dir) { at_revision(dir) } else { visakit_codegen::load(dir).map_err(unread) }
}

/// Returns true if a path names a whole specification: a folder, the pages in this program, or a
/// folder in a revision.
///
/// # Errors
/// Fails if the revision cannot be read.
pub(crate) fn is_folder(path: &Path) -> Result<bool, Box<Diagnostic>> {
    if is_revision(path) {
        return Ok(matches!(revision::read(path)?, Tree::Folder(..)));
    }
    Ok(path.is_dir() || is_builtin(path))
}

/// Returns the pages of a folder in a revision, with the paths of its files.
fn at_revision(path: &Path) -> Result<(Vec<Page>, BTreeSet<String>), Box<Diagnostic>> {
    match revision::read(path)? {
        Tree::Folder(pages, files) => Ok((pages, files)),
        Tree::Page(_) => {
            let found = problem("git-path", path, "this is a page, not the folder of a specification");
            Err(found.help("name the folder, such as `git:main:spec`").into())
        }
    }
}

/// Reads a text file, or a page in a revision.
///
/// # Errors
/// Fails if it cannot be read.
pub(super) fn read_page(path: &Path) -> Result<String, Box<Diagnostic>> {
    if !is_revision(path) {
        return read_text(path);
    }
    match revision::read(path)? {
        Tree::Page(text) => Ok(text),
        Tree::Folder(..) => Err(problem("git-path", path, "this is a folder, not a page").into()),
    }
}

/// Reads a specification and returns its model and findings. Without a folder, the pages in this
/// program are read.
///
/// # Errors
/// Fails if the folder or the overlay cannot be read.
pub(crate) fn read(dir: Option<&Path>, overlay: &OverlayArg) -> Result<(Model, Vec<Diagnostic>), Box<Diagnostic>> {
    let Some((overlay, mut findings)) = read_overlay(overlay)? else {
        return match dir.filter(|dir| !is_builtin(dir)) {
            None => Ok(visakit_conform::own_model()),
            Some(dir) if is_revision(dir) => {
                let (pages, files) = at_revision(dir)?;
                Ok(visakit_codegen::read_placed(pages, Some(files)))
            }
            Some(dir) => visakit_codegen::read_dir(dir).map_err(unread),
        };
    };
    let (model, found, _) = corrected(dir, &overlay)?;
    findings.extend(found);
    Ok((model, findings))
}

/// Reads the overlay that the user named. Returns the overlay with its findings.
///
/// # Errors
/// Fails if the overlay cannot be read.
pub(super) fn read_overlay(overlay: &OverlayArg) -> Result<Option<(Overlay, Vec<Diagnostic>)>, Box<Diagnostic>> {
    match overlay.overlay.as_deref() {
        None => Ok(None),
        Some(file) if is_builtin(file) => {
            let text = visakit::sources::OVERLAY.to_owned();
            let (base, _) = visakit_conform::own_model();
            Ok(Some(overlay::overlay_of(text, "spec/upstream-overlay.md".to_owned(), base)))
        }
        Some(file) => overlay::read_overlay_or(file, || visakit_conform::own_model().0).map(Some).map_err(unread),
    }
}

/// Reads a specification and corrects it. Also returns how each entry of the overlay was used.
///
/// # Errors
/// Fails if the folder cannot be read.
pub(super) fn corrected(
    dir: Option<&Path>,
    overlay: &Overlay,
) -> Result<(Model, Vec<Diagnostic>, Vec<Use>), Box<Diagnostic>> {
    match dir.filter(|dir| !is_builtin(dir)) {
        None => Ok(overlay::read_texts_with(visakit_conform::own_pages().collect(), overlay)),
        Some(dir) if is_revision(dir) => Ok(overlay::read_texts_with(at_revision(dir)?.0, overlay)),
        Some(dir) => overlay::read_dir_with(dir, overlay).map_err(unread),
    }
}

fn unread((path, error): (PathBuf, std::io::Error)) -> Box<Diagnostic> {
    if error.kind() == io::ErrorKind::InvalidData {
        return problem("file-text", &path, "is no text").into();
    }
    let found = problem("file-read", &path, format!("cannot be read: {error}"));
    found.help("name the folder of a specification, or leave it out for the built-in pages").into()
}
