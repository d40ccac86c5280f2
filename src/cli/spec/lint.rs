//! `visa spec lint`: findings of the pages.

use std::path::PathBuf;

use visakit_codegen::diag::{self, Severity};

use crate::cli::{Format, Outcome, out, problem, read_text, report};

/// Check pages and report what is wrong with them.
#[derive(clap::Args)]
pub(in crate::cli) struct Args {
    /// A folder with a specification, or single pages; `spec` when left out. Rules across pages need a folder
    #[arg(value_name = "DIR|FILE")]
    paths: Vec<PathBuf>,
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
    let mut findings = Vec::new();
    let mut instructions = 0;
    for dir in dirs {
        match visakit_codegen::read_dir(&dir) {
            Ok((model, diagnostics)) => {
                instructions += model.instructions.len();
                findings.extend(diagnostics);
            }
            Err((path, error)) => {
                report(&[problem("file-read", &path, format!("cannot be read: {error}"))], args.format);
                return Outcome::Failed;
            }
        }
    }
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
    diag::sort(&mut findings);
    report(&findings, args.format);
    let count = |severity| findings.iter().filter(|d| d.severity == severity).count();
    let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
    if args.format == Format::Human {
        out(&format!("{instructions} instructions: {errors} errors, {warnings} warnings\n"));
    }
    if errors > 0 || (warnings > 0 && args.deny.is_some()) { Outcome::Found } else { Outcome::Done }
}
