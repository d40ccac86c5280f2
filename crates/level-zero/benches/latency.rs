//! Times of one launch of a small kernel and the wait for its end, through this driver and through
//! the OpenCL driver, in one process.
//!
//! `cargo build --release -p visakit-opencl && cargo bench -p visakit-level-zero` prints a line for
//! each path: the median of many launches, and its ratio to the OpenCL driver's. The paths take
//! turns. A C compiler, `ocloc`, and headers and loader of OpenCL must be installed.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Largest ratio to the OpenCL driver's time.
const WANTED: f64 = 1.0;

fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{command:?}: {text}{}", String::from_utf8_lossy(&output.stderr));
    text
}

/// Returns the SPIR-V file of the kernels of the guide's programs.
fn compile(folder: &Path, own: &Path) -> PathBuf {
    let mut command = Command::new("ocloc");
    command.args(["compile", "-device", "dg2", "-spv_only", "-output", "k", "-output_no_suffix"]);
    command.args(["-options", "-cl-std=CL3.0", "-file"]);
    run(command.arg(own.join("tests/programs/guide/guide.cl")).current_dir(folder));
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let is_module = |path: &PathBuf| std::fs::read(path).is_ok_and(|bytes| bytes.starts_with(&[3, 2, 0x23, 7]));
    files.into_iter().find(is_module).expect("the compiler writes SPIR-V")
}

fn main() {
    // Other arguments are those of the test harness.
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    let built = std::env::current_exe().unwrap().parent().unwrap().parent().unwrap().to_owned();
    let (own, folder) = (Path::new(env!("CARGO_MANIFEST_DIR")), built.join("latency"));
    let drivers = ["libvisakit_level_zero.so", "libvisakit_opencl.so"].map(|name| built.join(name));
    assert!(drivers[1].is_file(), "{}: build the package visakit-opencl first", drivers[1].display());
    std::fs::create_dir_all(&folder).unwrap();
    let (program, icd) = (folder.join("latency"), folder.join("visakit.icd"));
    std::fs::write(&icd, format!("{}\n", drivers[1].display())).unwrap();
    let source = own.join("benches/latency.c");
    run(Command::new("cc").arg("-O2").arg(source).arg("-o").arg(&program).args(["-lOpenCL", "-ldl"]));
    let mut command = Command::new(&program);
    command.arg(&drivers[0]).arg(compile(&folder, own)).env("OCL_ICD_VENDORS", &icd).env("VISAKIT_DEVICES", "dg2");
    command.env("VISAKIT_COMPILER", built.join("visakit-oclc")).env("VISAKIT_CACHE", folder.join("cache"));
    let text = run(&mut command);
    let times: Vec<(&str, f64)> = text
        .lines()
        .filter_map(|line| line.split_once(' '))
        .map(|(name, time)| (name, time.parse().unwrap()))
        .collect();
    let opencl = times.iter().find(|(name, _)| *name == "opencl").expect("the program measures OpenCL").1;
    for (name, time) in times {
        let ratio = time / opencl;
        let note = if ratio > WANTED { "; more than OpenCL" } else { "" };
        println!("{name}: {:.1} µs, {ratio:.2} of OpenCL{note}", time / 1000.0);
    }
}
