//! A page that is named by itself, read in its place of the specification around it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use visakit_codegen::model::{Model, Page};
use visakit_codegen::{read_files, read_placed};
use visakit_diag::Diagnostic;

use super::source::{self, unread};

/// A page that a user named: as it is shown, and its text.
pub(super) struct Named {
    pub(super) path: PathBuf,
    pub(super) shown: String,
    pub(super) text: String,
}

/// The specification around a page: the nearest folder above it that has the index of instructions,
/// or the shared lists beside a folder of instructions.
pub(super) fn around(path: &Path) -> Option<PathBuf> {
    let file = path.canonicalize().ok()?;
    let has_lists = |dir: &Path| dir.join("lists.md").is_file() && dir.join("instructions").is_dir();
    let is_root = |dir: &Path| dir.join("6_instructions.md").is_file() || has_lists(dir);
    let found = file.ancestors().skip(1).find(|dir| is_root(dir))?;
    // As the user would write it.
    let depth = file.strip_prefix(found).ok()?.components().count();
    let shown = path.ancestors().nth(depth).map(Path::to_owned).unwrap_or_default();
    let shown = if shown.as_os_str().is_empty() { PathBuf::from(".") } else { shown };
    Some(if shown.canonicalize().ok().as_deref() == Some(found) { shown } else { found.to_owned() })
}

/// Reads pages in their places of a specification, the one in this program where there is none
/// around them. The names of the pages as findings show them are those of [`Named`].
///
/// # Errors
/// When the folder cannot be read.
pub(super) fn read(root: Option<&Path>, named: &[Named]) -> Result<(Model, Vec<Diagnostic>), Box<Diagnostic>> {
    let root = root.filter(|root| !source::is_builtin(root));
    let (mut pages, mut files) = match root {
        Some(root) => visakit_codegen::load(root).map_err(unread)?,
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

/// A page with its path in a specification: where it lies in the folder, or else that of the page
/// of the same name or of the same instruction. What is neither is a new page.
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
    // The pages around a new one do not know it.
    Page { path, shown, text, supplied: new, ..Page::default() }
}

/// Whether a page is that of an instruction.
fn says(page: &Page, name: &str) -> bool {
    // Reading all of them would take a while.
    let likely = name.ends_with(page.stem()) || page.text.contains(name);
    let read = || read_files(vec![(page.path.clone(), page.text.clone())]).0;
    likely && read().instructions.iter().any(|i| i.name == name)
}

/// Whether two chapters have the same title.
fn begins_alike(a: &str, b: &str) -> bool {
    let title = |text: &str| text.lines().find(|l| l.starts_with("# ")).map(str::to_owned);
    title(a).is_some_and(|a| title(b) == Some(a))
}

/// The number of instructions that stand on some pages.
pub(super) fn instructions(model: &Model, shown: &BTreeSet<&str>) -> usize {
    let of = |page: u32| model.pages.get(page as usize).is_some_and(|p| shown.contains(p.shown.as_str()));
    model.instructions.iter().filter(|i| of(i.at.page)).count()
}
