//! Every code of a finding is explained in `docs/reference/errors.md`, and that page explains no
//! other code. The grammar explains the codes of `visa spec lint` (`codegen/tests/findings.rs`).

use std::collections::BTreeSet;
use std::path::Path;

use visakit_testing::root;

/// Source folders in which every word with dashes is a code, except for those in `OTHERS`.
const FOLDERS: [&str; 11] = [
    "src",
    "crates/machine/src",
    "crates/launch/src",
    "crates/kernels/src",
    "crates/run/src",
    "crates/checks/src",
    "crates/visa/src",
    "crates/zebin/src",
    "crates/conform/src",
    "crates/oracle/src",
    "crates/lsp/src",
];

/// Source text before a code of one word.
const BEFORE: [&str; 16] = [
    "Diagnostic::new(",
    "code: ",
    "failed(",
    "self.say(",
    "self.warn(",
    "self.push(",
    "self.whole(",
    ".report(statement, ",
    " say(",
    "violation(",
    "doubt(",
    ".name_index, ",
    "(problem(",
    " problem(",
    ".problem(",
    "_fail(",
];

/// Words with dashes that are not codes, with the reason.
const OTHERS: [(&str, &str); 9] = [
    ("content-length", "a header of the Language Server Protocol"),
    ("global", "an option of the launch size"),
    ("intel-graphics-compiler", "a project"),
    ("cat-file", "a command of git"),
    ("kebab-case", "how serde spells names"),
    ("local", "an option of the launch size"),
    ("ls-tree", "a command of git"),
    ("name-missing", "the grammar explains it"),
    ("rev-parse", "a command of git"),
];

#[test]
fn codes_are_explained() {
    let mut used = BTreeSet::new();
    for folder in FOLDERS {
        sources(&root().join(folder), &mut |text| collect(text, true, &mut used));
    }
    // The driver has codes only where it creates findings, and the classes of changes are not
    // codes.
    for folder in ["crates/icd/src", "crates/level-zero/src", "crates/runtime/src"] {
        sources(&root().join(folder), &mut |text| collect(text, false, &mut used));
    }
    // The Python package creates findings for its callers.
    sources(&root().join("crates/python/src"), &mut |text| collect(text, true, &mut used));
    sources(&root().join("python/visakit"), &mut |text| collect(text, false, &mut used));
    let classes = std::fs::read_to_string(root().join("crates/spec-tools/src/diff/change.rs")).unwrap();
    used.extend(literals(&classes, "=> ").map(str::to_owned));
    used.extend(visakit_spec_tools::diff::KINDS.map(str::to_owned));
    rows(&mut used);
    for (word, _) in OTHERS {
        used.remove(word);
    }
    let page = std::fs::read_to_string(root().join("docs/reference/errors.md")).unwrap();
    let explained: BTreeSet<_> = explained(&page).into_iter().map(str::to_owned).collect();
    let missing: Vec<_> = used.difference(&explained).collect();
    let stale: Vec<_> = explained.difference(&used).collect();
    assert!(missing.is_empty() && stale.is_empty(), "docs/reference/errors.md lacks {missing:?}, has {stale:?}");
    assert!(explained.len() > 200, "only {} codes were found", explained.len());
}

/// Checks that `KINDS` lists every kind of change that the comparison of specifications creates.
#[test]
fn kinds_are_listed() {
    let mut made = BTreeSet::new();
    let endings = ["-added", "-removed", "-renamed"];
    sources(&root().join("crates/spec-tools/src/diff"), &mut |text| {
        let words = text.split('"').filter(|word| is_code(word) && endings.iter().any(|end| word.ends_with(end)));
        made.extend(words.map(str::to_owned));
        for before in ["WireBreaking, ", "Narrowed, ", "Widened, ", "TextOnly, ", "(class, "] {
            made.extend(literals(text, before).map(str::to_owned));
        }
    });
    let listed: BTreeSet<_> = visakit_spec_tools::diff::KINDS.into_iter().map(str::to_owned).collect();
    let missing: Vec<_> = made.difference(&listed).collect();
    assert!(missing.is_empty() && made.len() > 50, "KINDS lacks {missing:?}");
}

/// Sections have two to five lines, so that a reader sees a section at a glance.
#[test]
fn sections_are_short() {
    let page = std::fs::read_to_string(root().join("docs/reference/errors.md")).unwrap();
    let mut seen = BTreeSet::new();
    for section in page.split("\n### `").skip(1) {
        let (code, text) = section.split_once('`').unwrap();
        assert!(seen.insert(code), "`{code}` has two sections");
        let text = text.split("\n## ").next().unwrap();
        let lines = text.lines().filter(|line| !line.is_empty()).count();
        assert!((1..=5).contains(&lines), "`{code}` has {lines} lines");
    }
    // The anchor of a section is its code.
    for heading in page.lines().filter_map(|line| line.strip_prefix("## ")) {
        assert!(!seen.contains(heading.to_ascii_lowercase().as_str()), "`{heading}` takes the address of a code");
    }
}

/// Returns the codes in headings, and in the first cells of table rows.
fn explained(page: &str) -> Vec<&str> {
    let heading = page.lines().filter_map(|line| line.strip_prefix("### `")?.strip_suffix('`'));
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `")?.split(" | ").next());
    heading.chain(rows.flat_map(|cell| cell.split('`').step_by(2))).collect()
}

/// Adds the codes in the rows of `spec/verification.md`: `message`, or the text in column
/// `Finding`.
fn rows(out: &mut BTreeSet<String>) {
    let page = std::fs::read_to_string(root().join("spec/verification.md")).unwrap();
    let mut tables = 0;
    let (mut in_table, mut in_checks) = (false, false);
    let mut checks = Vec::new();
    for line in page.lines() {
        // Bars in a condition are escaped. The last two cells are the finding and its text.
        let line = line.replace("\\|", " or ");
        let cells: Vec<_> = line.split('|').map(str::trim).collect();
        let Some(finding) = cells.len().checked_sub(3).map(|at| cells[at]) else {
            (in_table, in_checks) = (false, false);
            continue;
        };
        // Code also names the limits of declarations.
        if cells.len() == 5 && cells[2].parse::<u64>().is_ok() {
            out.remove(cells[1].trim_matches('`'));
        }
        if finding == "Finding" {
            (in_table, tables) = (true, tables + 1);
        } else if cells.len() > 4 && cells[2] == "Finding" {
            // The table of checks: name, finding, concern, meaning.
            in_checks = true;
        } else if in_checks && cells.len() == 6 && !cells[2].contains("---") {
            checks.push((cells[1].trim_matches('`').to_owned(), cells[2].to_owned()));
        } else if in_table && !finding.contains("---") {
            let code = finding.split(", ").find(|word| !word.is_empty() && *word != "warning");
            out.insert(code.unwrap_or("message").to_owned());
        }
    }
    assert!(tables >= 3, "only {tables} tables of rows were found");
    assert!(checks.len() > 20, "only {} checks were found", checks.len());
    // Code names a check where it compares; the finding has the code of the check.
    checks.iter().for_each(|(name, _)| _ = out.remove(name));
    out.extend(checks.into_iter().map(|(_, finding)| finding));
}

/// Reads the sources in a folder and its subfolders, without tests and comments.
fn sources(folder: &Path, take: &mut impl FnMut(&str)) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, take);
        } else if path.extension().is_some_and(|ending| ending == "rs" || ending == "py") {
            let text = std::fs::read_to_string(&path).unwrap();
            let code = text.split("#[cfg(test)]").next().unwrap_or_default();
            let lines: Vec<_> = code.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
            take(&lines.join("\n"));
        }
    }
}

/// Adds the codes in a source text. With `dashed`, all words with dashes are added too.
fn collect(text: &str, dashed: bool, out: &mut BTreeSet<String>) {
    for before in BEFORE {
        out.extend(literals(text, before).map(str::to_owned));
    }
    // The parser selects one of two codes.
    out.extend(text.split("let code = if ").skip(1).flat_map(|rest| {
        let statement = rest.split(';').next().unwrap_or_default();
        statement.split('"').skip(1).step_by(2).filter(|word| is_code(word)).map(str::to_owned)
    }));
    if dashed {
        out.extend(text.split('"').filter(|word| word.contains('-') && is_code(word)).map(str::to_owned));
    }
}

/// Returns the string literals that follow `before` and blanks.
fn literals<'t>(text: &'t str, before: &'t str) -> impl Iterator<Item = &'t str> {
    let behind = text.split(before).skip(1).filter_map(|rest| rest.trim_start().strip_prefix('"'));
    behind.filter_map(|rest| rest.split('"').next()).filter(|word| is_code(word))
}

fn is_code(word: &str) -> bool {
    word.split('-').all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_lowercase()))
}
