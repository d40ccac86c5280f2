//! SECURITY.md says that two crates may have `unsafe` code, each block with its reason.

use visakit_testing::root;

/// The crates that have it.
const ALLOWED: [&str; 2] = ["crates/icd", "crates/native"];

#[test]
fn unsafe_code_is_forbidden_in_all_other_crates() {
    let root = root();
    let read = |path: &str| {
        let text = std::fs::read_to_string(root.join(path).join("Cargo.toml")).unwrap();
        toml::from_str::<toml::Table>(&text).unwrap()
    };
    let workspace = read(".");
    assert_eq!(workspace["workspace"]["lints"]["rust"]["unsafe_code"].as_str(), Some("forbid"));
    let crates = std::fs::read_dir(root.join("crates")).unwrap().map(|entry| {
        format!("crates/{}", entry.unwrap().file_name().to_str().unwrap())
    });
    let crates: Vec<String> = crates.chain([".", "codegen"].map(str::to_owned)).collect();
    assert!(crates.len() > 10, "{crates:?}");
    for path in &crates {
        let manifest = read(path);
        let lints = &manifest["lints"];
        if ALLOWED.contains(&path.as_str()) {
            assert_eq!(lints["rust"]["unsafe_op_in_unsafe_fn"].as_str(), Some("deny"), "{path}");
            assert_eq!(lints["clippy"]["undocumented_unsafe_blocks"].as_str(), Some("deny"), "{path}");
        } else {
            assert_eq!(lints["workspace"].as_bool(), Some(true), "{path} has the workspace's lints");
        }
    }
    for document in ["SECURITY.md", "CONTRIBUTING.md"] {
        let text = std::fs::read_to_string(root.join(document)).unwrap();
        assert!(ALLOWED.iter().all(|path| text.contains(&format!("`{path}`"))), "{document} names {ALLOWED:?}");
    }
}
