//! `visa dump`: an object as JSON.

use std::path::PathBuf;

use super::{Format, Outcome, object_problem, out, problem, read, report};
use visakit::dump;
use visakit::isa::Platform;
use visakit::object::Object;

/// Write an object as JSON: header, tables, instructions with all their fields
#[derive(clap::Args)]
pub(super) struct Args {
    /// The object, an `.isa` file
    #[arg(required_unless_present = "schema")]
    input: Option<PathBuf>,
    /// A file for the JSON; without it it goes to standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// The platform; it decides the size of a register in the instructions' texts
    #[arg(long, value_name = "NAME", value_parser = super::platform)]
    platform: Option<Platform>,
    /// Write the JSON Schema of the form instead
    #[arg(long)]
    schema: bool,
    /// How errors are reported
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

pub(super) fn run(args: Args) -> Outcome {
    let text = match &args.input {
        Some(input) if !args.schema => {
            let bytes = match read(input) {
                Ok(bytes) => bytes,
                Err(finding) => {
                    report(&[*finding], args.format);
                    return Outcome::Failed;
                }
            };
            let object = match Object::decode(&bytes) {
                Ok(object) => object,
                Err(error) => {
                    report(&[object_problem(input, error)], args.format);
                    return Outcome::Found;
                }
            };
            match serde_json::to_string_pretty(&dump::dump(&object, args.platform)) {
                Ok(text) => text + "\n",
                Err(error) => {
                    report(&[problem("dump", input, error.to_string())], args.format);
                    return Outcome::Failed;
                }
            }
        }
        _ => dump::SCHEMA.to_owned(),
    };
    match &args.output {
        None => out(&text),
        Some(file) => {
            let output = crate::io::Output::new(file, &[], args.format);
            if let Err(finding) = output.and_then(|output| output.write(text.as_bytes())) {
                report(&[*finding], args.format);
                return Outcome::Failed;
            }
        }
    }
    Outcome::Done
}
