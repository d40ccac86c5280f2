//! Command `visa spec diff`: arguments, formats and exit codes. Its findings are tested in
//! crates/spec-tools/tests/diff.

mod common;

use std::path::{Path, PathBuf};

use common::{run, run_with};
use visakit_testing::{have, program, root, scratch};

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

/// Runs git in a folder.
fn git(folder: &Path, arguments: &[&str]) {
    let mut git = std::process::Command::new("git");
    git.current_dir(folder).args(["-c", "user.name=test", "-c", "user.email=test@localhost"]).args(arguments);
    let output = git.output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// Runs the command in a folder; returns its exit code, standard output and standard error.
fn run_in(folder: &Path, path: Option<&Path>, arguments: &[&str]) -> (i32, String, String) {
    let mut visa = std::process::Command::new(env!("CARGO_BIN_EXE_visa"));
    if let Some(path) = path {
        visa.env("PATH", path);
    }
    let output = visa.current_dir(folder).args(arguments).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn a_side_may_be_a_revision() {
    if !have("a_side_may_be_a_revision", "vendor", program("git"), "git") {
        return;
    }
    // A repository of an earlier run has the commits already.
    _ = std::fs::remove_dir_all(scratch("spec-diff-revision"));
    let spec = copy("spec-diff-revision/spec");
    let folder = spec.parent().unwrap();
    git(folder, &["init", "-q", "-b", "main"]);
    git(folder, &["add", "."]);
    git(folder, &["commit", "-q", "-m", "pages"]);
    let diff = |old: &str, new: &str| run_in(folder, None, &["spec", "diff", old, new]);
    assert_eq!(diff("git:main:spec", "spec"), (0, "nothing changed\n".into(), String::new()));

    edit(&spec.join("instructions/ADD.md"), "ADD = 0x01", "ADD = 0xf1");
    // The revision gives the answer of its extracted folder.
    let (exit, out, err) = diff("git:main:spec", "spec");
    let by_folder = run_in(folder, None, &["spec", "diff", &root().join("spec").display().to_string(), "spec"]);
    assert_eq!((exit, &out, &err), (1, &by_folder.1, &by_folder.2));
    assert!(out.contains("spec/instructions/ADD.md:"), "{out}");
    let page = diff("git:main:spec/instructions/ADD.md", "spec/instructions/ADD.md");
    assert_eq!(page.0, 1, "{page:?}");
    // The report names the old side by its revision, not by a path of this machine.
    let (_, json, _) = run_in(folder, None, &["spec", "diff", "git:main:spec", "spec", "--format", "json"]);
    let answer: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(answer["changes"][0]["old"]["file"], "git:main:spec/instructions/ADD.md");
    // Paths may be relative to the working folder.
    let inner = folder.join("spec");
    assert_eq!(run_in(&inner, None, &["spec", "diff", "git:main:./", "."]).0, 1);

    git(folder, &["commit", "-q", "-a", "-m", "edited"]);
    assert_eq!(diff("git:HEAD~1:spec", "git:HEAD:spec").0, 1);
    let lint = run_in(folder, None, &["spec", "lint", "git:HEAD~1:spec"]);
    assert_eq!((lint.0, lint.2.as_str()), (0, ""), "{lint:?}");
    let show = run_in(folder, None, &["spec", "show", "ADD", "--spec", "git:HEAD:spec"]);
    assert!(show.0 == 0 && show.1.contains("0xf1"), "{show:?}");
}

#[test]
fn wrong_revisions_are_located() {
    if !have("wrong_revisions_are_located", "vendor", program("git"), "git") {
        return;
    }
    let folder = scratch("spec-diff-no-revision");
    git(&folder, &["init", "-q", "-b", "main"]);
    std::fs::write(folder.join("a.txt"), "a").unwrap();
    git(&folder, &["add", "."]);
    git(&folder, &["commit", "-q", "-m", "no pages"]);
    let empty = folder.join("empty");
    std::fs::create_dir(&empty).unwrap();
    for (operand, path, code, place) in [
        ("git:nothing:spec", None, "git-revision", "git:nothing:spec:1:5"),
        ("git:main:nothing", None, "git-path", "git:main:nothing:1:10"),
        ("git:main", None, "git-revision", "git:main:1:5"),
        ("git:--help:spec", None, "git-revision", "git:--help:spec:1:5"),
        ("git:main:", None, "file-read", "git:main:"),
        ("git:main:spec", Some(empty.as_path()), "git-missing", "git:main:spec"),
    ] {
        let (exit, out, err) = run_in(&folder, path, &["spec", "diff", operand, "builtin"]);
        let is_refused = exit == 2 && err.contains(&format!("[{code}]")) && err.contains(place);
        assert!(is_refused, "{operand}: {exit} {out}\n{err}");
    }
}

/// The overlay corrects some facts of one revision only. They are no changes of the documents.
#[test]
fn the_overlay_adds_no_changes_of_the_documents() {
    let Some(documents) = visakit_testing::upstream("the_overlay_adds_no_changes_of_the_documents") else { return };
    let (old, new) = (documents.join("2022-12"), documents.join("2025-02"));
    let changes = |arguments: &[&str]| -> Vec<serde_json::Value> {
        let both = ["spec", "diff", old.to_str().unwrap(), new.to_str().unwrap(), "--format", "json"];
        let (_, json, _) = run(&[both.as_slice(), arguments].concat());
        let found: serde_json::Value = serde_json::from_str(&json).unwrap();
        found["changes"].as_array().unwrap().clone()
    };
    let plain = changes(&[]);
    let (overlay, of_documents): (Vec<_>, Vec<_>) =
        changes(&["--overlay", "builtin"]).into_iter().partition(|change| change["class"] == "overlay");
    assert!(plain.len() >= of_documents.len() && of_documents.len() > 20, "{} {}", plain.len(), of_documents.len());
    assert!(!overlay.is_empty());
    let is_known = |change: &serde_json::Value| {
        plain.iter().any(|other| other["path"] == change["path"] && other["kind"] == change["kind"])
    };
    assert!(of_documents.iter().all(is_known));
}
