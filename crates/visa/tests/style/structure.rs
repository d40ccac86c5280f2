//! Structure of the code: long functions, and modules that import each other.

use std::collections::BTreeMap;

use visakit_testing::imports::Modules;
use visakit_testing::root;

use super::{Broken, files};

/// Maximum number of lines of a function.
const LINES: usize = 80;

/// Returns the functions that are too long: their lines, and their places.
pub(super) fn lengths() -> (BTreeMap<String, usize>, Vec<Broken>) {
    let (mut lengths, mut places) = (BTreeMap::new(), Vec::new());
    for path in files(&root(), "rs") {
        let inner = path.strip_prefix(root()).unwrap().display().to_string();
        let text = std::fs::read_to_string(&path).unwrap();
        for (name, line, lines) in functions(&text).into_iter().filter(|(.., lines)| *lines > LINES) {
            let key = format!("{inner}: {name}");
            places.push((key.clone(), format!("{inner}:{line}")));
            let longest = lengths.entry(key).or_insert(0);
            *longest = lines.max(*longest);
        }
    }
    (lengths, places)
}

/// Returns the name, the line number and the number of lines of each function. rustfmt puts the
/// last brace of a function below its first word.
fn functions(text: &str) -> Vec<(&str, usize, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let indent = &line[..line.len() - line.trim_start().len()];
        let Some(name) = name(line.trim_start()) else { continue };
        let head = lines[at..].iter().find(|line| line.ends_with(['{', ';', '}']));
        let has_body = head.is_some_and(|line| line.ends_with('{'));
        let end = lines[at..].iter().position(|line| line.strip_prefix(indent) == Some("}"));
        if let Some(end) = end.filter(|_| has_body) {
            found.push((name, at + 1, end + 1));
        }
    }
    found
}

/// Returns the name of the function that begins on a line.
fn name(line: &str) -> Option<&str> {
    let (before, name) = line.split_once("fn ")?;
    let words = |word: &str| {
        word.starts_with("pub")
            || matches!(word, "const" | "unsafe" | "async" | "extern" | "\"C\"")
            || word.ends_with(')')
    };
    let is_head = before.split_whitespace().all(words);
    let end = name.find(|c: char| !c.is_alphanumeric() && c != '_')?;
    is_head.then(|| &name[..end]).filter(|name| !name.is_empty())
}

/// Returns the number of modules in circles of imports by crate, and the circles.
pub(super) fn circles() -> (BTreeMap<String, usize>, Vec<Broken>) {
    let (mut counts, mut places) = (BTreeMap::new(), Vec::new());
    let crates = std::fs::read_dir(root().join("crates")).unwrap();
    let names = crates.map(|entry| format!("crates/{}", entry.unwrap().file_name().to_string_lossy()));
    for name in names.chain(["codegen".to_owned(), "visakit".to_owned()]) {
        let folder = if name == "visakit" { root() } else { root().join(&name) };
        for circle in Modules::of_crate(&folder.join("src")).circles() {
            *counts.entry(name.clone()).or_insert(0) += circle.len();
            let circle = circle.into_iter().collect::<Vec<_>>().join(", ");
            places.push((name.clone(), format!("{name}: {circle}")));
        }
    }
    (counts, places)
}

#[test]
fn functions_are_measured() {
    let text = "impl A {\n    pub(super) fn a() {\n        {\n        }\n    }\n\n    fn b();\n}\nfn c() {}\n";
    assert_eq!(functions(text), [("a", 2, 4)]);
    assert_eq!(name("// of fn x("), None);
}
