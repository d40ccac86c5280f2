//! Statements of documents and scripts about the repository: crates with `unsafe` code, and Cargo
//! commands.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use visakit_testing::root;

/// Crates with `unsafe` code.
const ALLOWED: [&str; 6] =
    ["crates/c", "crates/icd", "crates/level-zero", "crates/native", "crates/runtime", "crates/wasm"];

/// Crate whose macros contain `unsafe` code, but which has none itself.
const MACROS: &str = "crates/python";

#[test]
fn unsafe_code_is_forbidden_in_all_other_crates() {
    let root = root();
    let read = |path: &str| {
        let text = std::fs::read_to_string(root.join(path).join("Cargo.toml")).unwrap();
        toml::from_str::<toml::Table>(&text).unwrap()
    };
    let workspace = read(".");
    assert_eq!(workspace["workspace"]["lints"]["rust"]["unsafe_code"].as_str(), Some("forbid"));
    let crates = std::fs::read_dir(root.join("crates"))
        .unwrap()
        .map(|entry| format!("crates/{}", entry.unwrap().file_name().to_str().unwrap()));
    let crates: Vec<String> = crates.chain([".", "codegen"].map(str::to_owned)).collect();
    assert!(crates.len() > 10, "{crates:?}");
    for path in &crates {
        let manifest = read(path);
        let lints = &manifest["lints"];
        if ALLOWED.contains(&path.as_str()) {
            assert_eq!(lints["rust"]["unsafe_op_in_unsafe_fn"].as_str(), Some("deny"), "{path}");
            assert_eq!(lints["clippy"]["undocumented_unsafe_blocks"].as_str(), Some("deny"), "{path}");
        } else if path == MACROS {
            // `forbid` would refuse the macros of pyo3, which allow `unsafe` for their own code.
            assert_eq!(lints["rust"]["unsafe_code"].as_str(), Some("deny"), "{path}");
        } else {
            assert_eq!(lints["workspace"].as_bool(), Some(true), "{path} has the workspace's lints");
        }
    }
    for document in ["SECURITY.md", "CONTRIBUTING.md"] {
        let text = std::fs::read_to_string(root.join(document)).unwrap();
        assert!(
            ALLOWED.iter().chain([&MACROS]).all(|path| text.contains(&format!("`{path}`"))),
            "{document} names {ALLOWED:?}"
        );
    }
}

/// Returns the folders of the packages by name.
fn packages() -> BTreeMap<String, PathBuf> {
    let crates = std::fs::read_dir(root().join("crates")).unwrap().map(|entry| entry.unwrap().path());
    let folders = crates.chain([root(), root().join("codegen")]).filter(|dir| dir.join("Cargo.toml").is_file());
    let named = folders.map(|dir| {
        let manifest: toml::Table =
            toml::from_str(&std::fs::read_to_string(dir.join("Cargo.toml")).unwrap()).unwrap();
        (manifest["package"]["name"].as_str().unwrap().to_owned(), dir)
    });
    named.collect()
}

/// Adds the files of the repository that people read and run.
fn documents(dir: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(dir).unwrap() {
        let entry = entry.unwrap();
        let (path, name) = (entry.path(), entry.file_name().into_string().unwrap());
        if entry.file_type().unwrap().is_dir() {
            if !matches!(name.as_str(), "target" | ".git" | "spec" | "vectors" | "golden" | "corpus") {
                documents(&path, out);
            }
        } else if name != "CHANGELOG.md"
            && (name == "run" || [".md", ".py", ".sh", ".yml"].iter().any(|ending| name.ends_with(ending)))
        {
            out.push(path);
        }
    }
}

#[test]
fn commands_name_tests_and_benches_that_are_there() {
    let packages = packages();
    let mut files = Vec::new();
    documents(&root(), &mut files);
    let mut seen = 0;
    for file in files {
        let Ok(text) = std::fs::read_to_string(&file) else { continue };
        let words: Vec<&str> = text.split_whitespace().collect();
        for (at, pair) in words.windows(2).enumerate() {
            if pair[0].trim_start_matches(['`', '(']) != "cargo" || !matches!(pair[1], "test" | "bench") {
                continue;
            }
            // The command ends at its closing quote, or at a word that is neither an option nor an
            // option's value.
            let mut dirs: Vec<&PathBuf> = Vec::new();
            let mut named = Vec::new();
            let mut rest = words[at + 2..].iter();
            while let Some(word) = rest.next() {
                let kind = match *word {
                    "-p" | "--test" | "--bench" => *word,
                    "--workspace" => {
                        dirs.extend(packages.values());
                        continue;
                    }
                    "--release" | "-q" | "--quiet" | "-Zbuild-std" => continue,
                    "--target" => {
                        rest.next();
                        continue;
                    }
                    _ => break,
                };
                let whole = rest.next().copied().unwrap_or_default();
                let name = whole.trim_end_matches(['`', ',', '.', ';', ':', ')', '"']);
                match kind {
                    "-p" => dirs.push(packages.get(name).unwrap_or_else(|| panic!("{}: -p {name}", file.display()))),
                    _ => named.push((if kind == "--test" { "tests" } else { "benches" }, name)),
                }
                if whole.contains(['`', ';', '"']) {
                    break;
                }
            }
            // Default members of the workspace, which Cargo uses if no package is named.
            let usual = [root(), root().join("crates/visa")];
            let dirs = if dirs.is_empty() { usual.iter().collect() } else { dirs };
            for (folder, name) in named {
                seen += 1;
                let files = [format!("{name}.rs"), format!("{name}/main.rs")];
                let is_there = dirs.iter().any(|dir| files.iter().any(|file| dir.join(folder).join(file).is_file()));
                assert!(is_there, "{}: no {folder}/{name}.rs in {dirs:?}", file.display());
            }
        }
    }
    assert!(seen > 10, "{seen} commands");
}
