//! Machines that there is no code for.

use crate::frame::{Frame, Memory};
use crate::host::Level;
use crate::ir::Routine;
use crate::{Exit, Refusal, Resume, Threads};

/// Code, of which there is none.
#[derive(Debug)]
pub enum Code {}

/// Refuses every routine.
///
/// # Errors
/// Always.
pub fn compile(_: &Routine, _: Level) -> Result<Code, Refusal> {
    Err(Refusal::Host)
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

    /// Which dwords a thread may read before they are written.
    pub fn needs(&self, _: u32, _: u32) -> u8 {
        match *self {}
    }

    /// Which dwords any step writes.
    pub fn changes(&self, _: u32) -> u8 {
        match *self {}
    }

    /// Lends nothing.
    pub fn lend<'f>(&'f self, _: Frame<'f>, _: &'f Memory<'_>) -> Lent<'f> {
        match *self {}
    }

    /// Where it goes on behind a step.
    pub fn behind(&self, _: u32, _: u32) -> Option<Resume> {
        match *self {}
    }
}

/// What code has been lent: there is none.
#[derive(Debug)]
pub struct Lent<'f>(&'f Code);

impl Lent<'_> {
    /// Runs a block.
    pub fn run(&mut self, _: u32) -> Option<Exit> {
        match *self.0 {}
    }

    /// Goes on behind a step.
    pub fn resume(&mut self, _: Resume) -> Option<Exit> {
        match *self.0 {}
    }

    /// The active channels, and the instructions so far.
    pub fn progress(&self) -> (u32, u64) {
        match *self.0 {}
    }

    /// Lets no block begin when there have been so many instructions.
    pub fn set_until(&mut self, _: u64) {
        match *self.0 {}
    }

    /// Whether channels wait anywhere.
    pub fn is_divergent(&mut self) -> bool {
        match *self.0 {}
    }

    /// Changes the registers.
    pub fn change(&mut self, _: impl FnOnce(&mut [u8])) {
        match *self.0 {}
    }

    /// Runs threads one after the other.
    pub fn run_in_turn(&mut self, _: &Threads, _: usize) -> (usize, u64, Option<Exit>) {
        match *self.0 {}
    }
}
