//! Command `visa spec show`: finds any word of a page or of a text, using the pages in the program
//! without a folder.

mod common;

use std::process::Command;

use common::run;
use serde_json::Value;
use visakit_testing::scratch;

fn shown(word: &str) -> String {
    let (exit, out, err) = run(&["spec", "show", word]);
    assert_eq!((exit, err.as_str()), (0, ""), "{word}");
    out
}

#[test]
fn an_instruction() {
    let text = shown("gather");
    assert!(text.starts_with("GATHER  0x39  (instructions/GATHER.md:3)"), "{text}");
    assert!(text.contains("0=1, 1=2, 2=4") && text.contains("GATHER.<elt_size>"), "{text}");
}

/// A word of a text leads to its page, even if it is not the page's name.
#[test]
fn a_word_of_a_statement() {
    assert!(shown("lsc_load").starts_with("LSC_UNTYPED  "));
    assert!(shown("lsc_load.ugm").starts_with("LSC_UNTYPED  "));
    assert!(shown("svm_scatter4scaled").starts_with("SVM_SCATTER4_SCALED  "));
    let text = shown("min");
    assert!(text.starts_with("MIN_MAX  0x45") && text.contains("Mnemonics        max, min"), "{text}");
    assert!(text.contains("Other meanings of the word") && text.contains("min = 0 of "), "{text}");
    // Every word that may begin a statement is found.
    let (_, pages, _) = run(&["spec", "export"]);
    let pages: Value = serde_json::from_str(&pages).unwrap();
    assert!(pages["instructions"].as_array().unwrap().len() > 100);
    for word in visakit::isa::MNEMONICS.iter().step_by(23) {
        assert!(!shown(word).is_empty(), "{word}");
    }
}

#[test]
fn an_opcode() {
    assert!(shown("0x39").starts_with("GATHER  0x39"));
    assert!(shown("57").starts_with("GATHER  0x39"));
    // Several instructions share an opcode: one line for each.
    let shared = visakit::isa::PAGES.iter().find(|page| page.sub_opcode.is_some()).unwrap();
    let count = visakit::isa::PAGES.iter().filter(|page| page.opcode == shared.opcode).count();
    assert!(count > 1);
    assert_eq!(shown(&format!("{:#x}", shared.opcode)).lines().count(), count);
    assert_eq!(run(&["spec", "show", "0xfe"]).0, 1);
}

#[test]
fn what_stands_in_chapters() {
    let list = shown("exec_size");
    assert!(
        list.starts_with("Exec_size  bit field  (lists.md:") && list.contains("[2..0]") && list.contains("Exec_mask"),
        "{list}"
    );
    let variable = shown("%r0");
    assert!(variable.starts_with("%r0  predefined variable  (4_object_format.md:"), "{variable}");
    assert!(variable.contains("Type             UD"), "{variable}");
    assert_eq!(shown("r0"), variable);
    let platform = shown("tgllp");
    assert!(platform.contains("platform  (platforms.md:") && platform.contains("32 bytes"), "{platform}");
    assert!(shown("UQ").contains("Bits             64"));
}

#[test]
fn an_unknown_word_has_near_ones() {
    let (exit, out, err) = run(&["spec", "show", "scatter4"]);
    assert_eq!((exit, out.as_str()), (1, ""));
    assert!(err.contains("similar words are ") && err.contains("SCATTER4_SCALED"), "{err}");
    let (exit, _, err) = run(&["spec", "show", "exce_size"]);
    assert!(exit == 1 && err.contains("similar words are Exec_size"), "{err}");
}

#[test]
fn json_has_the_parts_of_the_export() {
    let (_, pages, _) = run(&["spec", "export"]);
    let pages: Value = serde_json::from_str(&pages).unwrap();
    let (exit, out, _) = run(&["spec", "show", "gather", "--format", "json"]);
    let found: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((exit, &found["findings"]), (0, &serde_json::json!([])));
    let exported = pages["instructions"].as_array().unwrap().iter().find(|one| one["name"] == "GATHER").unwrap();
    assert_eq!(&found["hits"][0]["instruction"], exported);
    let (exit, out, _) = run(&["spec", "show", "nothing-of-that-kind", "--format", "json"]);
    let found: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((exit, &found["findings"][0]["code"]), (1, &"word-unknown".into()));
}

/// The commands about pages work in any folder, with the pages in the program.
#[test]
fn the_pages_are_in_the_program() {
    let dir = scratch("show-elsewhere");
    let elsewhere = |args: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_visa")).current_dir(&dir).args(args).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    let (exit, out, err) = elsewhere(&["spec", "lint"]);
    assert_eq!((exit, err.as_str()), (Some(0), ""));
    assert!(out.contains("instructions: 0 errors, 0 warnings"), "{out}");
    assert_eq!(elsewhere(&["spec", "lint", "builtin", "--overlay", "builtin"]).0, Some(0));
    let (exit, out, _) = elsewhere(&["spec", "show", "add"]);
    assert!(exit == Some(0) && out.starts_with("ADD  0x01"));
    let (exit, out, _) = elsewhere(&["spec", "export"]);
    assert_eq!((exit, out), (Some(0), run(&["spec", "export", "spec"]).1));
    let (exit, out, err) = elsewhere(&["spec", "generate", "-o", "isa"]);
    assert_eq!((exit, err.as_str()), (Some(0), ""));
    assert!(out.lines().all(|line| dir.join(line).is_file()) && out.lines().count() > 10, "{out}");
    // An existing folder is not used unless it is named; a note reports the folder.
    std::fs::create_dir(dir.join("spec")).unwrap();
    let (exit, _, err) = elsewhere(&["spec", "lint"]);
    assert!(exit == Some(0) && err.contains("visa spec lint spec"), "{err}");
    assert_eq!(elsewhere(&["spec", "lint", "--quiet"]).2, "");
}

/// Each command has a manual page, and shells have completion scripts.
#[test]
fn shells_and_manuals() {
    let dir = scratch("show-man");
    let (exit, _, said) = run(&["man", "-o", &dir.display().to_string()]);
    assert_eq!(exit, 0, "{said}");
    let page = std::fs::read_to_string(dir.join("visa-spec-lint.1")).unwrap();
    assert!(page.contains(".TH visa-spec-lint 1") && page.contains("Exit codes"), "{page}");
    assert!(dir.join("visa.1").is_file() && dir.join("visa-run.1").is_file());
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let (exit, script, _) = run(&["completions", shell]);
        assert!(exit == 0 && script.contains("visa") && script.contains("roundtrip"), "{shell}");
    }
}
