//! `visa spec generate`: the Rust that the build emits, with the runtime that it stands on, for use without this crate.

use std::path::{Path, PathBuf};

use visakit_codegen::model::Model;
use visakit_diag::Diagnostic;

use crate::{Format, Outcome, out, problem, report, spec_dir, write};

/// Write Rust that stands on its own: the emitted module and the runtime that it needs.
///
/// The files are a crate with the root mod.rs that needs the standard library only, and just as well a module of your own
/// crate: copy the folder and write `mod` and its name.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The specification; `spec` when left out
    dir: Option<PathBuf>,
    /// The folder to write to
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
}

/// The root of what is written.
const ROOT: &str = "\
//! The instruction set as Rust: written by `visa spec generate` from the pages of a specification.
//!
//! `isa` is generated; `rt` is the runtime that it stands on, and the same for every specification. Nothing but the
//! standard library is needed: this file is the root of a crate, or of a module of yours.

pub mod isa;
pub mod rt;
";

pub(super) fn run(args: Args) -> Outcome {
    let dir = spec_dir(args.dir);
    let (model, mut diagnostics) = match visakit_codegen::read_dir(&dir) {
        Ok(read) => read,
        Err((path, error)) => {
            report(&[problem("file-read", &path, format!("cannot be read: {error}"))], Format::Human);
            return Outcome::Failed;
        }
    };
    diagnostics.extend(visakit_codegen::complete(&model));
    if visakit_diag::has_errors(&diagnostics) {
        report(&diagnostics, Format::Human);
        return Outcome::Found;
    }
    let written = files(&model, &args.output).and_then(|files| {
        for (path, text) in files {
            if let Some(folder) = path.parent() {
                std::fs::create_dir_all(folder)
                    .map_err(|error| problem("file-write", folder, format!("cannot be made: {error}")))?;
            }
            write(&path, text.as_bytes())?;
            out(&format!("{}\n", path.display()));
        }
        Ok(())
    });
    match written {
        Ok(()) => Outcome::Done,
        Err(diagnostic) => {
            report(&[*diagnostic], Format::Human);
            Outcome::Failed
        }
    }
}

/// All files with their texts.
fn files(model: &Model, dir: &Path) -> Result<Vec<(PathBuf, String)>, Box<Diagnostic>> {
    let mut out = vec![(dir.join("mod.rs"), ROOT.to_owned())];
    out.extend(visakit::sources::RUNTIME.iter().map(|(name, text)| (dir.join("rt").join(name), whole(text))));
    let mut isa = String::from(
        "//! The instruction set: types, codec, text, stubs and reflection.\n\n\
         // Emitted by one rule for all instructions alike.\n\
         #![allow(unused_parens, non_snake_case, clippy::all)]\n\nuse super::rt;\n\n\
         macro_rules! prose {\n    ($text:literal) => {\n        $text\n    };\n}\n\n",
    );
    for file in visakit_codegen::emit(model) {
        isa.push_str(&format!("include!({:?});\n", file.name));
        let path = dir.join("isa").join(file.name);
        let parsed = syn::parse2(file.tokens).map_err(|error| problem("emit", &path, error.to_string()))?;
        let text = format!("{}{}", visakit_codegen::HEADER, prettyplease::unparse(&parsed));
        out.push((path, text));
    }
    out.push((dir.join("isa/mod.rs"), isa));
    Ok(out)
}

/// A file of the runtime without the conditions of the crate that it is from.
fn whole(text: &str) -> String {
    text.lines()
        .filter(|line| !line.trim_start().starts_with("#[cfg(feature"))
        .fold(String::new(), |all, line| all + line + "\n")
}
