//! Bugs found in a program.

use visakit_emulator::check::Finding;
use visakit_emulator::run::Program;

/// Bug found in a program.
#[derive(Clone, Copy)]
pub(super) struct Found<'a> {
    pub(super) program: &'a Program,
    pub(super) finding: &'a Finding,
    /// True if the program was compiled without optimisations.
    pub(super) unoptimised: bool,
}

impl<'a> Found<'a> {
    pub(super) fn all(program: &'a Program, findings: &'a [Finding], unoptimised: bool) -> Vec<Self> {
        findings.iter().map(|finding| Self { program, finding, unoptimised }).collect()
    }
}
