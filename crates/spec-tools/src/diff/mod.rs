//! Comparison of two specifications by meaning: facts as the readers understand them, prose as
//! words. The layout of a page is irrelevant.
//!
//! `matching` pairs items of both sides; a module for each kind of item compares the pairs. `prose`
//! compares the words without facts. `cause` groups the changes of one edit. `spec/README.md`
//! explains the classes.

mod cause;
mod change;
mod context;
mod facts;
mod hunks;
mod matching;
mod overlay;
mod places;
mod platforms;
mod words;

use std::collections::BTreeSet;

pub use cause::{Cause, Location, causes};
pub use change::{Change, Class, KINDS, Side};
use context::Cx;
pub use hunks::{Hunk, hunks};
pub use overlay::set_apart;
use visakit_codegen::model::{Model, Platform};

/// Compares two specifications. `platforms` lists the platforms in order, for documents without a
/// table of platforms.
///
/// The changes are in the order of the new specification: tables and lists of the chapters,
/// structures, instructions by opcode, prose of the chapters. Equal specifications have no changes,
/// even if their layouts differ.
pub fn diff(old: &Model, new: &Model, platforms: &[Platform]) -> Vec<Change> {
    let mut cx = Cx::new(old, new, platforms);
    facts::chapter::compare(&mut cx);
    facts::lists::shared(&mut cx);
    facts::rules::compare(&mut cx);
    let structures = facts::chapter::structures(&mut cx);
    let pairs = matching::instructions(old, new);
    let mut pages = BTreeSet::new();
    for pair in &pairs {
        let renamed = facts::instruction::compare(&mut cx, *pair);
        if let matching::Pair::Both(a, b) = *pair {
            let (a, b) = (old.instructions[a].at.page, new.instructions[b].at.page);
            // If two instructions share a page, compare it once.
            if pages.insert((a, b)) {
                words::prose::page(&mut cx, Some(a), Some(b), &renamed);
            }
        }
    }
    facts::chapter::platform_tables(&mut cx);
    for (a, b) in matching::chapters(old, new) {
        words::prose::page(&mut cx, a, b, &structures);
    }
    cx.out
}
