//! Files of a specification folder. Symbolic links are not followed: a target in the folder is read
//! at its own path, and a target outside is not part of the specification.

use std::fs::{self, File, FileType};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use visakit_diag::{Diagnostic, Severity};

use crate::limits::{FILES, PAGE_BYTES};

/// Files of a folder and its subfolders.
#[derive(Debug, Default)]
pub(crate) struct Folder {
    /// All files, sorted by path.
    pub(crate) files: Vec<PathBuf>,
    /// Files that are pages.
    pub(crate) pages: Vec<PathBuf>,
    /// Findings about links that lead outside the folder, or to no page.
    pub(crate) findings: Vec<Diagnostic>,
}

/// Path that could not be read, and the error.
pub(crate) type Unread = (PathBuf, io::Error);

/// Lists the files of a folder, down to `depth` levels of subfolders.
///
/// # Errors
/// A folder that cannot be read, a page that is a device or a pipe, or more than [`FILES`] files.
pub(crate) fn list(root: &Path, depth: usize) -> Result<Folder, Unread> {
    let mut out = Folder::default();
    let mut open = vec![(root.to_owned(), 0)];
    while let Some((dir, level)) = open.pop() {
        for entry in fs::read_dir(&dir).map_err(|error| (dir.clone(), error))? {
            let entry = entry.map_err(|error| (dir.clone(), error))?;
            let (path, kind) = (entry.path(), entry.file_type().map_err(|error| (entry.path(), error))?);
            if kind.is_dir() {
                if level < depth {
                    open.push((path, level + 1));
                }
                continue;
            }
            if out.files.len() == FILES {
                let message = format!("the folder has more than {FILES} files, the limit of a specification");
                return Err((root.to_owned(), io::Error::other(message)));
            }
            out.files.push(path.clone());
            if kind.is_symlink() {
                out.findings.extend(link(root, &path));
            } else if is_page(&path) {
                is_regular(kind).map_err(|error| (path.clone(), error))?;
                out.pages.push(path);
            }
        }
    }
    out.files.sort();
    out.pages.sort();
    out.findings.sort_by(|a, b| a.file.cmp(&b.file));
    Ok(out)
}

fn is_page(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "md")
}

fn is_regular(kind: FileType) -> io::Result<()> {
    let what = if kind.is_dir() { "a folder" } else { "a device or a pipe" };
    kind.is_file().then_some(()).ok_or_else(|| io::Error::other(format!("it is {what}, not a file")))
}

/// Returns the finding for a link that hides a page, or a folder that may have pages.
fn link(root: &Path, path: &Path) -> Option<Diagnostic> {
    let finding = |message: &str, help: &str| {
        let code = "link-not-followed";
        Some(Diagnostic::new(code, Severity::Warning, path.display().to_string(), message).help(help))
    };
    let Ok(target) = path.canonicalize() else {
        return is_page(path).then(|| finding("the link is broken", "remove it")).flatten();
    };
    let is_inside = root.canonicalize().is_ok_and(|root| target.starts_with(root));
    if is_inside && (target.is_dir() || is_page(&target)) {
        return None;
    }
    let help = "copy the target of the link into the folder";
    match target.is_dir() {
        true => finding("the link's target is outside the folder, so the link is not followed", help),
        false if !is_page(path) => None,
        false if is_inside => finding("the link's target is not a page", help),
        false => finding("the link's target is outside the folder, so the link is not followed", help),
    }
}

/// Reads a file as a page. The path may be a link.
pub(crate) fn read_page(path: &Path) -> io::Result<String> {
    // Opening a pipe would block.
    is_regular(fs::metadata(path)?.file_type())?;
    let mut text = String::new();
    File::open(path)?.take(PAGE_BYTES + 1).read_to_string(&mut text)?;
    let refused = || io::Error::other(format!("it has more than {PAGE_BYTES} bytes, the limit of a page"));
    (text.len() as u64 <= PAGE_BYTES).then_some(text).ok_or_else(refused)
}
