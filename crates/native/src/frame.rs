//! What the code finds when it begins: the state of one thread, and the memory that it reaches.

use std::cell::Cell;
use std::marker::PhantomData;
use std::sync::atomic::AtomicU32;

#[cfg(all(target_arch = "x86_64", unix))]
use {
    crate::ir::Operands,
    crate::threads::{Piece, Start},
    std::mem::MaybeUninit,
};

/// Where the code finds what in [`Raw`].
#[cfg(all(target_arch = "x86_64", unix))]
pub(crate) mod offset {
    use super::Raw;
    use std::mem::offset_of;

    pub(crate) const REGISTERS: u32 = offset_of!(Raw, registers) as u32;
    pub(crate) const PREDICATES: u32 = offset_of!(Raw, predicates) as u32;
    pub(crate) const STATES: u32 = offset_of!(Raw, states) as u32;
    pub(crate) const WAITING: u32 = offset_of!(Raw, waiting) as u32;
    pub(crate) const OCCUPIED: u32 = offset_of!(Raw, occupied) as u32;
    pub(crate) const BUFFERS: u32 = offset_of!(Raw, buffers) as u32;
    pub(crate) const BUFFER_COUNT: u32 = offset_of!(Raw, buffer_count) as u32;
    pub(crate) const SURFACES: u32 = offset_of!(Raw, surfaces) as u32;
    pub(crate) const SURFACE_COUNT: u32 = offset_of!(Raw, surface_count) as u32;
    pub(crate) const LOCAL: u32 = offset_of!(Raw, local) as u32;
    pub(crate) const PRIVATE: u32 = offset_of!(Raw, private) as u32;
    pub(crate) const PART: u32 = offset_of!(Raw, part) as u32;
    pub(crate) const BEGIN: u32 = offset_of!(Raw, begin) as u32;
    pub(crate) const COUNTS: u32 = offset_of!(Raw, counts) as u32;
    pub(crate) const BRANCHES: u32 = offset_of!(Raw, branches) as u32;
    pub(crate) const ACTIVE: u32 = offset_of!(Raw, active) as u32;
    pub(crate) const EXECUTED: u32 = offset_of!(Raw, executed) as u32;
    pub(crate) const UNTIL: u32 = offset_of!(Raw, until) as u32;
    pub(crate) const SCRATCH: u32 = offset_of!(Raw, scratch) as u32;
    pub(crate) const OPERANDS: u32 = offset_of!(Raw, operands) as u32;
    pub(crate) const ALIKE: u32 = offset_of!(Raw, alike) as u32;
    pub(crate) const SPILLED: u32 = offset_of!(Raw, spilled) as u32;
    pub(crate) const IN_TURN: u32 = offset_of!(Raw, in_turn) as u32;
    pub(crate) const LEFT: u32 = offset_of!(Raw, left) as u32;
    pub(crate) const STARTS: u32 = offset_of!(Raw, starts) as u32;
    pub(crate) const PIECES: u32 = offset_of!(Raw, pieces) as u32;
    pub(crate) const BEFORE: u32 = offset_of!(Raw, before) as u32;
    pub(crate) const COMMON: u32 = offset_of!(Raw, common) as u32;
    pub(crate) const COMMON_COUNT: u32 = offset_of!(Raw, common_count) as u32;
    pub(crate) const ZEROS: u32 = offset_of!(Raw, zeros) as u32;
    pub(crate) const ZERO_COUNT: u32 = offset_of!(Raw, zero_count) as u32;

    /// Where the code finds what in [`super::Place`].
    pub(crate) const WORDS: u32 = offset_of!(super::Place, words) as u32;
    pub(crate) const REACH: u32 = offset_of!(super::Place, reach) as u32;
    pub(crate) const LOADS: u32 = offset_of!(super::Place, loads) as u32;
    pub(crate) const STORES: u32 = offset_of!(super::Place, stores) as u32;
    pub(crate) const UPDATES: u32 = offset_of!(super::Place, updates) as u32;
}

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

/// Memory that the code reaches by itself. What is not there it leaves to the caller.
#[derive(Debug)]
#[cfg_attr(not(all(target_arch = "x86_64", unix)), allow(dead_code, reason = "there is no code that reads it"))]
pub struct Memory<'m> {
    pub(crate) buffers: Vec<Place>,
    /// At least [`SURFACES`].
    pub(crate) surfaces: Vec<Place>,
    pub(crate) local: Place,
    pub(crate) private: Place,
    lives: PhantomData<(&'m [AtomicU32], &'m [Cell<u64>])>,
}

/// The code looks at so many surfaces without asking how many there are: those that are none are
/// empty.
pub(crate) const SURFACES: u32 = 32;

impl Default for Memory<'_> {
    fn default() -> Self {
        Self::new([], [], &[])
    }
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

/// A buffer as the code sees it.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    words: *const AtomicU32,
    /// Bytes.
    reach: u64,
    /// Null: nobody wants to know; [`CALLER`]; or the bits.
    loads: *const Cell<u64>,
    stores: *const Cell<u64>,
    updates: *const Cell<u64>,
}

/// Bytes that have one of the bits of [`Marks::Pages`].
pub const PAGE: u64 = 1 << PAGE_BITS;
pub(crate) const PAGE_BITS: u32 = 12;

/// In place of bits: the caller makes the access.
pub(crate) const CALLER: usize = 1;
/// Added to where bits are that are for pages.
pub(crate) const PAGES: usize = 2;

impl Default for Place {
    fn default() -> Self {
        let nobody = std::ptr::null();
        Self { words: std::ptr::null(), reach: 0, loads: nobody, stores: nobody, updates: nobody }
    }
}

impl<'m> Memory<'m> {
    /// The buffers by number, of which the first is 1 in addresses; the surfaces by number; the
    /// memory of the group, of whose accesses nobody wants to know. A surface that is none is left
    /// to the caller.
    pub fn new(
        buffers: impl IntoIterator<Item = Buffer<'m>>,
        surfaces: impl IntoIterator<Item = Option<Buffer<'m>>>,
        local: &'m [AtomicU32],
    ) -> Self {
        let place = |buffer: Option<Buffer<'m>>| buffer.map_or(Place::default(), Place::of);
        let nobody = Marks::Nobody;
        let mut surfaces: Vec<Place> = surfaces.into_iter().map(place).collect();
        surfaces.resize(surfaces.len().max(SURFACES as usize), Place::default());
        Self {
            buffers: buffers.into_iter().map(Place::of).collect(),
            surfaces,
            local: Place::of(Buffer { words: local, loads: nobody, stores: nobody, updates: nobody }),
            private: Place::default(),
            lives: PhantomData,
        }
    }

    /// The same with memory of threads; accesses that have bits for bytes are left to the caller.
    pub fn with_private(self, private: Buffer<'m>) -> Self {
        let pages = |marks| if let Marks::Bits(_) = marks { Marks::Caller } else { marks };
        let Buffer { words, loads, stores, updates } = private;
        let [loads, stores, updates] = [loads, stores, updates].map(pages);
        Self { private: Place::of(Buffer { words, loads, stores, updates }), ..self }
    }
}

impl Place {
    fn of(buffer: Buffer<'_>) -> Self {
        let reach = buffer.words.len() as u64 * 4;
        let marks = |marks: Marks<'_>| match marks {
            Marks::Nobody => std::ptr::null(),
            // A mark is as long as a row of 64 bytes, and may end in the word behind that of its
            // first bit.
            Marks::Bits(bits) if bits.len() as u64 >= reach / 64 + 2 => bits.as_ptr(),
            Marks::Pages(bits) if bits.len() as u64 > reach / PAGE / 64 => bits.as_ptr().wrapping_byte_add(PAGES),
            _ => std::ptr::without_provenance(CALLER),
        };
        // The host's gathers take offsets as numbers with a sign.
        let fits = reach <= i32::MAX as u64;
        let (words, reach) = if fits { (buffer.words.as_ptr(), reach) } else { (std::ptr::null(), 0) };
        let [loads, stores, updates] = [buffer.loads, buffer.stores, buffer.updates].map(marks);
        Self { words, reach, loads, stores, updates }
    }
}

/// The frame as the code sees it.
#[cfg(all(target_arch = "x86_64", unix))]
#[repr(C)]
pub(crate) struct Raw {
    /// Far from `executed`: what is copied together must have been written together, or the host
    /// waits.
    pub(crate) until: u64,
    pub(crate) registers: *mut u8,
    pub(crate) predicates: *mut u32,
    pub(crate) states: *mut u32,
    pub(crate) waiting: *mut u32,
    pub(crate) occupied: *mut u64,
    pub(crate) buffers: *const Place,
    pub(crate) buffer_count: u64,
    pub(crate) surfaces: *const Place,
    pub(crate) surface_count: u64,
    pub(crate) local: *const Place,
    pub(crate) private: *const Place,
    /// The part of that which a transfer is for; the code writes what it reads before.
    pub(crate) part: MaybeUninit<Place>,
    /// Where that begins.
    pub(crate) begin: u64,
    pub(crate) counts: *mut [u64; 2],
    pub(crate) branches: *mut [u64; 2],
    pub(crate) active: u32,
    pub(crate) executed: u64,
    /// Whether another thread begins where one ends; how many may, which begins next, and with
    /// what; and how many instructions those before had.
    pub(crate) in_turn: u64,
    pub(crate) left: u64,
    pub(crate) starts: *const Start,
    pub(crate) pieces: *const Piece,
    pub(crate) before: u64,
    /// What all of them begin with.
    pub(crate) common: *const Piece,
    pub(crate) common_count: u64,
    pub(crate) zeros: *const u32,
    pub(crate) zero_count: u64,
    /// How far apart the channels of transfers that are alike are, where that is known
    /// ([`crate::alike`]); else zero.
    pub(crate) alike: [u64; 8],
    /// Offsets of 16 channels.
    pub(crate) scratch: MaybeUninit<[u32; 16]>,
    /// What a function is called with; the code writes all of it before.
    pub(crate) operands: MaybeUninit<[Operands; 2]>,
    /// The host's vector registers while a function runs.
    pub(crate) spilled: MaybeUninit<[[u32; 16]; 32]>,
}
