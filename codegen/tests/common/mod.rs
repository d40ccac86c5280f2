//! What the tests share: where the vendor's documents are, and how a test says that it was skipped.

use std::path::{Path, PathBuf};

/// The folder of the vendor's documents, where it is. `VISAKIT_REQUIRE` makes its absence a failure.
pub(crate) fn upstream(test: &str) -> Option<PathBuf> {
    let usual = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/upstream-spec");
    let dir = std::env::var_os("VISAKIT_UPSTREAM").map_or(usual, PathBuf::from);
    if dir.is_dir() {
        return Some(dir);
    }
    let required = std::env::var("VISAKIT_REQUIRE").unwrap_or_default();
    assert!(!required.split(',').any(|r| r == "shared"), "{test} needs the vendor's documents at {}", dir.display());
    eprintln!("skipped: {test}: no folder of the vendor's documents");
    None
}
