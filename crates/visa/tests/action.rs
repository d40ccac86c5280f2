//! The GitHub Action `visa-diff` and `visa spec log`, in a repository of two commits.

use std::path::{Path, PathBuf};
use std::process::Command;

use visakit_testing::root;

fn git(folder: &Path, arguments: &[&str]) {
    let identity =
        ["-c", "user.name=n", "-c", "user.email=e@x", "-c", "commit.gpgsign=false", "-c", "init.defaultBranch=main"];
    let status = Command::new("git").args(identity).args(arguments).current_dir(folder).status().unwrap();
    assert!(status.success(), "git {arguments:?}");
}

/// Returns a repository whose second commit changes a page: an enumerator is gone, and a sentence
/// is new.
fn repository(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(folder.join("spec/instructions")).unwrap();
    for part in ["spec", "spec/instructions"] {
        for entry in std::fs::read_dir(root().join(part)).unwrap().flatten().filter(|e| e.path().is_file()) {
            std::fs::copy(entry.path(), folder.join(part).join(entry.file_name())).unwrap();
        }
    }
    git(&folder, &["init", "--quiet"]);
    git(&folder, &["add", "."]);
    git(&folder, &["commit", "--quiet", "-m", "The pages"]);
    let page = folder.join("spec/instructions/GATHER.md");
    let text = std::fs::read_to_string(&page).unwrap();
    let edited = text.replacen("| 0b01 | 2 | 2 |", "| 0b01 | reserved | |", 1);
    assert_ne!(text, edited);
    std::fs::write(&page, edited).unwrap();
    git(&folder, &["commit", "--quiet", "-a", "-m", "GATHER has no words"]);
    folder
}

fn line_of(folder: &Path, text: &str) -> usize {
    let page = std::fs::read_to_string(folder.join("spec/instructions/GATHER.md")).unwrap();
    page.lines().position(|line| line.contains(text)).unwrap() + 1
}

struct Ran {
    code: i32,
    out: String,
    summary: String,
}

fn compare(folder: &Path, settings: &[(&str, &str)]) -> Ran {
    let summary = folder.join("summary.md");
    let _ = std::fs::remove_file(&summary);
    let output = Command::new(root().join(".github/actions/visa-diff/compare"))
        .current_dir(folder)
        .env("VISA_DIFF_COMMAND", env!("CARGO_BIN_EXE_visa"))
        .env("GITHUB_STEP_SUMMARY", &summary)
        .env_remove("VISA_DIFF_BASE")
        .envs(settings.iter().copied())
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ran {
        code: output.status.code().unwrap_or(-1),
        out: text(&output.stdout) + &text(&output.stderr),
        summary: std::fs::read_to_string(&summary).unwrap_or_default(),
    }
}

#[test]
fn the_action_marks_the_edited_line() {
    let folder = repository("action");
    let line = line_of(&folder, "| 0b01 | reserved | |");
    let ran = compare(&folder, &[]);
    assert_eq!(ran.code, 1, "{}", ran.out);
    let mark = format!("::error file=spec/instructions/GATHER.md,line={line}");
    assert!(ran.out.contains(&mark), "{mark}: {}", ran.out);
    assert!(ran.summary.contains("## Narrowed") && ran.summary.contains("GATHER"), "{}", ran.summary);

    // Only the classes of `fail-on` fail, and an accepted change does not.
    assert_eq!(compare(&folder, &[("VISA_DIFF_FAIL_ON", "wire-breaking")]).code, 0);
    std::fs::write(folder.join("accept.toml"), "[[accept]]\npath = 'GATHER.Elt_size.*'\nreason = 'it was unused'\n")
        .unwrap();
    let ran = compare(&folder, &[("VISA_DIFF_ACCEPT", "accept.toml")]);
    assert_eq!(ran.code, 0, "{}", ran.out);
    assert!(ran.summary.contains("## Accepted") && ran.summary.contains("it was unused"), "{}", ran.summary);

    // An entry that accepts nothing is a warning at its line, and an entry without a reason ends
    // the step.
    let entries = "[[accept]]\npath = 'GATHER.*'\nreason = 'r'\n[[accept]]\npath = 'ADD.opcode'\nreason = 'r'\n";
    std::fs::write(folder.join("accept.toml"), entries).unwrap();
    let ran = compare(&folder, &[("VISA_DIFF_ACCEPT", "accept.toml")]);
    assert!(ran.code == 0 && ran.out.contains("::warning file=accept.toml,line=5"), "{}", ran.out);
    std::fs::write(folder.join("accept.toml"), "[[accept]]\npath = 'ADD'\n").unwrap();
    let ran = compare(&folder, &[("VISA_DIFF_ACCEPT", "accept.toml")]);
    assert!(ran.code == 2 && ran.out.contains("accept-file"), "{}", ran.out);
}

#[test]
fn the_history_of_a_name_is_shown() {
    let folder = repository("history");
    let log = |arguments: &[&str]| {
        let command = Command::new(env!("CARGO_BIN_EXE_visa"))
            .args(["spec", "log"])
            .args(arguments)
            .current_dir(&folder)
            .output()
            .unwrap();
        (command.status.code(), String::from_utf8_lossy(&command.stdout).into_owned())
    };
    let (code, text) = log(&["GATHER"]);
    assert_eq!(code, Some(0), "{text}");
    let newest = text.find("GATHER has no words").expect("the edit");
    let first = text.find("The pages").expect("the first commit");
    assert!(newest < first, "{text}");
    let edit = &text[newest..first];
    assert!(edit.contains("narrowed") && edit.contains("GATHER.Elt_size.0b01"), "{text}");
    assert!(text[first..].contains("instruction added"), "{text}");

    // The marks and sources of the pages.
    let (_, text) = log(&["FILE", "--limit", "1"]);
    assert!(text.contains("stated by the pages") && text.contains("{3.4+}"), "{text}");
    let (_, json) = log(&["GATHER", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["revisions"].as_array().unwrap().len(), 2, "{json}");
    assert_eq!(log(&["GATHERS"]).0, Some(1));
    assert_eq!(log(&["GATHER", "--revision", "none"]).0, Some(2));
}
