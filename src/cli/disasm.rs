//! `visa disasm`: object to text.

use std::path::PathBuf;

use super::{Format, Outcome, object_problem, out, problem, read, report, write};
use crate::isa::Platform;
use crate::object::{Object, RoutineKind};
use crate::text::{Style, print};

/// Print an object as text.
#[derive(clap::Args)]
pub(super) struct Args {
    /// The object, an `.isa` file
    input: PathBuf,
    /// A file for the text, or a folder that gets a file for each routine; without it the text goes to standard output
    #[arg(short, long, value_name = "FILE|DIR")]
    output: Option<PathBuf>,
    /// The platform; it decides the size of a register
    #[arg(long, value_name = "NAME", value_parser = super::platform)]
    platform: Option<Platform>,
    /// Keep all names, so that assembling the text gives the same object again
    #[arg(long)]
    full: bool,
    /// How errors are reported
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

pub(super) fn run(args: Args) -> Outcome {
    let bytes = match read(&args.input) {
        Ok(bytes) => bytes,
        Err(diagnostic) => {
            report(&[*diagnostic], args.format);
            return Outcome::Failed;
        }
    };
    let object = match Object::decode(&bytes) {
        Ok(object) => object,
        Err(error) => {
            report(&[object_problem(&args.input, error)], args.format);
            return Outcome::Found;
        }
    };
    let style = if args.full { Style::Full } else { Style::Vendor };
    let texts: Vec<(String, String)> = object
        .routines()
        .enumerate()
        .map(|(number, routine)| {
            let name = match routine.kind {
                RoutineKind::Kernel => routine.name(),
                RoutineKind::Function { .. } => format!("{}_f{}", routine.name(), number - object.kernels.len()),
            };
            (name, print(&object, routine, args.platform, style))
        })
        .collect();
    let written = match &args.output {
        None => {
            texts.iter().for_each(|(_, text)| out(text));
            Ok(())
        }
        Some(folder) if folder.is_dir() => texts.iter().try_for_each(|(name, text)| {
            let safe = name.replace(|c: char| !(c.is_ascii_alphanumeric() || "._-".contains(c)), "_");
            write(&folder.join(format!("{safe}.visaasm")), text.as_bytes())
        }),
        Some(file) => write(file, texts.into_iter().map(|(_, text)| text).collect::<String>().as_bytes()),
    };
    match written {
        Ok(()) => Outcome::Done,
        Err(diagnostic) => {
            report(&[*diagnostic, problem("disasm", &args.input, "its text could not be written")], args.format);
            Outcome::Failed
        }
    }
}
