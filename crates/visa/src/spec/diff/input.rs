//! Arguments of the comparison: a folder is read whole, a single page together with the pages that
//! it refers to.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use visakit_codegen::model::{Instruction, Model};
use visakit_diag::{Diagnostic, Severity};

use crate::report::problem;
use crate::spec::page::{self, Named};
use crate::spec::source::{self, OverlayArg};

/// The two specifications.
pub(super) struct Sides {
    pub(super) old: Model,
    pub(super) new: Model,
    /// Number of findings of each specification's pages.
    pub(super) findings: [usize; 2],
    /// Pages to compare, by their displayed names; `None` for all pages.
    pub(super) scope: Option<BTreeSet<String>>,
    /// The specifications without the overlay, if there is one.
    pub(super) documents: Option<Box<Documents>>,
    /// Names of the overlay's pages.
    pub(super) ours: BTreeSet<String>,
}

/// The two specifications without corrections.
pub(super) struct Documents {
    pub(super) old: Model,
    pub(super) new: Model,
}

type Refused = Box<Diagnostic>;

pub(super) fn read(old: &Path, new: &Path, overlay: &OverlayArg) -> Result<Sides, Refused> {
    let (old_root, new_root) = (root(old)?, root(new)?);
    // A single page without its own specification is read as part of the other specification.
    let (a, a_page) = side(old, overlay, old_root.as_deref().or(new_root.as_deref()))?;
    let (b, b_page) = side(new, overlay, new_root.as_deref().or(old_root.as_deref()))?;
    if let (Some(a_page), Some(b_page)) = (&a_page, &b_page)
        && !same_kind(&a.0, a_page, &b.0, b_page)
    {
        let message = format!("{a_page} and {b_page} are not two versions of the same page");
        let help = "name two files with the same instruction or chapter, or two folders";
        return Err(problem("usage-pages", new, message).help(help).into());
    }
    let mut scope: BTreeSet<String> = a_page.iter().chain(&b_page).cloned().collect();
    if let (Some(page), None) = (&a_page, &b_page) {
        scope.extend(counterpart(&a.0, page, &b.0));
    }
    if let (None, Some(page)) = (&a_page, &b_page) {
        scope.extend(counterpart(&b.0, page, &a.0));
    }
    let findings = [a.1, b.1];
    let (documents, ours) = uncorrected(old, new, overlay)?;
    let scope = (!scope.is_empty()).then_some(scope);
    Ok(Sides { old: a.0, new: b.0, findings, scope, documents, ours })
}

/// Reads two folders without the overlay. Also returns the names of the overlay's pages.
fn uncorrected(
    old: &Path,
    new: &Path,
    overlay: &OverlayArg,
) -> Result<(Option<Box<Documents>>, BTreeSet<String>), Refused> {
    let Some((corrections, _)) = source::read_overlay(overlay)? else { return Ok((None, BTreeSet::new())) };
    if !source::is_folder(old)? || !source::is_folder(new)? {
        return Ok((None, BTreeSet::new()));
    }
    let plain = OverlayArg { overlay: None };
    let read = |path| source::read(Some(path), &plain).map(|(model, _)| model);
    let documents = Documents { old: read(old)?, new: read(new)? };
    let ours = corrections.base.pages.into_iter().map(|page| page.shown).collect();
    Ok((Some(Box::new(documents)), ours))
}

/// Returns the specification of a path: the folder itself, or the folder around a page.
fn root(path: &Path) -> Result<Option<PathBuf>, Refused> {
    Ok(match source::is_folder(path)? {
        true => Some(path.to_owned()),
        false => page::around(path),
    })
}

/// Reads a folder, or a single page in place of the page with its name. Returns the model with the
/// number of findings, and the displayed name of a single page.
fn side(path: &Path, overlay: &OverlayArg, root: Option<&Path>) -> Result<((Model, usize), Option<String>), Refused> {
    if source::is_folder(path)? {
        let (model, findings) = source::read(Some(path), overlay)?;
        // A note, for example about an unused overlay entry, does not count as a finding.
        let findings = findings.iter().filter(|found| found.severity > Severity::Note).count();
        return Ok(((model, findings), None));
    }
    let shown = path.display().to_string();
    let named = Named { path: path.to_owned(), shown: shown.clone(), text: source::read_page(path)? };
    let (model, findings) = page::read(root, &[named])?;
    let own = findings.iter().filter(|d| d.file == shown).count();
    Ok(((model, own), Some(shown)))
}

/// Returns true if two pages describe the same instruction, by name or by opcode, or if neither
/// describes an instruction.
fn same_kind(a: &Model, a_page: &str, b: &Model, b_page: &str) -> bool {
    match (instruction(a, a_page), instruction(b, b_page)) {
        (Some(a), Some(b)) => a.name == b.name || (a.opcode, a.sub_opcode) == (b.opcode, b.sub_opcode),
        (None, None) => true,
        _ => false,
    }
}

fn instruction<'a>(model: &'a Model, shown: &str) -> Option<&'a Instruction> {
    model.instructions.iter().find(|i| model.pages.get(i.at.page as usize).is_some_and(|p| p.shown == shown))
}

/// Returns the page of `other` that the page `shown` would replace: of the same instruction or the
/// same name.
fn counterpart(model: &Model, shown: &str, other: &Model) -> Option<String> {
    let page_of = |m: &Model, page: u32| m.pages.get(page as usize).map(|p| p.shown.clone());
    let same = instruction(model, shown).and_then(|i| {
        let by_name = other.instructions.iter().find(|o| o.name == i.name);
        by_name.or_else(|| other.instructions.iter().find(|o| (o.opcode, o.sub_opcode) == (i.opcode, i.sub_opcode)))
    });
    let name = |path: &'_ str| path.rsplit(['/', '\\']).next().unwrap_or(path).to_owned();
    same.and_then(|o| page_of(other, o.at.page))
        .or_else(|| other.pages.iter().find(|p| name(&p.shown) == name(shown)).map(|p| p.shown.clone()))
}
