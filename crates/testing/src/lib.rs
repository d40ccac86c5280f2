//! What the tests of all crates share: where things are, how a test says that it was skipped,
//! golden files, and the vendor's printer. It is published with none of them.

pub mod schema;

use std::path::{Path, PathBuf};
use std::process::Command;

/// The top folder of the repository.
pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository is there")
}

/// Whether a test that needs something outside the repository can run. `VISAKIT_REQUIRE` makes its
/// absence a failure.
pub fn have(test: &str, group: &str, found: bool, what: &str) -> bool {
    if found {
        return true;
    }
    let required = std::env::var("VISAKIT_REQUIRE").unwrap_or_default();
    assert!(!required.split(',').any(|r| r == group), "{test} needs {what}");
    skipped(test, &format!("no {what}"));
    false
}

/// Says that a test did not run, or not all of it: past the harness, which keeps to itself what a
/// passing test prints.
fn skipped(test: &str, why: &str) {
    use std::io::Write as _;
    let _ = writeln!(std::io::stderr(), "skipped: {test}: {why}");
}

/// Whether `VISAKIT_REQUIRE` asks for the tests that build something, which take long.
pub fn may_build(test: &str) -> bool {
    let required = std::env::var("VISAKIT_REQUIRE").unwrap_or_default();
    let asked = required.split(',').any(|r| r == "build");
    if !asked {
        skipped(test, "it builds; set VISAKIT_REQUIRE=build");
    }
    asked
}

/// A folder of data that is no part of the repository, which a variable names.
pub fn shared(test: &str, variable: &str) -> Option<PathBuf> {
    let dir = std::env::var_os(variable).map(PathBuf::from).filter(|path| path.is_dir());
    have(test, "shared", dir.is_some(), &format!("folder in {variable}")).then_some(dir).flatten()
}

/// Whether a program is on the path.
pub fn program(name: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|dir| dir.join(name).is_file())
}

/// The compilers that the tests use: the one on the path, if there is one, and today's in the
/// folder that `VISAKIT_TODAY` names, as `.ci/today` makes it.
pub fn compilers() -> Vec<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let on_path = std::env::split_paths(&path).map(|folder| folder.join("ocloc")).find(|program| program.is_file());
    on_path.into_iter().chain(todays_compiler()).collect()
}

/// Today's compiler in the folder that `VISAKIT_TODAY` names.
pub fn todays_compiler() -> Option<PathBuf> {
    let folder = std::env::var_os("VISAKIT_TODAY")?;
    Some(PathBuf::from(folder).join("bin/ocloc")).filter(|program| program.is_file())
}

/// A new folder for the files of one test.
pub fn scratch(name: &str) -> PathBuf {
    // Beside the test's program, in the build's folder.
    let program = std::env::current_exe().expect("the test has a program");
    let dir = program.ancestors().nth(3).expect("target/PROFILE/deps").join("tmp").join(name);
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir).expect("a scratch folder");
    dir
}

/// Files of a folder with an ending, sorted.
pub fn files(dir: &Path, ending: &str) -> Vec<PathBuf> {
    let mut out: Vec<PathBuf> = std::fs::read_dir(dir)
        .unwrap_or_else(|e| panic!("{}: {e}", dir.display()))
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|p| p.extension().is_some_and(|e| e == ending))
        .collect();
    out.sort();
    out
}

/// The texts in the committed zebins: (example.platform, platform, text).
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

/// The `.visaasm` section of a zebin.
fn visaasm_section(bytes: &[u8]) -> String {
    use object::read::{Object as _, ObjectSection as _};
    let file = object::File::parse(bytes).unwrap();
    let section = file.sections().find(|s| s.name() == Ok(".visaasm")).expect("a .visaasm section");
    String::from_utf8(section.data().unwrap().to_vec()).unwrap()
}

/// Where the vendor's assembler puts the object that it makes of a text, in a folder.
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

/// What a file compressed by gzip holds, where it is there and whole.
pub fn unpacked(file: &Path) -> Option<Vec<u8>> {
    use std::io::Read as _;
    let mut bytes = Vec::new();
    flate2::read::GzDecoder::new(std::fs::File::open(file).ok()?).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// What the vendor's tool prints for an object. It may crash afterwards; its text counts.
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

/// Compares a text with a file; `BLESS=1` writes the file instead.
pub fn golden(path: &Path, found: &str) {
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(path, found).unwrap();
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

/// A small generator: the same inputs in every run.
pub struct Random(pub u64);

impl Random {
    /// The next number, 64 random bits.
    pub fn bits(&mut self) -> u64 {
        // xorshift64*
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        (self.bits() >> 16) as usize % n.max(1)
    }
}

/// The folder of the vendor's documents, where it is.
pub fn upstream(test: &str) -> Option<PathBuf> {
    shared(test, "VISAKIT_UPSTREAM")
}
