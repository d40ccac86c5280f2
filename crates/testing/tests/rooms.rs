//! Modules of each crate import modules that are listed before them, and never in circles.

use visakit_testing::imports::{Finding, Modules};
use visakit_testing::root;

/// Crates by their root folders.
const CRATES: [&str; 11] = [
    "crates/c/src",
    "crates/machine/src",
    "crates/kernels/src",
    "crates/run/src",
    "crates/checks/src",
    "crates/smith/src",
    "crates/lsp/src",
    "crates/icd/src",
    "crates/level-zero/src",
    "crates/runtime/src",
    "crates/icd/src/compiler",
];

/// Modules that may import each other, because their types contain each other: an event holds the
/// commands that wait for it, a command its event, and a queue both.
const TOGETHER: [&str; 3] = ["queues::queue", "queues::event", "queues::schedule"];

/// Returns true for a finding about modules that may import each other.
fn is_allowed(finding: &Finding) -> bool {
    let together = |module: &String| TOGETHER.contains(&module.as_str());
    match finding {
        Finding::Upward { from, to } => together(from) && together(to),
        Finding::Circle(modules) => modules.iter().all(together),
    }
}

#[test]
fn modules_import_earlier_ones() {
    let mut findings = Vec::new();
    for folder in CRATES {
        let modules = Modules::of_crate(&root().join(folder));
        assert!(modules.len() > 3, "{folder}: {} modules", modules.len());
        findings.extend(
            modules.findings().into_iter().filter(|finding| !is_allowed(finding)).map(|finding| (folder, finding)),
        );
    }
    for (folder, finding) in &findings {
        match finding {
            Finding::Upward { from, to } => eprintln!("{folder}: `{from}` imports `{to}`, which is listed later"),
            Finding::Circle(modules) => eprintln!("{folder}: circles among `{}`", modules.join("`, `")),
        }
    }
    assert!(findings.is_empty(), "move what is shared into an earlier module, or change the order of the modules");
}
