//! Comparisons of whole specifications: planted changes, edits, layouts and revisions.

mod edits;
mod layout;
mod planted;

use std::fs;
use std::path::{Path, PathBuf};

use visakit_codegen::model::Model;
use visakit_spec_tools::diff::diff;

fn ours() -> PathBuf {
    visakit_testing::root().join("spec")
}

/// Returns the folder of a revision of the vendor's documents, if available.
fn upstream(test: &str, revision: &str) -> Option<PathBuf> {
    Some(visakit_testing::upstream(test)?.join(revision))
}

/// Returns the pages of a folder: (path, text).
fn pages(dir: &Path) -> Vec<(String, String)> {
    visakit_codegen::load(dir).unwrap().0.into_iter().map(|page| (page.path, page.text)).collect()
}

fn model(pages: &[(String, String)]) -> Model {
    visakit_codegen::read_files(pages.to_vec()).0
}

/// Returns the platforms of our pages, for documents without a table of platforms.
fn platforms() -> Vec<visakit_codegen::model::Platform> {
    visakit_codegen::read_dir(&ours()).unwrap().0.platforms
}

/// Compares one revision of the vendor's documents with the next. The expected result was checked
/// by hand against `diff -r`.
#[test]
fn the_vendors_revisions() {
    let (Some(a), Some(b)) =
        (upstream("the_vendors_revisions", "2022-12"), upstream("the_vendors_revisions", "2025-02"))
    else {
        return;
    };
    let found = diff(&model(&pages(&a)), &model(&pages(&b)), &platforms());
    let facts: Vec<_> = found
        .iter()
        .filter(|c| !["description", "semantics", "notes", "examples", "prose", "index"].contains(&c.kind))
        .map(|c| format!("{} {} {}", c.class.name(), c.kind, c.path))
        .collect();
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vendor_revisions.txt");
    if std::env::var_os("BLESS").is_some() {
        fs::write(&golden, facts.join("\n") + "\n").unwrap();
    }
    let expected = fs::read_to_string(&golden).unwrap();
    assert_eq!(facts, expected.lines().collect::<Vec<_>>());
    // Only white space changed on these pages.
    for page in ["GATHER.md", "SCATTER.md", "SVM.md"] {
        let name = format!("instructions/{page}");
        let touched = found.iter().any(|c| [&c.old, &c.new].into_iter().flatten().any(|s| s.file == name));
        assert!(!touched, "{page} only lost blanks");
    }
}
