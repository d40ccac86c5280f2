//! Probes that compare the specification with this implementation.
//!
//! One side is a model that is read from pages at run time. From its facts alone, an interpreter
//! computes the bytes, the text and the verdict of instructions, operands and objects. The other
//! side is the public API of the implementation: decoder, encoder, printer, parser, validator and
//! stubs. No probe compares a table of the implementation with its own source; the probes query
//! column values through the methods that kernels and rules use.
//!
//! The crate depends on all others in the flow. It reads pages with `visakit-codegen`, and probes
//! `visakit`, which is generated from them, and `visakit-emulator`, whose kernels are written by
//! hand. `visa diff` prints the findings.
//!
//! ```
//! let (model, _) = visakit_conform::own_model();
//! let report = visakit_conform::run(&model);
//! assert!(report.facts["opcode"].probed > 100);
//! ```

pub mod against;
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

/// Results of all probes.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Report {
    /// Differences between specification and implementation, and missing kernels.
    pub findings: Vec<Finding>,
    /// Instructions without a kernel.
    pub missing: Vec<Entry>,
    /// Instructions whose behaviour no public text defines.
    pub undefined: Vec<Entry>,
    /// Number of instructions with a kernel.
    pub filled: usize,
    /// Numbers of probed and of passed facts, by kind.
    pub facts: BTreeMap<&'static str, Count>,
    /// Number of probes that violate each check of verification.md, and each finding code of its
    /// other rules.
    #[serde(skip)]
    pub violated: BTreeMap<String, usize>,
}

/// Returns the model of the pages that this program was built from, with their diagnostics.
pub fn own_model() -> (Model, Vec<Diagnostic>) {
    visakit_codegen::read_texts(own_pages().collect())
}

/// Returns the pages that this program was built from.
pub fn own_pages() -> impl Iterator<Item = Page> {
    visakit::sources::SPECIFICATION.iter().map(Page::built_in)
}

/// Returns a specification completed with the chapters of the built-in pages, if its own chapters
/// do not define operand storage or platforms. Returns `None` if its own chapters are complete. The
/// vendor's documents need this.
pub fn with_own_chapters(model: &Model) -> Option<Model> {
    // A missing name in an existing chapter is a separate finding.
    let enough = visakit_codegen::complete(model).iter().all(|d| d.code == "name-missing");
    let is_instruction = |page: &Page| page.path.starts_with("instructions/");
    let theirs = model.pages.iter().filter(|p| is_instruction(p)).cloned();
    let chapters = own_pages().filter(|p| !is_instruction(p));
    (!enough).then(|| visakit_codegen::read_unchecked(chapters.chain(theirs).collect()))
}

/// Probes the implementation for every fact of a model, and the model for every feature of the
/// implementation.
pub fn run(model: &Model) -> Report {
    run_on(model, &|_| true)
}

/// Probes as [`run`] does, but only the pages whose names `chosen` accepts; chapters are always
/// probed.
pub fn run_on(model: &Model, chosen: &dyn Fn(&str) -> bool) -> Report {
    let mut tally = Tally::default();
    let entries = match probe::chapter::prepare(model, &mut tally) {
        Some(probes) => {
            let pages = model.instructions.iter().filter(|i| encodes(i) && chosen(&i.name));
            let pages: Vec<_> = pages.collect();
            let parts: Vec<Tally> = pages.par_iter().map(|page| probes.page(page).of_page(&page.name)).collect();
            parts.into_iter().for_each(|part| tally.merge(part));
            probe::execute::all(&probes.world, &mut tally);
            probe::declared::rules(&probes, &mut tally);
            probe::reverse::extras(&probes, &mut tally);
            probe::kernel::all(&probes, &mut tally)
        }
        None => Vec::new(),
    };
    let violated = tally.violations();
    let (findings, facts) = tally.finish(model);
    let with = |status| entries.iter().filter(|e: &&Entry| e.status == status).cloned().collect::<Vec<_>>();
    Report {
        findings,
        missing: with(Status::Missing),
        undefined: with(Status::Undefined),
        filled: with(Status::Filled).len(),
        facts,
        violated,
    }
}
