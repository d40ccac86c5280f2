//! `visa disasm`: object to text.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use visakit_diag::Diagnostic;

use super::{Format, Outcome, object_problem, out, problem, read, report};
use visakit::isa::Platform;
use visakit::object::{Object, Routine, RoutineKind};
use visakit::text::{Style, print, print_exact, print_salvaged};
use visakit_zebin::plain_name;

use crate::io::Output;

/// Print an object as text.
#[derive(clap::Args)]
pub(super) struct Args {
    /// The object, an `.isa` file
    input: PathBuf,
    /// A file for the text, or a folder that gets a file for each routine (`DIR/` is made when it is not there); without
    /// it the text goes to standard output
    #[arg(short, long, value_name = "FILE|DIR")]
    output: Option<PathBuf>,
    /// The platform; it decides the size of a register
    #[arg(long, value_name = "NAME", value_parser = super::platform)]
    platform: Option<Platform>,
    /// Keep all names, so that assembling the text gives the same object again
    #[arg(long)]
    full: bool,
    /// Print what an object has whose instructions lack operands, and `<missing>` for the rest
    #[arg(long, conflicts_with = "full")]
    salvage: bool,
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
    let mut findings = Vec::new();
    let (object, texts) = match (Object::decode(&bytes), args.salvage) {
        (Ok(object), _) => {
            let text = |routine: &Routine| match args.full {
                true => full(&args, &object, routine, &mut findings),
                false => print(&object, routine, args.platform, Style::Vendor),
            };
            let texts = object.routines().map(text).collect::<Vec<_>>();
            (object, texts)
        }
        (Err(error), true) => {
            findings.push(object_problem(&args.input, error));
            match Object::salvage(&bytes) {
                Ok(salvaged) => {
                    let texts = print_salvaged(&salvaged, args.platform);
                    (salvaged.object, texts)
                }
                // The tables are damaged: there is nothing to print by.
                Err(_) => {
                    report(&findings, args.format);
                    return Outcome::Found;
                }
            }
        }
        (Err(error), false) => {
            report(&[object_problem(&args.input, error)], args.format);
            return Outcome::Found;
        }
    };
    findings.extend(stripped(&args.input, &object));
    let names = names(&object);
    let written = match &args.output {
        None => {
            texts.iter().for_each(|text| out(text));
            Ok(())
        }
        Some(folder) if is_folder(folder) => std::fs::create_dir_all(folder)
            .map_err(|e| problem("file-write", folder, format!("cannot be made: {e}")).into())
            .and_then(|()| {
                let mut all = names.iter().zip(&texts);
                all.try_for_each(|(name, text)| {
                    let file = folder.join(format!("{name}.visaasm"));
                    Output::new(&file, &[&args.input], args.format)?.write(text.as_bytes()).map(|_| ())
                })
            }),
        Some(file) => Output::new(file, &[&args.input], args.format)
            .and_then(|output| output.write(texts.concat().as_bytes()).map(|_| ())),
    };
    if let Err(diagnostic) = written {
        report(&[*diagnostic, problem("disasm", &args.input, "its text could not be written")], args.format);
        return Outcome::Failed;
    }
    if findings.is_empty() {
        return Outcome::Done;
    }
    report(&findings, args.format);
    Outcome::Found
}

/// The text that gives the same object again, or the nearest one and a finding.
fn full(args: &Args, object: &Object, routine: &Routine, findings: &mut Vec<Diagnostic>) -> String {
    print_exact(object, routine, args.platform).unwrap_or_else(|text| {
        let message = format!("the text of `{}` does not give the same object again", routine.name());
        let help = "it has what no text can say, or was not whole before: compare with `visa roundtrip`";
        findings.push(problem("text-inexact", &args.input, message).help(help));
        text
    })
}

/// A folder that is there, or a path that ends like one.
fn is_folder(path: &Path) -> bool {
    path.is_dir() || path.as_os_str().to_string_lossy().ends_with(['/', std::path::MAIN_SEPARATOR])
}

/// What to call the files of an object's routines: names that differ.
fn names(object: &Object) -> Vec<String> {
    let mut taken = HashSet::new();
    let routines = object.routines().enumerate();
    let names = routines.map(|(number, routine)| {
        let base = match routine.kind {
            RoutineKind::Kernel => plain_name(&routine.name()),
            RoutineKind::Function { .. } => {
                format!("{}_f{}", plain_name(&routine.name()), number - object.kernels.len())
            }
        };
        let mut name = base.clone();
        let mut again = 2;
        while !taken.insert(name.to_lowercase()) {
            name = format!("{base}-{again}");
            again += 1;
        }
        name
    });
    names.collect()
}

/// Routines whose code was removed: their text has declarations only.
fn stripped(file: &Path, object: &Object) -> Vec<Diagnostic> {
    let removed = object.routines().filter_map(|r| Some((r.name(), r.stripped?)));
    removed
        .map(|(name, code)| {
            let message = format!("the code of `{name}`, {} bytes, was removed from the object", code.size);
            problem("object-stripped", file, message).help("its tables and native code are all that there is")
        })
        .collect()
}
