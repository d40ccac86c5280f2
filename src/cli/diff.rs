//! `visa diff`: what the specification says and the implementation does not do.

use serde::Serialize;

use super::{Format, Outcome, out};
use crate::diff::{Entry, Status, kernels};

/// Compare the specification with this implementation by probing it.
#[derive(clap::Args)]
pub(super) struct Args {
    /// How findings are reported
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

#[derive(Serialize)]
struct Report<'a> {
    missing: Vec<&'a Entry>,
    undefined: Vec<&'a Entry>,
    filled: usize,
}

pub(super) fn run(args: Args) -> Outcome {
    let entries = kernels();
    let with = |status| entries.iter().filter(|e| e.status == status).collect::<Vec<_>>();
    let report = Report {
        missing: with(Status::Missing),
        undefined: with(Status::Undefined),
        filled: with(Status::Filled).len(),
    };
    match args.format {
        Format::Json => {
            let text = serde_json::to_string_pretty(&report).unwrap_or_default();
            out(&format!("{text}\n"));
        }
        Format::Human => {
            for entry in &report.missing {
                out(&format!(
                    "spec/{}:{}: {} has no kernel [kernel-missing]\n",
                    entry.page, entry.line, entry.instruction
                ));
            }
            for entry in &report.undefined {
                out(&format!(
                    "spec/{}:{}: no public text defines what {} does (no finding)\n",
                    entry.page, entry.line, entry.instruction
                ));
            }
            out(&format!("{} instructions have a kernel, {} lack one\n", report.filled, report.missing.len()));
        }
    }
    if report.missing.is_empty() { Outcome::Done } else { Outcome::Found }
}
