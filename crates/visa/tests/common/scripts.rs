//! Scripts that simulate the vendor's compilers of several releases.

#![allow(dead_code, reason = "not every test uses every function")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Writes a script that lists `devices` and, for a compilation, runs `build` with the device in
/// `$device`.
pub(crate) fn compiler(folder: &Path, name: &str, devices: &str, build: &str) -> PathBuf {
    let lines = format!(
        "if [ \"$2\" = --help ]; then echo '  <device_type> can be: {devices}, ip version  or so'; exit 0; fi\n\
         if [ \"$1\" = query ]; then printf '{name}.1\\0' >OCL_DRIVER_VERSION; exit 0; fi\n\
         while [ $# -gt 0 ]; do case $1 in -device) device=$2; shift ;; -file) file=$2; shift ;; esac; shift; done\n{build}"
    );
    let path = folder.join(name);
    visakit_testing::script(&path, &lines);
    path
}

/// Runs `visa` with these compilers only.
pub(crate) fn visa(arguments: &[&str], folder: &Path, compilers: &[PathBuf]) -> Output {
    command(arguments, folder, compilers).output().unwrap()
}

/// Returns the command line of [`visa`].
pub(crate) fn command(arguments: &[&str], folder: &Path, compilers: &[PathBuf]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_visa"));
    command.args(arguments).current_dir(folder).env("VISAKIT_OCLOC", std::env::join_paths(compilers).unwrap());
    command
}

pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}
