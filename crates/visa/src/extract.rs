//! `visa extract`: what a zebin, an older container or an archive holds, as files.

use std::path::PathBuf;

use visakit_diag::has_errors;

use super::{Format, Outcome, out, problem, read, report, write};
use visakit_zebin::extract;

/// Take a zebin, a fat binary or an archive apart: vISA texts, `.ze_info`, native code
#[derive(clap::Args)]
pub(super) struct Args {
    /// The container: a zebin, or an archive of several devices as ocloc writes it
    input: PathBuf,
    /// The folder for the files, one folder a device in it; it is made when it is not there
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    /// How the files and errors are reported; json is one object with `files` and `findings`
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

pub(super) fn run(args: Args) -> Outcome {
    let bytes = match read(&args.input) {
        Ok(bytes) => bytes,
        Err(finding) => {
            report(&[*finding], args.format);
            return Outcome::Failed;
        }
    };
    let mut found = match extract(&args.input.display().to_string(), &bytes) {
        Ok(found) => found,
        Err(finding) => {
            report(&[*finding], args.format);
            return Outcome::Found;
        }
    };
    let mut failed = false;
    for item in &found.items {
        let path = args.output.join(&item.path);
        let folder = path.parent().unwrap_or(&args.output);
        let made = std::fs::create_dir_all(folder)
            .map_err(|e| problem("file-write", folder, format!("cannot be made: {e}")).into());
        if let Err(finding) = made.and_then(|()| write(&path, &item.bytes)) {
            found.findings.push(*finding);
            failed = true;
            break;
        }
    }
    match args.format {
        Format::Human => {
            report(&found.findings, args.format);
            for item in &found.items {
                out(&format!("{}\n", args.output.join(&item.path).display()));
            }
        }
        Format::Json => {
            let report = serde_json::json!({ "files": found.items, "findings": found.findings });
            out(&format!("{report:#}\n"));
        }
    }
    let wrong = has_errors(&found.findings) || found.items.is_empty();
    match (failed, wrong) {
        (true, _) => Outcome::Failed,
        (false, true) => Outcome::Found,
        (false, false) => Outcome::Done,
    }
}
