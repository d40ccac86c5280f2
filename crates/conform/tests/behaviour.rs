//! Compares pages with kernels: a few instructions of each page, from a few states. `visa diff`
//! tries more, and `VISAKIT_BEHAVIOUR=100` sets the number of routines per page.

use std::collections::BTreeSet;

use visakit_conform::behaviour::{Effort, compare, compare_only};
use visakit_conform::own_model;

/// Pages whose kernels behave differently, with the reason: open questions.
const OPEN: &[(&str, &str)] = &[];

#[test]
fn pages_and_kernels_agree() {
    let routines = std::env::var("VISAKIT_BEHAVIOUR").ok().and_then(|n| n.parse().ok()).unwrap_or(1);
    let effort = Effort {
        routines,
        instructions: 6,
        states: 6,
        domain: 0,
        types: 0,
        first: 0,
        channels: u64::MAX,
        least: 0,
        wrong: None,
    };
    let found = compare(&own_model().0, &effort);
    // `--nocapture` shows the differences and the pages that are not compared.
    found
        .differences
        .iter()
        .for_each(|d| eprintln!("{}: the page gives {}, the kernel {}", d.case(), d.page, d.kernel));
    found.apart.iter().for_each(|(name, why)| eprintln!("apart {name}: {why}"));
    let open: BTreeSet<&str> = OPEN.iter().map(|(name, _)| *name).collect();
    let other = found.differences.iter().filter(|d| !open.contains(d.name.as_str()));
    let other: Vec<String> =
        other.map(|d| format!("{}: the page gives {}, the kernel {}", d.case(), d.page, d.kernel)).collect();
    assert!(other.is_empty(), "{}", other.join("\n"));
    // A resolved difference must be removed from the list.
    let differs: BTreeSet<&str> = found.differences.iter().map(|d| d.name.as_str()).collect();
    let settled: Vec<&&str> = open.iter().filter(|name| !differs.contains(**name)).collect();
    assert!(settled.is_empty(), "{settled:?}");
    assert!(found.compared.len() > 100, "{}", found.compared.len());
}

/// Compares some pages exhaustively:
/// `VISAKIT_PAGES=ADD,MAD cargo test --release -p visakit-conform --test behaviour --
/// --ignored --nocapture`.
#[test]
#[ignore = "takes as long as one has pages"]
fn the_whole_of_some_pages() {
    let names = std::env::var("VISAKIT_PAGES").unwrap_or_else(|_| "ADD".to_owned());
    let (model, _) = own_model();
    let mut differ = Vec::new();
    for name in names.split(',') {
        let page = visakit::isa::PAGES.iter().find(|page| page.name == name).expect("a page of that name");
        let began = std::time::Instant::now();
        let found = compare_only(&model, page, &Effort::THOROUGH).expect("it can be compared");
        println!("{name}: {:.0} s", began.elapsed().as_secs_f32());
        differ.extend(found.map(|d| format!("{}: the page gives {}, the kernel {}", d.case(), d.page, d.kernel)));
    }
    assert!(differ.is_empty(), "{}", differ.join("\n"));
}
