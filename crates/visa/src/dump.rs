//! Command `visa dump`: writes an object as JSON.

use std::path::PathBuf;

use serde_json::json;
use visakit::dump;

use crate::input::{self, Selection};
use crate::io::Output;
use crate::outcome::{Outcome, OutputFormat};
use crate::report::{Findings, answer, finish, json_text};

/// Write an object as JSON: header, tables, instructions with all their fields
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  visa dump k.isa | jq '.kernels[].routine.instructions[].name'
  visa dump program.zebin --kernel add -o add.json
  visa dump --schema

With `--format json`, the dump is the member `dump` of the command's object.

Exit codes: 0 written, 1 the file is wrong, 2 usage, or a file could not be read or written")]
pub(super) struct Args {
    /// An object, a text, a zebin that contains a text, or `-` for standard input
    #[arg(required_unless_present = "schema")]
    input: Option<PathBuf>,
    /// The JSON file to write [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    selection: Selection,
    /// Write the JSON Schema of the dump instead
    #[arg(long)]
    schema: bool,
    /// How errors are reported
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
}

pub(super) fn run(args: Args) -> Outcome {
    finish(write(&args), args.format)
}

fn write(args: &Args) -> Result<Outcome, Findings> {
    let sources = args.input.as_deref();
    let output = Output::or_stdout(args.output.as_deref(), sources.as_slice(), args.format)?;
    let Some(input) = sources.filter(|_| !args.schema) else {
        output.write(dump::SCHEMA.as_bytes())?;
        return Ok(Outcome::Done);
    };
    let module = input::module(input, &args.selection)?;
    let platform = args.selection.platform();
    let object = module.object(platform)?;
    let dump = dump::dump(&object, platform.or(module.platform));
    if output.is_stdout() && args.format == OutputFormat::Json {
        answer(&[], json!({ "dump": dump }));
        return Ok(Outcome::Done);
    }
    let written = output.write(json_text(&dump).as_bytes())?;
    if args.format == OutputFormat::Json {
        answer(&[], json!({ "written": [written] }));
    }
    Ok(Outcome::Done)
}
