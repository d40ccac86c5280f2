//! Command `visa spec generate`: writes the Rust that the build emits, with its runtime, for use
//! without this crate.

use std::path::{Path, PathBuf};

use serde_json::json;
use visakit_codegen::model::Model;
use visakit_diag::Diagnostic;

use super::source::{self, OverlayArg};
use crate::io::{make_folder, out, write_named};
use crate::outcome::{Outcome, OutputFormat};
use crate::report::{Findings, answer, finish, problem};

/// Generate a self-contained Rust crate: the instruction set and the runtime that it needs.
///
/// The crate needs the standard library only; its root is mod.rs. To use it as a module of your own
/// crate, copy the folder and declare it with `mod`.
#[derive(clap::Args)]
#[command(after_help = "\
Example:
  visa spec generate pages -o src/visa_isa

Exit codes: 0 written, 1 pages have errors, 2 usage, or a file could not be read or written")]
pub(crate) struct Args {
    /// The specification [default: the built-in pages]
    dir: Option<PathBuf>,
    #[command(flatten)]
    overlay: OverlayArg,
    /// The folder to write to
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    /// How findings are reported; json lists the files as `written`
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
}

/// Text of the generated root module.
const ROOT: &str = "\
//! The instruction set as Rust: written by `visa spec generate` from the pages of a specification.
//!
//! `isa` is generated; `rt` is the runtime that it stands on, and the same for every specification.
//! Nothing but the standard library is needed: this file is the root of a crate, or of a module of
//! yours.

pub mod isa;
pub mod rt;
";

pub(super) fn run(args: Args) -> Outcome {
    finish(write(&args), args.format)
}

fn write(args: &Args) -> Result<Outcome, Findings> {
    let (model, mut findings) = source::read(args.dir.as_deref(), &args.overlay)?;
    let mut missing = visakit_codegen::complete(&model);
    if let Some(dir) = &args.dir {
        let pages = missing.iter_mut().filter(|finding| finding.file.ends_with(".md"));
        pages.for_each(|finding| finding.file = dir.join(&finding.file).display().to_string());
    }
    findings.extend(missing);
    if visakit_diag::has_errors(&findings) {
        return Err(findings.into());
    }
    // Generating the files takes long, so an unusable folder is reported first.
    make_folder(&args.output)?;
    let mut written = Vec::new();
    for (path, text) in files(&model, &args.output)? {
        write_named(&path, &[], text.as_bytes())?;
        written.push(path.display().to_string());
    }
    match args.format {
        OutputFormat::Human => written.iter().for_each(|path| out(&format!("{path}\n"))),
        OutputFormat::Json => answer(&[], json!({ "written": written })),
        OutputFormat::Github | OutputFormat::Sarif => {}
    }
    Ok(Outcome::Done)
}

/// Returns all files with their texts.
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

/// Returns a runtime file without the conditional compilation of this crate.
fn whole(text: &str) -> String {
    text.lines()
        .filter(|line| !line.trim_start().starts_with("#[cfg(feature"))
        .fold(String::new(), |all, line| all + line + "\n")
}
