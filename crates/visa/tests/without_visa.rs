//! Programs without vISA: their SPIR-V is compiled again, by simulated and by installed compilers.

#[path = "common/scripts.rs"]
mod scripts;

use std::path::{Path, PathBuf};
use std::process::Output;

use scripts::{compiler, stderr, visa};
use serde_json::Value;
use visakit_testing::{root, scratch};

const VISA: u32 = 0xff00_0013;
const SPIRV: u32 = 0xff00_0009;
const LAUNCH: [&str; 12] = [
    "--global",
    "8",
    "--arg",
    "0=range:f32:8",
    "--arg",
    "1=range:f32:8",
    "--arg",
    "2=zeros:32",
    "--arg",
    "3=u32:8",
    "--print",
    "2",
];
/// Line printed by the launch: twice the numbers from 0 to 7.
const RIGHT: &str = "[0]  0.0  2.0  4.0  6.0  8.0 10.0 12.0 14.0";

fn text(path: &Path) -> String {
    path.display().to_string()
}

fn example(platform: &str) -> PathBuf {
    root().join(format!("examples/vector_add/vector_add.{platform}.zebin"))
}

/// Returns a zebin of the example with the types of these sections changed.
fn without(platform: &str, kinds: &[u32]) -> Vec<u8> {
    let mut bytes = std::fs::read(example(platform)).unwrap();
    for at in 0..bytes.len() - 4 {
        if kinds.iter().any(|kind| bytes[at..at + 4] == kind.to_le_bytes()) {
            bytes[at] = 0x55;
        }
    }
    bytes
}

/// Returns the SPIR-V of the example.
fn module() -> Vec<u8> {
    visakit_zebin::spirv::find(&std::fs::read(example("dg2")).unwrap(), None).unwrap().bytes
}

/// Returns an ELF file with SPIR-V and build options, as in ocloc's archive member for every
/// device.
fn generic(options: &str) -> Vec<u8> {
    let module = module();
    let names = b"\0.shstrtab\0SPIRV Object\0BuildOptions\0";
    let parts: [(u32, u32, &[u8]); 3] = [(11, SPIRV, &module), (24, 0xff00_0006, options.as_bytes()), (1, 3, names)];
    let mut file = b"\x7fELF\x02\x01\x01".to_vec();
    file.resize(16, 0);
    file.extend([0x02, 0xff, 0, 0, 1, 0, 0, 0]);
    file.resize(40, 0);
    file.extend(64_u64.to_le_bytes());
    file.extend([0, 0, 0, 0, 64, 0, 0, 0, 0, 0, 64, 0, 4, 0, 3, 0]);
    file.extend([0; 64]);
    let mut offset = 64 * 5;
    for (name, kind, bytes) in parts {
        let mut header = Vec::new();
        header.extend(name.to_le_bytes());
        header.extend(kind.to_le_bytes());
        header.extend([0; 16]);
        header.extend((offset as u64).to_le_bytes());
        header.extend((bytes.len() as u64).to_le_bytes());
        header.resize(64, 0);
        file.extend(header);
        offset += bytes.len();
    }
    parts.iter().for_each(|(_, _, bytes)| file.extend(*bytes));
    file
}

fn archive(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut bytes = b"!<arch>\n".to_vec();
    for (name, data) in members {
        bytes.extend(
            format!("{:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`\n", format!("{name}/"), 0, 0, 0, 644, data.len()).bytes(),
        );
        bytes.extend(*data);
        bytes.resize(bytes.len().next_multiple_of(2), b'\n');
    }
    bytes
}

struct Case {
    folder: PathBuf,
    compilers: Vec<PathBuf>,
}

impl Case {
    /// Writes a compiler script that logs its arguments, keeps its input, and outputs the example
    /// for the device.
    fn new(name: &str) -> Self {
        let folder = scratch(&format!("without-visa-{name}"));
        let build = format!(
            "cp module.spv '{}'\ncp '{}'/examples/vector_add/vector_add.$device.zebin out",
            text(&folder.join("seen.spv")),
            text(&root())
        );
        let note = format!("case $1 in compile) echo \"$*\" >>'{}' ;; esac\n", text(&folder.join("log")));
        let path = compiler(&folder, "fake", "tgllp, dg2, pvc", &build);
        let script =
            std::fs::read_to_string(&path).unwrap().replacen("#!/bin/sh\n", &format!("#!/bin/sh\n{note}"), 1);
        std::fs::write(&path, script).unwrap();
        Self { folder, compilers: vec![path] }
    }

    fn file(&self, name: &str, bytes: &[u8]) -> String {
        let path = self.folder.join(name);
        std::fs::write(&path, bytes).unwrap();
        text(&path)
    }

    fn visa(&self, arguments: &[&str]) -> Output {
        let _ = std::fs::remove_file(self.folder.join("log"));
        visa(arguments, &self.folder, &self.compilers)
    }

    /// Returns the arguments of the compiler's last call.
    fn call(&self) -> String {
        let log = std::fs::read_to_string(self.folder.join("log")).unwrap_or_default();
        log.lines().last().unwrap_or_default().to_owned()
    }
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Every kind of file with SPIR-V runs: for its own device, a named one, or the default.
#[test]
fn files_with_spirv_run() {
    let case = Case::new("run");
    let zebin = case.file("default.bin", &without("dg2", &[VISA]));
    let module_file = case.file("module.spv", &module());
    let generic_file = case.file("generic.bin", &generic("-cl-mad-enable\0"));
    let (dg2, skl) = (without("dg2", &[VISA, SPIRV]), without("skl", &[VISA, SPIRV]));
    let generic = generic("-cl-mad-enable\0");
    let fat = case.file("fat.bin", &archive(&[("64.dg2", &dg2), ("64.skl", &skl), ("generic_ir", &generic)]));
    let whole = std::fs::read(example("dg2")).unwrap();
    let mixed = case.file("mixed.bin", &archive(&[("64.dg2", &whole), ("generic_ir", &generic)]));
    for (file, platform, device) in [
        (&zebin, "", "dg2"),
        (&zebin, "tgllp", "tgllp"),
        (&module_file, "", "pvc"),
        (&module_file, "dg2", "dg2"),
        (&generic_file, "", "pvc"),
        (&fat, "", "dg2"),
        (&fat, "pvc", "pvc"),
        (&mixed, "pvc", "pvc"),
    ] {
        let mut arguments = vec!["run", file];
        arguments.extend(["--device", platform].iter().filter(|_| !platform.is_empty()));
        arguments.extend(LAUNCH);
        let output = case.visa(&arguments);
        let (out, err) = (stdout(&output), stderr(&output));
        assert!(output.status.success() && out.contains(RIGHT), "{file} {platform}: {out}{err}");
        assert!(err.contains(&format!("its SPIR-V was compiled for {device} by ocloc fake.1")), "{err}");
        let call = case.call();
        assert!(call.contains(&format!("-device {device} ")) && call.contains("-spirv_input"), "{call}");
        assert_eq!(call.contains("-options -cl-mad-enable"), file != &zebin && file != &module_file, "{call}");
        assert_eq!(std::fs::read(case.folder.join("seen.spv")).unwrap(), module(), "{file}");
    }
    // A file with vISA is not compiled again.
    let output = case.visa(&[&["run", &mixed][..], &LAUNCH].concat());
    assert!(stdout(&output).contains(RIGHT) && case.call().is_empty(), "{}", stderr(&output));
}

/// The other commands accept such files too.
#[test]
fn the_other_commands() {
    let case = Case::new("commands");
    let zebin = case.file("default.bin", &without("dg2", &[VISA]));
    let spirv = case.file("module.spv", &module());
    let dg2 = without("dg2", &[VISA]);
    let fat = case.file("fat.bin", &archive(&[("64.dg2", &dg2), ("generic_ir", &generic("-g\0"))]));
    for file in [&zebin, &spirv, &fat] {
        for command in ["disasm", "verify", "dump", "roundtrip"] {
            let output = case.visa(&[command, file, "--platform", "tgllp"]);
            assert!(output.status.success(), "{command} {file}: {}{}", stdout(&output), stderr(&output));
            assert!(stderr(&output).contains("compiled for tgllp"), "{command} {file}: {}", stderr(&output));
        }
        let output = case.visa(&["info", file, "--format", "json"]);
        let info: Value = serde_json::from_slice(&output.stdout).unwrap();
        let kernel = &info["programs"][0]["kernels"][0];
        assert_eq!(kernel["name"], "vector_add", "{file} {info}");
        assert!(kernel["visa"]["instructions"].as_u64() > Some(5), "{file} {info}");
        let output = case.visa(&["compile", file, "--device", "pvc", "--options", "-DN=1", "-o", "out.zebin"]);
        assert!(output.status.success(), "{file}: {}", stderr(&output));
        assert_eq!(std::fs::read(case.folder.join("out.zebin")).unwrap(), std::fs::read(example("pvc")).unwrap());
        let call = case.call();
        assert!(call.contains("-DN=1") && call.contains("-g -DN=1") == (file == &fat), "{call}");
    }
    let output = case.visa(&["extract", &fat, "-o", "parts"]);
    assert!(
        output.status.success() && !stderr(&output).contains("the program for generic_ir contains no vISA"),
        "{}",
        stderr(&output)
    );
    assert_eq!(std::fs::read(case.folder.join("parts/generic_ir/module.spv")).unwrap(), module());
}

/// Without SPIR-V or without a compiler, the message has advice.
#[test]
fn what_cannot_be_compiled() {
    let case = Case::new("cannot");
    let bare = case.file("bare.bin", &without("dg2", &[VISA, SPIRV]));
    for arguments in [&["run", &bare, "--global", "1"][..], &["disasm", &bare], &["verify", &bare]] {
        let output = case.visa(arguments);
        let err = stderr(&output);
        assert_eq!(output.status.code(), Some(1), "{err}");
        assert!(
            err.contains("neither vISA nor SPIR-V") && err.contains("visa compile") && err.contains("-exclude_ir"),
            "{err}"
        );
    }
    let err = stderr(&case.visa(&["compile", &bare, "-o", "x"]));
    assert!(err.contains("a zebin without SPIR-V") && err.contains("-exclude_ir"), "{err}");
    let spirv = case.file("module.spv", &module());
    let output = visa(&["disasm", &spirv], &case.folder, &[case.folder.join("nothing")]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("compiler-missing"), "{}", stderr(&output));
    let cut = case.file("cut.spv", &module()[..22]);
    let output = case.visa(&["disasm", &cut]);
    assert!(!output.status.success() && stderr(&output).contains("SPIR-V"), "{}", stderr(&output));
}

/// Default output of the installed compilers for a module, and an archive of it.
#[test]
fn what_the_installed_compilers_make() {
    let compilers = visakit_testing::compilers();
    if !visakit_testing::have("without_visa", "vendor", !compilers.is_empty(), "ocloc") {
        return;
    }
    for (number, program) in compilers.iter().enumerate() {
        let folder = scratch(&format!("without-visa-vendor-{number}"));
        std::fs::write(folder.join("module.spv"), module()).unwrap();
        let ocloc = |arguments: &[&str]| {
            let mut command = std::process::Command::new(program);
            command
                .args(["compile", "-q", "-file", "module.spv", "-spirv_input", "--format", "zebin"])
                .args(arguments);
            let output = command.current_dir(&folder).output().unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
        };
        ocloc(&["-device", "dg2", "-output", "one", "-output_no_suffix", "-options", "-cl-mad-enable"]);
        ocloc(&["-device", "acm-g10,pvc", "-output", "fat"]);
        let one = ["one", "one.bin"].into_iter().find(|name| folder.join(name).is_file()).unwrap();
        for (file, device) in
            [(one, "dg2"), (one, "tgllp"), ("fat", "pvc"), ("fat", "tgllp"), ("module.spv", "tgllp")]
        {
            let arguments = [&["run", file, "--device", device][..], &LAUNCH].concat();
            let output = visa(&arguments, &folder, std::slice::from_ref(program));
            let (out, err) = (stdout(&output), stderr(&output));
            assert!(output.status.success() && out.contains(RIGHT), "{file} {device}: {out}{err}");
            assert!(err.contains(&format!("compiled for {device}")), "{file} {device}: {err}");
        }
    }
}
