//! The driver through the system's Level Zero loader, if one is installed with its headers.

mod common;

use std::path::Path;
use std::process::Command;

use common::{MODULE, compiler, programs, spirv_of};
use visakit_testing::{files, have, program, scratch};

/// Returns true if programs can be built.
fn can_build() -> bool {
    // The programs call `zeInitDrivers`, which loaders have since 2024.
    let header = std::fs::read_to_string("/usr/include/level_zero/ze_api.h").unwrap_or_default();
    let found = header.contains("zeInitDrivers") && program("cc");
    have("level-zero loader", "level-zero", found, "libze-dev of Debian sid and a C compiler")
}

/// Builds a program in a folder, and returns the command that runs it with a module.
fn build(folder: &Path, source: &Path, spirv: &[u8]) -> Command {
    let (binary, module) = (folder.join(source.file_stem().unwrap()), folder.join("k.spv"));
    std::fs::write(&module, spirv).unwrap();
    let flags = ["-Wall", "-Wextra", "-Wno-missing-field-initializers", "-Werror", "-lze_loader"];
    let built = Command::new("cc").arg(source).arg("-o").arg(&binary).args(flags).output().unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let driver = std::env::current_exe().unwrap().with_file_name("libvisakit_level_zero.so");
    assert!(driver.is_file(), "{}", driver.display());
    let mut command = Command::new(&binary);
    command.arg(&module).env("ZE_ENABLE_ALT_DRIVERS", &driver);
    command.env("VISAKIT_COMPILER", compiler()).env("VISAKIT_CACHE", folder.join("cache"));
    command
}

#[test]
fn a_program_runs_through_the_loader() {
    if !can_build() {
        return;
    }
    let Some(spirv) = MODULE.as_ref() else { return };
    let mut command = build(&scratch("level-zero-loader"), &programs().join("vector.c"), spirv);
    for device in ["dg2", "skl"] {
        let output = command.env("VISAKIT_DEVICES", device).output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && said.ends_with("passed\n"), "{device}: {said}");
    }
}

/// Each program of the guide prints its text.
#[test]
fn programs_of_the_guide_print_what_they_promise() {
    if !can_build() {
        return;
    }
    let Some(spirv) = spirv_of("guide/guide.cl") else { return };
    let (folder, sources) = (scratch("level-zero-guide"), files(&programs().join("guide"), "c"));
    assert!(sources.len() >= 10);
    for source in sources {
        let wanted = std::fs::read_to_string(source.with_extension("txt")).unwrap();
        let devices = if source.ends_with("peers.c") { "dg2,bmg" } else { "dg2" };
        let output = build(&folder, &source, &spirv).env("VISAKIT_DEVICES", devices).output().unwrap();
        let (printed, said) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert_eq!(printed, wanted, "{}: {}: {said}", source.display(), output.status);
        assert!(output.status.success() && said.is_empty(), "{}: {}: {said}", source.display(), output.status);
    }
}
