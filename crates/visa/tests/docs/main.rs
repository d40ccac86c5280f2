//! Generated documents and their links. `cargo bless` writes them.
//!
//! A page in `docs/`, or CONTRIBUTING.md, contains regions between the marks
//! `<!-- generated NAME -->` and `<!-- end -->`. The text of a region comes from `docs/data/` or
//! from the program. The rest is written by hand.

#[path = "../common/mod.rs"]
mod common;
mod contracts;
mod data;
mod links;
mod llms;
mod picture;
mod reference;
mod tables;

use std::path::{Path, PathBuf};

use data::Official;
use visakit_testing::{golden, root};

// A mark must be at the beginning of a line; elsewhere it is text.
const BEGIN: &str = "\n<!-- generated ";
const END: &str = "\n<!-- end -->";

/// Returns the text of a generated region.
fn generated(name: &str) -> String {
    match name {
        "runs" => tables::runs(&data::validation()),
        "suites" => tables::suites(&data::validation(), Official::Opencl),
        "level-zero-suites" => tables::suites(&data::validation(), Official::LevelZero),
        "contracts" => contracts::contracts(),
        "exit-codes" => contracts::exit_codes(),
        "demand" => tables::demand(&data::validation()),
        "claims" => tables::claims(&data::validation()),
        "building" => tables::building(&data::validation()),
        "measures" => tables::measures(&data::validation()),
        "changes" => tables::changes(&data::validation()),
        "environment" => tables::environment(&data::environment()),
        "commands" => reference::commands(),
        "limits" => reference::limits(),
        "platforms" => reference::platforms(),
        "launch-keys" => reference::launch_keys(),
        _ => panic!("no generator makes the region `{name}`"),
    }
}

/// Replaces the regions of a page by freshly generated text.
fn regenerated(page: &str, path: &Path) -> String {
    let mut out = String::new();
    let mut rest = page;
    while let Some(at) = rest.find(BEGIN) {
        let (before, region) = rest.split_at(at);
        let name = region[BEGIN.len()..].split(" -->").next().unwrap_or_default();
        let end = region.find(END).unwrap_or_else(|| panic!("{}: region `{name}` does not end", path.display()));
        out += &format!("{before}{BEGIN}{name} -->\n\n{}\n", generated(name).trim_end());
        rest = &region[end..];
    }
    out + rest
}

/// Returns the Markdown files in a folder and its subfolders, sorted.
fn markdown(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(markdown(&path));
        } else if path.extension().is_some_and(|ending| ending == "md") {
            found.push(path);
        }
    }
    found.sort();
    found
}

#[test]
fn generated_regions_are_up_to_date() {
    let mut regions = 0;
    let book = markdown(&root().join("docs"));
    for path in book.into_iter().chain([root().join("CONTRIBUTING.md")]) {
        let page = std::fs::read_to_string(&path).unwrap();
        regions += page.matches(BEGIN).count();
        if page.contains(BEGIN) {
            golden(&path, &regenerated(&page, &path));
        }
    }
    assert!(regions >= 8, "only {regions} generated regions were found");
}

#[test]
fn the_pictures_are_up_to_date() {
    for (name, picture) in picture::all() {
        golden(&root().join("docs/img").join(name), &picture);
    }
}
