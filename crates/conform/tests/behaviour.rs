//! Pages against kernels: a few instructions of each page from a few states. `visa diff` tries more, and so does
//! `VISAKIT_BEHAVIOUR=100`, of as many routines a page.

use std::collections::BTreeSet;

use visakit_conform::behaviour::{Effort, compare};
use visakit_conform::own_model;

/// Pages whose kernels do something else, with the reason: open questions.
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
        wrong: None,
    };
    let found = compare(&own_model().0, &effort);
    // What --nocapture shows: what differs, and what is not compared.
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
    // What is settled leaves the list.
    let differs: BTreeSet<&str> = found.differences.iter().map(|d| d.name.as_str()).collect();
    let settled: Vec<&&str> = open.iter().filter(|name| !differs.contains(**name)).collect();
    assert!(settled.is_empty(), "{settled:?}");
    assert!(found.compared.len() > 75, "{}", found.compared.len());
}
