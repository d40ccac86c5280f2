//! The generator on its own: it still runs when a page is so broken that the main crate cannot build.
//!
//! `visakit-codegen [DIR]` checks a specification; `visakit-codegen --facts [DIR]` prints it, one line a fact.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut args: Vec<_> = std::env::args_os().skip(1).collect();
    let facts = args.iter().position(|a| a == "--facts").map(|i| args.remove(i)).is_some();
    let dir = args.pop().unwrap_or_else(|| "spec".into());
    let (model, diagnostics) = match visakit_codegen::read_dir(Path::new(&dir)) {
        Ok(read) => read,
        Err((path, error)) => {
            eprintln!("{}: {error}", path.display());
            return ExitCode::from(2);
        }
    };
    for diagnostic in &diagnostics {
        eprint!("{}", diagnostic.render(false));
    }
    let text = match facts {
        true => visakit_codegen::facts(&model),
        false => format!("{} instructions, {} findings\n", model.instructions.len(), diagnostics.len()),
    };
    // A reader that went away is a quiet end.
    let _ = std::io::stdout().lock().write_all(text.as_bytes());
    ExitCode::from(u8::from(visakit_codegen::diag::has_errors(&diagnostics)))
}
