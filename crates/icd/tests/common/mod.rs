//! Programs that find the driver through the loader.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The driver that was built with this test, as the loader wants it named.
pub(crate) fn driver(folder: &Path) -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let library = test.with_file_name("libvisakit_opencl.so");
    let icd = folder.join("visakit.icd");
    std::fs::write(&icd, format!("{}\n", library.display())).unwrap();
    icd
}

/// Runs a program with the drivers that a file or a folder names; what is built for it is kept in
/// `folder`.
pub(crate) fn run(command: &mut Command, icd: &Path, folder: &Path) -> Output {
    command.env("OCL_ICD_VENDORS", icd).env("VISAKIT_COMPILER", env!("CARGO_BIN_EXE_visakit-oclc"));
    command.env("VISAKIT_CACHE", folder.join("cache")).output().unwrap()
}
