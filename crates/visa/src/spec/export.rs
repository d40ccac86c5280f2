//! Command `visa spec export`: writes the whole model as JSON for other programs.

use std::path::PathBuf;

use serde_json::json;
use visakit_spec_tools::export;

use super::source::{self, OverlayArg};
use crate::io::Output;
use crate::outcome::{Outcome, OutputFormat};
use crate::report::{Findings, answer, finish, json_text, report};

/// Write every fact of a specification as JSON.
///
/// The JSON follows the JSON Schema that --schema prints; its member `schema` is the schema's
/// version. Errors in pages are reported on standard error and give exit code 1, but all facts that
/// could be read are written.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  visa spec export | jq '.instructions[].name'
  visa spec export pages -o spec.json

Exit codes: 0 written, 1 written, but pages have errors, 2 usage, or a file could not be read or written")]
pub(crate) struct Args {
    /// The specification [default: the built-in pages]
    dir: Option<PathBuf>,
    #[command(flatten)]
    overlay: OverlayArg,
    /// The file to write [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write the JSON Schema of the export instead
    #[arg(long, conflicts_with = "dir")]
    schema: bool,
    /// How findings are reported; with json, the export is the member `specification`
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
}

pub(super) fn run(args: Args) -> Outcome {
    finish(write(&args), args.format)
}

fn write(args: &Args) -> Result<Outcome, Findings> {
    let output = Output::or_stdout(args.output.as_deref(), &[], args.format)?;
    if args.schema {
        output.write(export::SCHEMA.as_bytes())?;
        return Ok(Outcome::Done);
    }
    let (model, findings) = source::read(args.dir.as_deref(), &args.overlay)?;
    let specification = export::export(&model);
    if output.is_stdout() && args.format == OutputFormat::Json {
        answer(&findings, json!({ "specification": specification }));
        return Ok(Outcome::of(&findings));
    }
    let written = output.write(json_text(&specification).as_bytes())?;
    match args.format {
        OutputFormat::Json => answer(&findings, json!({ "written": [written] })),
        format => report(&findings, format),
    }
    Ok(Outcome::of(&findings))
}
