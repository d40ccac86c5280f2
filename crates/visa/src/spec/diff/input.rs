//! What the two arguments name: folders are read whole, a single page together with the pages that it refers to.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use visakit_codegen::model::Model;
use visakit_codegen::read_files;
use visakit_diag::{Diagnostic, Severity};

use crate::spec::source::{self, OverlayArg};
use crate::{problem, read_text};

/// Both specifications.
pub(super) struct Sides {
    pub(super) old: Model,
    pub(super) new: Model,
    /// How many findings the pages have.
    pub(super) findings: [usize; 2],
    /// The pages that are compared, as diagnostics show them; all where there are none.
    pub(super) scope: Option<BTreeSet<String>>,
}

type Refused = Box<Diagnostic>;

pub(super) fn read(old: &Path, new: &Path, overlay: &OverlayArg) -> Result<Sides, Refused> {
    let (old_root, new_root) = (root(old), root(new));
    // A page that stands alone is read as if it stood in the other specification.
    let (a, a_page) = side(old, overlay, old_root.as_deref().or(new_root.as_deref()))?;
    let (b, b_page) = side(new, overlay, new_root.as_deref().or(old_root.as_deref()))?;
    let mut scope: BTreeSet<String> = a_page.iter().chain(&b_page).cloned().collect();
    if let (Some(page), None) = (&a_page, &b_page) {
        scope.extend(counterpart(&a.0, page, &b.0));
    }
    if let (None, Some(page)) = (&a_page, &b_page) {
        scope.extend(counterpart(&b.0, page, &a.0));
    }
    let findings = [a.1, b.1];
    Ok(Sides { old: a.0, new: b.0, findings, scope: (!scope.is_empty()).then_some(scope) })
}

/// The specification that a path belongs to: the folder itself, or the folder around a page.
fn root(path: &Path) -> Option<PathBuf> {
    if path.is_dir() || source::is_builtin(path) {
        return Some(path.to_owned());
    }
    let folder = match path.parent()? {
        parent if parent.as_os_str().is_empty() => Path::new("."),
        parent => parent,
    };
    if folder.canonicalize().ok()?.file_name()? == "instructions" {
        return Some(folder.join(".."));
    }
    folder.join("instructions").is_dir().then(|| folder.to_owned())
}

/// Reads a folder, or a page in the place of the page of its name; with the number of findings, and the page as shown.
fn side(path: &Path, overlay: &OverlayArg, root: Option<&Path>) -> Result<((Model, usize), Option<String>), Refused> {
    if path.is_dir() || source::is_builtin(path) {
        let (model, findings) = source::read(Some(path), overlay)?;
        // That an entry of an overlay is not needed is only a note.
        let findings = findings.iter().filter(|found| found.severity > Severity::Note).count();
        return Ok(((model, findings), None));
    }
    let shown = path.display().to_string();
    let text = read_text(path)?;
    let mut pages = Vec::new();
    if root.is_some_and(source::is_builtin) {
        let others = visakit_conform::own_pages().filter(|page| !page.path.ends_with(&name_of(path)));
        pages.extend(others.map(|page| (page.shown, page.text)));
    } else if let Some(root) = root {
        let mut paths = Vec::new();
        collect(root, &mut paths).map_err(|error| problem("file-read", root, format!("cannot be read: {error}")))?;
        paths.sort();
        for other in paths.iter().filter(|p| p.file_name() != path.file_name()) {
            pages.push((other.display().to_string(), read_text(other)?));
        }
    }
    pages.push((shown.clone(), text));
    let (model, findings) = read_files(pages);
    let own = findings.iter().filter(|d| d.file == shown).count();
    Ok(((model, own), Some(shown)))
}

/// The end of a page's path: a slash and its name.
fn name_of(path: &Path) -> String {
    format!("/{}", path.file_name().unwrap_or_default().to_string_lossy())
}

fn collect(dir: &Path, out: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(dir)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, out)?;
        } else if path.extension().is_some_and(|e| e == "md") {
            out.push(path);
        }
    }
    Ok(())
}

/// The page of a specification that a page of another one would replace: of the same instruction, or of the same name.
fn counterpart(model: &Model, shown: &str, other: &Model) -> Option<String> {
    let page_of = |m: &Model, page: u32| m.pages.get(page as usize).map(|p| p.shown.clone());
    let own = model.instructions.iter().find(|i| page_of(model, i.at.page).as_deref() == Some(shown));
    let same = own.and_then(|i| {
        let by_name = other.instructions.iter().find(|o| o.name == i.name);
        by_name.or_else(|| other.instructions.iter().find(|o| (o.opcode, o.sub_opcode) == (i.opcode, i.sub_opcode)))
    });
    let name = |path: &'_ str| path.rsplit(['/', '\\']).next().unwrap_or(path).to_owned();
    same.and_then(|o| page_of(other, o.at.page))
        .or_else(|| other.pages.iter().find(|p| name(&p.shown) == name(shown)).map(|p| p.shown.clone()))
}
