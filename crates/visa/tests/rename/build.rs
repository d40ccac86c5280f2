//! Folder of renamed pages, the lint's and compiler's findings about it, and the program built from
//! it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde_json::Value;

use super::corpus::Mapping;
use super::names::{Name, Names, unchanged};

/// Folders of the renamed pages, which are reused so that only changes are rebuilt, and of the
/// build.
pub(crate) struct Workshop {
    pub(crate) spec: PathBuf,
    pub(crate) target: PathBuf,
}

/// Programs of a build.
pub(crate) struct Programs {
    pub(crate) visa: PathBuf,
    pub(crate) conformance: PathBuf,
}

impl Workshop {
    pub(crate) fn new() -> Self {
        let tmp = Path::new(env!("CARGO_TARGET_TMPDIR"));
        Self { spec: tmp.join("rename_spec"), target: tmp.join("rename_target") }
    }

    /// Writes the pages; unchanged files keep their times.
    pub(crate) fn write(&self, names: &Names<'_>, chosen: &BTreeSet<usize>) {
        for (path, text) in names.pages(chosen) {
            let path = self.spec.join(path);
            if std::fs::read_to_string(&path).is_ok_and(|old| old == text) {
                continue;
            }
            std::fs::create_dir_all(path.parent().expect("a folder")).unwrap();
            std::fs::write(path, text).unwrap();
        }
    }

    /// Returns the lint's errors about the pages, and the facts that changed apart from the names.
    pub(crate) fn lint(&self, facts: &str, mapping: &Mapping) -> (Vec<String>, Vec<String>) {
        let (model, mut found) = visakit_codegen::read_dir(&self.spec).expect("the pages can be read");
        found.extend(visakit_codegen::complete(&model));
        let errors = found.iter().filter(|d| d.severity == visakit_diag::Severity::Error);
        let errors = errors.map(|d| format!("{}: {} `{}`", d.place(), d.message, d.quote)).collect();
        let said = mapping.back(visakit_codegen::facts(&model).as_bytes());
        let new = String::from_utf8_lossy(&said).lines().map(plain).collect();
        let old: BTreeSet<String> = facts.lines().map(str::to_owned).collect();
        let differ = old.symmetric_difference(&new).cloned().collect();
        (errors, differ)
    }

    fn cargo(&self, command: &str) -> (bool, Vec<Value>) {
        let output = visakit_testing::cargo(command, &self.target)
            .args(["--message-format", "json", "-p", "visakit-cli", "-p", "visakit-emulator"])
            .args(["--bin", "visa", "--test", "conformance"])
            .current_dir(visakit_testing::root())
            .env("VISAKIT_SPEC", &self.spec)
            .stderr(Stdio::inherit())
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        (output.status.success(), text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect())
    }

    /// Builds the programs, or returns the compiler's refusals. If refusals are expected, a check
    /// precedes the build.
    pub(crate) fn build(&self, at_once: bool) -> Result<Programs, Vec<Refusal>> {
        let mut messages = Vec::new();
        for command in if at_once { &["build"][..] } else { &["check", "build"] } {
            let (done, said) = self.cargo(command);
            let refusals: Vec<Refusal> = said.iter().filter_map(Refusal::of).collect();
            if !refusals.is_empty() {
                return Err(refusals);
            }
            assert!(done, "the build failed without an error of the compiler");
            messages = said;
        }
        let program = |name: &str| {
            let artifact = messages.iter().find(|m| m["target"]["name"] == name && m["executable"].is_string());
            PathBuf::from(artifact.expect("the program was built")["executable"].as_str().expect("a path"))
        };
        Ok(Programs { visa: program("visa"), conformance: program("conformance") })
    }
}

/// Restores the old names in a line of facts, and removes a spelling that equals the name.
pub(crate) fn plain(line: &str) -> String {
    let line = unchanged(line);
    if let Some((head, rest)) = line.split_once(" text \"")
        && let Some((text, rest)) = rest.split_once('"')
        && head.rsplit(' ').next() == Some(text)
        && line.starts_with("list ")
    {
        return format!("{head}{rest}");
    }
    line
}

/// Compiler error, reduced to the words that it quotes.
#[derive(Debug)]
pub(crate) struct Refusal {
    message: String,
    words: BTreeSet<String>,
}

impl Refusal {
    fn of(message: &Value) -> Option<Self> {
        let error = message.get("message").filter(|m| m["level"] == "error")?;
        let mut quoted = Vec::new();
        texts(error, &mut quoted);
        let mut words = BTreeSet::new();
        for (n, text) in quoted.iter().enumerate() {
            // In messages the words in back-ticks count, in the source the marked ones.
            for (i, piece) in text.0.split('`').enumerate() {
                if text.1 || i % 2 == 1 {
                    let pieces = piece.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
                    words.extend(pieces.map(normal).filter(|w| !w.is_empty() && n < 200));
                }
            }
        }
        Some(Self { message: error["rendered"].as_str().unwrap_or("").to_owned(), words })
    }

    /// Returns the changed names that the error is about. Names whose owner is mentioned take
    /// precedence; only for them is the refusal certain.
    pub(crate) fn names(&self, names: &Names<'_>, chosen: &BTreeSet<usize>) -> (BTreeSet<usize>, bool) {
        let has = |forms: &[String]| forms.iter().any(|form| self.words.contains(form));
        let owned = |name: &Name| {
            let owner = forms(&name.owner);
            !name.owner.is_empty()
                && (has(&owner)
                    || self.words.iter().any(|w| owner.iter().any(|o| w.starts_with(o.as_str()) && o.len() > 3)))
        };
        let named: BTreeSet<usize> = chosen
            .iter()
            .copied()
            .filter(|&n| has(&forms(&names.all[n].old)) || has(&forms(&names.all[n].new)))
            .collect();
        let both: BTreeSet<usize> = named.iter().copied().filter(|&n| owned(&names.all[n])).collect();
        if !both.is_empty() {
            return (both, true);
        }
        // A name without an owner is identified by itself.
        let alone = named.iter().all(|&n| names.all[n].owner.is_empty());
        if !named.is_empty() {
            return (named, alone);
        }
        (chosen.iter().copied().filter(|&n| has(&forms(&names.all[n].owner))).collect(), false)
    }

    pub(crate) fn message(&self) -> &str {
        &self.message
    }
}

/// Collects the texts of a message and its notes, and the marked pieces of the source.
fn texts(message: &Value, out: &mut Vec<(String, bool)>) {
    let text = |value: &Value| value.as_str().unwrap_or("").to_owned();
    out.push((text(&message["message"]), false));
    for span in message["spans"].as_array().into_iter().flatten().filter(|s| s["is_primary"] == true) {
        out.push((text(&span["label"]), false));
        for line in span["text"].as_array().into_iter().flatten() {
            let source = text(&line["text"]);
            let at = |key: &str| line[key].as_u64().map_or(0, |n| n as usize - 1);
            let (start, end) = (at("highlight_start"), at("highlight_end"));
            out.push((source.chars().skip(start).take(end.saturating_sub(start)).collect(), true));
        }
    }
    for child in message["children"].as_array().into_iter().flatten().filter(|c| c["level"] == "note") {
        texts(child, out);
    }
}

/// Normalises a name so that all of its generated forms are equal: lower case, without `_`, and
/// without an `n` in front of a digit.
pub(crate) fn normal(name: &str) -> String {
    let name: String = name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
    match name.strip_prefix('n').filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit())) {
        Some(rest) => rest.to_owned(),
        None => name,
    }
}

/// Returns the forms that the generator may give a name: leading digits move to the end.
fn forms(name: &str) -> Vec<String> {
    let mut out = vec![normal(&name.replace('+', "_plus_"))];
    if let Some((first, rest)) = name.split_once('_').filter(|_| name.starts_with(|c: char| c.is_ascii_digit())) {
        out.push(normal(&format!("{rest}{first}")));
    }
    out
}
