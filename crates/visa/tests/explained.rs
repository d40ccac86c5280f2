//! The examples of `docs/reference/errors.md` have the codes of their sections. Each `Input` is a
//! call, options of `visa run`, a line of a launch file, or a line of a text.

use std::path::Path;
use std::process::Command;

use visakit_testing::{root, scratch};

/// Program and options of a run without mistakes; the example of `visa demo out_of_bounds`.
const LAUNCH: &str = "program = \"out_of_bounds.zebin\"\nglobal = [16]\narg = [\"in=zeros:64\", \"out=zeros:64\"]\n";
/// Declarations of a text without mistakes.
const TEXT: &str = ".version 4.1\n.kernel \"k\"\n.decl V33 v_type=G type=f num_elts=32 align=GRF\n\
                    .decl V34 v_type=G type=ud num_elts=32 align=GRF\n";

/// Returns the standard error of a call.
fn visa(folder: &Path, words: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_visa")).current_dir(folder).args(words).output().unwrap();
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Makes the mistake of an example, and returns the report.
fn reported(folder: &Path, input: &str) -> String {
    let words: Vec<&str> = input.split_whitespace().collect();
    if let ["visa", words @ ..] = words.as_slice() {
        return visa(folder, words);
    }
    if input.starts_with("--") {
        std::fs::write(folder.join("launch.toml"), LAUNCH).unwrap();
        return visa(folder, &[&["run", "launch.toml"], words.as_slice()].concat());
    }
    let is_text = input.starts_with('.') || input.contains('(');
    if is_text {
        let before = if input.starts_with('.') { "" } else { "    " };
        std::fs::write(folder.join("k.visaasm"), format!("{TEXT}{before}{input}\n    ret (M1, 1)\n")).unwrap();
        return visa(folder, &["verify", "k.visaasm", "--platform", "skl"]);
    }
    std::fs::write(folder.join("launch.toml"), format!("{input}\n{LAUNCH}")).unwrap();
    visa(folder, &["run", "launch.toml"])
}

#[test]
fn examples_have_their_codes() {
    let folder = scratch("explained");
    std::fs::copy(root().join("crates/visa/demo/out_of_bounds.zebin"), folder.join("out_of_bounds.zebin")).unwrap();
    std::fs::copy(root().join("tests/vectors/single/arith-00.isa"), folder.join("k.isa")).unwrap();
    let page = std::fs::read_to_string(root().join("docs/reference/errors.md")).unwrap();
    let mut tried = 0;
    let mut wrong = Vec::new();
    for section in page.split("\n### `").skip(1) {
        let (code, text) = section.split_once('`').unwrap();
        for input in text.lines().filter_map(|line| line.strip_prefix("Input: `")?.split('`').next()) {
            let report = reported(&folder, input);
            if !report.contains(&format!("[{code}]")) {
                wrong.push(format!("`{code}`: `{input}` gives\n{report}"));
            }
            tried += 1;
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(tried >= 18, "only {tried} examples were found");
}
