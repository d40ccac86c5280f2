//! Runner of this build's command `visa` in the repository's folder.

use std::process::{Command, Output};

/// Runs `visa` and returns the exit code, standard output and standard error.
pub(crate) fn run(args: &[&str]) -> (i32, String, String) {
    run_with(args, &[])
}

/// Runs `visa` with additional environment variables.
#[allow(dead_code, reason = "not every test sets variables")]
pub(crate) fn run_with(args: &[&str], variables: &[(&str, &str)]) -> (i32, String, String) {
    let mut visa = Command::new(env!("CARGO_BIN_EXE_visa"));
    visa.env_remove("COLUMNS").envs(variables.iter().copied());
    let output: Output = visa.current_dir(visakit_testing::root()).args(args).output().expect("visa starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap_or(-1), text(&output.stdout), text(&output.stderr))
}
