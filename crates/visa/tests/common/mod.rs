//! The command `visa` of this build, in the repository's folder.

use std::process::{Command, Output};

/// Runs `visa` and gives exit code, standard output and standard error.
pub(crate) fn run(args: &[&str]) -> (i32, String, String) {
    let mut visa = Command::new(env!("CARGO_BIN_EXE_visa"));
    let output: Output = visa.current_dir(visakit_testing::root()).args(args).output().expect("visa starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap_or(-1), text(&output.stdout), text(&output.stderr))
}
