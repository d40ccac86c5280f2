//! Unmodified third-party programs packaged by Debian pass their own checks on a device.

mod common;

use std::path::Path;
use std::process::{Command, Output};

use visakit_testing::{have, program, root, scratch};

/// Returns true if a program and the vendor's compiler are installed.
fn is_there(test: &str, name: &str) -> bool {
    have(test, "vendor", program(name), name) && have(test, "vendor", program("ocloc"), "ocloc")
}

/// Runs a program on one device.
fn run(name: &str, arguments: &[&str], device: &str, folder: &Path) -> Output {
    let mut command = Command::new(name);
    // Some programs keep builds in the working folder.
    command.args(arguments).env("VISAKIT_DEVICES", device).env("PYTHONWARNINGS", "ignore").current_dir(folder);
    common::run(&mut command, &common::driver(folder), folder)
}

/// Fourier transforms of one and more dimensions, which the program compares with known results.
#[test]
fn clfft() {
    let name = "clFFT-client";
    if !is_there("clfft", name) {
        return;
    }
    let folder = scratch("opencl-clfft");
    for (arguments, device) in
        [("-x 64", "pvc"), ("-x 100 -y 36 -o", "dg2"), ("-x 243 --inv", "tgllp"), ("-x 1000 --double", "skl")]
    {
        let arguments: Vec<&str> = arguments.split(' ').collect();
        let found = run(name, &arguments, device, &folder);
        let text = String::from_utf8_lossy(&found.stdout);
        assert!(text.contains("*****PASS*****"), "{arguments:?} on {device}: {text}");
    }
}

/// Linear algebra, which the programs compare with a library for the host.
#[test]
fn clblast() {
    let folder = scratch("opencl-clblast");
    for (routine, device) in [("xaxpy", "dg2"), ("xdot", "skl"), ("xscal", "pvc"), ("xswap", "tgllp")] {
        let name = format!("clblast_test_{routine}");
        if !is_there("clblast", &name) {
            return;
        }
        let found = run(&name, &["-platform", "0", "-device", "0"], device, &folder);
        let text = String::from_utf8_lossy(&found.stdout);
        assert!(found.status.success() && text.contains("test(s) passed"), "{name} on {device}: {text}");
    }
}

/// Arrays in Python: arithmetic, sums, products and scans, compared with numpy.
#[test]
fn pyopencl() {
    let python = "/usr/bin/python3";
    let has = Command::new(python).args(["-c", "import pyopencl"]).output().is_ok_and(|found| found.status.success());
    if !have("pyopencl", "vendor", has, "Debian's pyopencl") || !is_there("pyopencl", python) {
        return;
    }
    let folder = scratch("opencl-pyopencl");
    let script = root().join("crates/icd/tests/programs/arrays.py");
    for device in ["dg2", "skl"] {
        let found = run(python, &[script.to_str().unwrap()], device, &folder);
        let said = String::from_utf8_lossy(&found.stderr);
        assert_eq!(String::from_utf8_lossy(&found.stdout), "done\n", "{device}: {said}");
    }
}
