//! Benchmark of reading, checking and emitting the specification. Every build of the crate
//! `visakit` pays this cost, except for formatting.
//!
//! With `VISAKIT_UPSTREAM`, the benchmark also measures the vendor's documents.

use std::time::{Duration, Instant};

use visakit_codegen::overlay;

const ROUNDS: usize = 9;

fn main() {
    let root = visakit_testing::root();
    let spec = root.join("spec");
    let read = median(|| visakit_codegen::read_dir(&spec).is_ok());
    let Ok((model, _)) = visakit_codegen::read_dir(&spec) else { return };
    let emit = median(|| !visakit_codegen::emit(&model).is_empty());
    let pages = model.instructions.len();
    println!(
        "our pages, {pages} instructions: read and check {read:.1?}, emit {emit:.1?}, together {:.1?}",
        read + emit
    );
    let Some(upstream) = visakit_testing::upstream("documents") else { return };
    let Ok((corrections, _)) = overlay::read_overlay(&spec.join("upstream-overlay.md")) else { return };
    for revision in ["2022-12", "2025-02"] {
        let dir = upstream.join(revision);
        if dir.is_dir() {
            let read = median(|| visakit_codegen::read_dir(&dir).is_ok());
            let corrected = median(|| overlay::read_dir_with(&dir, &corrections).is_ok());
            println!("the documents of {revision}: read and check {read:.1?}, with the overlay {corrected:.1?}");
        }
    }
}

fn median(run: impl Fn() -> bool) -> Duration {
    let mut times: Vec<Duration> = (0..ROUNDS)
        .map(|_| {
            let start = Instant::now();
            assert!(run());
            start.elapsed()
        })
        .collect();
    times.sort();
    times[ROUNDS / 2]
}
