//! Stub for targets without a native back end.

use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;

use crate::ir::Routine;
use crate::runtime::exit::{Exit, Refusal, Resume, Together};
use crate::runtime::frame::{Buffer, Frame};
use crate::runtime::host::Level;
use crate::runtime::threads::Threads;

/// Memory that no code accesses.
#[derive(Debug, Default)]
pub struct Memory<'m>(PhantomData<&'m ()>);

impl<'m> Memory<'m> {
    /// Accepts buffers and surfaces by number, and the memory of the group.
    pub fn new(
        _: impl IntoIterator<Item = Buffer<'m>>,
        _: impl IntoIterator<Item = Option<Buffer<'m>>>,
        _: &'m [AtomicU32],
    ) -> Self {
        Self::default()
    }

    /// Ignores the memory.
    pub fn with_slots(self, _: Arc<Slots<'m>>) -> Self {
        self
    }

    /// Accepts the private memory of threads.
    pub fn with_private(self, _: Buffer<'m>) -> Self {
        self
    }
}

/// Memory at addresses that no code accesses.
#[derive(Debug, Default)]
pub struct Slots<'m>(PhantomData<&'m ()>);

impl<'m> Slots<'m> {
    /// Accepts memory with the upper halves of its addresses.
    pub fn new(_: impl IntoIterator<Item = (u32, &'m [AtomicU32])>) -> Self {
        Self::default()
    }
}

/// Code, which does not exist.
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
    /// Returns the bytes of code.
    pub fn len(&self) -> usize {
        match *self {}
    }

    /// Returns true if there are no bytes of code.
    pub fn is_empty(&self) -> bool {
        match *self {}
    }

    /// Returns the dwords that a thread may read before it writes them.
    pub fn needs(&self, _: u32, _: u32) -> u8 {
        match *self {}
    }

    /// Returns the dwords that any step writes.
    pub fn changes(&self, _: u32) -> u8 {
        match *self {}
    }

    /// Never called, because no code exists.
    pub fn lend<'f>(&'f self, _: Frame<'f>, _: &'f Memory<'_>) -> Lent<'f> {
        match *self {}
    }

    /// Returns the place after a step.
    pub fn behind(&self, _: u32, _: u32) -> Option<Resume> {
        match *self {}
    }
}

/// Code with the state of a thread, which does not exist.
#[derive(Debug)]
pub struct Lent<'f>(&'f Code);

impl Lent<'_> {
    /// Runs a block.
    pub fn run(&mut self, _: u32) -> Option<Exit> {
        match *self.0 {}
    }

    /// Continues after a step.
    pub fn resume(&mut self, _: Resume) -> Option<Exit> {
        match *self.0 {}
    }

    /// Returns the active channels and the number of executed instructions.
    pub fn progress(&self) -> (u32, u64) {
        match *self.0 {}
    }

    /// Starts a thread in the place of another.
    pub fn begin(&mut self, _: u32, _: u64, _: impl FnOnce(&mut [u8])) {
        match *self.0 {}
    }

    /// Changes the registers.
    pub fn change(&mut self, _: impl FnOnce(&mut [u8])) {
        match *self.0 {}
    }

    /// Runs the threads of a group together, of which there are none.
    pub fn run_together(_: &mut [Self], _: &mut [u32]) -> Together {
        Together::default()
    }

    /// Runs threads one after the other.
    pub fn run_in_turn(&mut self, _: &Threads, _: usize) -> (usize, u64, Option<Exit>) {
        match *self.0 {}
    }
}
