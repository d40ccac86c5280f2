//! `visa spec generate`: the Rust that the build emits, for reading.

use std::path::PathBuf;

use visakit_codegen::diag;

use crate::cli::{Format, Outcome, out, problem, report, spec_dir, write};

/// Write the Rust that the build emits.
#[derive(clap::Args)]
pub(in crate::cli) struct Args {
    /// The specification; `spec` when left out
    dir: Option<PathBuf>,
    /// The folder to write to
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
}

pub(super) fn run(args: Args) -> Outcome {
    let dir = spec_dir(args.dir);
    let (model, diagnostics) = match visakit_codegen::read_dir(&dir) {
        Ok(read) => read,
        Err((path, error)) => {
            report(&[problem("file-read", &path, format!("cannot be read: {error}"))], Format::Human);
            return Outcome::Failed;
        }
    };
    if diag::has_errors(&diagnostics) {
        report(&diagnostics, Format::Human);
        return Outcome::Found;
    }
    if let Err(error) = std::fs::create_dir_all(&args.output) {
        report(&[problem("file-write", &args.output, format!("cannot be made: {error}"))], Format::Human);
        return Outcome::Failed;
    }
    for file in visakit_codegen::emit(&model) {
        let path = args.output.join(file.name);
        let written = match visakit_codegen::format(&file) {
            Ok(text) => write(&path, text.as_bytes()),
            Err(error) => Err(problem("emit", &path, error).into()),
        };
        if let Err(diagnostic) = written {
            report(&[*diagnostic], Format::Human);
            return Outcome::Failed;
        }
        out(&format!("{}\n", path.display()));
    }
    Outcome::Done
}
