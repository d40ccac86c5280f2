//! Observers of a group's memory accesses, and the data that they receive.

use std::cell::Cell;
use std::ops::Range;

use crate::accesses::Accesses;
pub use crate::accesses::{Access, AccessKind, Space, Spot};
use crate::trace::Trace;

/// Recipients of a group's memory accesses.
#[derive(Clone, Copy, Debug, Default)]
pub struct Witness<'a> {
    /// External observer.
    pub watch: Option<&'a Watch<'a>>,
    /// Trace of the host thread.
    pub trace: Option<&'a Trace>,
}

/// Observer of a group, with the context of its reports.
#[derive(Clone, Copy, Debug)]
pub struct Watch<'a> {
    /// Recipient of the reports.
    pub observer: &'a dyn Observer,
    /// Thread group.
    pub group: [u32; 3],
    /// Current instruction.
    pub spot: &'a Cell<Spot>,
}

/// Receives every memory access of a message before it is carried out, including accesses that
/// fault, and the steps of a group. With an observer, groups run sequentially on the launching
/// thread, so the observer may keep its state in cells.
pub trait Observer: std::fmt::Debug {
    /// Reports an access of one channel.
    fn access(&self, access: &Access);

    /// Reports accesses of several channels of a message, by default one by one through
    /// [`access`](Observer::access).
    fn accesses(&self, accesses: &Accesses<'_>) {
        accesses.all().for_each(|access| self.access(&access));
    }

    /// Reports the start of a group.
    fn group(&self, _group: [u32; 3]) {}

    /// Reports that two threads of the group wait at different barriers.
    fn apart(&self, _one: (u32, Spot), _other: (u32, Spot)) {}

    /// Reports that the threads of the group have passed a barrier.
    fn barrier(&self) {}

    /// Reports a thread's fence: its earlier writes to shared local memory (`is_local`), or to
    /// global memory, are now visible to other threads.
    fn fence(&self, _thread: u32, _is_local: bool) {}

    /// Reports that a thread enters a basic block with these channels; `spot` is the instruction
    /// that led to it.
    fn block(&self, _thread: u32, _block: u32, _channels: u32, _spot: Spot) {}

    /// Reports the start of a launch.
    fn launch(&self, _map: &LaunchMap) {}
}

/// Contents of memory and registers at the start of a launch.
#[derive(Clone, Debug, Default)]
pub struct LaunchMap {
    /// Buffers, by their numbers in [`Memory::buffers`](crate::memory::Memory::buffers).
    pub buffers: Vec<Allocation>,
    /// Start address and size in bytes of other memory with a fixed address, such as the program's
    /// data.
    pub regions: Vec<(u64, u64)>,
    /// Size of shared local memory in bytes.
    pub local_bytes: u32,
    /// Parts of shared local memory: the kernel's declarations and arguments. Gaps between the
    /// parts are padding.
    pub local: Vec<LocalPart>,
    /// Numbers of the buffers with undefined contents.
    pub undefined: Vec<usize>,
    /// Sizes in bytes of a group's private buffers.
    pub private: Vec<usize>,
    /// Variables of the kernel with their own storage and no initial value: id, byte range in the
    /// register file, and element size in bytes.
    pub variables: Vec<(u32, Range<u32>, u32)>,
    /// True if functions are called. Other activations then use a function's private memory before
    /// and after it.
    pub calls: bool,
    /// True if one store may write data of several channels.
    pub blocks: bool,
    /// True if the kernel uses predicates.
    pub predicates: bool,
    /// True if work items of a hardware thread may rely on lockstep execution. Either the group is
    /// one thread and the compiler removed its barriers, or the source requests a sub-group size or
    /// queries a work item's position in its sub-group.
    pub together: bool,
    /// True if each hardware thread is one work item, and its channels are elements of vectors.
    pub item_per_thread: bool,
}

/// A part of shared local memory.
#[derive(Clone, Copy, Debug)]
pub struct LocalPart {
    /// Index of the argument; `None` for the kernel's declarations.
    pub argument: Option<u32>,
    /// Offset of the first byte.
    pub start: u32,
    /// Size in bytes.
    pub bytes: u32,
}

impl LocalPart {
    /// Returns the distance in bytes from `offset` to this part; 0 inside it.
    #[inline]
    pub fn distance(&self, offset: u64) -> u64 {
        let (start, end) = (u64::from(self.start), u64::from(self.start) + u64::from(self.bytes));
        start.saturating_sub(offset).max((offset + 1).saturating_sub(end))
    }
}

impl LaunchMap {
    /// Returns the part of shared local memory that contains `offset`, or the nearest part.
    #[inline]
    pub fn local_part(&self, offset: u64) -> Option<&LocalPart> {
        self.local.iter().min_by_key(|part| part.distance(offset))
    }
}

/// A buffer of a launch.
#[derive(Clone, Copy, Debug)]
pub struct Allocation {
    /// Index of the argument that uses the buffer.
    pub argument: Option<u32>,
    /// Base address.
    pub address: u64,
    /// Size in bytes.
    pub bytes: u64,
}
