//! Command `visa spec lint`: reports the findings of the pages.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::json;
use visakit_codegen::overlay;
use visakit_diag::{Diagnostic, Severity};
use visakit_lsp::OpenPage;

use super::page::{self, Named};
use super::source::{self, OverlayArg};
use crate::io::{note, out, shown};
use crate::outcome::{Outcome, OutputFormat, count};
use crate::report::{Findings, answer, finish, report};

/// Check pages and report what is wrong with them.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  visa spec lint
  visa spec lint spec --deny warnings
  visa spec lint spec/instructions/ADD.md
  visa spec lint vendors-documents --overlay builtin

Exit codes: 0 no errors (and no warnings, with --deny warnings), 1 errors were found, 2 usage, or a page could not be read")]
pub(crate) struct Args {
    /// Folders with a specification, or single pages [default: the built-in pages]. A single page
    /// is read together with the specification in its folder, or with the built-in pages, but only
    /// its own findings are shown. With several folders and an overlay, an overlay entry that no
    /// folder needs is an error
    #[arg(value_name = "DIR|FILE")]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    overlay: OverlayArg,
    /// Return exit code 1 also for warnings
    #[arg(long, value_parser = ["warnings"])]
    deny: Option<String>,
    /// How findings are reported
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
}

pub(super) fn run(args: Args) -> Outcome {
    finish(lint(&args), args.format)
}

fn lint(args: &Args) -> Result<Outcome, Findings> {
    let (mut dirs, mut files) = (Vec::new(), Vec::new());
    for path in &args.paths {
        if source::is_folder(path)? { dirs.push(path) } else { files.push(path) }
    }
    let builtin = PathBuf::from(source::BUILTIN);
    if args.paths.is_empty() {
        dirs.push(&builtin);
        if Path::new("spec").is_dir() {
            note("note: checked the pages built into this program; `visa spec lint spec` checks the folder `spec`");
        }
    }
    let (mut instructions, mut findings) = folders(&dirs, &args.overlay)?;
    let mut elsewhere = 0;
    for (root, named) in by_root(&files)? {
        let (model, found) = match &root {
            Some(root) if args.overlay.overlay.is_some() => source::read(Some(root), &args.overlay)?,
            _ => page::read(root.as_deref(), &named)?,
        };
        let shown: BTreeSet<&str> = named.iter().map(|n| n.shown.as_str()).collect();
        instructions += page::instructions(&model, &shown);
        let (own, others): (Vec<_>, Vec<_>) = found.into_iter().partition(|d| shown.contains(d.file.as_str()));
        findings.extend(own);
        elsewhere += others.iter().filter(|d| d.severity > Severity::Note).count();
    }
    if elsewhere > 0 {
        note(&format!("note: {} in other pages of the same specification", count(elsewhere, "finding")));
    }
    visakit_diag::sort(&mut findings);
    let number = |severity| findings.iter().filter(|finding| finding.severity == severity).count();
    let (errors, warnings) = (number(Severity::Error), number(Severity::Warning));
    match args.format {
        OutputFormat::Json => answer(&findings, json!({ "instructions": instructions })),
        OutputFormat::Human => {
            report(&findings, args.format);
            let instructions = count(instructions, "instruction");
            out(&format!("{instructions}: {}, {}\n", count(errors, "error"), count(warnings, "warning")));
        }
        OutputFormat::Github | OutputFormat::Sarif => report(&findings, args.format),
    }
    Ok(if errors > 0 || (warnings > 0 && args.deny.is_some()) { Outcome::Found } else { Outcome::Done })
}

/// Returns the findings of pages that an editor has open, each in the specification around it,
/// which is read once for all its pages.
pub(crate) fn open_pages(pages: &[OpenPage]) -> Vec<Diagnostic> {
    let mut roots: BTreeMap<_, Vec<Named>> = BTreeMap::new();
    for one in pages {
        let named = Named { path: one.path.clone(), shown: one.path.display().to_string(), text: one.text.clone() };
        roots.entry(page::around(&one.path)).or_default().push(named);
    }
    let mut findings = Vec::new();
    for (root, pages) in roots {
        let is_named = |finding: &Diagnostic| pages.iter().any(|page| page.shown == finding.file);
        match page::read(root.as_deref(), &pages) {
            Ok((_, found)) => findings.extend(found.into_iter().filter(is_named)),
            Err(unread) => findings.push(*unread),
        }
    }
    findings
}

/// Groups pages by the specification around them.
fn by_root(files: &[&PathBuf]) -> Result<BTreeMap<Option<PathBuf>, Vec<Named>>, Findings> {
    let mut out: BTreeMap<_, Vec<Named>> = BTreeMap::new();
    for file in files {
        let named = Named { path: (*file).clone(), shown: shown(file, "stdin"), text: source::read_page(file)? };
        out.entry(page::around(file)).or_default().push(named);
    }
    Ok(out)
}

/// Returns the number of instructions in folders, and the findings.
fn folders(dirs: &[&PathBuf], overlay: &OverlayArg) -> Result<(usize, Vec<Diagnostic>), Findings> {
    let mut instructions = 0;
    let mut findings = Vec::new();
    let Some((overlay, found)) = source::read_overlay(overlay)? else {
        for dir in dirs {
            let (model, found) = source::read(Some(dir), overlay)?;
            instructions += model.instructions.len();
            findings.extend(found);
        }
        return Ok((instructions, findings));
    };
    findings.extend(found);
    let mut uses = Vec::new();
    for dir in dirs {
        let (model, found, used) = source::corrected(Some(dir), &overlay)?;
        instructions += model.instructions.len();
        findings.extend(found);
        uses.push(used);
    }
    if dirs.len() > 1 {
        findings.extend(overlay::unused(&overlay, &uses));
    }
    Ok((instructions, findings))
}
