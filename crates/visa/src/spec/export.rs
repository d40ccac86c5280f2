//! Command `visa spec export`: writes the whole model as JSON for other programs.

use std::path::PathBuf;

use visakit_spec_tools::export;

use super::source::{self, OverlayArg};
use crate::io::Output;
use crate::report::json_text;
use crate::{Findings, Outcome, OutputFormat, finish, report};

/// Write every fact of a specification as JSON.
///
/// The form is that of the JSON Schema that --schema prints; the member `schema` is its version.
/// What is wrong with the pages is reported on standard error; what could be read is written all
/// the same, and errors give exit code 1.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  visa spec export | jq '.instructions[].name'
  visa spec export pages -o spec.json

Exit codes: 0 written, 1 written, but pages have errors, 2 usage, or a file could not be read or written")]
pub(crate) struct Args {
    /// The specification; the pages in this program when left out
    dir: Option<PathBuf>,
    #[command(flatten)]
    overlay: OverlayArg,
    /// The file to write; standard output when left out
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write the JSON Schema of the export instead
    #[arg(long, conflicts_with = "dir")]
    schema: bool,
}

pub(super) fn run(args: Args) -> Outcome {
    finish(write(&args), OutputFormat::Human)
}

fn write(args: &Args) -> Result<Outcome, Findings> {
    let output = Output::or_stdout(args.output.as_deref(), &[], OutputFormat::Human)?;
    if args.schema {
        output.write(export::SCHEMA.as_bytes())?;
        return Ok(Outcome::Done);
    }
    let (model, findings) = source::read(args.dir.as_deref(), &args.overlay)?;
    report(&findings, OutputFormat::Human);
    output.write(json_text(&export::export(&model)).as_bytes())?;
    Ok(Outcome::of(&findings))
}
