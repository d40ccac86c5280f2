//! `visa diff`: what the specification says and the implementation does not do.

use std::path::PathBuf;

use super::{Findings, Format, Outcome, finish, out, report};
use crate::io::note;
use crate::report::print_json;
use crate::spec::source::{self, OverlayArg};
use visakit_conform::Report;

/// Compare the specification with this implementation by probing it.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  visa diff
  visa diff --spec pages --format json
  visa diff --spec vendors-documents --overlay builtin

Exit codes: 0 all facts hold, 1 some do not, 2 usage, or a page could not be read")]
pub(super) struct Args {
    /// The specification; the pages that this program was built from when left out
    #[arg(long, value_name = "DIR")]
    spec: Option<PathBuf>,
    #[command(flatten)]
    overlay: OverlayArg,
    /// How findings are reported
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

pub(super) fn run(args: Args) -> Outcome {
    finish(probe(&args), args.format)
}

fn probe(args: &Args) -> Result<Outcome, Findings> {
    let (model, _) = source::read(args.spec.as_deref(), &args.overlay)?;
    let completed = visakit_conform::with_own_chapters(&model);
    if completed.is_some() {
        note("note: the chapters do not define all operands and platforms; the built-in chapters stand in for them");
    }
    let found = visakit_conform::run(completed.as_ref().unwrap_or(&model));
    match args.format {
        Format::Json => print_json(&found),
        Format::Human => human(&found),
    }
    Ok(if found.findings.is_empty() { Outcome::Done } else { Outcome::Found })
}

fn human(found: &Report) {
    let diagnostics: Vec<_> = found.findings.iter().map(|f| f.diagnostic.clone()).collect();
    report(&diagnostics, Format::Human);
    for entry in &found.undefined {
        out(&format!(
            "{}:{}: no public text defines what {} does (no finding)\n",
            entry.page, entry.line, entry.instruction
        ));
    }
    let facts: Vec<String> =
        found.facts.iter().map(|(kind, n)| format!("{kind} {}/{}", n.passed, n.probed)).collect();
    out(&format!("facts that hold, of those probed: {}\n", facts.join(", ")));
    let (probed, passed) = found.facts.values().fold((0, 0), |(a, b), n| (a + n.probed, b + n.passed));
    out(&format!("{passed} of {probed} facts hold\n"));
    out(&format!("{} instructions have a kernel, {} lack one\n", found.filled, found.missing.len()));
}
