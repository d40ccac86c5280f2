//! The driver through the system's Level Zero loader, if one is installed with its headers.

mod common;

use std::path::Path;
use std::process::Command;

use common::{MODULE, compiler, programs};
use visakit_testing::{have, program, scratch};

#[test]
fn a_program_runs_through_the_loader() {
    // The program calls `zeInitDrivers`, which loaders have since 2024.
    let header = std::fs::read_to_string("/usr/include/level_zero/ze_api.h").unwrap_or_default();
    let found = header.contains("zeInitDrivers") && program("cc");
    if !have("level-zero loader", "level-zero", found, "libze-dev of Debian sid and a C compiler") {
        return;
    }
    let Some(spirv) = MODULE.as_ref() else { return };
    let folder = scratch("level-zero-loader");
    let (binary, module) = (folder.join("vector"), folder.join("k.spv"));
    std::fs::write(&module, spirv).unwrap();
    let source = programs().join("vector.c");
    let built = Command::new("cc").arg(source).arg("-o").arg(&binary).arg("-lze_loader").output().unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let driver = std::env::current_exe().unwrap();
    let driver = driver.with_file_name("libvisakit_level_zero.so");
    assert!(Path::new(&driver).is_file(), "{}", driver.display());
    for device in ["dg2", "skl"] {
        let mut command = Command::new(&binary);
        command.arg(&module).env("ZE_ENABLE_ALT_DRIVERS", &driver).env("VISAKIT_DEVICES", device);
        command.env("VISAKIT_COMPILER", compiler()).env("VISAKIT_CACHE", folder.join("cache"));
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && said.ends_with("passed\n"), "{device}: {said}");
    }
}
