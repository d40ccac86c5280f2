//! Group copies (`async_work_group_copy`) with `VISAKIT_CHECK`: a host program launches the
//! labelled kernels of the command's tests through the loader.

mod common;

use std::fmt::Write as _;
use std::fs::File;
use std::path::Path;
use std::process::Command;

use common::{driver, run};
use visakit_testing::{have, program, root, scratch};

/// Labelled kernel.
struct Labelled {
    name: String,
    /// Input line of the host program.
    launch: String,
    /// Distinct codes of the expected findings, in order.
    found: Vec<String>,
}

/// Reads the kernels of a source and the comments in front of them.
fn labelled(source: &str) -> Vec<Labelled> {
    let mut kernels = Vec::new();
    let (mut options, mut found) = (String::new(), Vec::new());
    for line in source.lines() {
        if let Some(run) = line.strip_prefix("// run ") {
            (options, found) = (run.to_owned(), Vec::new());
        } else if let Some(codes) = line.strip_prefix("// found ") {
            found = codes.split(' ').step_by(2).map(str::to_owned).collect();
            found.sort();
            found.dedup();
        } else if let Some(kernel) = line.strip_prefix("kernel void ") {
            let name = kernel.split('(').next().expect("a name").to_owned();
            let launch = launch(&name, &options);
            kernels.push(Labelled { name, launch, found: std::mem::take(&mut found) });
        }
    }
    kernels
}

/// Converts options of `visa run` to the input of the host program.
fn launch(name: &str, options: &str) -> String {
    let words: Vec<_> = options.split(' ').collect();
    let sizes = |option: &str| {
        let at = words.iter().position(|word| *word == option).expect("a size");
        words[at + 1].split(',').collect::<Vec<_>>()
    };
    let (global, local) = (sizes("--global"), sizes("--local"));
    let mut line = format!("{name} {}", global.len());
    global.iter().zip(&local).for_each(|(global, local)| write!(line, " {global} {local}").unwrap());
    for argument in words.windows(2).filter(|pair| pair[0] == "--arg").map(|pair| pair[1]) {
        let (_, value) = argument.split_once('=').expect("a value");
        line += &format!(" {}", value.trim_start_matches("range:").replace(':', " "));
    }
    line + "\n"
}

/// Returns the code of a check's finding on a line, or `None` for other lines.
fn code(line: &str) -> Option<&str> {
    line[line.rfind("[check-")? + 1..].split(']').next()
}

#[test]
fn group_copies_are_checked() {
    let headers = ["/usr/include", "/usr/local/include"].iter().any(|dir| Path::new(dir).join("CL/cl.h").is_file());
    if !have("copies", "vendor", program("cc") && headers, "C compiler with the headers of OpenCL")
        || !have("copies", "vendor", program("ocloc"), "ocloc")
    {
        return;
    }
    let folder = scratch("opencl-copies");
    let (icd, built) = (driver(&folder), folder.join("copies"));
    let source = root().join("crates/icd/tests/programs/copies.c");
    let compiled = Command::new("cc").arg("-o").arg(&built).arg(source).arg("-lOpenCL").status();
    assert!(compiled.is_ok_and(|status| status.success()));
    let kernels = root().join("crates/visa/tests/checks/copies.cl");
    let all = labelled(&std::fs::read_to_string(&kernels).unwrap());
    assert!(all.len() > 30 && all.iter().filter(|kernel| kernel.found.is_empty()).count() > 10);
    let launches = folder.join("launches");
    std::fs::write(&launches, all.iter().map(|kernel| kernel.launch.as_str()).collect::<String>()).unwrap();
    for device in ["dg2", "pvc", "skl"] {
        let mut command = Command::new(&built);
        command.env("KERNELS", &kernels).env("VISAKIT_DEVICES", device).env("VISAKIT_CHECK", "all");
        command.stdin(File::open(&launches).unwrap());
        let output = run(&mut command, &icd, &folder);
        let (printed, said) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        let ran: Vec<_> = printed.lines().collect();
        assert_eq!(ran, all.iter().map(|kernel| kernel.name.as_str()).collect::<Vec<_>>(), "{device}: {said}");
        for kernel in &all {
            let start = format!("visakit: kernel `{}`: ", kernel.name);
            let findings = said.lines().filter_map(|line| line.strip_prefix(&start));
            let findings = findings.filter(|line| !line.starts_with("note: "));
            let mut codes: Vec<_> = findings.filter_map(code).collect();
            codes.sort();
            codes.dedup();
            assert_eq!(codes, kernel.found, "{} on {device}:\n{said}", kernel.name);
        }
    }
}
