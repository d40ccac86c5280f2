//! `visa asm`: text to object.

use std::path::PathBuf;

use serde_json::json;

use super::{Findings, Format, Outcome, answer, finish, problem, read_text};
use crate::io::{Output, shown};
use visakit::isa::Platform;
use visakit::text::{Options, parse};

/// Assemble a text into an object.
#[derive(clap::Args)]
pub(super) struct Args {
    /// The text, a `.visaasm` file
    input: PathBuf,
    /// The object to write
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// The platform; it decides the size of a register
    #[arg(long, value_name = "NAME", value_parser = super::platform)]
    platform: Option<Platform>,
    /// How errors are reported
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

pub(super) fn run(args: Args) -> Outcome {
    finish(assemble(&args), args.format)
}

fn assemble(args: &Args) -> Result<Outcome, Findings> {
    let output = Output::new(&args.output, &[&args.input], args.format)?;
    let text = read_text(&args.input)?;
    let options = Options { file: shown(&args.input, "stdin"), platform: args.platform };
    let object = parse(&text, options)?.into_object();
    let bytes = object.encode().map_err(|error| problem("encode", &args.input, error.to_string()))?;
    let written = output.write(&bytes)?;
    if args.format == Format::Json {
        answer(&[], json!({ "written": [written] }));
    }
    Ok(Outcome::Done)
}
