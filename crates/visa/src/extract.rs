//! Command `visa extract`: writes the contents of a zebin, an older container or an archive to
//! files.

use std::path::PathBuf;

use serde_json::json;
use visakit_wasm::kind::Kind;
use visakit_zebin::extract;

use crate::io::{out, read, shown, write_named};
use crate::outcome::{Outcome, OutputFormat};
use crate::report::{Findings, answer, finish, problem, report};

/// Extract the parts of a zebin, fat binary or archive: vISA texts, `.ze_info`, native code
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  visa extract program.zebin -o parts
  visa extract devices.ar -o parts --format json

With `--format json`, `files` has `path`, `kind`, `device` and `routine` of each file.

Exit codes: 0 all parts were written, 1 the file is damaged, empty or not a container, 2 usage, or a file could not be read or written")]
pub(super) struct Args {
    /// The container: a zebin, or an archive of ocloc for several devices
    input: PathBuf,
    /// The folder for the files, with a subfolder for each device; it is created if missing
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    /// How the files and errors are reported; json is an object with `files` and `findings`
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
}

pub(super) fn run(args: Args) -> Outcome {
    finish(take_apart(&args), args.format)
}

fn take_apart(args: &Args) -> Result<Outcome, Findings> {
    let bytes = read(&args.input)?;
    let kind = Kind::of(&args.input, &bytes);
    if !matches!(kind, Kind::Zebin | Kind::Archive) {
        let found = problem("container-unknown", &args.input, format!("this is {}, not a container", kind.name()));
        return Err(found.help("give an ELF file or an `ar` archive written by ocloc").into());
    }
    let mut found = extract(&shown(&args.input, "stdin"), &bytes)?;
    if found.items.is_empty() && Outcome::of(&found.findings) == Outcome::Done {
        found.findings.push(problem(
            "container-empty",
            &args.input,
            "it contains nothing that \
         can be written as a file",
        ));
    }
    let mut written = 0;
    for item in &found.items {
        let path = args.output.join(&item.path);
        if let Err(finding) = write_named(&path, &[&args.input], &item.bytes) {
            found.findings.push(*finding);
            break;
        }
        written += 1;
    }
    found.items.truncate(written);
    match args.format {
        OutputFormat::Human => {
            report(&found.findings, args.format);
            found.items.iter().for_each(|item| out(&format!("{}\n", args.output.join(&item.path).display())));
        }
        OutputFormat::Json => answer(&found.findings, json!({ "files": found.items })),
        OutputFormat::Github | OutputFormat::Sarif => report(&found.findings, args.format),
    }
    Ok(Outcome::of(&found.findings))
}
