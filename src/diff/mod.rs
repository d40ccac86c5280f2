//! The specification against this implementation, by probing: every page's instruction is made, written, read, printed,
//! parsed and given to the kernels. Nothing here compares a table with itself.

use serde::Serialize;

use crate::isa::{Instruction, Platform};
use crate::kernels::layout::Layout;
use crate::kernels::lowering::{LowerError, Lowering};
use crate::object::Routine;
use crate::rt::StubReason;

/// Whether the kernel of a page is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// It is.
    Filled,
    /// Nobody wrote it yet: a finding.
    Missing,
    /// No public text defines the behaviour: declared, and no finding.
    Undefined,
}

/// A page and its kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Entry {
    /// The instruction.
    pub instruction: &'static str,
    /// Its page below `spec/`.
    pub page: &'static str,
    /// Line of the opcode.
    pub line: u32,
    /// Whether its kernel is there.
    pub status: Status,
}

/// Probes every kernel through its stub: an instruction of each page is lowered, and a stub says so.
pub fn kernels() -> Vec<Entry> {
    let routine = Routine::default();
    let layout = Layout::new(&routine, Platform::ALL[0], 0).ok();
    let mut out: Vec<Entry> = Vec::new();
    for instruction in Instruction::samples() {
        let page = instruction.page();
        let status = match layout.as_ref().map(|layout| instruction.dispatch(&mut Lowering::new(layout, &routine))) {
            Some(Err(LowerError::Stub(stub))) if stub.reason == StubReason::Undefined => Status::Undefined,
            Some(Err(LowerError::Stub(_))) => Status::Missing,
            // A sample has null operands, which a kernel may refuse; but it is there.
            _ => Status::Filled,
        };
        // A page with several forms has one kernel.
        if out.last().is_none_or(|last| last.instruction != page.name) {
            out.push(Entry { instruction: page.name, page: page.path, line: page.line, status });
        }
    }
    out
}
