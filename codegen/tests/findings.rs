//! Consistency of finding codes: the grammar explains every code, and no other.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

#[test]
fn codes_are_documented() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut used = BTreeSet::new();
    collect(&root.join("src"), &mut used);
    let grammar = fs::read_to_string(root.join("../spec/README.md")).unwrap();
    let table = grammar.split("## Findings").nth(1).unwrap();
    let rows = table.lines().filter_map(|l| l.strip_prefix("| `")?.split(" |").next());
    let known: BTreeSet<String> =
        rows.flat_map(|cell| cell.split(['`', ',', ' '])).filter(|c| is_code(c)).map(str::to_owned).collect();
    let undocumented: Vec<_> = used.difference(&known).collect();
    let stale: Vec<_> = known.difference(&used).collect();
    assert!(undocumented.is_empty() && stale.is_empty(), "undocumented {undocumented:?}, stale {stale:?}");
}

/// Quoted words with dashes that are no codes.
const OTHERS: [&str; 2] = ["sub-opcode", "kebab-case"];

/// Collects quoted words with dashes, the form of finding codes.
fn collect(folder: &Path, out: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        // Kinds of changes have their own table.
        if path.is_dir() {
            if !path.ends_with("diff") {
                collect(&path, out);
            }
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        let code = text.split("#[cfg(test)]").next().unwrap_or("");
        out.extend(code.split('"').filter(|w| is_code(w) && !OTHERS.contains(w)).map(str::to_owned));
    }
}

fn is_code(word: &str) -> bool {
    word.contains('-') && word.split('-').all(|w| !w.is_empty() && w.bytes().all(|b| b.is_ascii_lowercase()))
}
