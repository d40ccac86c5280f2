//! C programs run on every device through the loader: their output equals that on pocl.

mod common;

use std::path::{Path, PathBuf};
use std::process::Command;

use common::{driver, run};
use visakit_testing::{files, have, program, root, scratch, script, todays_compiler};

/// Path of the loader file of Debian's pocl.
const POCL: &str = "/etc/OpenCL/vendors/pocl.icd";

/// Programs that the tests below run.
const OWN_TESTS: [&str; 10] =
    ["binaries", "copies", "early", "faults", "includes", "inline", "memory", "slow", "stay", "system"];

fn can_build(test: &str) -> bool {
    let headers = ["/usr/include", "/usr/local/include"].iter().any(|dir| Path::new(dir).join("CL/cl.h").is_file());
    have(test, "vendor", program("cc") && headers, "C compiler with the headers of OpenCL")
        && have(test, "vendor", program("ocloc"), "ocloc")
        && have(test, "vendor", Path::new(POCL).is_file(), "pocl")
}

#[test]
fn programs_print_what_they_print_on_pocl() {
    if can_build("loader") {
        // Of the four devices one has no images.
        compare(&scratch("opencl-loader"), &[], 4, 3);
    }
}

#[test]
fn programs_print_the_same_with_todays_compiler() {
    let today = todays_compiler();
    if !can_build("loader today") || !have("loader today", "vendor", today.is_some(), "VISAKIT_TODAY") {
        return;
    }
    let folder = scratch("opencl-loader-today");
    let compiler = folder.join("oclc");
    let wrapper = today.unwrap().with_file_name("with-today");
    let oclc = env!("CARGO_BIN_EXE_visakit-oclc");
    script(&compiler, &format!("exec {} {oclc} \"$@\"", wrapper.display()));
    let compiler = compiler.to_str().unwrap();
    compare(&folder, &[("VISAKIT_COMPILER", compiler), ("VISAKIT_DEVICES", "bmg,dg2,pvc")], 3, 2);
}

/// Compares the output of each program on each device with that on pocl's only device.
/// `variables` are set for the driver; `with_images` of the `devices` have images.
fn compare(folder: &Path, variables: &[(&str, &str)], devices: usize, with_images: usize) {
    let icd = driver(folder);
    for source in files(&root().join("crates/icd/tests/programs"), "c") {
        let name = source.file_stem().unwrap().to_str().unwrap();
        if OWN_TESTS.contains(&name) {
            continue;
        }
        let built = compile(name, folder);
        // These programs use features that pocl lacks, and compare with the host.
        let wanted = match name {
            "codes" | "features" | "immutable" | "libraries" | "meeting" | "mutable" | "own" | "pages" | "parts"
            | "recorded" | "signals" | "vendor" => "done\n".to_owned(),
            "endless" => "left\n".to_owned(),
            // On pocl the child process would hang, because it lacks pocl's threads.
            "forks" => "131070\n131070\nchild: 0\n131070\n".to_owned(),
            _ => String::from_utf8(run(&mut Command::new(&built), Path::new(POCL), folder).stdout).unwrap(),
        };
        assert!(!wanted.is_empty(), "{name} prints nothing on pocl");
        let count = match name {
            "images" => with_images,
            // This program ends with the first device.
            "endless" => 1,
            _ => devices,
        };
        let found = run(Command::new(&built).envs(variables.iter().copied()), &icd, folder);
        let (said, status) = (String::from_utf8_lossy(&found.stderr), found.status);
        assert_eq!(String::from_utf8_lossy(&found.stdout), wanted.repeat(count), "{name}: {status}: {said}");
        assert!(status.success() && said.is_empty(), "{name}: {status}: {said}");
    }
}

/// Compiles a program of `programs/`.
fn compile(name: &str, folder: &Path) -> PathBuf {
    let (source, built) = (root().join(format!("crates/icd/tests/programs/{name}.c")), folder.join(name));
    let compiler =
        Command::new("cc").arg("-o").arg(&built).arg(&source).args(["-lOpenCL", "-lm", "-pthread"]).output();
    let compiler = compiler.unwrap();
    assert!(compiler.status.success(), "{}: {}", source.display(), String::from_utf8_lossy(&compiler.stderr));
    built
}

/// Valgrind finds no invalid or uninitialised memory accesses and no leaks in the programs and the
/// driver.
#[test]
fn valgrind_has_no_findings() {
    if !can_build("valgrind") || !have("valgrind", "vendor", program("valgrind"), "valgrind") {
        return;
    }
    let folder = scratch("opencl-valgrind");
    let icd = driver(&folder);
    for name in ["buffers", "images", "own"] {
        let built = compile(name, &folder);
        let mut command = Command::new("valgrind");
        // Memory of threads that never end is not a leak; valgrind reports it as possibly lost.
        command.args(["-q", "--error-exitcode=9", "--leak-check=full", "--show-leak-kinds=definite,indirect"]);
        command.arg("--errors-for-leak-kinds=definite,indirect").arg(&built).env("VISAKIT_DEVICES", "dg2");
        let found = run(&mut command, &icd, &folder);
        let said = String::from_utf8_lossy(&found.stderr);
        assert!(found.status.success() && said.is_empty(), "{name}: {}: {said}", found.status);
    }
}

/// A launch is checked, counted and recorded on request by the environment; without a compiler,
/// builds fail.
#[test]
fn the_environment_is_heard() {
    if !can_build("environment") {
        return;
    }
    let folder = scratch("opencl-environment");
    let (icd, record) = (driver(&folder), folder.join("record"));
    let built = compile("neighbours", &folder);
    let mut command = Command::new(&built);
    command.env("VISAKIT_DEVICES", "pvc").env("VISAKIT_CHECK", "race").env("VISAKIT_STATS", "1");
    let found = run(command.env("VISAKIT_RECORD", &record), &icd, &folder);
    let said = String::from_utf8_lossy(&found.stderr);
    assert!(said.contains("check-race") && said.contains("source line 1"), "{said}");
    assert!(said.contains("4 groups") && said.contains("lsc_store"), "{said}");
    let launch = std::fs::read_to_string(record.join("0000.toml")).unwrap();
    assert!(launch.contains("local = [8]") && launch.contains("\"0=file:0000.0.bin\""), "{launch}");
    assert_eq!(std::fs::read(record.join("0000.0.bin")).unwrap(), [0; 128]);

    // Memory after a buffer reads as zero up to the end of its page, as on a device. With checks,
    // such accesses are reported.
    let built = compile("pages", &folder);
    let mut command = Command::new(&built);
    let found = run(command.env("VISAKIT_DEVICES", "dg2").env("VISAKIT_CHECK", "bounds"), &icd, &folder);
    let said = String::from_utf8_lossy(&found.stderr);
    let told = ["offset 12 of argument 0 (`a`), which has 12 bytes", "offset 4092 of argument 0"];
    assert!(told.iter().all(|words| said.contains(words)) && said.contains("check-bounds"), "{said}");

    // Memory reached by addresses is recorded with them: here a list built by the host.
    let built = compile("own", &folder);
    let record = folder.join("addresses");
    let mut command = Command::new(&built);
    // Program variables and shared memory are not arguments, but are within bounds.
    command.env("VISAKIT_CHECK", "bounds");
    let found = run(command.env("VISAKIT_DEVICES", "dg2").env("VISAKIT_RECORD", &record), &icd, &folder);
    assert!(found.stderr.is_empty(), "{}", String::from_utf8_lossy(&found.stderr));
    let walks = files(&record, "toml").into_iter().map(|path| std::fs::read_to_string(path).unwrap());
    let walk = walks.into_iter().find(|text| text.contains("\"walk\"")).unwrap();
    let memory: Vec<_> = walk.lines().filter_map(|line| line.trim().strip_prefix("\"0x")?.split_once(':')).collect();
    assert_eq!(memory.len(), 5, "{walk}");
    for (number, (_, file)) in memory.iter().enumerate() {
        let bytes = std::fs::read(record.join(file.trim_end_matches("\","))).unwrap();
        let node = &bytes[16 * number..];
        let next = format!("{:x}", u64::from_le_bytes(node[..8].try_into().unwrap()));
        assert_eq!(node[8], 10 + number as u8);
        // Each node is preceded by as many empty nodes as its index.
        let wanted = memory
            .get(number + 1)
            .map(|(address, _)| u64::from_str_radix(address, 16).unwrap() + 16 * (number as u64 + 1));
        assert_eq!(next, format!("{:x}", wanted.unwrap_or(0)));
    }

    let nothing = folder.join("nothing");
    let built = compile("neighbours", &folder);
    let mut command = Command::new(&built);
    command.env("OCL_ICD_VENDORS", &icd).env("VISAKIT_COMPILER", &nothing).env("VISAKIT_DEVICES", "dg2");
    let found = command.output().unwrap();
    let said = String::from_utf8_lossy(&found.stdout);
    assert!(!found.status.success() && said.contains("no installed compiler supports dg2"), "{said}");
}

/// Kernels use memory of the program on request by the environment, but not with checks, which run
/// on copies.
#[test]
fn kernels_use_memory_of_the_program() {
    if !can_build("system") {
        return;
    }
    let folder = scratch("opencl-system");
    let built = compile("system", &folder);
    let icd = driver(&folder);
    for (switch, checks, wanted) in [("1", "", "system"), ("0", "", "none"), ("1", "bounds", "none")] {
        let mut command = Command::new(&built);
        command.env("VISAKIT_SYSTEM_MEMORY", switch).env("VISAKIT_CHECK", checks);
        let found = run(command.env("VISAKIT_DEVICES", "dg2,pvc"), &icd, &folder);
        let said = String::from_utf8_lossy(&found.stderr);
        assert_eq!(String::from_utf8_lossy(&found.stdout), format!("{wanted}\n").repeat(2), "{said}");
        assert_eq!(said.contains("VISAKIT_SYSTEM_MEMORY: no effect"), !checks.is_empty(), "{said}");
    }
}

/// A changed header is detected in every form of inclusion, and an unchanged build is cached.
#[test]
fn changed_headers_are_seen() {
    if !can_build("includes") {
        return;
    }
    let folder = scratch("opencl-includes");
    let built = compile("includes", &folder);
    let found = run(Command::new(&built).env("VISAKIT_DEVICES", "dg2,skl"), &driver(&folder), &folder);
    let said = String::from_utf8_lossy(&found.stderr);
    assert_eq!(String::from_utf8_lossy(&found.stdout), "done\ndone\n", "{said}");
    let kept = std::fs::read_dir(folder.join("cache/opencl-builds")).unwrap().count();
    // All builds except the failing ones of option `-include`, and the mark: one per form and
    // device.
    assert!((25..=29).contains(&kept), "{kept} builds are kept");
}

/// A compiler that ends early or responds with garbage causes a build error; the host program
/// continues.
#[test]
fn a_failing_compiler_is_a_build_error() {
    if !can_build("early") {
        return;
    }
    let folder = scratch("opencl-early");
    let built = compile("early", &folder);
    let real = env!("CARGO_BIN_EXE_visakit-oclc");
    for (n, end) in
        ["exit 9", "exec <&-; echo nonsense", "kill -11 $$", "head -c 9 >/dev/null; exit 1"].iter().enumerate()
    {
        let fake = folder.join(format!("compiler{n}"));
        script(&fake, &format!("[ \"$1\" = --check ] && exec {real} --check\n{end}"));
        let mut command = Command::new(&built);
        command.env("VISAKIT_COMPILER", &fake).env("VISAKIT_DEVICES", "dg2");
        let found = run(&mut command, &driver(&folder), &folder);
        assert_eq!(String::from_utf8_lossy(&found.stdout), "done\n", "{end}: {}", found.status);
        assert!(found.status.success(), "{end}: {}", found.status);
    }
}

/// The processor time of a compiler is limited, and it ends with its host program.
#[test]
fn a_compiler_has_limits() {
    if !can_build("slow") {
        return;
    }
    let folder = scratch("opencl-slow");
    let (icd, built) = (driver(&folder), compile("slow", &folder));
    let mut command = Command::new(&built);
    command.env("VISAKIT_DEVICES", "dg2").env("VISAKIT_COMPILE_SECONDS", "1");
    let stopped = run(&mut command, &icd, &folder);
    assert_eq!(String::from_utf8_lossy(&stopped.stdout), "-11 stopped\n", "{stopped:?}");

    let mut command = Command::new(&built);
    command.env("OCL_ICD_VENDORS", &icd).env("VISAKIT_COMPILER", env!("CARGO_BIN_EXE_visakit-oclc"));
    command.env("VISAKIT_DEVICES", "dg2").env("VISAKIT_CACHE", "").env("VISAKIT_COMPILE_SECONDS", "100");
    let mark = format!("TEST_FOLDER={}", folder.display());
    let mut host = command.env("TEST_FOLDER", &folder).spawn().unwrap();
    let start = std::time::Instant::now();
    // Other processes of the compiler are short.
    while !with_variable(&mark).iter().any(|&(id, time)| id != host.id() && time > 50) {
        assert!(start.elapsed().as_secs() < 100 && host.try_wait().unwrap().is_none(), "no compiler works");
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    host.kill().unwrap();
    host.wait().unwrap();
    wait_for_end(&mark);
}

/// Waits until all processes that were started with a variable have ended.
fn wait_for_end(setting: &str) {
    let start = std::time::Instant::now();
    while !with_variable(setting).is_empty() {
        assert!(start.elapsed().as_secs() < 20, "a compiler goes on without its program");
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
}

/// A compiler process serves all builds that agree in their environment, and does not outlive its
/// program.
#[test]
fn compilers_stay_for_later_builds() {
    if !can_build("stay") {
        return;
    }
    let folder = scratch("opencl-stay");
    let built = compile("stay", &folder);
    let (compiler, starts) = (folder.join("oclc"), folder.join("starts"));
    let oclc = env!("CARGO_BIN_EXE_visakit-oclc");
    script(&compiler, &format!("echo $1 >>{}\nexec {oclc} \"$@\"", starts.display()));
    let mut command = Command::new(&built);
    command.env("VISAKIT_COMPILER", &compiler).env("VISAKIT_DEVICES", "dg2");
    let found = run(&mut command, &driver(&folder), &folder);
    let children = (0..5).map(|n| format!("child: {}\n", 1010 + n)).collect::<String>();
    let wanted = format!(
        "first: 1001\nthe pipe is closed\nsecond: 1002\n{children}child: 0\nthird: 1003\nother environment: 1004\n\
         killed: 1\nafter it was killed: 1005\nafter a failure: 1006\n"
    );
    let said = String::from_utf8_lossy(&found.stderr);
    assert_eq!(String::from_utf8_lossy(&found.stdout), wanted, "{}: {said}", found.status);
    // Of 12 builds, these start a process: the first one, one in the child, with the other
    // environment, and after the kill. On a busy machine a process may give up waiting, and is
    // replaced.
    let started = std::fs::read_to_string(&starts).unwrap().lines().count() - 1;
    assert!((4..10).contains(&started), "{started} processes are started");

    wait_for_end(&format!("VISAKIT_CACHE={}", folder.join("cache").display()));
}

/// Returns the running processes that were started with a variable, with their processor times in
/// hundredths of a second.
fn with_variable(setting: &str) -> Vec<(u32, u64)> {
    let processes =
        std::fs::read_dir("/proc").unwrap().filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    let is_set = |id: &u32| {
        let text = std::fs::read(format!("/proc/{id}/environ")).unwrap_or_default();
        text.split(|byte| *byte == 0).any(|own| own == setting.as_bytes())
    };
    processes.filter(is_set).filter_map(|id| Some((id, time(id)?))).collect()
}

/// Returns the processor time of a process in hundredths of a second.
fn time(process: u32) -> Option<u64> {
    let text = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    text.rsplit_once(") ")?.1.split(' ').nth(11)?.parse().ok()
}

/// A faulting kernel is an error of `clFinish` and of reads until the next launch by a program that
/// knows of it. Ranges beyond an allocation are errors, and callbacks may call the API.
#[test]
fn faults_are_reported() {
    if !can_build("faults") {
        return;
    }
    let folder = scratch("opencl-faults");
    let built = compile("faults", &folder);
    let found = run(Command::new(&built).env("VISAKIT_DEVICES", "dg2,pvc"), &driver(&folder), &folder);
    let said = String::from_utf8_lossy(&found.stderr);
    assert_eq!(String::from_utf8_lossy(&found.stdout), "done\ndone\n", "{said}");
}

/// Two blocks of inline vISA that declare one name: each uses its own variable, from a text and
/// from a module.
#[test]
fn blocks_of_inline_visa_have_names_of_their_own() {
    if !can_build("inline") {
        return;
    }
    let folder = scratch("opencl-inline");
    let built = compile("inline", &folder);
    let found = run(Command::new(&built).env("VISAKIT_DEVICES", "dg2,skl,pvc"), &driver(&folder), &folder);
    let said = String::from_utf8_lossy(&found.stderr);
    assert_eq!(String::from_utf8_lossy(&found.stdout), "done\ndone\ndone\n", "{said}");
}

/// Every memory limit causes errors of calls and never ends the program, and checks report no false
/// bugs.
#[test]
fn memory_limits_are_errors() {
    if !can_build("memory") {
        return;
    }
    let folder = scratch("opencl-memory");
    let built = compile("memory", &folder);
    let icd = driver(&folder);
    // Builds are cached first, so that the compiler needs no memory afterwards.
    let all = run(Command::new(&built).env("VISAKIT_DEVICES", "dg2"), &icd, &folder);
    assert!(String::from_utf8_lossy(&all.stdout).ends_with("all\n"), "{}", String::from_utf8_lossy(&all.stdout));
    for (n, megabytes) in [20, 40, 80, 120, 180, 240, 300, 350, 400, 500, 700, 1000, 2000].iter().enumerate() {
        let mut command = Command::new("sh");
        command.args(["-c", &format!("ulimit -v {}; exec {}", megabytes * 1024, built.display())]);
        command.env("VISAKIT_DEVICES", "dg2").env("VISAKIT_CHECK", if n % 2 == 0 { "" } else { "all" });
        let found = run(&mut command, &icd, &folder);
        let (said, printed) = (String::from_utf8_lossy(&found.stderr), String::from_utf8_lossy(&found.stdout));
        assert!(
            found.status.success() && printed.ends_with('\n'),
            "{megabytes} MB: {}: {printed}{said}",
            found.status
        );
        let found = ["check-race", "check-bounds", "check-uninit"].map(|code| said.contains(code));
        assert_eq!(found, [false; 3], "{megabytes} MB: {said}");
    }
}

/// The driver works if standard error cannot be written.
#[test]
fn full_standard_error_is_survived() {
    if !can_build("full") {
        return;
    }
    let folder = scratch("opencl-full");
    let built = compile("vector_add", &folder);
    let mut command = Command::new(&built);
    command.env("VISAKIT_THREADS", "abc").env("VISAKIT_DEVICES", "dg2,nonsense").env("VISAKIT_ENGINE", "?");
    command.env("VISAKIT_CHECK", "?").env("VISAKIT_STATS", "1").env("OCL_ICD_VENDORS", driver(&folder));
    command.env("VISAKIT_COMPILER", env!("CARGO_BIN_EXE_visakit-oclc")).env("VISAKIT_CACHE", "/proc");
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let found = command.stderr(full).output().unwrap();
    assert!(found.status.success(), "{}: {}", found.status, String::from_utf8_lossy(&found.stdout));
}

/// A binary without vISA, the compilers' default, is compiled from its SPIR-V for any device;
/// without SPIR-V it is refused.
#[test]
fn binaries_without_visa_are_compiled() {
    const VISA: u32 = 0xff00_0013;
    const SPIRV: u32 = 0xff00_0009;
    if !can_build("binaries") {
        return;
    }
    let folder = scratch("opencl-binaries");
    let built = compile("binaries", &folder);
    let icd = driver(&folder);
    let whole = std::fs::read(root().join("examples/vector_add/vector_add.dg2.zebin")).unwrap();
    let without = |kinds: &[u32]| {
        let mut bytes = whole.clone();
        for at in 0..bytes.len() - 4 {
            if kinds.iter().any(|kind| bytes[at..at + 4] == kind.to_le_bytes()) {
                bytes[at] = 0x55;
            }
        }
        bytes
    };
    // One of the devices has the binary's platform.
    for (bytes, wanted, count) in [
        (without(&[]), "126 as it was\n", 1),
        (without(&[]), "126 compiled\n", 3),
        (without(&[VISA]), "126 compiled\n", 4),
        (without(&[VISA, SPIRV]), "refused -42 -42\n", 4),
    ] {
        let path = folder.join("binary");
        std::fs::write(&path, bytes).unwrap();
        let found = run(Command::new(&built).env("BINARY", &path), &icd, &folder);
        let (out, said) = (String::from_utf8_lossy(&found.stdout), String::from_utf8_lossy(&found.stderr));
        assert!(found.status.success(), "{out}{said}");
        assert_eq!(out.matches(wanted).count(), count, "{out}{said}");
    }
}

#[test]
fn clinfo_shows_the_devices() {
    if !have("clinfo", "vendor", program("clinfo"), "clinfo") {
        return;
    }
    let folder = scratch("opencl-clinfo");
    let shown = run(&mut Command::new("clinfo"), &driver(&folder), &folder);
    let text = String::from_utf8_lossy(&shown.stdout);
    let count = text.lines().find_map(|line| line.strip_prefix("Number of devices"));
    assert_eq!(count.map(str::trim), Some("4"), "{text}");
    // `clinfo` prints wrong or missing answers between angle brackets.
    assert!(!text.contains('<') && shown.stderr.is_empty(), "{text}{}", String::from_utf8_lossy(&shown.stderr));
    let named = run(Command::new("clinfo").arg("-l").env("VISAKIT_DEVICES", "pvc,SKL"), &driver(&folder), &folder);
    let text = String::from_utf8_lossy(&named.stdout);
    assert_eq!(text.matches("Device #").count(), 2, "{text}");
}
