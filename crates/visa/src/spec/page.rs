//! Single pages named by the user, read as part of the specification around them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use visakit_codegen::model::{Model, Page};
use visakit_codegen::{is_specification, read_files, read_placed};
use visakit_diag::Diagnostic;

use super::source;

/// Page that a user named: path, displayed name and text.
pub(super) struct Named {
    pub(super) path: PathBuf,
    pub(super) shown: String,
    pub(super) text: String,
}

/// Returns the specification around a page, the nearest folder above the page that is one.
pub(super) fn around(path: &Path) -> Option<PathBuf> {
    let file = path.canonicalize().ok()?;
    let found = file.ancestors().skip(1).find(|dir| is_specification(dir))?;
    // The folder is named as the user would write it.
    let depth = file.strip_prefix(found).ok()?.components().count();
    let shown = path.ancestors().nth(depth).map(Path::to_owned).unwrap_or_default();
    let shown = if shown.as_os_str().is_empty() { PathBuf::from(".") } else { shown };
    Some(if shown.canonicalize().ok().as_deref() == Some(found) { shown } else { found.to_owned() })
}

/// Reads pages as part of the specification at `root`, or of the one in this program if `root` is
/// `None`. Findings show the names in [`Named`].
///
/// # Errors
/// Fails if the folder cannot be read.
pub(super) fn read(root: Option<&Path>, named: &[Named]) -> Result<(Model, Vec<Diagnostic>), Box<Diagnostic>> {
    let root = root.filter(|root| !source::is_builtin(root));
    let (mut pages, mut files) = match root {
        Some(root) => source::load(root)?,
        None => {
            let pages: Vec<Page> = visakit_conform::own_pages().collect();
            let files = pages.iter().map(|p| p.path.clone()).collect();
            (pages, files)
        }
    };
    for one in named {
        let place = place(&pages, root, one);
        pages.retain(|page| page.path != place.path);
        files.insert(place.path.clone());
        pages.push(place);
    }
    Ok(read_placed(pages, Some(files)))
}

/// Returns a page with its path in the specification. The path is that of its file, or that of the
/// page with the same name or instruction. Any other page is new.
fn place(pages: &[Page], root: Option<&Path>, named: &Named) -> Page {
    let (shown, text) = (named.shown.clone(), named.text.clone());
    let inside = root.and_then(|root| {
        let file = named.path.canonicalize().ok()?;
        let path = file.strip_prefix(root.canonicalize().ok()?).ok()?.to_owned();
        Some(path.components().map(|c| c.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/"))
    });
    if let Some(path) = inside {
        return Page { path, shown, text, ..Page::default() };
    }
    let (model, _) = read_files(vec![(shown.clone(), text.clone())]);
    let instruction = model.instructions.first();
    let stem = named.path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let same = |page: &&Page| match instruction {
        Some(i) => page.path.starts_with("instructions/") && says(page, &i.name),
        None => !page.path.starts_with("instructions/") && (page.stem() == stem || begins_alike(&page.text, &text)),
    };
    let path = pages.iter().find(same).map(|p| p.path.clone());
    let new = path.is_none();
    let path = path.unwrap_or_else(|| match instruction {
        Some(i) => format!("instructions/{}.md", i.name),
        None => format!("{stem}.md"),
    });
    // Other pages do not refer to a new page, so it is marked as supplied.
    Page { path, shown, text, supplied: new, ..Page::default() }
}

/// Returns true if a page describes the instruction `name`.
fn says(page: &Page, name: &str) -> bool {
    // Parsing all pages would be slow, so unlikely pages are skipped.
    let likely = name.ends_with(page.stem()) || page.text.contains(name);
    let read = || read_files(vec![(page.path.clone(), page.text.clone())]).0;
    likely && read().instructions.iter().any(|i| i.name == name)
}

/// Returns true if two chapters have the same title.
fn begins_alike(a: &str, b: &str) -> bool {
    let title = |text: &str| text.lines().find(|l| l.starts_with("# ")).map(str::to_owned);
    title(a).is_some_and(|a| title(b) == Some(a))
}

/// Returns the number of instructions on the pages in `shown`.
pub(super) fn instructions(model: &Model, shown: &BTreeSet<&str>) -> usize {
    let of = |page: u32| model.pages.get(page as usize).is_some_and(|p| shown.contains(p.shown.as_str()));
    model.instructions.iter().filter(|i| of(i.at.page)).count()
}
