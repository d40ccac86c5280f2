//! Runner of programs that find the driver through the loader.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Writes a loader file that names the driver built with this test.
pub(crate) fn driver(folder: &Path) -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let library = test.with_file_name("libvisakit_opencl.so");
    let icd = folder.join("visakit.icd");
    std::fs::write(&icd, format!("{}\n", library.display())).unwrap();
    icd
}

/// Runs a program with the drivers named by a file or a folder. The build cache is in `folder`. The
/// compiler's process is the one built with this test, unless the command names another.
pub(crate) fn run(command: &mut Command, icd: &Path, folder: &Path) -> Output {
    const COMPILER: &str = "VISAKIT_COMPILER";
    if command.get_envs().all(|(name, _)| name != COMPILER) {
        command.env(COMPILER, env!("CARGO_BIN_EXE_visakit-oclc"));
    }
    command.env("OCL_ICD_VENDORS", icd);
    command.env("VISAKIT_CACHE", folder.join("cache")).output().unwrap()
}
