//! What all pages are probed with, and one probe.

use std::collections::BTreeSet;

use visakit_codegen::model::{Form, Instruction};

use crate::expect::sample::{Kind, Sample};
use crate::expect::world::World;
use crate::finding::Fact;
use visakit::isa::Platform;
use visakit::object::Routine;
use visakit::rt::Version;

/// What all pages are probed with.
pub(crate) struct Probes<'m> {
    pub(crate) world: World<'m>,
    /// The routine of the world, as the implementation has it.
    pub(crate) routine: Routine,
    /// Versions to write for, oldest first.
    pub(crate) versions: Vec<Version>,
    /// The model's platforms, as the implementation knows them.
    pub(crate) platforms: Vec<Option<Platform>>,
    /// Operands whose structure is broken already.
    pub(crate) broken_kinds: BTreeSet<Kind>,
    /// The page and field that show how operands of a kind are printed.
    pub(crate) carriers: Vec<(Kind, String, usize)>,
}

/// An instruction to be probed, and the fact that it stands for.
pub(crate) struct Probe<'m> {
    pub(crate) fact: Fact,
    /// The same fact as one of the page, where `fact` belongs to a shared list.
    pub(crate) own: String,
    /// Code of the finding when the decoder refuses the instruction.
    pub(crate) refused: &'static str,
    pub(crate) sample: Sample<'m>,
    /// Whether its text is probed.
    pub(crate) text: bool,
}

/// `RAW_SENDS` or, with several forms, `RAW_SENDS.current`.
pub(crate) fn form_name(page: &Instruction, form: &Form) -> String {
    if form.name.is_empty() { page.name.clone() } else { format!("{}.{}", page.name, form.name) }
}
