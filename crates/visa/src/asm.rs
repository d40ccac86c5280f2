//! `visa asm`: text to object.

use std::path::PathBuf;

use super::{Format, Outcome, problem, read_text, report, write};
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
    let text = match read_text(&args.input) {
        Ok(text) => text,
        Err(diagnostic) => {
            report(&[*diagnostic], args.format);
            return Outcome::Failed;
        }
    };
    let options = Options { file: args.input.display().to_string(), platform: args.platform };
    let parsed = match parse(&text, options) {
        Ok(parsed) => parsed,
        Err(diagnostics) => {
            report(&diagnostics, args.format);
            return Outcome::Found;
        }
    };
    let bytes = match parsed.into_object().encode() {
        Ok(bytes) => bytes,
        Err(error) => {
            report(&[problem("encode", &args.input, error.to_string())], args.format);
            return Outcome::Found;
        }
    };
    match write(&args.output, &bytes) {
        Ok(()) => Outcome::Done,
        Err(diagnostic) => {
            report(&[*diagnostic], args.format);
            Outcome::Failed
        }
    }
}
