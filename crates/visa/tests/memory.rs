//! Memory of a run: at most its buffers and 64 MiB, for the whole process. Also commands that run
//! out of memory.
#![cfg(target_os = "linux")]

use std::io::Read as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

const MIB: u64 = 1 << 20;
/// Memory allowed in addition to the buffers.
const BESIDE: u64 = 64 * MIB;
/// Memory of hundreds of host threads. How much is used depends on how many run at the same time.
const THREADS: u64 = 16 * MIB;

/// Temporary folder of one test, removed on drop.
struct Scratch(PathBuf);

impl Scratch {
    fn new(test: &str) -> Self {
        let path = std::env::temp_dir().join(format!("visakit-memory-{test}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn file(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Runs `visa run` and returns the peak memory of the process in bytes. The buffer `last` is
/// printed after everything else and exceeds the pipe's capacity, so the process waits until it has
/// been measured.
fn peak(arguments: &[&str], last: u32) -> u64 {
    let mut command = Command::new(env!("CARGO_BIN_EXE_visa"));
    command.arg("run").args(arguments).args(["--print", &format!("{last}=u8:65536")]).stdout(Stdio::piped());
    let mut process = command.spawn().unwrap();
    let mut printed = process.stdout.take().unwrap();
    printed.read_exact(&mut [0]).unwrap();
    let status = std::fs::read_to_string(format!("/proc/{}/status", process.id())).unwrap();
    std::io::copy(&mut printed, &mut std::io::sink()).unwrap();
    assert!(process.wait().unwrap().success());
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1024
}

#[track_caller]
fn stays_within(peak: u64, buffers: u64) {
    let beside = peak.saturating_sub(buffers) as f64 / MIB as f64;
    println!("{beside:.1} MiB beside the buffers");
    assert!(peak <= buffers + BESIDE, "{beside:.1} MiB beside the buffers");
    // A lower value means that the buffers were never all in memory and nothing was measured.
    assert!(peak > buffers / 2);
}

#[test]
fn buffers_from_a_file_and_of_zeros() {
    let scratch = Scratch::new("buffers");
    let input = scratch.file("in");
    std::fs::File::create(&input).unwrap().set_len(256 * MIB).unwrap();
    let zebin = visakit_testing::root().join("examples/vector_add/vector_add.skl.zebin").display().to_string();
    let (first, output) = (format!("0=file:{input}"), format!("2={}", scratch.file("out")));
    let arguments = ["--arg", &first, "--arg", "1=zeros:1048576", "--arg", "2=zeros:268435456", "--arg", "3=u32:64"];
    let all = [&[&zebin, "--global", "64"], &arguments[..], &["--dump", &output]].concat();
    stays_within(peak(&all, 1), 513 * MIB);
    assert_eq!(std::fs::metadata(scratch.file("out")).unwrap().len(), 256 * MIB);
}

#[test]
fn pictures() {
    let scratch = Scratch::new("pictures");
    let zebin = visakit_testing::root().join("examples/vector_add/vector_add.skl.zebin").display().to_string();
    let arguments = ["--arg", "0=zeros:1048576", "--arg", "1=zeros:1048576", "--arg", "2=zeros:83886080"];
    let pictures = ["rgba8unorm", "r32f"]
        .map(|format| format!("2={}:5120x4096:{format}", scratch.file(&format!("{format}.png"))));
    let dumps = ["--dump", &pictures[0], "--dump", &pictures[1], "--arg", "3=u32:64"];
    let all = [&[zebin.as_str(), "--global", "64"], &arguments[..], &dumps].concat();
    stays_within(peak(&all, 1), 82 * MIB);
}

/// Each group has more than a quarter of a MiB of memory, and there are hundreds of host threads.
#[test]
fn groups_with_memory_of_their_own() {
    let scratch = Scratch::new("groups");
    let zebin = scratch.file("programs2.zebin");
    let packed = visakit_testing::root().join("crates/emulator/tests/conformance/programs2.skl.zebin.gz");
    let bytes = visakit_testing::unpacked(&packed).unwrap();
    std::fs::write(&zebin, bytes).unwrap();
    let arguments = ["--global", "32768", "--local", "64", "--threads", "400"];
    let buffers = ["--arg", "0=zeros:131072", "--arg", "1=zeros:4096"];
    let all = [&[zebin.as_str(), "--kernel", "own_memory"], &arguments[..], &buffers].concat();
    stays_within(peak(&all, 0), 132 * 1024 + THREADS);
}

/// Checks take at most 4 bytes per byte plus 16 MiB. Measured are kernels whose work items access a
/// word and a byte each, and a source that is checked again without optimisations.
#[test]
fn checks() {
    if !visakit_testing::have("checks", "vendor", visakit_testing::program("ocloc"), "ocloc") {
        return;
    }
    let scratch = Scratch::new("checks");
    let (source, zebin) = (scratch.file("dense.cl"), scratch.file("dense.zebin"));
    let of = |name, kind, value| {
        format!(
            "kernel void {name}(global const {kind} *a, global {kind} *b) {{\n    \
            size_t i = get_global_id(0), last = get_global_size(0) - 1;\n    b[i] = {value};\n}}\n"
        )
    };
    let neighbours = "(a[max(i, 1ul) - 1] + 2 * a[i] + a[min(i + 1, last)]) / 4";
    let kernels = of("words", "uint", "a[i]") + &of("bytes", "uchar", "a[i]") + &of("stencil", "uchar", neighbours);
    std::fs::write(&source, kernels).unwrap();
    let compile = ["compile", &source, "--device", "skl", "-o", &zebin];
    assert!(Command::new(env!("CARGO_BIN_EXE_visa")).args(compile).status().unwrap().success());
    let cases = [
        (&zebin, "words", 16 * MIB, 4 * MIB),
        (&zebin, "bytes", 8 * MIB, 8 * MIB),
        (&source, "stencil", 4 * MIB, 4 * MIB),
    ];
    for (program, kernel, bytes, items) in cases {
        let (items, buffers) = (items.to_string(), [0, 1].map(|number| format!("{number}=zeros:{bytes}")));
        let launch = ["--platform", "skl", "--kernel", kernel, "--global", &items, "--local", "64"];
        let plain = [&[program.as_str()], &launch[..], &["--arg", &buffers[0], "--arg", &buffers[1]]].concat();
        let of_plain = peak(&plain, 1);
        let of_checked = peak(&[&plain[..], &["--check", "all"]].concat(), 1);
        let more = of_checked.saturating_sub(of_plain);
        println!("{kernel}: {:.2} bytes for each byte", more as f64 / (2 * bytes) as f64);
        // The fixed allowance is for small kernels; this source does not need it.
        assert!(more <= 4 * 2 * bytes + if program == &source { 0 } else { 16 * MIB });
        // A lower value means that nothing was checked.
        assert!(more > bytes / 4);
    }
}

/// Runs the command with a limit on its address space.
fn within(mebibytes: u64, arguments: &[&str]) -> std::process::Output {
    let script = format!("ulimit -c 0; ulimit -v {}; exec \"$0\" \"$@\"", mebibytes * 1024);
    let mut command = Command::new("sh");
    command.args(["-c", &script, env!("CARGO_BIN_EXE_visa")]).args(arguments).current_dir(visakit_testing::root());
    // A backtrace would need memory that is not available, and hangs in some releases of the
    // library.
    command.env("RUST_BACKTRACE", "1").output().unwrap()
}

/// Too little memory is an error with exit code 2 at every limit, never a panic or an abort.
#[test]
fn too_little_memory_is_an_error() {
    let scratch = Scratch::new("limits");
    // The system needs a minimum to start the program.
    let least = (20..4000).find(|limit| within(*limit, &["--version"]).status.success()).expect("a limit");
    let (zebin, output) = ("examples/vector_add/vector_add.skl.zebin", scratch.file("out"));
    let dump = format!("2={output}");
    let buffers = ["0=zeros:4096", "1=zeros:100000000", "2=zeros:4096", "3=u32:64"];
    let launch = buffers.iter().flat_map(|buffer| ["--arg", buffer]).collect::<Vec<_>>();
    let run = [&["run", zebin, "--global", "64"], &launch[..]].concat();
    let commands = [
        run.clone(),
        [&run[..], &["--check", "all", "--threads", "8"]].concat(),
        [&run[..], &["--engine", "native", "--dump", &dump]].concat(),
        vec!["asm", "tests/vectors/single/arith-00.visaasm", "-o", &output],
        vec!["disasm", zebin],
        vec!["verify", zebin],
        vec!["spec", "lint", "spec"],
        vec!["diff", "--only", "ADD"],
    ];
    let (mut refused, mut done) = (0, 0);
    for more in [0, 1, 3, 9, 27, 81, 243] {
        for arguments in &commands {
            let output = within(least + more, arguments);
            let said = String::from_utf8_lossy(&output.stderr);
            let place = format!("{} MiB, {arguments:?}: {}: {said}", least + more, output.status);
            match output.status.code() {
                Some(2) => {
                    assert!(said.starts_with("error[") && said.contains("--> "), "{place}");
                    refused += 1;
                }
                code => {
                    assert!(matches!(code, Some(0 | 1)), "{place}");
                    done += 1;
                }
            }
        }
    }
    assert!(refused > 10 && done > 10, "{refused} refused, {done} done");
}
