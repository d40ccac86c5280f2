//! Commands shown in the README and in `docs/` print the shown output: every ```` ```console ````
//! block is run.
//!
//! The blocks run in a copy of the documents and their inputs, so that written files stay there.
//! `BLESS=1 cargo test` updates the documents.

use std::path::{Path, PathBuf};
use std::process::Command;

use visakit_testing::{root, scratch};

/// Environment variable of the process that runs the blocks: path of the copy.
const COPY: &str = "VISA_DOCS_COPY";
/// Documents, and the inputs of their commands.
const DOCUMENTS: [&str; 2] = ["README.md", "docs"];
const INPUTS: [&str; 3] = ["examples", "spec", "tests/vectors/single"];

#[test]
fn documents_show_what_commands_print() {
    if let Some(copy) = std::env::var_os(COPY) {
        return run(Path::new(&copy));
    }
    let copy = scratch("documents");
    for name in DOCUMENTS.iter().chain(&INPUTS) {
        copy_all(&root().join(name), &copy.join(name));
    }
    edit(&copy);
    // The working folder of the process is that of the commands, and the library uses another
    // variable than `BLESS`. Both require a new process.
    let mut again = Command::new(std::env::current_exe().expect("the test has a program"));
    again.arg("documents_show_what_commands_print").env(COPY, &copy).env_remove("BLESS").env_remove("COLUMNS");
    let bless = std::env::var_os("BLESS").is_some();
    if bless {
        again.env("TRYCMD", "overwrite");
    }
    let passed = again.status().expect("the test runs again").success();
    if bless {
        DOCUMENTS.iter().for_each(|name| copy_all(&copy.join(name), &root().join(name)));
    }
    assert!(passed, "see above; BLESS=1 takes what the commands print now");
}

fn run(copy: &Path) {
    std::env::set_current_dir(copy).expect("the copy is there");
    let cases = trycmd::TestCases::new();
    cases.register_bin("visa", Path::new(env!("CARGO_BIN_EXE_visa")));
    cases.case("README.md").case("docs/*.md").case("docs/*/*.md");
}

/// Creates `edited`, a specification in which a reserved value of GATHER is legal.
fn edit(copy: &Path) {
    copy_all(&root().join("spec"), &copy.join("edited"));
    let page = copy.join("edited/instructions/GATHER.md");
    let text = std::fs::read_to_string(&page).unwrap();
    let edited = text.replacen("| 0b11 | reserved | |", "| 0b11 | 8 | 8 |", 1);
    assert_ne!(text, edited);
    std::fs::write(page, edited).unwrap();
}

/// Copies a file or folder recursively, except pictures that a run left behind.
fn copy_all(from: &PathBuf, to: &Path) {
    if from.is_dir() {
        for entry in std::fs::read_dir(from).unwrap() {
            let path = entry.unwrap().path();
            copy_all(&path, &to.join(path.file_name().unwrap()));
        }
    } else if from.extension().is_none_or(|ending| ending != "png") {
        std::fs::create_dir_all(to.parent().unwrap()).unwrap();
        std::fs::copy(from, to).unwrap();
    }
}
