//! Inputs of the page probes, and a single probe.

use std::collections::BTreeSet;

use visakit_codegen::model::{Form, Instruction};

use crate::expect::sample::{Kind, Sample};
use crate::expect::world::World;
use crate::finding::Fact;
use visakit::isa::Platform;
use visakit::object::Routine;
use visakit::rt::Version;

/// Inputs of the page probes.
pub(crate) struct Probes<'m> {
    pub(crate) world: World<'m>,
    /// Routine of the world, as decoded by the implementation.
    pub(crate) routine: Routine,
    /// Versions to encode for, oldest first.
    pub(crate) versions: Vec<Version>,
    /// Platforms of the model, as the implementation knows them.
    pub(crate) platforms: Vec<Option<Platform>>,
    /// Operand kinds whose structure has already failed.
    pub(crate) broken_kinds: BTreeSet<Kind>,
    /// Page and field that show the text of each operand kind.
    pub(crate) carriers: Vec<(Kind, String, usize)>,
}

/// Probed instruction, and its fact.
pub(crate) struct Probe<'m> {
    pub(crate) fact: Fact,
    /// Path of the fact on this page, if `fact` belongs to a shared list.
    pub(crate) own: String,
    /// Code of the finding if the decoder refuses the instruction.
    pub(crate) refused: &'static str,
    pub(crate) sample: Sample<'m>,
    /// True if the text is probed too.
    pub(crate) text: bool,
}

/// Returns `RAW_SENDS` or, with several forms, `RAW_SENDS.current`.
pub(crate) fn form_name(page: &Instruction, form: &Form) -> String {
    if form.name.is_empty() { page.name.clone() } else { format!("{}.{}", page.name, form.name) }
}
