//! Who learns of the accesses of a group, and what they are told.

use std::cell::Cell;
use std::ops::Range;

use crate::told::Accesses;
use crate::trace::Trace;

/// Who learns of the accesses of a group.
#[derive(Clone, Copy, Debug, Default)]
pub struct Witness<'a> {
    /// Somebody from outside.
    pub watch: Option<&'a Watch<'a>>,
    /// The bytes that its host thread has touched.
    pub trace: Option<&'a Trace>,
}

/// Who is told of the accesses of a group.
#[derive(Clone, Copy, Debug)]
pub struct Watch<'a> {
    /// The one to tell.
    pub observer: &'a dyn Observer,
    /// The thread group.
    pub group: [u32; 3],
    /// What is being executed.
    pub spot: &'a Cell<Spot>,
}

/// An instruction that is executed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Spot {
    /// Its index: those of the kernel, then those of its functions.
    pub instruction: u32,
    /// Line that the program names for it.
    pub source_line: Option<u32>,
    /// The channel of the thread that is its first one.
    pub first_channel: u32,
    /// Whether it does not ask which channels are enabled: then it is not of one of them, but of
    /// all.
    pub no_mask: bool,
}

/// Learns of every access of a message to memory, before it is carried out and also when it cannot
/// be, and of the steps of a group. With one, groups run one after the other, on the thread that
/// launches: what it keeps can be in cells.
pub trait Observer: std::fmt::Debug {
    /// A channel accesses memory.
    fn access(&self, access: &Access);

    /// The channels of a message access memory, each as [`access`](Observer::access) would say it.
    fn accesses(&self, accesses: &Accesses<'_>) {
        accesses.all().for_each(|access| self.access(&access));
    }

    /// A group begins.
    fn group(&self, _group: [u32; 3]) {}

    /// Threads of the group wait for each other at different barriers: one of them, and another
    /// one.
    fn apart(&self, _one: (u32, Spot), _other: (u32, Spot)) {}

    /// Threads of the group have waited for each other.
    fn barrier(&self) {}

    /// A thread of the group has waited until what it did to shared local memory, or else to memory
    /// of all groups, is there for the others.
    fn fence(&self, _thread: u32, _is_local: bool) {}

    /// A thread comes to a block of instructions with these channels; what brought it there.
    fn block(&self, _thread: u32, _block: u32, _channels: u32, _spot: Spot) {}

    /// A launch begins, with this in memory and in registers.
    fn launch(&self, _map: &LaunchMap) {}
}

/// What a launch has in memory and in registers.
#[derive(Clone, Debug, Default)]
pub struct LaunchMap {
    /// The buffers, by their numbers in
    /// [`Memory::buffers`](crate::memory::Memory::buffers).
    pub buffers: Vec<Allocation>,
    /// Memory beside them that has the same address in every launch, as the program's data: where
    /// each begins, and its bytes.
    pub regions: Vec<(u64, u64)>,
    /// Bytes of shared local memory.
    pub local_bytes: u32,
    /// Its parts: what the kernel declares, and arguments. What lies between them is nobody's.
    pub local: Vec<LocalPart>,
    /// The buffers that nobody has written, by their numbers.
    pub undefined: Vec<usize>,
    /// Bytes of each buffer of private memory of a group.
    pub private: Vec<usize>,
    /// The kernel's variables that have storage of their own and no value when a thread begins: id,
    /// bytes of the register file, bytes of an element.
    pub variables: Vec<(u32, Range<u32>, u32)>,
    /// Whether functions are called, whose private memory is that of others before and behind them.
    pub calls: bool,
    /// Whether what belongs to several channels is stored at once.
    pub blocks: bool,
    /// Whether there are predicates.
    pub predicates: bool,
    /// Whether work items of one hardware thread may rely on going through its instructions
    /// together: where a group is one thread, and the compiler knew that and left its barriers out,
    /// or where the source asks for a size of sub-groups or for a work item's place in one.
    pub together: bool,
}

/// A part of shared local memory.
#[derive(Clone, Copy, Debug)]
pub struct LocalPart {
    /// The argument that it is; what the kernel declares is none.
    pub argument: Option<u32>,
    /// Its first byte.
    pub start: u32,
    /// Its bytes.
    pub bytes: u32,
}

impl LocalPart {
    /// How far a place is from it; 0 inside.
    #[inline]
    pub fn distance(&self, offset: u64) -> u64 {
        let (start, end) = (u64::from(self.start), u64::from(self.start) + u64::from(self.bytes));
        start.saturating_sub(offset).max((offset + 1).saturating_sub(end))
    }
}

impl LaunchMap {
    /// The part of shared local memory that a place is in, or else the nearest one.
    #[inline]
    pub fn local_part(&self, offset: u64) -> Option<&LocalPart> {
        self.local.iter().min_by_key(|part| part.distance(offset))
    }
}

/// A buffer of a launch.
#[derive(Clone, Copy, Debug)]
pub struct Allocation {
    /// The argument that it is.
    pub argument: Option<u32>,
    /// Its address.
    pub address: u64,
    /// Its bytes.
    pub bytes: u64,
}

/// An access of one channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// What it does.
    pub kind: AccessKind,
    /// The address space.
    pub space: Space,
    /// The buffer that it goes to, by its number in
    /// [`Memory::buffers`](crate::memory::Memory::buffers), where it is one of these.
    pub buffer: Option<usize>,
    /// The thread group.
    pub group: [u32; 3],
    /// The hardware thread in its group.
    pub thread: u32,
    /// The channel.
    pub lane: u32,
    /// The address, or the offset where the space is not flat.
    pub address: u64,
    /// The offset in the buffer or in the space.
    pub offset: u64,
    /// Bytes.
    pub size: u32,
    /// What a store or an atomic operation leaves there, as far as that is known.
    pub value: Option<u64>,
    /// Whether nothing looks at what it loads: compilers load what lies between two elements that
    /// they need, and atomic operations need not give what was there.
    pub unread: bool,
    /// Whether something else is there until then, as far as that is known.
    pub changes: bool,
    /// The instruction.
    pub spot: Spot,
}

/// What an access does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names say it")]
pub enum AccessKind {
    Load,
    Store,
    Atomic,
}

/// The address space of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Space {
    Flat,
    Local,
    Scratch,
    Surface,
}
