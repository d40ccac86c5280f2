//! Specification that a command reads: the pages in this program or a folder, optionally corrected
//! by an overlay.

use std::io;
use std::path::{Path, PathBuf};

use visakit_codegen::model::Model;
use visakit_codegen::overlay::{self, Overlay, Use};
use visakit_diag::Diagnostic;

use crate::problem;

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

/// Reads a specification and returns its model and findings. Without a folder, the pages in this
/// program are read.
///
/// # Errors
/// Fails if the folder or the overlay cannot be read.
pub(crate) fn read(dir: Option<&Path>, overlay: &OverlayArg) -> Result<(Model, Vec<Diagnostic>), Box<Diagnostic>> {
    let Some((overlay, mut findings)) = read_overlay(overlay)? else {
        return match dir.filter(|dir| !is_builtin(dir)) {
            None => Ok(visakit_conform::own_model()),
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
        Some(dir) => overlay::read_dir_with(dir, overlay).map_err(unread),
    }
}

pub(super) fn unread((path, error): (PathBuf, std::io::Error)) -> Box<Diagnostic> {
    if error.kind() == io::ErrorKind::InvalidData {
        return problem("file-text", &path, "is no text").into();
    }
    let found = problem("file-read", &path, format!("cannot be read: {error}"));
    found.help("name the folder of a specification, or leave it out for the built-in pages").into()
}
