//! Stub for targets without a native back end.

use std::marker::PhantomData;
use std::sync::atomic::AtomicU32;

use crate::ir::Routine;
use crate::runtime::exit::{Exit, Refusal, Resume};
use crate::runtime::frame::{Buffer, Frame};
use crate::runtime::host::Level;
use crate::runtime::threads::Threads;

/// Memory that no code reaches.
#[derive(Debug, Default)]
pub struct Memory<'m>(PhantomData<&'m ()>);

impl<'m> Memory<'m> {
    /// Takes buffers and surfaces by number, and the memory of the group.
    pub fn new(
        _: impl IntoIterator<Item = Buffer<'m>>,
        _: impl IntoIterator<Item = Option<Buffer<'m>>>,
        _: &'m [AtomicU32],
    ) -> Self {
        Self::default()
    }

    /// Takes the memory of threads.
    pub fn with_private(self, _: Buffer<'m>) -> Self {
        self
    }
}

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
