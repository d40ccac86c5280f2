//! `visa spec lint`: findings of the pages.

use std::path::{Path, PathBuf};

use visakit_codegen::overlay;
use visakit_diag::{Diagnostic, Severity};

use crate::{Format, Outcome, out, problem, read_text, report};

/// Check pages and report what is wrong with them.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// A folder with a specification, or single pages; `spec` when left out. Rules across pages need a folder
    #[arg(value_name = "DIR|FILE")]
    paths: Vec<PathBuf>,
    /// Correct the folders with an overlay first. With several folders, an entry that none of them needs is an error
    #[arg(long, value_name = "FILE")]
    overlay: Option<PathBuf>,
    /// Exit with 1 on warnings as well
    #[arg(long, value_parser = ["warnings"])]
    deny: Option<String>,
    /// How findings are reported
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

pub(super) fn run(args: Args) -> Outcome {
    let paths = if args.paths.is_empty() { vec![PathBuf::from("spec")] } else { args.paths };
    let (dirs, files): (Vec<_>, Vec<_>) = paths.into_iter().partition(|p| p.is_dir());
    let (mut instructions, mut findings) = match folders(&dirs, args.overlay.as_deref()) {
        Ok(read) => read,
        Err((path, error)) => {
            report(&[problem("file-read", &path, format!("cannot be read: {error}"))], args.format);
            return Outcome::Failed;
        }
    };
    let mut texts = Vec::new();
    for file in files {
        match read_text(&file) {
            Ok(text) => texts.push((file.display().to_string(), text)),
            Err(diagnostic) => {
                report(&[*diagnostic], args.format);
                return Outcome::Failed;
            }
        }
    }
    if !texts.is_empty() {
        let (model, diagnostics) = visakit_codegen::read_files(texts);
        instructions += model.instructions.len();
        findings.extend(diagnostics);
    }
    visakit_diag::sort(&mut findings);
    report(&findings, args.format);
    let count = |severity| findings.iter().filter(|d| d.severity == severity).count();
    let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
    if args.format == Format::Human {
        out(&format!("{instructions} instructions: {errors} errors, {warnings} warnings\n"));
    }
    if errors > 0 || (warnings > 0 && args.deny.is_some()) { Outcome::Found } else { Outcome::Done }
}

type Failure = (PathBuf, std::io::Error);

/// The number of instructions of folders, and their findings.
fn folders(dirs: &[PathBuf], overlay: Option<&Path>) -> Result<(usize, Vec<Diagnostic>), Failure> {
    let mut instructions = 0;
    let mut findings = Vec::new();
    let Some(file) = overlay else {
        for dir in dirs {
            let (model, diagnostics) = visakit_codegen::read_dir(dir)?;
            instructions += model.instructions.len();
            findings.extend(diagnostics);
        }
        return Ok((instructions, findings));
    };
    let (overlay, diagnostics) = overlay::read_overlay(file)?;
    findings.extend(diagnostics);
    let mut uses = Vec::new();
    for dir in dirs {
        let (model, diagnostics, used) = overlay::read_dir_with(dir, &overlay)?;
        instructions += model.instructions.len();
        findings.extend(diagnostics);
        uses.push(used);
    }
    if dirs.len() > 1 {
        findings.extend(overlay::unused(&overlay, &uses));
    }
    Ok((instructions, findings))
}
