//! Reports as SARIF and as GitHub annotations: every command that reports findings supports both,
//! with relative paths and an explanation of each code.

#[path = "common/sarif.rs"]
mod sarif;

use std::path::{Path, PathBuf};
use std::process::Command;

use sarif::is_sarif;
use serde_json::Value;
use visakit_testing::root;

/// Folder of the commands' test files.
fn cases() -> PathBuf {
    root().join("crates/visa/tests/cli")
}

/// Runs `visa` in a folder and returns the exit code and standard output.
fn visa(folder: &Path, line: &str, format: &str) -> (i32, String) {
    let mut visa = Command::new(env!("CARGO_BIN_EXE_visa"));
    let output = visa.current_dir(folder).args(line.split_whitespace()).args(["--format", format]).output().unwrap();
    (output.status.code().unwrap(), String::from_utf8(output.stdout).unwrap())
}

/// Command lines with the exit code, the codes of the findings in order, and the file of the first
/// finding.
const CALLS: [(&str, i32, &str, &str); 22] = [
    (
        "verify verify.in/illegal.visaasm --platform skl",
        1,
        "type-map region modifier saturation mask",
        "verify.in/illegal.visaasm",
    ),
    ("verify verify.in/legal.visaasm --platform skl", 0, "", ""),
    (
        "asm asm-errors.in/names.visaasm -o /dev/null",
        1,
        "statement statement label-missing",
        "asm-errors.in/names.visaasm",
    ),
    ("asm verify.in/legal.visaasm -o /dev/null", 0, "", ""),
    ("disasm roundtrip.in/cut.isa", 1, "object-truncated", "roundtrip.in/cut.isa"),
    ("disasm roundtrip.in/whole.isa", 0, "", ""),
    ("roundtrip roundtrip.in/words.txt", 1, "statement kernel-missing version-missing", "roundtrip.in/words.txt"),
    ("dump nosuch.isa", 2, "file-read", "nosuch.isa"),
    ("info info.in/cut.zebin", 1, "zebin-damaged", "info.in/cut.zebin"),
    ("info", 0, "", ""),
    ("extract extract.in/cut.zebin -o /dev/null/parts", 1, "container-damaged", "extract.in/cut.zebin"),
    ("compile nosuch.cl -o /dev/null --device dg2", 2, "file-read", "nosuch.cl"),
    ("run run.in/bad.toml", 1, "launch-file", "run.in/bad.toml"),
    ("run run.in/add.toml --trace 9", 2, "trace-item", ""),
    ("run run.in/add.toml", 0, "", ""),
    ("eval foo", 1, "statement", ""),
    ("explain nosuch", 2, "usage-code", ""),
    (
        "spec lint lint.in/FOO.md",
        1,
        "table-cells field-undescribed semantics-kind bits-overlap text-unknown-field",
        "lint.in/FOO.md",
    ),
    ("spec diff spec-diff.in/old spec-diff.in/new", 1, "enumerator type description", "spec-diff.in/new/FOO.md"),
    ("spec show nosuch", 1, "word-unknown", ""),
    ("spec export export.in/old", 0, "", ""),
    ("spec generate nosuch -o /dev/null/generated", 2, "file-read", ""),
];

fn codes(results: &[Value], member: &str) -> String {
    results.iter().map(|result| result[member].as_str().unwrap()).collect::<Vec<_>>().join(" ")
}

#[test]
fn every_command_reports_sarif() {
    for (line, exit, expected, file) in CALLS {
        let (code, out) = visa(&cases(), line, "sarif");
        let log: Value = serde_json::from_str(&out).unwrap_or_else(|error| panic!("{line}: {error}\n{out}"));
        let results = is_sarif(&log);
        assert_eq!((code, codes(&results, "ruleId").as_str()), (exit, expected), "{line}: {out}");
        let first =
            results.first().map(|first| first["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].clone());
        assert_eq!(first.unwrap_or_default().as_str().unwrap_or_default(), file, "{line}: {out}");
    }
}

#[test]
fn every_command_annotates() {
    for (line, exit, expected, file) in CALLS {
        let (code, out) = visa(&cases(), line, "github");
        let title = |line: &str| line.split_once("title=").unwrap().1.split("::").next().unwrap().to_owned();
        let titles: Vec<_> = out.lines().map(title).collect();
        assert_eq!((code, titles.join(" ").as_str()), (exit, expected), "{line}: {out}");
        if !file.is_empty() {
            assert!(out.split_once(" file=").unwrap().1.starts_with(&format!("{file},")), "{line}: {out}");
        }
    }
}

/// An absolute path inside the current folder is reported as a relative path.
#[test]
fn paths_are_relative() {
    for line in ["verify PATH/verify.in/illegal.visaasm --platform skl", "spec lint PATH/lint.in/FOO.md"] {
        let line = line.replace("PATH", &cases().display().to_string());
        for format in ["github", "sarif"] {
            let (_, out) = visa(&cases(), &line, format);
            assert!(!out.contains(&cases().display().to_string()), "{out}");
        }
    }
}

/// `visa diff` with other pages reports places in these pages, relative to the current folder.
#[test]
fn probing_annotates_pages() {
    let folder = visakit_testing::scratch("formats-diff");
    for inner in ["spec", "spec/instructions"] {
        std::fs::create_dir_all(folder.join(inner)).unwrap();
        for page in visakit_testing::files(&root().join(inner), "md") {
            std::fs::copy(&page, folder.join(inner).join(page.file_name().unwrap())).unwrap();
        }
    }
    let page = folder.join("spec/instructions/GATHER.md");
    let text = std::fs::read_to_string(&page).unwrap();
    assert!(text.contains("Bit[7..4]"), "{text}");
    std::fs::write(&page, text.replace("Bit[7..4]", "Bit[5..2]")).unwrap();
    let (exit, out) = visa(&folder, "diff --spec spec --no-behaviour", "github");
    assert_eq!(exit, 1, "{out}");
    assert!(out.lines().any(|line| line.contains(" file=spec/instructions/GATHER.md,line=")), "{out}");
    let (exit, out) = visa(&folder, "diff --spec spec --no-behaviour", "sarif");
    assert_eq!((exit, is_sarif(&serde_json::from_str(&out).unwrap()).is_empty()), (1, false));
}
