//! Command `visa run --check`: each planted bug is found at its line, and correct kernels have no
//! findings.
//!
//! The kernels are in `tests/checks`; a comment above each kernel has its options. The vendor's
//! compiler translates them for two targets.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// Codes and lines of findings.
type Places = BTreeSet<(String, u64)>;

/// Kernel with its options, expected findings and expected notes.
struct Case {
    kernel: String,
    options: Vec<String>,
    found: Places,
    noted: Places,
}

fn cases(source: &str) -> Vec<Case> {
    let (mut options, mut found, mut noted) = (Vec::new(), Vec::new(), Vec::new());
    let mut cases = Vec::new();
    for (number, line) in (1_u64..).zip(source.lines()) {
        let words: Vec<_> = line.split([' ', '(']).map(str::to_owned).collect();
        if let Some(text) = line.strip_prefix("// run ") {
            options = text.split(' ').map(str::to_owned).collect();
        } else if line.starts_with("// found ") {
            found = words[2..].to_vec();
        } else if line.starts_with("// noted ") {
            noted = words[2..].to_vec();
        } else if line.starts_with("kernel void ") {
            let at = |pair: &[String]| (pair[0].clone(), number + pair[1].parse::<u64>().expect("a line"));
            let [found, noted] = [&mut found, &mut noted].map(|all| std::mem::take(all).chunks(2).map(at).collect());
            cases.push(Case { kernel: words[2].clone(), options: std::mem::take(&mut options), found, noted });
        }
    }
    cases
}

/// Compiles the kernels of a file for a platform, with line information.
fn compiled(file: &str, platform: &str, compiler: &Path) -> PathBuf {
    let out = std::env::temp_dir().join(format!("visakit-{file}.{platform}.{}.zebin", std::process::id()));
    let mut visa = visa(compiler);
    visa.current_dir(visakit_testing::root().join("crates/visa/tests/checks"));
    visa.args(["compile", file, "--device", platform, "--check", "--options", "-g", "-o"]).arg(&out);
    let output = visa.output().expect("visa starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    out
}

/// Returns the command `visa` restricted to one compiler.
fn visa(compiler: &Path) -> Command {
    let mut visa = Command::new(env!("CARGO_BIN_EXE_visa"));
    visa.env("VISAKIT_OCLOC", compiler);
    visa
}

/// Runs the checks on a kernel. Returns the exit code, the findings, the notes and the report.
fn check(file: &Path, platform: &str, compiler: &Path, case: &Case) -> (Option<i32>, [Places; 2], String) {
    let mut visa = visa(compiler);
    visa.current_dir(visakit_testing::root().join("crates/visa/tests/checks"));
    visa.arg("run").arg(file).args([
        "--device",
        platform,
        "--kernel",
        &case.kernel,
        "--check",
        "all",
        "--format",
        "json",
    ]);
    let output = visa.args(&case.options).output().expect("visa starts");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let report: Value = serde_json::from_str(&text).unwrap_or(Value::Null);
    let [bugs, notes] = ["bugs", "notes"].map(|name| report[name].as_array().cloned().unwrap_or_default());
    let line = |bug: &Value| bug["source_line"].as_u64().unwrap_or(0);
    let place = |bug: &Value| (bug["code"].as_str().unwrap_or_default().to_owned(), line(bug));
    // Of the faults, only those at barriers are not also reported by a check.
    let code = report["findings"][0]["code"].as_str().filter(|code| *code == "fault-barrier");
    let fault = code.map(|code| (code.to_owned(), line(&report["fault"])));
    let found = [bugs.iter().map(place).chain(fault).collect(), notes.iter().map(place).collect()];
    (output.status.code(), found, text)
}

/// Checks the kernels of a file, either compiled beforehand or as sources.
fn run(file: &str, compiles: bool) {
    run_for(file, compiles, &["skl", "dg2"]);
}

/// Checks as [`run`] does, for the given platforms. Today's compiler builds for the last one only.
fn run_for(file: &str, compiles: bool, platforms: &[&str]) {
    let compilers = visakit_testing::compilers();
    if !visakit_testing::have("checks", "vendor", !compilers.is_empty(), "ocloc") {
        return;
    }
    let source = visakit_testing::root().join("crates/visa/tests/checks").join(file);
    let cases = cases(&std::fs::read_to_string(source).expect("the kernels"));
    assert!(cases.len() > 7);
    let mut wrong = Vec::new();
    let todays = visakit_testing::todays_compiler();
    // The bugs removed by optimisation depend on the release, so sources are checked with one
    // release.
    let used = compilers.iter().filter(|compiler| compiles || Some(*compiler) != todays.as_ref());
    let targets = used.flat_map(|compiler| {
        let is_todays = Some(compiler) == todays.as_ref();
        let first = if is_todays { platforms.len().saturating_sub(1) } else { 0 };
        platforms[first..].iter().map(move |platform| (compiler, *platform))
    });
    for (compiler, platform) in targets {
        let program = if compiles { compiled(file, platform, compiler) } else { PathBuf::from(file) };
        for case in &cases {
            let (exit, [found, noted], text) = check(&program, platform, compiler, case);
            let is_right = found == case.found && noted == case.noted;
            if !is_right || exit != Some(i32::from(!case.found.is_empty())) {
                let (wanted, kernel) = ([&case.found, &case.noted], &case.kernel);
                let by = compiler.display();
                wrong.push(format!(
                    "{kernel} on {platform} by {by}: exit {exit:?}, {found:?} {noted:?}, not {wanted:?}\n{text}"
                ));
            }
        }
        if compiles {
            std::fs::remove_file(program).expect("it is there");
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn bugs_are_found_at_their_lines() {
    run("bugs.cl", true);
}

#[test]
fn bugs_of_other_kinds_are_found_at_their_lines() {
    run("kinds.cl", true);
}

#[test]
fn bugs_of_programs_are_found_at_their_lines() {
    run("more.cl", true);
}

#[test]
fn bugs_of_unusual_kinds_are_found_and_nothing_beside_them() {
    run("unusual.cl", true);
}

#[test]
fn bugs_of_other_collections_are_found_and_nothing_beside_them() {
    run("others.cl", true);
}

#[test]
fn what_programs_forget_is_found_and_nothing_beside_it() {
    run("forgotten.cl", true);
}

#[test]
fn waiting_by_atomic_operations_is_understood() {
    run("waiting.cl", true);
}

#[test]
fn copies_of_a_group_are_followed() {
    run_for("copies.cl", true, &["skl", "dg2", "pvc"]);
}

#[test]
fn races_that_equal_inputs_hide_are_noted() {
    run("equal.cl", true);
}

#[test]
fn generated_kernels_are_judged_as_their_accesses_are() {
    run_for("generated.cl", true, &["skl", "dg2", "pvc"]);
}

#[test]
fn nothing_is_found_in_correct_kernels() {
    run("correct.cl", true);
}

#[test]
fn bugs_of_several_things_are_told_one_by_one() {
    run("several.cl", true);
}

#[test]
fn bugs_that_optimisations_take_away_are_found_in_sources() {
    run("hidden.cl", false);
}
