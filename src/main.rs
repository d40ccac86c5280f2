//! The command `visa`: see `visa --help`.

use std::process::ExitCode;

fn main() -> ExitCode {
    visakit::cli::main()
}
