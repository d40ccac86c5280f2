//! State of a thread and buffers, which a caller lends to the code.

use std::cell::Cell;
use std::sync::atomic::AtomicU32;

/// The state of a thread, lent to the code while it runs.
pub struct Frame<'a> {
    /// Instruction count from which no further block begins.
    pub until: u64,
    /// The register file.
    pub registers: &'a mut [u8],
    /// The predicates; the first is unused.
    pub predicates: &'a mut [u32],
    /// The elements of state variables.
    pub states: &'a mut [u32],
    /// The channels that wait at each block, and after the last one.
    pub waiting: &'a mut [u32],
    /// A bit for each entry of `waiting`: set if any channel waits.
    pub occupied: &'a mut [u64],
    /// The executions of each step, and the number of their channels; only if they are counted.
    pub counts: &'a mut [[u64; 2]],
    /// The executions of each block's end, and the number of their channels; only if they are
    /// counted.
    pub branches: &'a mut [[u64; 2]],
    /// The active channels.
    pub active: u32,
    /// The number of executed instructions.
    pub executed: u64,
}

/// A buffer.
#[derive(Clone, Copy, Debug)]
pub struct Buffer<'m> {
    /// The words of the buffer.
    pub words: &'m [AtomicU32],
    /// The observer of loads.
    pub loads: Marks<'m>,
    /// The observer of stores.
    pub stores: Marks<'m>,
    /// The observer of atomic changes.
    pub updates: Marks<'m>,
}

/// The observer of the accesses to a buffer.
#[derive(Clone, Copy, Debug)]
pub enum Marks<'m> {
    /// The accesses are not observed.
    Nobody,
    /// Sets one bit for each byte.
    Bits(&'m [Cell<u64>]),
    /// Sets one bit for each [`PAGE`].
    Pages(&'m [Cell<u64>]),
    /// The caller makes the access.
    Caller,
}

/// The number of bytes for each bit of [`Marks::Pages`].
pub const PAGE: u64 = 1 << PAGE_BITS;

pub(crate) const PAGE_BITS: u32 = 12;
