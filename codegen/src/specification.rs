//! A specification as a caller has it, a folder, single pages or texts: read, and then checked.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use visakit_diag::Diagnostic;

use crate::limits::PAGE_BYTES;
use crate::model::{Model, Page};
use crate::{check, read};

/// Reads a specification folder. The error is the file that could not be read and why; a folder in which nothing is said
/// is one.
pub fn read_dir(dir: &Path) -> Result<(Model, Vec<Diagnostic>), (PathBuf, std::io::Error)> {
    let (pages, files) = load(dir)?;
    let read = checked(pages, Some(files));
    says_something(dir, &read.0)?;
    Ok(read)
}

/// A folder whose pages hold no fact is another folder than was meant.
pub(crate) fn says_something(dir: &Path, model: &Model) -> Result<(), (PathBuf, std::io::Error)> {
    let silent = model.instructions.is_empty()
        && model.lists.is_empty()
        && model.structures.is_empty()
        && model.types.is_empty()
        && model.platforms.is_empty()
        && model.predefined.is_empty()
        && model.index.is_empty()
        && model.rules.is_empty();
    match silent {
        true => Err((dir.to_owned(), std::io::Error::other("the folder has no page of a specification"))),
        false => Ok(()),
    }
}

/// The pages of a folder, sorted by path, and the paths of all its files.
pub fn load(dir: &Path) -> Result<(Vec<Page>, BTreeSet<String>), (PathBuf, std::io::Error)> {
    let mut paths = Vec::new();
    collect(dir, &mut paths)?;
    paths.sort();
    let mut pages = Vec::new();
    let mut files = BTreeSet::new();
    for path in paths {
        let relative = path.strip_prefix(dir).unwrap_or(&path);
        let relative = relative.components().map(|c| c.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/");
        files.insert(relative.clone());
        if path.extension().is_none_or(|e| e != "md") {
            continue;
        }
        let text = read_page(&path).map_err(|e| (path.clone(), e))?;
        pages.push(Page { path: relative, shown: path.display().to_string(), text, ..Page::default() });
    }
    Ok((pages, files))
}

/// Reads a file as a page.
pub(crate) fn read_page(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    File::open(path)?.take(PAGE_BYTES + 1).read_to_string(&mut text)?;
    let refused = || io::Error::other(format!("it has more than {PAGE_BYTES} bytes, which is the limit of a page"));
    (text.len() as u64 <= PAGE_BYTES).then_some(text).ok_or_else(refused)
}

/// Reads single pages, given as (path as shown, text).
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

/// Reads a specification that is at hand as pages, in whatever order.
pub fn read_texts(pages: Vec<Page>) -> (Model, Vec<Diagnostic>) {
    read_placed(pages, None)
}

/// Reads a specification that is at hand as pages, with the paths of all files to which they may link.
pub fn read_placed(mut pages: Vec<Page>, files: Option<BTreeSet<String>>) -> (Model, Vec<Diagnostic>) {
    pages.sort_by(|a, b| a.path.cmp(&b.path));
    checked(pages, files)
}

fn collect(dir: &Path, out: &mut Vec<PathBuf>) -> Result<(), (PathBuf, std::io::Error)> {
    for entry in std::fs::read_dir(dir).map_err(|e| (dir.to_owned(), e))? {
        let path = entry.map_err(|e| (dir.to_owned(), e))?.path();
        if path.is_dir() {
            collect(&path, out)?;
        } else {
            out.push(path);
        }
    }
    Ok(())
}

fn checked(pages: Vec<Page>, files: Option<BTreeSet<String>>) -> (Model, Vec<Diagnostic>) {
    let (model, mut diagnostics) = read::read_pages(pages, files);
    check::model(&model, &mut diagnostics);
    visakit_diag::sort(&mut diagnostics);
    (model, diagnostics)
}
