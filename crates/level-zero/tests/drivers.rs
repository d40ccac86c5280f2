//! A C program with this driver and the OpenCL driver in one process, also after `fork`; and with
//! valgrind.

mod common;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use common::{MODULE, compiler, programs};
use visakit_testing::{have, program, scratch};

/// Program with its module, in a folder.
struct Built {
    folder: PathBuf,
    program: PathBuf,
}

fn build(test: &str) -> Option<Built> {
    let found = program("cc") && Path::new("/usr/include/CL/cl.h").is_file();
    if !have(test, "vendor", found, "C compiler with the headers of OpenCL") {
        return None;
    }
    let spirv = MODULE.as_ref()?;
    let folder = scratch(test);
    std::fs::write(folder.join("k.spv"), spirv).unwrap();
    let program = folder.join("both");
    let mut command = Command::new("cc");
    command.arg(programs().join("both.c")).arg("-o").arg(&program).args(["-lOpenCL", "-ldl"]);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(Built { folder, program })
}

impl Built {
    fn run(&self, command: &mut Command, words: &[&str]) -> Output {
        let driver = std::env::current_exe().unwrap().with_file_name("libvisakit_level_zero.so");
        assert!(driver.is_file(), "{}", driver.display());
        command.arg(driver).arg(self.folder.join("k.spv")).args(words);
        command.env("VISAKIT_COMPILER", compiler()).env("VISAKIT_CACHE", self.folder.join("cache"));
        command.env("VISAKIT_DEVICES", "dg2").output().unwrap()
    }
}

#[test]
fn both_drivers_share_a_process() {
    // A test command of the workspace builds it into the folder of the tests.
    let opencl = std::env::current_exe().unwrap().with_file_name("libvisakit_opencl.so");
    if !have("both drivers", "build", opencl.is_file(), "cargo build -p visakit-opencl") {
        return;
    }
    let Some(built) = build("level-zero-both") else { return };
    let icd = built.folder.join("visakit.icd");
    std::fs::write(&icd, format!("{}\n", opencl.display())).unwrap();
    let output = built.run(Command::new(&built.program).env("OCL_ICD_VENDORS", &icd), &["both"]);
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said == "passed\n", "{}: {said}", String::from_utf8_lossy(&output.stderr));
}

/// Valgrind finds no invalid or uninitialised memory accesses and no leaks.
#[test]
fn valgrind_has_no_findings() {
    if !have("level-zero valgrind", "vendor", program("valgrind"), "valgrind") {
        return;
    }
    let Some(built) = build("level-zero-valgrind") else { return };
    let mut command = Command::new("valgrind");
    // Memory of threads that never end is not a leak; valgrind reports it as possibly lost.
    command.args(["-q", "--error-exitcode=9", "--leak-check=full", "--show-leak-kinds=definite,indirect"]);
    command.arg("--errors-for-leak-kinds=definite,indirect").arg(&built.program);
    let output = built.run(&mut command, &[]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.is_empty(), "{}: {said}", output.status);
}
