//! Machines that there is no code for.

use crate::frame::{Frame, Memory};
use crate::host::Level;
use crate::ir::Routine;
use crate::{Exit, Resume};

/// Code, of which there is none.
#[derive(Debug)]
pub enum Code {}

/// Gives nothing.
pub fn compile(_: &Routine, _: Level) -> Option<Code> {
    None
}

impl Code {
    /// Bytes of code.
    pub fn len(&self) -> usize {
        match *self {}
    }

    /// Whether there is no code.
    pub fn is_empty(&self) -> bool {
        match *self {}
    }

    /// Whether a thread may read what a register holds when it begins.
    pub fn needs(&self, _: u32, _: u32) -> bool {
        match *self {}
    }

    /// Whether any step writes a register.
    pub fn changes(&self, _: u32) -> bool {
        match *self {}
    }

    /// Runs a block.
    pub fn run(&self, _: u32, _: &mut Frame<'_>, _: &Memory<'_>) -> Option<Exit> {
        match *self {}
    }

    /// Goes on behind a step.
    pub fn resume(&self, _: Resume, _: &mut Frame<'_>, _: &Memory<'_>) -> Option<Exit> {
        match *self {}
    }

    /// Where it goes on behind a step.
    pub fn behind(&self, _: u32, _: u32) -> Option<Resume> {
        match *self {}
    }
}
