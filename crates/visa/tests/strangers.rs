//! Kernels from reports of users: each yields its expected values with each installed compiler and
//! on each device that the compiler builds for.
//!
//! The compilers are the `ocloc` on the search path, and those in the folders of
//! `VISAKIT_COMPILERS`, which are separated as in `PATH`.
//!
//! A comment of a kernel has its options and expected values. `only` names devices, and `where it
//! compiles` allows a compiler to refuse the kernel.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Tested devices, one per model of the emulator.
const DEVICES: [&str; 7] = ["skl", "tgllp", "dg2", "mtl", "pvc", "bmg", "ptl-h"];

/// Returns the folders to prepend to the search path, one per compiler; `None` for the compiler on
/// the path.
fn compilers() -> Vec<Option<PathBuf>> {
    let more = std::env::var_os("VISAKIT_COMPILERS").unwrap_or_default();
    let more = std::env::split_paths(&more).filter(|folder| !folder.as_os_str().is_empty()).map(Some);
    visakit_testing::program("ocloc").then_some(None).into_iter().chain(more).collect()
}

/// Returns the command `visa` with a search path for a compiler.
fn visa(compiler: Option<&PathBuf>) -> Command {
    let mut visa = Command::new(env!("CARGO_BIN_EXE_visa"));
    visa.current_dir(visakit_testing::root().join("crates/visa/tests/strangers"));
    if let Some(folder) = compiler {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let all = std::iter::once(folder.clone()).chain(std::env::split_paths(&path));
        visa.env("PATH", std::env::join_paths(all).expect("a search path"));
    }
    visa
}

/// Returns true if a compiler builds for a device.
fn builds_for(compiler: Option<&PathBuf>, device: &str) -> bool {
    let out = visakit_testing::scratch("strangers").join("probe.zebin");
    let output = visa(compiler).args(["compile", "constant_table.cl", "--device", device, "-o"]).arg(out).output();
    output.is_ok_and(|output| output.status.success())
}

#[test]
fn kernels_of_reports_give_their_values() {
    let compilers = compilers();
    if !visakit_testing::have("strangers", "vendor", !compilers.is_empty(), "ocloc") {
        return;
    }
    let folder = visakit_testing::root().join("crates/visa/tests/strangers");
    let mut files: Vec<_> =
        std::fs::read_dir(folder).expect("the kernels").map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let (mut wrong, mut runs) = (Vec::new(), 0);
    for compiler in &compilers {
        for device in DEVICES.into_iter().filter(|device| builds_for(compiler.as_ref(), device)) {
            for file in &files {
                let source = std::fs::read_to_string(file).expect("a kernel");
                let of = |word: &str| source.lines().find_map(|line| line.strip_prefix(word));
                let model = device.split('-').next().unwrap_or(device);
                if of("// only ").is_some_and(|only| only.split(' ').all(|other| other != model)) {
                    continue;
                }
                let options = of("// run ").expect("how it is run").split(' ');
                let output =
                    visa(compiler.as_ref()).arg("run").arg(file).args(["--device", device]).args(options).output();
                let output = output.expect("visa starts");
                runs += 1;
                let said = String::from_utf8_lossy(&output.stderr).into_owned();
                let is_refused = of("// where it compiles").is_some() && said.contains("error[compile]");
                if !output.status.success() && !is_refused {
                    wrong.push(format!("{} on {device} by {compiler:?}:\n{said}", file.display()));
                }
            }
        }
    }
    assert!(runs >= files.len(), "{runs} runs");
    assert!(wrong.is_empty(), "{} of {runs} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// Runs a program with the options in its kernel's comment.
fn run(compiler: Option<&PathBuf>, kernel: &str, program: &Path, device: &str) -> Output {
    let folder = visakit_testing::root().join("crates/visa/tests/strangers");
    let source = std::fs::read_to_string(folder.join(kernel)).expect("a kernel");
    let options = source.lines().find_map(|line| line.strip_prefix("// run ")).expect("how it is run");
    let mut visa = visa(compiler);
    visa.arg("run").arg(program);
    if program.extension().is_some_and(|extension| extension == "spv") {
        visa.args(["--device", device]);
    }
    visa.args(options.split(' ')).output().expect("visa starts")
}

/// Blocks of inline vISA with equal names of locals. In SPIR-V the names are made unique. A zebin
/// of the vendor has lost the scopes; if that changes its meaning, a message suggests a rebuild.
#[test]
fn locals_of_inline_visa_are_kept_apart() {
    let compilers = compilers();
    if !visakit_testing::have("strangers", "vendor", !compilers.is_empty(), "ocloc") {
        return;
    }
    let folder = visakit_testing::root().join("crates/visa/tests/strangers");
    let mut tried = 0;
    for compiler in &compilers {
        for device in ["skl", "dg2", "bmg"].into_iter().filter(|device| builds_for(compiler.as_ref(), device)) {
            for kernel in ["scoped_alias.cl", "scoped_twice.cl", "scoped_unrolled.cl"] {
                let out = visakit_testing::scratch("strangers-inline");
                let ocloc = compiler.as_ref().map_or_else(|| "ocloc".into(), |folder| folder.join("ocloc"));
                let build = |more: &[&str]| {
                    let mut ocloc = Command::new(&ocloc);
                    ocloc
                        .current_dir(&out)
                        .args(["compile", "-q", "-device", device, "-file"])
                        .arg(folder.join(kernel));
                    ocloc.args(["-output", "k", "-output_no_suffix"]).args(more).output().expect("ocloc starts")
                };
                let find = |names: &[&str]| names.iter().map(|name| out.join(name)).find(|file| file.is_file());
                let said = build(&["-spv_only"]);
                let module = find(&["k.spv", "k"]).unwrap_or_else(|| panic!("{kernel} on {device}: {said:?}"));
                let spirv = out.join("module.spv");
                std::fs::rename(module, &spirv).unwrap();
                let output = run(compiler.as_ref(), kernel, &spirv, device);
                assert!(output.status.success(), "{kernel}, SPIR-V, on {device} by {compiler:?}: {output:?}");
                let internal = "-ze-opt-emit-zebin-visa-sections";
                let said = build(&["--format", "zebin", "-internal_options", internal]);
                let given = find(&["k", "k.bin"]).unwrap_or_else(|| panic!("{kernel} on {device}: {said:?}"));
                let zebin = out.join("given.zebin");
                std::fs::rename(given, &zebin).unwrap();
                let output = run(compiler.as_ref(), kernel, &zebin, device);
                let text = String::from_utf8_lossy(&output.stderr);
                let is_told = text.contains("is already declared") && text.contains("visa compile");
                assert!(
                    output.status.success() || output.status.code() == Some(1) && is_told,
                    "{kernel}, zebin, on {device} by {compiler:?}: {output:?}"
                );
                assert_eq!(kernel == "scoped_alias.cl", is_told, "{kernel} on {device} by {compiler:?}: {output:?}");
                // Rebuilds as the message suggests.
                let again = out.join("again.zebin");
                let mut rebuild = visa(compiler.as_ref());
                let built = rebuild.args(["compile", "--device", device]).arg(&zebin).arg("-o").arg(&again).output();
                assert!(built.as_ref().is_ok_and(|built| built.status.success()), "{kernel} on {device}: {built:?}");
                let output = run(compiler.as_ref(), kernel, &again, device);
                assert!(output.status.success(), "{kernel}, rebuilt, on {device} by {compiler:?}: {output:?}");
                tried += 1;
            }
        }
    }
    assert!(tried > 0);
}
