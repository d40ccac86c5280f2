//! Probes for kernels through their stubs.

use serde::Serialize;
use visakit_codegen::model::{Instruction, PageKind};

use super::probes::Probes;
use crate::codec::decode;
use crate::expect::base::base;
use crate::expect::meaning::{encodes, holds};
use crate::finding::{Difference, Fact, Tally};
use visakit::isa::Platform;
use visakit::object::Routine;
use visakit::rt::StubReason;
use visakit_emulator::kernels::layout::Layout;
use visakit_emulator::kernels::lowering::{LowerError, Lowering};

/// State of a page's kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// The kernel is implemented.
    Filled,
    /// The kernel is missing, which is a finding.
    Missing,
    /// No public text defines the behaviour; this is declared and not a finding.
    Undefined,
}

/// Page and its kernel's state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Entry {
    /// Name of the instruction.
    pub instruction: String,
    /// Path of the page in the specification's folder.
    pub page: String,
    /// Line of the opcode.
    pub line: u32,
    /// State of the page's kernel.
    pub status: Status,
}

/// Runs the kernel of each page on an instruction; a stub reports itself.
pub(crate) fn all(probes: &Probes<'_>, tally: &mut Tally) -> Vec<Entry> {
    let routine = Routine::default();
    let Some(layout) = Platform::ALL.first().and_then(|p| Layout::new(&routine, *p, 0).ok()) else {
        return Vec::new();
    };
    let model = probes.world.model;
    let mut out = Vec::new();
    for page in model.instructions.iter().filter(|i| encodes(i)) {
        let Some(status) = status(probes, page, &layout, &routine) else { continue };
        // A page declares undefined behaviour. An existing kernel for it is accepted.
        let status = match (status, &page.kind) {
            (Status::Undefined, PageKind::Ordinary) => Status::Missing,
            (Status::Missing, PageKind::Undefined) => Status::Undefined,
            (status, _) => status,
        };
        let (path, line) = model.origin(page.at);
        out.push(Entry { instruction: page.name.clone(), page: path.to_owned(), line, status });
        let result = match status {
            Status::Missing => Err(Difference {
                code: "kernel-missing",
                message: format!("{} has no kernel", page.name),
                expected: "a kernel".to_owned(),
                got: "a stub".to_owned(),
            }),
            Status::Filled | Status::Undefined => Ok(()),
        };
        tally.probe(Fact::new("kernel", format!("{}.kernel", page.name), page.at), result);
    }
    out
}

/// Returns the state of the kernel; `None` if the implementation does not know the instruction.
fn status(probes: &Probes<'_>, page: &Instruction, layout: &Layout, routine: &Routine) -> Option<Status> {
    let (form, version) = probes
        .versions
        .iter()
        .rev()
        .find_map(|v| page.forms.iter().find(|f| holds(&f.versions, *v)).map(|form| (form, *v)))?;
    let sample = base(&probes.world, page, form, version);
    let (instruction, _) = decode(&sample.encode(&probes.world.operands).bytes, version).ok()?;
    if instruction.page().name != page.name {
        return None;
    }
    Some(match instruction.dispatch(&mut Lowering::new(layout, routine)) {
        Err(LowerError::Stub(stub)) if stub.reason == StubReason::Undefined => Status::Undefined,
        Err(LowerError::Stub(_)) => Status::Missing,
        // A kernel that rejects the operands still exists.
        _ => Status::Filled,
    })
}
