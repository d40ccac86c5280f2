//! Stand-alone generator. It runs even if a broken page prevents the main crate from building.
//!
//! `visakit-codegen [DIR]` checks a specification; `--facts` prints its facts, one on each line.
//! `--overlay FILE` applies an overlay first; `--draft` then prints the entries that the overlay
//! lacks to reproduce the facts of its own specification.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use visakit_codegen::model::Model;
use visakit_codegen::overlay::{self, Overlay};
use visakit_diag::{Diagnostic, has_errors};

fn main() -> ExitCode {
    let mut args: Vec<_> = std::env::args_os().skip(1).collect();
    let mut flag = |name: &str| args.iter().position(|a| a == name).map(|i| args.remove(i)).is_some();
    let (facts, draft) = (flag("--facts"), flag("--draft"));
    let file = args.iter().position(|a| a == "--overlay").and_then(|i| {
        args.remove(i);
        (i < args.len()).then(|| args.remove(i))
    });
    let dir = args.pop().unwrap_or_else(|| "spec".into());
    let (model, diagnostics, overlay) = match read(Path::new(&dir), file.as_ref().map(Path::new)) {
        Ok(read) => read,
        Err((path, error)) => {
            eprintln!("{}: {error}", path.display());
            return ExitCode::from(2);
        }
    };
    for diagnostic in &diagnostics {
        eprint!("{}", diagnostic.render(false));
    }
    let text = match (&overlay, draft, facts) {
        (Some(overlay), true, _) => overlay::draft(&model, overlay),
        (_, _, true) => visakit_codegen::facts(&model),
        _ => format!("{} instructions, {} findings\n", model.instructions.len(), diagnostics.len()),
    };
    // A closed pipe ends the program quietly.
    let _ = std::io::stdout().lock().write_all(text.as_bytes());
    ExitCode::from(u8::from(has_errors(&diagnostics)))
}

type Read = (Model, Vec<Diagnostic>, Option<Overlay>);

fn read(dir: &Path, overlay: Option<&Path>) -> Result<Read, (PathBuf, std::io::Error)> {
    let Some(file) = overlay else {
        let (model, diagnostics) = visakit_codegen::read_dir(dir)?;
        return Ok((model, diagnostics, None));
    };
    let (overlay, mut diagnostics) = overlay::read_overlay(file)?;
    let (model, of_pages, _) = overlay::read_dir_with(dir, &overlay)?;
    diagnostics.extend(of_pages);
    Ok((model, diagnostics, Some(overlay)))
}
