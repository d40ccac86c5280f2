//! The specification against this implementation, by probing. One side is a model read from pages
//! when the command runs; from its facts alone an interpreter makes the bytes, the text and the
//! verdict of instructions, operands and objects. The other side is the implementation through its
//! public doors: decoder, encoder, printer, parser, validator and stubs. Nothing here compares a
//! table of the implementation with the table it was made from; what columns say of values is asked
//! of the methods that kernels and rules ask.
//!
//! In the flow this stands behind everything: it reads pages with `visakit-codegen`, and probes
//! `visakit`, which was generated from them, and `visakit-emulator`, whose kernels are written by
//! hand. `visa diff` prints what it finds.
//!
//! ```
//! let (model, _) = visakit_conform::own_model();
//! let report = visakit_conform::run(&model);
//! assert!(report.facts["opcode"].probed > 100);
//! ```

pub mod behaviour;
mod codec;
mod expect;
mod finding;
mod probe;

use std::collections::BTreeMap;

use rayon::prelude::*;
use serde::Serialize;
use visakit_codegen::model::{Model, Page};
use visakit_diag::Diagnostic;

pub use finding::{Count, Finding};
pub use probe::kernel::{Entry, Status};

use expect::meaning::encodes;
use finding::Tally;

/// What probing found.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Report {
    /// What the implementation does otherwise than the specification says, and kernels that are
    /// missing.
    pub findings: Vec<Finding>,
    /// Instructions without a kernel.
    pub missing: Vec<Entry>,
    /// Instructions whose behaviour no public text defines.
    pub undefined: Vec<Entry>,
    /// How many instructions have a kernel.
    pub filled: usize,
    /// How many facts of each kind were probed, and how many the implementation follows.
    pub facts: BTreeMap<&'static str, Count>,
}

/// The model of the pages that this program was built from, and what is wrong with them.
pub fn own_model() -> (Model, Vec<Diagnostic>) {
    visakit_codegen::read_texts(own_pages().collect())
}

/// The pages that this program was built from.
pub fn own_pages() -> impl Iterator<Item = Page> {
    visakit::sources::SPECIFICATION.iter().map(Page::built_in)
}

/// A specification whose chapters do not say how operands are stored, or which platforms there are,
/// with the chapters of the built-in pages instead of its own; `None` where its own are enough. The
/// vendor's documents are of that kind.
pub fn with_own_chapters(model: &Model) -> Option<Model> {
    // A name that is missing in a chapter that is there is a finding of its own.
    let enough = visakit_codegen::complete(model).iter().all(|d| d.code == "name-missing");
    let is_instruction = |page: &Page| page.path.starts_with("instructions/");
    let theirs = model.pages.iter().filter(|p| is_instruction(p)).cloned();
    let chapters = own_pages().filter(|p| !is_instruction(p));
    (!enough).then(|| visakit_codegen::read_texts(chapters.chain(theirs).collect()).0)
}

/// Probes the implementation for every fact of a model, and the other way round.
pub fn run(model: &Model) -> Report {
    let mut tally = Tally::default();
    let entries = match probe::chapter::prepare(model, &mut tally) {
        Some(probes) => {
            let pages: Vec<_> = model.instructions.iter().filter(|i| encodes(i)).collect();
            let parts: Vec<Tally> = pages.par_iter().map(|page| probes.page(page)).collect();
            parts.into_iter().for_each(|part| tally.merge(part));
            probe::execute::all(&probes.world, &mut tally);
            probe::reverse::extras(&probes, &mut tally);
            probe::kernel::all(&probes, &mut tally)
        }
        None => Vec::new(),
    };
    let (findings, facts) = tally.finish(model);
    let with = |status| entries.iter().filter(|e: &&Entry| e.status == status).cloned().collect::<Vec<_>>();
    Report {
        findings,
        missing: with(Status::Missing),
        undefined: with(Status::Undefined),
        filled: with(Status::Filled).len(),
        facts,
    }
}
