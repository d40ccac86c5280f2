//! `visa diff`: what the specification says and the implementation does not do.

use std::path::PathBuf;

use super::{Format, Outcome, out, problem, report};
use visakit_conform::Report;

/// Compare the specification with this implementation by probing it.
#[derive(clap::Args)]
pub(super) struct Args {
    /// The specification; the pages that this program was built from when left out
    #[arg(long, value_name = "DIR")]
    spec: Option<PathBuf>,
    /// How findings are reported
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

pub(super) fn run(args: Args) -> Outcome {
    let model = match &args.spec {
        None => visakit_conform::own_model().0,
        Some(dir) => match visakit_codegen::read_dir(dir) {
            Ok((model, _)) => model,
            Err((path, error)) => {
                report(&[problem("file-read", &path, format!("cannot be read: {error}"))], args.format);
                return Outcome::Failed;
            }
        },
    };
    let completed = visakit_conform::with_own_chapters(&model);
    if completed.is_some() {
        eprintln!(
            "note: the chapters do not define all operands and platforms; the built-in chapters stand in for them"
        );
    }
    let found = visakit_conform::run(completed.as_ref().unwrap_or(&model));
    match args.format {
        Format::Json => {
            let text = serde_json::to_string_pretty(&found).unwrap_or_default();
            out(&format!("{text}\n"));
        }
        Format::Human => human(&found),
    }
    if found.findings.is_empty() { Outcome::Done } else { Outcome::Found }
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
