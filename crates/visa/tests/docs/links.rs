//! Links of the documents: target files and headings exist, and the table of contents is complete.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use visakit_testing::root;

/// Prefix of the book's links to files of the repository.
const REPOSITORY: &str = "https://github.com/visakit/visakit/blob/main/";

/// Returns the documents whose links are checked.
fn documents() -> Vec<PathBuf> {
    let mut found = super::markdown(&root().join("docs"));
    for entry in std::fs::read_dir(root()).unwrap() {
        found.push(entry.unwrap().path());
    }
    found.extend(["examples/README.md", "spec/README.md"].map(|name| root().join(name)));
    for folder in std::fs::read_dir(root().join("crates")).unwrap() {
        found.push(folder.unwrap().path().join("README.md"));
    }
    found.retain(|path| path.is_file() && path.extension().is_some_and(|ending| ending == "md"));
    found
}

/// Returns a page without its fenced and indented blocks and inline code.
fn prose(page: &str) -> String {
    let mut out = String::new();
    let mut fence = false;
    for line in page.lines() {
        if line.trim_start().starts_with("```") {
            fence = !fence;
        } else if !fence && !line.starts_with("    ") {
            out.extend(line.split('`').step_by(2));
            out.push('\n');
        }
    }
    out
}

/// Returns the targets of `[text](target)` and `src="target"`.
fn targets(page: &str) -> Vec<String> {
    let text = prose(page);
    let links = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    let pictures = text.split("src=\"").skip(1).filter_map(|rest| rest.split('"').next());
    links.chain(pictures).map(str::to_owned).collect()
}

/// Returns the anchors of a page's headings, in the form of GitHub and mdBook.
fn anchors(page: &str) -> BTreeSet<String> {
    let mut fence = false;
    let mut found = BTreeSet::new();
    for line in page.lines() {
        fence ^= line.trim_start().starts_with("```");
        if !fence && line.starts_with('#') {
            let text = line.trim_start_matches('#').trim().to_lowercase();
            let kept = text.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
            found.insert(kept.map(|c| if c == ' ' { '-' } else { c }).collect());
        }
    }
    found
}

#[test]
fn links_lead_somewhere() {
    let mut broken = Vec::new();
    let mut followed = 0;
    for document in documents() {
        let page = std::fs::read_to_string(&document).unwrap();
        for target in targets(&page) {
            let own = target.strip_prefix(REPOSITORY);
            if own.is_none() && target.contains("://") {
                continue;
            }
            followed += 1;
            let (file, anchor) = own.unwrap_or(&target).split_once('#').unwrap_or((own.unwrap_or(&target), ""));
            let folder = if own.is_some() { root() } else { document.parent().unwrap().to_owned() };
            let path = if file.is_empty() { document.clone() } else { folder.join(file) };
            // A page of the book cannot link to a file outside the book by a path.
            let book = root().join("docs");
            let leaves = document.starts_with(&book) && own.is_none();
            if leaves && !path.canonicalize().is_ok_and(|path| path.starts_with(&book)) {
                broken.push(format!("{}: {target} is not in docs/", document.display()));
            }
            let known = || anchors(&std::fs::read_to_string(&path).unwrap_or_default()).contains(anchor);
            if !path.exists() || !(anchor.is_empty() || known()) {
                let shown = document.strip_prefix(root()).unwrap().display();
                broken.push(format!("{shown}: {target}"));
            }
        }
    }
    assert!(followed > 60, "only {followed} links were found");
    assert!(broken.is_empty(), "links that lead nowhere:\n{}", broken.join("\n"));
}

#[test]
fn the_book_has_every_page() {
    let docs = root().join("docs");
    let summary = std::fs::read_to_string(docs.join("SUMMARY.md")).unwrap();
    let listed: BTreeSet<String> = targets(&summary).into_iter().collect();
    let shown = |path: &Path| path.strip_prefix(&docs).unwrap().display().to_string();
    let there: BTreeSet<String> = super::markdown(&docs).iter().map(|path| shown(path)).collect();
    let there: BTreeSet<String> = there.into_iter().filter(|name| name != "SUMMARY.md").collect();
    assert_eq!(listed, there, "docs/SUMMARY.md on the left, docs/ on the right");
}

#[test]
fn broken_links_are_seen() {
    assert_eq!(targets("[a](b.md#c) `[x](y)`\n```\n[z](w)\n```\n<img src=\"p.svg\">"), ["b.md#c", "p.svg"]);
    assert!(anchors("# A b-c, d_e\n```\n# no\n```\n").contains("a-b-c-d_e"));
    assert_eq!(anchors("# A\n```\n# no\n```\n").len(), 1);
}
