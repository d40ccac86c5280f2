//! The generator on its own: it still runs when a page is so broken that the main crate cannot build.

use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let dir = std::env::args_os().nth(1).unwrap_or_else(|| "spec".into());
    match visakit_codegen::read_dir(Path::new(&dir)) {
        Ok((model, diagnostics)) => {
            for d in &diagnostics {
                eprint!("{}", d.render(false));
            }
            println!("{} instructions, {} lists, {} structures", model.instructions.len(), model.lists.len(), model.structures.len());
            ExitCode::from(u8::from(visakit_codegen::diag::has_errors(&diagnostics)))
        }
        Err((path, error)) => {
            eprintln!("{}: {error}", path.display());
            ExitCode::from(2)
        }
    }
}
