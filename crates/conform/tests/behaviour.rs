//! Pages against kernels: a few instructions of each page from a few states. `visa diff --behaviour` tries more.

use std::collections::BTreeSet;

use visakit_conform::behaviour::{Effort, compare};
use visakit_conform::own_model;

/// Pages whose kernels do something else, with the reason: open questions, none of them settled yet.
const OPEN: &[(&str, &str)] = &[];

#[test]
fn pages_and_kernels_agree() {
    let effort = Effort { routines: 1, instructions: 6, states: 6, domain: 0, types: 0, wrong: None };
    let found = compare(&own_model().0, &effort);
    let open: BTreeSet<&str> = OPEN.iter().map(|(name, _)| *name).collect();
    let other = found.differences.iter().filter(|d| !open.contains(d.name.as_str()));
    let other: Vec<String> =
        other.map(|d| format!("{}: the page gives {}, the kernel {}", d.case(), d.page, d.kernel)).collect();
    assert!(other.is_empty(), "{}", other.join("\n"));
    // What is settled leaves the list.
    let differs: BTreeSet<&str> = found.differences.iter().map(|d| d.name.as_str()).collect();
    let settled: Vec<&&str> = open.iter().filter(|name| !differs.contains(**name)).collect();
    assert!(settled.is_empty(), "{settled:?}");
    assert!(found.compared.len() > 70, "{}", found.compared.len());
}
