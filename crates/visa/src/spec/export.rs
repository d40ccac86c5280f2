//! `visa spec export`: the whole model as JSON, for other programs.

use std::path::PathBuf;

use visakit_diag as diag;
use visakit_spec_tools::export;

use crate::{Format, Outcome, out, problem, report, spec_dir, write};

/// Write every fact of a specification as JSON.
///
/// The form is that of the JSON Schema that --schema prints; the member `schema` is its version. What is wrong with the
/// pages is reported on standard error; what could be read is written all the same, and errors give exit code 1.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The specification; `spec` when left out
    dir: Option<PathBuf>,
    /// The file to write; standard output when left out
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write the JSON Schema of the export instead
    #[arg(long, conflicts_with = "dir")]
    schema: bool,
}

pub(super) fn run(args: Args) -> Outcome {
    let mut outcome = Outcome::Done;
    let text = if args.schema {
        export::SCHEMA.to_owned()
    } else {
        let dir = spec_dir(args.dir);
        let (model, findings) = match visakit_codegen::read_dir(&dir) {
            Ok(read) => read,
            Err((path, error)) => {
                let found = problem("file-read", &path, format!("cannot be read: {error}"))
                    .help("name the folder of a specification");
                report(&[found], Format::Human);
                return Outcome::Failed;
            }
        };
        report(&findings, Format::Human);
        if diag::has_errors(&findings) {
            outcome = Outcome::Found;
        }
        match serde_json::to_string_pretty(&export::export(&model)) {
            Ok(text) => text + "\n",
            Err(error) => {
                report(&[problem("export", &dir, format!("cannot be written as JSON: {error}"))], Format::Human);
                return Outcome::Failed;
            }
        }
    };
    match args.output {
        None => out(&text),
        Some(path) => {
            if let Err(diagnostic) = write(&path, text.as_bytes()) {
                report(&[*diagnostic], Format::Human);
                return Outcome::Failed;
            }
        }
    }
    outcome
}
