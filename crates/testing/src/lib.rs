//! Shared helpers of all tests: paths, skipped tests, golden files, and the vendor's printer. This
//! crate is not published.

pub mod imports;
pub mod schema;

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Returns the root folder of the repository.
pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository is there")
}

/// Returns true if a test's external requirement is met; otherwise reports the test as skipped.
/// `VISAKIT_REQUIRE` turns the skip into a failure.
pub fn have(test: &str, group: &str, found: bool, what: &str) -> bool {
    if found {
        return true;
    }
    let required = std::env::var("VISAKIT_REQUIRE").unwrap_or_default();
    assert!(!required.split(',').any(|r| r == group), "{test} needs {what}");
    skipped(test, &format!("no {what}"));
    false
}

/// Reports that a test was skipped, at least partly. Writes to standard error directly, because the
/// harness hides the output of passing tests.
fn skipped(test: &str, why: &str) {
    use std::io::Write as _;
    let _ = writeln!(std::io::stderr(), "skipped: {test}: {why}");
}

/// Returns true if `VISAKIT_REQUIRE` requests the slow tests that build something.
pub fn may_build(test: &str) -> bool {
    let required = std::env::var("VISAKIT_REQUIRE").unwrap_or_default();
    let asked = required.split(',').any(|r| r == "build");
    if !asked {
        skipped(test, "it builds; set VISAKIT_REQUIRE=build");
    }
    asked
}

/// Returns the data folder outside the repository that an environment variable names.
pub fn shared(test: &str, variable: &str) -> Option<PathBuf> {
    let dir = std::env::var_os(variable).map(PathBuf::from).filter(|path| path.is_dir());
    have(test, "shared", dir.is_some(), &format!("folder in {variable}")).then_some(dir).flatten()
}

/// Returns true if a program is on the path.
pub fn program(name: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|dir| dir.join(name).is_file())
}

/// Returns the compilers to test: the one on the path if any, and today's in the folder that
/// `VISAKIT_TODAY` names, created by `.ci/today`.
pub fn compilers() -> Vec<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let on_path = std::env::split_paths(&path).map(|folder| folder.join("ocloc")).find(|program| program.is_file());
    on_path.into_iter().chain(todays_compiler()).collect()
}

/// Returns today's compiler in the folder that `VISAKIT_TODAY` names.
pub fn todays_compiler() -> Option<PathBuf> {
    let folder = std::env::var_os("VISAKIT_TODAY")?;
    Some(PathBuf::from(folder).join("bin/ocloc")).filter(|program| program.is_file())
}

/// Creates an empty folder for the files of one test.
pub fn scratch(name: &str) -> PathBuf {
    // The folder is in the build folder, next to the test's program.
    let program = std::env::current_exe().expect("the test has a program");
    let dir = program.ancestors().nth(3).expect("target/PROFILE/deps").join("tmp").join(name);
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir).expect("a scratch folder");
    dir
}

/// Writes a shell script that can be executed; `lines` follow the first line.
pub fn script(path: &Path, lines: &str) {
    std::fs::write(path, format!("#!/bin/sh\n{lines}\n")).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// Returns a Cargo command that builds in the folder `target`. Nothing is kept for a later change,
/// because incremental builds and debug information are most of a build folder's size.
pub fn cargo(command: &str, target: &Path) -> Command {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args([command, "--target-dir"]).arg(target);
    cargo.envs([("CARGO_INCREMENTAL", "0"), ("CARGO_PROFILE_DEV_DEBUG", "0"), ("CARGO_PROFILE_TEST_DEBUG", "0")]);
    cargo
}

/// Removes a build folder at the end of the last test that uses it.
pub fn remove_build(target: &Path) {
    if target.exists() {
        std::fs::remove_dir_all(target).expect("the build folder can be removed");
    }
}

/// Returns the files of a folder with a given extension, sorted.
pub fn files(dir: &Path, ending: &str) -> Vec<PathBuf> {
    let mut out: Vec<PathBuf> = std::fs::read_dir(dir)
        .unwrap_or_else(|e| panic!("{}: {e}", dir.display()))
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|p| p.extension().is_some_and(|e| e == ending))
        .collect();
    out.sort();
    out
}

/// Returns the texts in the committed zebins: (example.platform, platform, text).
pub fn compiled_texts() -> Vec<(String, String, String)> {
    let mut out = Vec::new();
    for example in ["vector_add", "histogram", "mandelbrot"] {
        for zebin in files(&root().join("examples").join(example), "zebin") {
            let name = zebin.file_name().unwrap().to_string_lossy().into_owned();
            let platform = name.split('.').nth(1).unwrap().to_owned();
            let bytes = std::fs::read(&zebin).unwrap();
            out.push((name, platform, visaasm_section(&bytes)));
        }
    }
    assert_eq!(out.len(), 12);
    out
}

/// Returns the `.visaasm` section of a zebin.
fn visaasm_section(bytes: &[u8]) -> String {
    use object::read::{Object as _, ObjectSection as _};
    let file = object::File::parse(bytes).unwrap();
    let section = file.sections().find(|s| s.name() == Ok(".visaasm")).expect("a .visaasm section");
    String::from_utf8(section.data().unwrap().to_vec()).unwrap()
}

/// Assembles a text with the vendor's assembler and returns the path of the object.
pub fn vendors_object(dir: &Path, platform: &str, text: &str) -> PathBuf {
    std::fs::write(dir.join("k.visaasm"), text).unwrap();
    let _ = Command::new("GenX_IR")
        .args(["k.visaasm", "-platform", &platform.to_ascii_uppercase(), "-binary", "-noschedule"])
        .args(["-outputCisaBinaryName", "k.isa"])
        .current_dir(dir)
        .output()
        .unwrap();
    dir.join("k.isa")
}

/// Decompresses a gzip file; returns `None` if it is missing or damaged.
pub fn unpacked(file: &Path) -> Option<Vec<u8>> {
    use std::io::Read as _;
    let mut bytes = Vec::new();
    flate2::read::GzDecoder::new(std::fs::File::open(file).ok()?).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// Returns the vendor tool's text of an object. The tool may crash after printing; the text still
/// counts.
pub fn genx_ir_text(name: &str, bytes: &[u8], platform: &str) -> String {
    let dir = scratch(&format!("genx-{name}"));
    std::fs::write(dir.join("m.isa"), bytes).unwrap();
    let _ = std::process::Command::new("GenX_IR")
        .args([
            "m.isa",
            "-platform",
            &platform.to_ascii_uppercase(),
            "-dumpcommonisa",
            "-noschedule",
            "-noverifyCISA",
        ])
        .current_dir(&dir)
        .output()
        .unwrap();
    std::fs::read_to_string(dir.join(".visaasm")).unwrap_or_default()
}

/// Compares a text with a golden file; `BLESS=1` overwrites the file instead.
pub fn golden(path: &Path, found: &str) {
    if std::env::var_os("BLESS").is_some() {
        // Another test may read the file meanwhile.
        let new = path.with_extension("new");
        std::fs::write(&new, found).unwrap();
        std::fs::rename(new, path).unwrap();
        return;
    }
    let expected = std::fs::read_to_string(path).unwrap_or_default();
    if expected == found {
        return;
    }
    let mut shown = Vec::new();
    let (old, new): (Vec<_>, Vec<_>) = (expected.lines().collect(), found.lines().collect());
    shown.extend(old.iter().filter(|l| !new.contains(l)).map(|l| format!("- {l}")));
    shown.extend(new.iter().filter(|l| !old.contains(l)).map(|l| format!("+ {l}")));
    shown.truncate(40);
    panic!("{} differs; accept with BLESS=1 cargo test:\n{}", path.display(), shown.join("\n"));
}

/// Small pseudo-random generator that yields the same numbers in every run.
pub struct Random(pub u64);

impl Random {
    /// Returns the next 64 random bits.
    pub fn bits(&mut self) -> u64 {
        // xorshift64*
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// Returns a number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        (self.bits() >> 16) as usize % n.max(1)
    }
}

/// Returns the folder of the vendor's documents, if available.
pub fn upstream(test: &str) -> Option<PathBuf> {
    shared(test, "VISAKIT_UPSTREAM")
}
