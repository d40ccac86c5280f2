//! Conformance suite of the emulator, executed by the pages: the Semantics of every instruction
//! must yield the same results. The test runs one case in [`SAMPLE`]; `VISAKIT_BY_SPEC=1` runs all
//! of them, which takes long. `VISAKIT_ONLY` selects families.

#[path = "../../emulator/tests/common/suite.rs"]
mod suite;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;

use suite::{Suite, TARGETS, run_suite};
use visakit_codegen::model::Page;
use visakit_oracle::{ByPages, Which};

#[test]
fn kernels_by_their_pages() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../emulator/tests/conformance");
    let (model, _) =
        visakit_codegen::read_texts(visakit::sources::SPECIFICATION.iter().map(Page::built_in).collect());
    let whole = std::env::var_os("VISAKIT_BY_SPEC").is_some();
    // Number of cases, number of cases without any fallback, and how often each instruction was
    // left to its kernel.
    let counts: Mutex<(usize, usize, BTreeMap<&str, usize>)> = Mutex::default();
    run_suite(&Suite {
        folder: &folder,
        programs: &folder,
        targets: &TARGETS,
        is_other: false,
        checked: None,
        native: None,
        taken: if whole { 1 } else { SAMPLE },
        limit: 2_000_000,
        with: &|run| {
            let pages = ByPages::with_model(Which::All, &model);
            run(Some(&pages));
            let left = pages.left();
            let mut counts = counts.lock().unwrap();
            counts.0 += 1;
            counts.1 += usize::from(left.is_empty());
            left.into_iter().for_each(|name| *counts.2.entry(name).or_default() += 1);
        },
    });
    let (cases, by_pages, left) = counts.into_inner().unwrap();
    eprintln!("{by_pages} of {cases} ran by their pages alone; by kernels, in so many cases: {left:?}");
    assert!(by_pages > 0, "{left:?}");
}

/// Sampling interval of the cases without `VISAKIT_BY_SPEC`.
const SAMPLE: usize = 120;
