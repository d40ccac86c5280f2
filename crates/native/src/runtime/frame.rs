//! What a caller lends to the code: the state of one thread, and the buffers that it reaches.

use std::cell::Cell;
use std::sync::atomic::AtomicU32;

/// The state of a thread, lent to the code while it runs.
pub struct Frame<'a> {
    /// No block begins when there have been so many instructions.
    pub until: u64,
    /// The register file.
    pub registers: &'a mut [u8],
    /// The predicates; the first is unused.
    pub predicates: &'a mut [u32],
    /// The elements of state variables.
    pub states: &'a mut [u32],
    /// For each block, and one behind the last, the channels that wait there.
    pub waiting: &'a mut [u32],
    /// One bit for each of these: whether any channel waits.
    pub occupied: &'a mut [u64],
    /// For each step, how often it was done, and for how many channels; only if they are counted.
    pub counts: &'a mut [[u64; 2]],
    /// The same for the end of each block.
    pub branches: &'a mut [[u64; 2]],
    /// The active channels.
    pub active: u32,
    /// Instructions so far.
    pub executed: u64,
}

/// A buffer.
#[derive(Clone, Copy, Debug)]
pub struct Buffer<'m> {
    /// Its words.
    pub words: &'m [AtomicU32],
    /// Who wants to know what is read.
    pub loads: Marks<'m>,
    /// Who wants to know what is written.
    pub stores: Marks<'m>,
    /// Who wants to know what is changed in one step.
    pub updates: Marks<'m>,
}

/// Who wants to know of the accesses to a buffer.
#[derive(Clone, Copy, Debug)]
pub enum Marks<'m> {
    /// Nobody.
    Nobody,
    /// One bit for each byte is set.
    Bits(&'m [Cell<u64>]),
    /// One bit for each [`PAGE`] is set.
    Pages(&'m [Cell<u64>]),
    /// The caller makes the access.
    Caller,
}

/// Bytes that have one of the bits of [`Marks::Pages`].
pub const PAGE: u64 = 1 << PAGE_BITS;

pub(crate) const PAGE_BITS: u32 = 12;
