//! Command `visa spec diff`: arguments, formats and exit codes. Its findings are tested in
//! codegen/tests/diff.rs.

mod common;

use std::path::{Path, PathBuf};

use common::{run, run_with};
use visakit_testing::{root, scratch};

/// Copies our pages to a new folder.
fn copy(name: &str) -> PathBuf {
    fn walk(from: &Path, to: &Path) {
        std::fs::create_dir_all(to).unwrap();
        for entry in std::fs::read_dir(from).unwrap() {
            let path = entry.unwrap().path();
            let target = to.join(path.file_name().unwrap());
            match path.is_dir() {
                true => walk(&path, &target),
                false => assert!(std::fs::copy(&path, &target).is_ok(), "{}", target.display()),
            }
        }
    }
    let dir = scratch(name);
    walk(&root().join("spec"), &dir);
    dir
}

fn edit(page: &Path, from: &str, to: &str) {
    let text = std::fs::read_to_string(page).unwrap();
    assert!(text.contains(from), "{from}");
    std::fs::write(page, text.replacen(from, to, 1)).unwrap();
}

#[test]
fn equal_specifications_are_exit_0() {
    assert_eq!(run(&["spec", "diff", "spec", "spec"]), (0, "nothing changed\n".into(), String::new()));
    let (exit, json, err) = run(&["spec", "diff", "spec", "spec", "--format", "json"]);
    let found: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(
        (exit, found, err.as_str()),
        (0, serde_json::json!({ "findings": [], "causes": [], "changes": [] }), "")
    );
    let page = "spec/instructions/ADD.md";
    assert_eq!(run(&["spec", "diff", page, page]).0, 0);
    assert_eq!(run(&["spec", "diff", page, "spec"]).0, 0);
}

#[test]
fn a_change_is_exit_1_in_every_format() {
    let dir = copy("spec-diff-formats");
    let page = dir.join("instructions/ADD.md");
    edit(&page, "ADD = 0x01", "ADD = 0xf1");
    edit(&page, "channel by channel", "channel after channel");
    let (old, new) = ("spec", dir.display().to_string());

    let (exit, json, _) = run(&["spec", "diff", old, &new, "--format", "json"]);
    assert_eq!(exit, 1);
    let answer: serde_json::Value = serde_json::from_str(&json).unwrap();
    let found = &answer["changes"];
    assert_eq!(found.as_array().unwrap().len(), 2, "{found:#}");
    assert_eq!(found[0]["class"], "wire-breaking");
    assert_eq!(found[0]["kind"], "opcode");
    assert_eq!(found[0]["path"], "ADD");
    let side = |value: &str, file: String| serde_json::json!({"value": value, "file": file, "line": 3});
    assert_eq!(found[0]["old"], side("0x01", "spec/instructions/ADD.md".into()));
    assert_eq!(found[0]["new"], side("0xf1", page.display().to_string()));
    assert_eq!(found[1]["class"], "text-only");
    // Each change has its cause, and each cause has its number of changes.
    assert_eq!((&found[0]["cause"], &found[1]["cause"]), (&serde_json::json!(1), &serde_json::json!(2)));
    let cause = &answer["causes"][0];
    assert_eq!(
        (&cause["id"], &cause["class"], &cause["changes"]),
        (&found[0]["cause"], &found[0]["class"], &serde_json::json!(1))
    );
    assert_eq!(cause["what"], "ADD: opcode 0x01 -> 0xf1");
    assert_eq!(cause["new"], serde_json::json!({"file": page.display().to_string(), "line": 3}));
    assert_eq!(cause["subjects"], serde_json::json!(["ADD"]));

    let (exit, human, _) = run(&["spec", "diff", old, &new]);
    assert_eq!(exit, 1);
    let sum =
        "2 changes by 2 causes: 1 wire-breaking, 0 narrowed, 0 widened, 1 text-only\n\nwire-breaking: 1 cause\n";
    assert!(human.starts_with(sum) && !human.contains('\x1b'), "{human}");
    assert!(
        human.contains("     1  ADD: opcode 0x01 -> 0xf1\n        ") && human.contains("ADD.md:3\n        do: "),
        "{human}"
    );
    assert!(human.contains("     1  ADD: description\n        "), "{human}");
    for columns in ["80", "120"] {
        let text = run_with(&["spec", "diff", old, &new], &[("COLUMNS", columns)]).1;
        assert!(text.lines().all(|line| line.chars().count() <= columns.parse().unwrap()), "{text}");
    }

    let (exit, human, _) = run(&["spec", "diff", old, &new, "--details"]);
    assert_eq!(exit, 1);
    let line = format!("spec/instructions/ADD.md:3 -> {}:3", page.display());
    let words: Vec<&str> = human.split_whitespace().collect();
    assert!(human.contains("\nADD\n") && human.contains("opcode 0x01 -> 0xf1"), "{human}");
    assert!(words.join(" ").contains(&line) && human.contains("channel after channel"), "{human}");

    let (exit, document, _) = run(&["spec", "diff", old, &new, "--format", "markdown"]);
    assert_eq!(exit, 1);
    assert!(document.contains("## Wire-breaking") && document.contains("| ADD | opcode | 0x01 ("), "{document}");
}

/// A single page is compared with the page that it would replace, and refers to the lists of that
/// specification.
#[test]
fn a_page_against_a_page_or_a_folder() {
    let dir = scratch("spec-diff-page");
    let page = dir.join("ADD.md");
    std::fs::copy(root().join("spec/instructions/ADD.md"), &page).unwrap();
    let shown = page.display().to_string();
    assert_eq!(
        run(&["spec", "diff", "spec/instructions/ADD.md", &shown]),
        (0, "nothing changed\n".into(), String::new())
    );
    edit(&page, "**Saturation:** Yes", "**Saturation:** No");
    for (old, new) in [("spec/instructions/ADD.md", shown.as_str()), ("spec", &shown), (&shown, "spec")] {
        let (exit, text, _) = run(&["spec", "diff", old, new]);
        assert_eq!(exit, 1);
        assert!(text.contains("property") && text.contains("1 change by 1 cause:"), "{old} {new}: {text}");
    }
}

/// Pages with mistakes are compared as far as they were understood; standard error has the number
/// of mistakes.
#[test]
fn mistakes_do_not_stop_it() {
    let dir = copy("spec-diff-mistakes");
    edit(&dir.join("instructions/ADD.md"), "**Src1(vec_operand)", "**Src1(vec_opernd)");
    let (exit, text, err) = run(&["spec", "diff", "spec", &dir.display().to_string()]);
    assert_eq!(exit, 1);
    assert!(text.contains("Src1"), "{text}");
    assert!(err.contains("in the pages") && err.contains("visa spec lint"), "{err}");
}

#[test]
fn what_cannot_be_read_is_exit_2() {
    let (exit, _, err) = run(&["spec", "diff", "spec", "nowhere"]);
    assert_eq!(exit, 2);
    assert!(err.contains("nowhere") && err.contains("cannot be read"), "{err}");
    assert_eq!(run(&["spec", "diff", "spec"]).0, 2);
}

/// `builtin` names the pages in the program as one of the sides.
#[test]
fn the_pages_in_the_program_are_a_side() {
    assert_eq!(run(&["spec", "diff", "builtin", "spec"]).0, 0);
    let dir = scratch("spec-diff-builtin");
    let page = dir.join("ADD.md");
    std::fs::copy(root().join("spec/instructions/ADD.md"), &page).unwrap();
    let shown = page.display().to_string();
    assert_eq!(run(&["spec", "diff", "builtin", &shown]), (0, "nothing changed\n".into(), String::new()));
    edit(&page, "**Saturation:** Yes", "**Saturation:** No");
    let (exit, text, _) = run(&["spec", "diff", "builtin", &shown]);
    assert!(exit == 1 && text.contains("1 change by 1 cause:"), "{text}");
}

/// `--fail-on` selects the classes with exit code 1; all changes are shown.
#[test]
fn classes_that_fail() {
    let dir = copy("spec-diff-fail-on");
    edit(&dir.join("instructions/ADD.md"), "channel by channel", "channel after channel");
    let new = dir.display().to_string();
    let (exit, text, _) = run(&["spec", "diff", "spec", &new, "--fail-on", "wire-breaking,narrowed"]);
    assert!(exit == 0 && text.contains("1 text-only"), "{exit} {text}");
    assert_eq!(run(&["spec", "diff", "spec", &new, "--fail-on", "narrowed,text-only"]).0, 1);
    assert_eq!(run(&["spec", "diff", "spec", &new, "--fail-on", "everything"]).0, 2);
}

/// An overlay corrects folders in every command that reads a specification: here it supplies a
/// page.
#[test]
fn an_overlay_goes_before() {
    let dir = copy("spec-diff-overlay");
    std::fs::remove_file(dir.join("instructions/RAW_SENDG.md")).unwrap();
    let pages = dir.display().to_string();
    let file = root().join("spec/upstream-overlay.md").display().to_string();
    assert_eq!(run(&["spec", "diff", "spec", &pages]).0, 1);
    assert_eq!(run(&["spec", "show", "RAW_SENDG", "--spec", &pages]).0, 1);
    for overlay in ["builtin", &file] {
        let (exit, text, err) = run(&["spec", "diff", "spec", &pages, "--overlay", overlay]);
        assert_eq!((exit, text.as_str()), (0, "nothing changed\n"), "{err}");
        assert_eq!(run(&["spec", "show", "RAW_SENDG", "--spec", &pages, "--overlay", overlay]).0, 0);
        assert!(run(&["spec", "export", &pages, "--overlay", overlay]).1.contains("\"RAW_SENDG\""));
    }
}
