//! Command `visa verify`: checks kernels against the rules of the pages.

use std::path::PathBuf;

use serde_json::json;
use visakit_diag::Diagnostics;

use crate::input::{Selection, modules};
use crate::io::out;
use crate::outcome::{Outcome, OutputFormat, count};
use crate::report::{Findings, answer, report};

/// Check kernels against the rules of the specification
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  visa verify k.visaasm --platform tgllp
  visa verify *.isa program.zebin --format json

If neither the file nor --platform names a platform, rules of platforms are not checked. Warnings report legal code that is
probably a mistake: unwritten values, operands past the end of their variables, unreachable code, barriers that not all
channels reach, and predicates that are never read.

Exit codes: 0 legal, or warnings only, 1 a rule is broken or a file is wrong, 2 usage, or a file could not be read")]
pub(super) struct Args {
    /// Objects, texts, zebins and archives of zebins; `-` for standard input
    #[arg(required = true)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    selection: Selection,
    /// How findings are reported
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
}

pub(super) fn run(args: Args) -> Outcome {
    let mut findings = Vec::new();
    for file in &args.files {
        match modules(file, &args.selection) {
            Err(Findings(found)) => findings.extend(found),
            Ok(all) => all.iter().for_each(|module| {
                let found = module.findings(args.selection.platform());
                findings.extend(found.unwrap_or_else(Diagnostics::into_vec));
            }),
        }
    }
    match args.format {
        OutputFormat::Github | OutputFormat::Sarif => report(&findings, args.format),
        OutputFormat::Json => answer(&findings, json!({ "files": args.files.len() })),
        OutputFormat::Human => {
            report(&findings, args.format);
            out(&format!("{}, {}\n", count(args.files.len(), "file"), count(findings.len(), "finding")));
        }
    }
    Outcome::of(&findings)
}
