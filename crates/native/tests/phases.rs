//! Import rules of the compiler's phases: only forward, and without cycles.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

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

/// The modules that each module imports.
type Imports = BTreeMap<String, BTreeSet<String>>;

/// Reads the modules of a folder, with their `use` items.
fn read(folder: &Path, module: &str, sources: &mut BTreeMap<String, String>) {
    for entry in std::fs::read_dir(folder).expect("the sources") {
        let path = entry.expect("an entry").path();
        let name = path.file_stem().and_then(|name| name.to_str()).expect("a name");
        let child = if module.is_empty() { name.to_owned() } else { format!("{module}::{name}") };
        if path.is_dir() {
            read(&path, &child, sources);
        } else {
            let module = if matches!(name, "mod" | "lib") { module.to_owned() } else { child };
            sources.insert(module, std::fs::read_to_string(&path).expect("a source"));
        }
    }
}

fn imports() -> Imports {
    let mut sources = BTreeMap::new();
    read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), "", &mut sources);
    // The stub replaces the back end on other targets.
    sources.remove("unsupported");
    let find = |path: &str| {
        // The longest part of the path that is a module.
        let ends = path.match_indices("::").map(|(end, _)| end).chain([path.len()]);
        ends.filter(|end| sources.contains_key(&path[..*end])).max().map(|end| path[..end].to_owned())
    };
    let of = |source: &str| {
        let paths = source.split("use crate::").skip(1);
        paths.filter_map(|path| find(path.split([';', '{', ' ']).next()?.trim_end_matches("::"))).collect()
    };
    sources.iter().map(|(module, source)| (module.clone(), of(source))).collect()
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
