//! Reading and checking of a specification from a folder, single pages or texts.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use visakit_diag::Diagnostic;

use crate::folder::{self, Unread};
use crate::model::{Model, Page};
use crate::{check, read};

/// Reads a specification folder.
///
/// # Errors
///
/// The file that could not be read, and the reason; a folder without any fact is an error too.
pub fn read_dir(dir: &Path) -> Result<(Model, Vec<Diagnostic>), (PathBuf, std::io::Error)> {
    let (pages, files, links) = load_with_links(dir, usize::MAX)?;
    let (model, mut diagnostics) = checked(pages, Some(files));
    says_something(dir, &model)?;
    diagnostics.extend(links);
    Ok((model, diagnostics))
}

/// Returns true for a folder with the index of instructions, or with the shared lists next to a
/// folder of instructions.
pub fn is_specification(dir: &Path) -> bool {
    let has_lists = || dir.join("lists.md").is_file() && dir.join("instructions").is_dir();
    dir.join("6_instructions.md").is_file() || has_lists()
}

/// Pages, paths of all files, and findings about links.
type Loaded = (Vec<Page>, BTreeSet<String>, Vec<Diagnostic>);

/// Checks that a folder contains facts; otherwise it is probably the wrong folder.
pub(crate) fn says_something(dir: &Path, model: &Model) -> Result<(), (PathBuf, std::io::Error)> {
    let silent = model.instructions.is_empty()
        && model.lists.is_empty()
        && model.structures.is_empty()
        && model.types.is_empty()
        && model.platforms.is_empty()
        && model.predefined.is_empty()
        && model.index.is_empty()
        && model.constraints.is_empty();
    match silent {
        true => Err((dir.to_owned(), std::io::Error::other("the folder has no specification page"))),
        false => Ok(()),
    }
}

/// Returns the pages of a folder, sorted by path, and the paths of all its files. Symbolic links
/// are not followed.
pub fn load(dir: &Path) -> Result<(Vec<Page>, BTreeSet<String>), (PathBuf, std::io::Error)> {
    let (pages, files, _) = load_with_links(dir, usize::MAX)?;
    Ok((pages, files))
}

/// Returns the pages of a folder, down to `depth` levels of subfolders, the paths of all its files,
/// and findings about its links.
pub(crate) fn load_with_links(dir: &Path, depth: usize) -> Result<Loaded, Unread> {
    let folder = folder::list(dir, depth)?;
    let relative = |path: &Path| {
        let relative = path.strip_prefix(dir).unwrap_or(path);
        relative.components().map(|c| c.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/")
    };
    let page = |path: &PathBuf| {
        let text = folder::read_page(path).map_err(|e| (path.clone(), e))?;
        Ok(Page { path: relative(path), shown: path.display().to_string(), text, ..Page::default() })
    };
    let pages = folder.pages.iter().map(page).collect::<Result<_, Unread>>()?;
    Ok((pages, folder.files.iter().map(|path| relative(path)).collect(), folder.findings))
}

/// Reads single pages, given as pairs of displayed path and text.
pub fn read_files(files: Vec<(String, String)>) -> (Model, Vec<Diagnostic>) {
    let pages = files
        .into_iter()
        .map(|(shown, text)| {
            let name = shown.rsplit(['/', '\\']).next().unwrap_or(&shown).to_owned();
            Page { path: name, shown, text, ..Page::default() }
        })
        .collect();
    checked(pages, None)
}

/// Reads a specification whose pages are in memory, in any order.
pub fn read_texts(pages: Vec<Page>) -> (Model, Vec<Diagnostic>) {
    read_placed(pages, None)
}

/// Reads the model of pages in memory, which were checked before.
pub fn read_unchecked(mut pages: Vec<Page>) -> Model {
    pages.sort_by(|a, b| a.path.cmp(&b.path));
    read::read_pages(pages, None).0
}

/// Reads a specification whose pages are in memory, with the paths of all files that links may
/// name.
pub fn read_placed(mut pages: Vec<Page>, files: Option<BTreeSet<String>>) -> (Model, Vec<Diagnostic>) {
    pages.sort_by(|a, b| a.path.cmp(&b.path));
    checked(pages, files)
}

fn checked(pages: Vec<Page>, files: Option<BTreeSet<String>>) -> (Model, Vec<Diagnostic>) {
    let (model, mut diagnostics) = read::read_pages(pages, files);
    check::model(&model, &mut diagnostics);
    visakit_diag::sort(&mut diagnostics);
    (model, diagnostics)
}
