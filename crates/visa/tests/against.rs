//! `visa diff --against COMMAND`: the protocol, the file of answers, and changes between two
//! versions of an assembler.

mod common;

use std::path::{Path, PathBuf};

use common::run;
use serde_json::Value;
use visakit_testing::{have, program, scratch};

/// Pages to ask about. The pages of skl refuse some of their statements.
const PAGES: &str = "YIELD,CACHE_FLUSH,MEDIA_LD";

/// Assembler that follows the protocol, in Python.
struct Assembler {
    dir: PathBuf,
}

impl Assembler {
    /// Returns the assembler; `None` if Python is missing.
    fn new(test: &str) -> Option<Self> {
        if !have(test, "vendor", program("python3"), "python3") {
            return None;
        }
        let dir = scratch(test);
        std::fs::write(dir.join("assembler.py"), include_str!("against/assembler.py")).unwrap();
        Some(Self { dir })
    }

    fn path(&self, name: &str) -> String {
        self.dir.join(name).display().to_string()
    }

    fn log(&self) -> PathBuf {
        self.dir.join("log")
    }

    /// Returns the number of requests since the last call.
    fn requests(&self) -> usize {
        let text = std::fs::read_to_string(self.log()).unwrap_or_default();
        let _ = std::fs::remove_file(self.log());
        text.lines().count()
    }

    /// Returns an argument of `--against`.
    fn named(&self, name: &str, mode: &str) -> String {
        format!("{name}=python3 {} {mode} {}", self.path("assembler.py"), self.log().display())
    }

    /// Compares with assemblers. Returns the exit code and the report.
    fn diff(&self, tools: &[String], more: &[&str]) -> (i32, Value) {
        let mut arguments = vec!["diff", "--platform", "skl", "--only", PAGES, "--format", "json"];
        tools.iter().for_each(|tool| arguments.extend(["--against", tool]));
        arguments.extend(more);
        let (exit, out, err) = run(&arguments);
        (exit, serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out}{err}")))
    }
}

/// Returns the number of statements with a kind of difference.
fn statements(report: &Value, kind: &str) -> u64 {
    let groups = report["groups"].as_array().unwrap();
    groups.iter().filter(|group| group["kind"] == kind).map(|group| group["statements"].as_u64().unwrap()).sum()
}

#[test]
fn commands_are_asked() {
    let Some(assembler) = Assembler::new("commands_are_asked") else { return };
    let (exit, accepting) = assembler.diff(&[assembler.named("a", "accept")], &[]);
    let asked = accepting["asked"].as_u64().unwrap();
    let illegal = statements(&accepting, "against-accepted");
    assert_eq!((exit, assembler.requests() as u64), (1, asked));
    assert!(asked > 100 && illegal > 10 && illegal < asked, "{asked} asked, {illegal} illegal");
    assert_eq!(accepting["groups"].as_array().unwrap().iter().filter(|g| g["kind"] != "against-accepted").count(), 0);

    let (_, refusing) = assembler.diff(&[assembler.named("a", "refuse")], &[]);
    assert_eq!(statements(&refusing, "against-refused"), asked - illegal);
    assert_eq!(refusing["groups"][0]["got"], "no such statement");
    // Each difference is a group's: the smallest statement is the whole of YIELD.
    assert!(refusing["groups"].as_array().unwrap().iter().any(|g| g["statement"] == "yield"), "{refusing}");

    let (_, printing) = assembler.diff(&[assembler.named("a", "print")], &[]);
    assert_eq!(statements(&printing, "against-printed"), asked - illegal);
    assert_eq!(statements(&printing, "against-bytes"), asked - illegal);
}

#[test]
fn broken_answers_are_errors() {
    let Some(assembler) = Assembler::new("broken_answers_are_errors") else { return };
    for (mode, words) in [
        ("garbage", "its answer `accepted` is not understood"),
        ("silent", "it gives no answer about"),
        ("stranger", "it answers a request 1048576 that does not exist"),
    ] {
        let tool = assembler.named("a", mode);
        let (exit, _, err) = run(&["diff", "--platform", "skl", "--only", "YIELD", "--against", &tool]);
        assert_eq!(exit, 1, "{mode}: {err}");
        assert!(err.contains("[against-answer]") && err.contains(words), "{mode}: {err}");
    }
}

#[test]
fn interrupted_comparisons_continue() {
    let Some(assembler) = Assembler::new("interrupted_comparisons_continue") else { return };
    let state = assembler.path("state.jsonl");
    let tools = [assembler.named("a", "accept")];
    let (_, whole) = assembler.diff(&tools, &["--state", &state]);
    let asked = assembler.requests();
    assert_eq!(asked as u64, whole["asked"].as_u64().unwrap());
    assert_eq!(assembler.diff(&tools, &["--state", &state]).1, whole);
    assert_eq!(assembler.requests(), 0);

    // The last answer of an interrupted run is incomplete.
    let text = std::fs::read_to_string(&state).unwrap();
    let kept: Vec<&str> = text.lines().take(asked / 2).collect();
    let (last, others) = kept.split_last().unwrap();
    std::fs::write(&state, format!("{}\n{}", others.join("\n"), &last[..last.len() / 2])).unwrap();
    assert_eq!(assembler.diff(&tools, &["--state", &state]).1, whole);
    assert_eq!(assembler.requests(), asked - others.len());
    assert_eq!(assembler.diff(&tools, &["--state", &state]).1, whole);
    assert_eq!(assembler.requests(), 0);

    let other = format!("{{\"tool\": 1}}\n{text}");
    std::fs::write(&state, other).unwrap();
    let (exit, _, err) = run(&["diff", "--platform", "skl", "--against", &tools[0], "--state", &state]);
    assert!(exit == 1 && err.contains("[against-state]") && err.contains("state.jsonl:1"), "{err}");
}

#[test]
fn two_assemblers_are_compared() {
    let Some(assembler) = Assembler::new("two_assemblers_are_compared") else { return };
    let [old, new] = [assembler.named("old", "accept"), assembler.named("new", "refuse")];
    let (exit, same) = assembler.diff(&[old.clone(), assembler.named("new", "accept")], &[]);
    assert_eq!((exit, same["groups"].as_array().unwrap().len()), (0, 0));
    let (exit, changed) = assembler.diff(&[old.clone(), new.clone()], &[]);
    assert_eq!((exit, statements(&changed, "against-changed")), (1, changed["asked"].as_u64().unwrap()));
    assert_eq!(changed["groups"][0]["expected"], "accepted");
    assert_eq!(changed["groups"][0]["got"], "refused: no such statement");

    let accept = assembler.dir.join("accept.toml");
    let entry = |more: &str| format!("[[accept]]\npath = '*'\ntools = ['new']\n{more}\nreason = 'all'\n");
    let accepted = |text: &str| {
        std::fs::write(&accept, text).unwrap();
        let (exit, report) = assembler.diff(&[old.clone(), new.clone()], &["--accept", &path(&accept)]);
        (exit, report["accepted"].as_array().unwrap().len())
    };
    assert_eq!(accepted(&entry("got = 'refused: no such*'")), (0, 1));
    assert_eq!(accepted(&entry("statement = 'yield'")), (1, 1));
    assert_eq!(accepted(&entry("expected = 'refused*'")), (1, 0));
}

fn path(path: &Path) -> String {
    path.display().to_string()
}
