//! Machine-checked rules of STYLE.md. Old text may break each rule as often as `style.toml` allows.
//! `BLESS=1 cargo test -p visakit-cli --test style` lowers these budgets and never raises them.

#[path = "style/structure.rs"]
mod structure;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use visakit_testing::root;

/// Maximum width of a comment line in columns.
const COLUMNS: usize = 100;
/// Forbidden beginnings of doc comments.
const OPENINGS: [&str; 6] = ["Whether ", "What ", "Gives ", "Says ", "One ", "The same"];
/// Forbidden phrases in comments, messages and documents.
const PHRASES: [&str; 12] = [
    "so many",
    "nobody",
    "told",
    "tells",
    "aside",
    "alike",
    "whoever",
    "much else",
    "that there is",
    "that there are",
    "there is none",
    "as it is",
];
/// Documents checked for phrases. STYLE.md is exempt because it quotes them.
const DOCUMENTS: [&str; 5] = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "docs", "spec"];

/// Numbers of violations: by crate, and by phrase. Long functions have their lines, and crates the
/// numbers of modules that import each other in circles.
#[derive(Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
struct Counts {
    width: BTreeMap<String, usize>,
    opening: BTreeMap<String, usize>,
    phrase: BTreeMap<String, usize>,
    length: BTreeMap<String, usize>,
    circle: BTreeMap<String, usize>,
}

/// Violation of a rule: the key of its budget and its place.
type Broken = (String, String);

#[test]
fn rules_are_kept() {
    let file = root().join("crates/visa/tests/style.toml");
    let budget: Counts = toml::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    let mut found = [Vec::new(), Vec::new(), Vec::new()];
    for path in files(&root(), "rs") {
        source(&path, &mut found);
    }
    for path in DOCUMENTS.iter().flat_map(|name| files(&root().join(name), "md")) {
        document(&path, &mut found);
    }
    let counts = found.each_ref().map(|broken| {
        let mut counts = BTreeMap::new();
        broken.iter().for_each(|(key, _)| *counts.entry(key.clone()).or_insert(0) += 1);
        counts
    });
    let [width, opening, phrase] = counts;
    let [widths, openings, phrases] = &found;
    let ((length, lengths), (circle, circles)) = (structure::lengths(), structure::circles());
    let now = Counts { width, opening, phrase, length, circle };
    let mut over = Vec::new();
    for (rule, counts, budgets, places) in [
        ("width", &now.width, &budget.width, widths),
        ("opening", &now.opening, &budget.opening, openings),
        ("phrase", &now.phrase, &budget.phrase, phrases),
        ("length", &now.length, &budget.length, &lengths),
        ("circle", &now.circle, &budget.circle, &circles),
    ] {
        for (key, &count) in counts {
            let allowed = budgets.get(key).copied().unwrap_or(0);
            if count > allowed {
                let places = places.iter().filter(|(broken, _)| broken == key).map(|(_, place)| place.as_str());
                let places = places.collect::<Vec<_>>().join("\n  ");
                over.push(format!("{rule}, {key}: {count}, and {allowed} are allowed\n  {places}"));
            }
        }
    }
    assert!(over.is_empty(), "STYLE.md has the rules\n{}", over.join("\n"));
    if std::env::var_os("BLESS").is_some() && now != budget {
        let head = "# Number of violations in text from before STYLE.md. These numbers only shrink.\n\n";
        std::fs::write(file, format!("{head}{}", written(&now))).unwrap();
    }
}

/// Formats the budgets as TOML.
fn written(counts: &Counts) -> String {
    let tables = [
        ("width", &counts.width),
        ("opening", &counts.opening),
        ("phrase", &counts.phrase),
        ("length", &counts.length),
        ("circle", &counts.circle),
    ];
    let table = |(name, entries): (&str, &BTreeMap<String, usize>)| {
        let lines = entries.iter().map(|(key, count)| format!("\"{key}\" = {count}\n"));
        format!("[{name}]\n{}", lines.collect::<String>())
    };
    tables.map(table).join("\n")
}

/// Returns the files with an extension in a folder, or the file itself. Build output and hidden
/// folders are skipped.
fn files(path: &Path, ending: &str) -> Vec<PathBuf> {
    if path.is_file() {
        return vec![path.to_owned()];
    }
    let mut found = Vec::new();
    for entry in std::fs::read_dir(path).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() && name != "target" && !name.starts_with('.') {
            found.extend(files(&path, ending));
        } else if path.extension().is_some_and(|found| found == ending) {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// Returns the crate of a file.
fn owner(path: &Path) -> String {
    let inner = path.strip_prefix(root()).unwrap();
    let parts: Vec<_> = inner.iter().take(2).map(|part| part.to_string_lossy()).collect();
    match parts[0].as_ref() {
        "crates" => parts.join("/"),
        "codegen" | "fuzz" => parts[0].to_string(),
        _ => "visakit".to_owned(),
    }
}

fn source(path: &Path, [width, opening, phrase]: &mut [Vec<Broken>; 3]) {
    // This file contains the phrases that it searches for.
    if path.ends_with("tests/style.rs") {
        return;
    }
    let text = std::fs::read_to_string(path).unwrap();
    let owner = owner(path);
    let mut was_doc = false;
    for (index, line) in text.lines().enumerate() {
        let place = format!("{}:{}", path.strip_prefix(root()).unwrap().display(), index + 1);
        let trimmed = line.trim_start();
        let comment = trimmed.starts_with("//");
        if comment && line.chars().count() > COLUMNS {
            width.push((owner.clone(), place.clone()));
        }
        let doc = ["///", "//!"].iter().find_map(|mark| trimmed.strip_prefix(mark));
        let doc = doc.map(str::trim_start);
        if !was_doc && doc.is_some_and(|doc| OPENINGS.iter().any(|opening| doc.starts_with(opening))) {
            opening.push((owner.clone(), place.clone()));
        }
        was_doc = doc.is_some();
        if comment || line.contains('"') {
            phrases(line, &place, phrase);
        }
    }
}

fn document(path: &Path, [_, opening, phrase]: &mut [Vec<Broken>; 3]) {
    let inner = path.strip_prefix(root()).unwrap();
    let is_page = inner.starts_with("spec");
    let (mut generated, mut fenced) = (false, false);
    for (index, line) in std::fs::read_to_string(path).unwrap().lines().enumerate() {
        let place = format!("{}:{}", inner.display(), index + 1);
        fenced ^= line.trim_start().starts_with("```");
        // Generated text is checked in the sources of the program. Fences of pages contain code.
        generated = (generated || line.starts_with("<!-- generated ")) && line != "<!-- end -->";
        if generated || is_page && fenced {
            continue;
        }
        // The text of a field is a doc comment of the generated code.
        if is_page && field_text(line).is_some_and(|text| OPENINGS.iter().any(|word| text.starts_with(word))) {
            opening.push(("spec".to_owned(), place.clone()));
        }
        phrases(line, &place, phrase);
    }
}

/// Returns the text of a field's item on a page of the specification.
fn field_text(line: &str) -> Option<&str> {
    line.starts_with("- ").then(|| line.split_once(":** ")).flatten().map(|(_, text)| text)
}

fn phrases(line: &str, place: &str, found: &mut Vec<Broken>) {
    let line = line.to_lowercase();
    for phrase in PHRASES {
        let count = line.match_indices(phrase).filter(|&(at, _)| is_word(&line, at, at + phrase.len())).count();
        found.extend((0..count).map(|_| (phrase.to_owned(), place.to_owned())));
    }
}

/// Returns true if a phrase begins and ends at word boundaries.
fn is_word(line: &str, begin: usize, end: usize) -> bool {
    let inside = |c: char| c.is_alphanumeric() || c == '_';
    !line[..begin].ends_with(inside) && !line[end..].starts_with(inside)
}

/// The front page must be short enough to be read to the end.
#[test]
fn the_readme_is_short() {
    let text = std::fs::read_to_string(root().join("README.md")).unwrap();
    assert!(text.lines().count() <= 150, "README.md has {} lines", text.lines().count());
    assert!(text.split_whitespace().count() <= 900, "README.md has {} words", text.split_whitespace().count());
    for cell in text.lines().filter(|line| line.starts_with('|')).flat_map(|line| line.split('|')) {
        assert!(cell.split_whitespace().count() <= 12, "README.md has a long cell: {cell}");
    }
}

/// Each changelog entry is one line, and each release has each heading once.
#[test]
fn the_changelog_is_a_list_of_lines() {
    let text = std::fs::read_to_string(root().join("CHANGELOG.md")).unwrap();
    let mut headings = Vec::new();
    for line in text.lines().skip_while(|line| !line.starts_with("## ")) {
        if line.starts_with("## ") {
            headings.clear();
        } else if line.starts_with("### ") {
            assert!(!headings.contains(&line), "CHANGELOG.md has {line} twice in one release");
            headings.push(line);
        } else if !line.is_empty() {
            assert!(line.starts_with("- "), "CHANGELOG.md: one line for an entry: {line}");
            assert!(line.split_whitespace().count() <= 26, "CHANGELOG.md: more than 25 words: {line}");
        }
    }
}

#[test]
fn rules_are_broken_where_they_are() {
    let mut found = Vec::new();
    phrases("// Nobody is told alikeness; as it is.", "here", &mut found);
    assert_eq!(found.iter().map(|(key, _)| key.as_str()).collect::<Vec<_>>(), ["nobody", "told", "as it is"]);
    assert!(is_word("a told b", 2, 6) && !is_word("untold", 2, 6));
    assert_eq!(field_text("- {3.4+}**Mode(ub):** Whether it waits"), Some("Whether it waits"));
    assert_eq!(field_text("What waits"), None);
}
