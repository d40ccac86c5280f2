//! What changed between two specifications, by meaning: facts are compared as the readers
//! understood them, prose as words, and nothing depends on how a page is laid out.
//!
//! The flow: `matching` pairs what belongs together, one file for each kind of thing compares the
//! pairs, and `prose` compares the words that carry no facts. `cause` puts together what one edit
//! did. What the classes mean stands in spec/README.md.

mod cause;
mod change;
mod context;
mod facts;
mod matching;
mod places;
mod platforms;
mod words;

use std::collections::BTreeSet;

pub use cause::{Cause, Location, causes};
pub use change::{Change, Class, KINDS, Side};
use context::Cx;
use visakit_codegen::model::{Model, Platform};

/// Compares two specifications. `platforms` are the platforms in their order, for documents that
/// have no such table.
///
/// The changes come in the order of the new specification: tables and lists of the chapters,
/// structures, instructions by opcode, the prose of the chapters. Equal specifications, however
/// they are laid out, give none.
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
            // Where two instructions share a page, it is compared once.
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
