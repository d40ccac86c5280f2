//! Import rules of the compiler's phases: only forward, and without cycles.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use visakit_testing::imports::Modules;

/// Phases in their order. A module imports modules of its own phase and of earlier ones.
const PHASES: [&str; 13] = [
    "ir",
    "runtime",
    "backend::memory",
    "backend::abi",
    "backend::analysis",
    "backend::asm",
    // The state that lowering shares.
    "backend::lower",
    "backend::lower::arithmetic",
    "backend::lower::memory",
    "backend::lower::control",
    "backend::code",
    "backend::compiler",
    // What the crate exports.
    "",
];

/// Returns the modules that each module imports. The stub replaces the back end on other targets.
fn imports() -> BTreeMap<String, BTreeSet<String>> {
    let modules = Modules::of_crate(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    let mut imports = modules.imports().clone();
    imports.remove("unsupported");
    imports.values_mut().for_each(|all| _ = all.remove("unsupported"));
    imports
}

/// Returns the phase of a module: the one with the longest name that contains it.
fn phase(module: &str) -> usize {
    let contains =
        |phase: &str| module == phase || module.strip_prefix(phase).is_some_and(|rest| rest.starts_with("::"));
    let phases = PHASES.iter().enumerate().filter(|(_, phase)| contains(phase));
    // A module that only lists phases belongs to the crate's exports.
    phases.max_by_key(|(_, phase)| phase.len()).map_or(PHASES.len() - 1, |(n, _)| n)
}

#[test]
fn imports_go_to_earlier_phases() {
    let imports = imports();
    assert!(imports.len() > 60, "{} modules", imports.len());
    let edges = imports.iter().flat_map(|(from, all)| all.iter().map(move |to| (from, to)));
    let upward: Vec<_> = edges.filter(|(from, to)| phase(from) < phase(to)).collect();
    assert!(upward.is_empty(), "{upward:#?}");
}

#[test]
fn no_modules_import_each_other_in_circles() {
    let mut imports = imports();
    imports.iter_mut().for_each(|(module, all)| {
        all.remove(module);
    });
    // Modules without imports are removed until none is left.
    loop {
        let done: Vec<String> =
            imports.iter().filter(|(_, all)| all.is_empty()).map(|(module, _)| module.clone()).collect();
        if done.is_empty() {
            break;
        }
        imports.retain(|_, all| !all.is_empty());
        imports.values_mut().for_each(|all| done.iter().for_each(|module| _ = all.remove(module)));
    }
    assert!(imports.is_empty(), "circles among {imports:#?}");
}
