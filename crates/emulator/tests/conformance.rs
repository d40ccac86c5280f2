//! Conformance suite: OpenCL kernels written for this project, across the built-in families, as the
//! vendor's compiler translates them for four targets. They run on the emulator and are compared
//! with an OpenCL CPU device (pocl) or with computations on the host.
//!
//! For each family, `tests/conformance` holds the source, the cases (arguments, sizes and expected
//! results, as JSON) and one program per target: a zebin without its native code.
//! `VISAKIT_CONFORMANCE` selects another folder of the same form, whose files need not be
//! compressed. Then the pass rate is printed, with the reasons of failures, most frequent first.
//! `VISAKIT_TARGETS=a,b` selects its targets.

#[path = "common/suite.rs"]
mod suite;

use std::path::{Path, PathBuf};

use suite::{Suite, TARGETS, run_suite};

#[test]
fn kernels_of_all_families() {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conformance");
    let other = std::env::var_os("VISAKIT_CONFORMANCE").map(PathBuf::from);
    let named = std::env::var("VISAKIT_TARGETS").ok().filter(|_| other.is_some());
    let targets = named.as_ref().map_or(TARGETS.to_vec(), |list| list.split(',').collect());
    let is_set = |name| std::env::var_os(name).is_some();
    run_suite(&Suite {
        folder: other.as_deref().unwrap_or(&own),
        programs: other.as_deref().unwrap_or(&own),
        targets: &targets,
        is_other: other.is_some(),
        // All cases if the environment variable is set.
        checked: Some(if is_set("VISAKIT_CHECK") { 1 } else { 40 }),
        native: Some(if is_set("VISAKIT_ENGINES") { 1 } else { 6 }),
        taken: 1,
        limit: if other.is_some() { 200_000_000 } else { 2_000_000 },
        with: &|run| run(None),
    });
}

/// Runs the cases with programs of the 2026 compiler for newer devices: those in
/// `tests/conformance/today`, or in the folder `VISAKIT_PROGRAMS`, for the targets in
/// `VISAKIT_TARGETS`.
#[test]
fn kernels_as_todays_compiler_makes_them() {
    if std::env::var_os("VISAKIT_CONFORMANCE").is_some() {
        return;
    }
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conformance");
    let programs = std::env::var_os("VISAKIT_PROGRAMS").map_or(own.join("today"), PathBuf::from);
    let named = std::env::var("VISAKIT_TARGETS").unwrap_or("dg2,pvc,bmg,ptl,cri".to_owned());
    run_suite(&Suite {
        folder: &own,
        programs: &programs,
        targets: &named.split(',').collect::<Vec<_>>(),
        is_other: false,
        checked: Some(40),
        native: Some(6),
        taken: 1,
        limit: 2_000_000,
        with: &|run| run(None),
    });
}
