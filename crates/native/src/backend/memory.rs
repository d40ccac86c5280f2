//! Buffers in the form that the code reads.

use std::cell::Cell;
use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;

use crate::runtime::frame::{Buffer, Marks, PAGE};

/// Memory that the code accesses directly. The caller makes all other accesses.
#[derive(Debug)]
pub struct Memory<'m> {
    /// The buffers by number.
    pub(crate) buffers: Vec<BufferEntry>,
    pub(crate) slots: Arc<Slots<'m>>,
    /// At least [`SURFACES`] entries.
    pub(crate) surfaces: Vec<BufferEntry>,
    pub(crate) local: BufferEntry,
    pub(crate) private: BufferEntry,
    lives: PhantomData<(&'m [AtomicU32], &'m [Cell<u64>])>,
}

impl Default for Memory<'_> {
    fn default() -> Self {
        Self::new([], [], &[])
    }
}

impl<'m> Memory<'m> {
    /// Creates the memory from the buffers by number, of which the first is 1 in addresses; the
    /// surfaces by number; and the memory of the group, which is never observed. The caller makes
    /// the accesses to a surface that is `None`.
    pub fn new(
        buffers: impl IntoIterator<Item = Buffer<'m>>,
        surfaces: impl IntoIterator<Item = Option<Buffer<'m>>>,
        local: &'m [AtomicU32],
    ) -> Self {
        let place = |buffer: Option<Buffer<'m>>| buffer.map_or(BufferEntry::default(), BufferEntry::of);
        let nobody = Marks::Nobody;
        let mut surfaces: Vec<BufferEntry> = surfaces.into_iter().map(place).collect();
        surfaces.resize(surfaces.len().max(SURFACES as usize), BufferEntry::default());
        let buffers: Vec<_> = buffers.into_iter().map(BufferEntry::of).collect();
        Self {
            buffers,
            slots: Arc::default(),
            surfaces,
            local: BufferEntry::of(Buffer { words: local, loads: nobody, stores: nobody, updates: nobody }),
            private: BufferEntry::default(),
            lives: PhantomData,
        }
    }

    /// Adds memory that has addresses in place of numbers.
    pub fn with_slots(self, slots: Arc<Slots<'m>>) -> Self {
        Self { slots, ..self }
    }

    /// Adds private memory. The caller makes accesses that are observed by byte.
    pub fn with_private(self, private: Buffer<'m>) -> Self {
        let pages = |marks| if let Marks::Bits(_) = marks { Marks::Caller } else { marks };
        let Buffer { words, loads, stores, updates } = private;
        let [loads, stores, updates] = [loads, stores, updates].map(pages);
        Self { private: BufferEntry::of(Buffer { words, loads, stores, updates }), ..self }
    }
}

/// Memory that has addresses in place of numbers, which several threads may use. Its accesses are
/// not observed.
#[derive(Debug, Default)]
pub struct Slots<'m> {
    pub(crate) entries: Vec<BufferEntry>,
    /// For each upper half of an address from `first` on, the index of its entry plus one; 0 for
    /// none.
    pub(crate) table: Vec<u32>,
    pub(crate) first: u32,
    lives: PhantomData<&'m [AtomicU32]>,
}

// SAFETY: the entries point to atomic words, which `'m` borrows, and have no marks.
unsafe impl Send for Slots<'_> {}

// SAFETY: as for `Send`.
unsafe impl Sync for Slots<'_> {}

impl<'m> Slots<'m> {
    /// Creates the table of the memory, in the order of addresses, each with the upper half of its
    /// address. The caller makes the accesses to memory out of order, and to memory far from the
    /// first one.
    pub fn new(all: impl IntoIterator<Item = (u32, &'m [AtomicU32])>) -> Self {
        let mut slots = Self::default();
        for (slot, words) in all {
            if slots.table.is_empty() {
                slots.first = slot;
            }
            let place = slot.checked_sub(slots.first).map(|place| place as usize);
            if let Some(place) = place.filter(|place| (slots.table.len()..MOST_SLOTS).contains(place)) {
                let nobody = Marks::Nobody;
                let buffer = Buffer { words, loads: nobody, stores: nobody, updates: nobody };
                slots.entries.push(BufferEntry::of(buffer));
                slots.table.resize(place, 0);
                slots.table.push(slots.entries.len() as u32);
            }
        }
        slots
    }
}

/// Entry of a buffer in the form that the code reads.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug)]
pub(crate) struct BufferEntry {
    pub(crate) words: *const AtomicU32,
    /// The size in bytes.
    pub(crate) reach: u64,
    /// Null for unobserved accesses; [`CALLER`]; or the address of the bits.
    pub(crate) loads: *const Cell<u64>,
    pub(crate) stores: *const Cell<u64>,
    pub(crate) updates: *const Cell<u64>,
}

impl Default for BufferEntry {
    fn default() -> Self {
        let nobody = std::ptr::null();
        Self { words: std::ptr::null(), reach: 0, loads: nobody, stores: nobody, updates: nobody }
    }
}

impl BufferEntry {
    fn of(buffer: Buffer<'_>) -> Self {
        let reach = buffer.words.len() as u64 * 4;
        let marks = |marks: Marks<'_>| match marks {
            Marks::Nobody => std::ptr::null(),
            // A mark has the length of an access of 64 bytes, and may end in the word after that of
            // its first bit.
            Marks::Bits(bits) if bits.len() as u64 >= reach / 64 + 2 => bits.as_ptr(),
            Marks::Pages(bits) if bits.len() as u64 > reach / PAGE / 64 => bits.as_ptr().wrapping_byte_add(PAGES),
            _ => std::ptr::without_provenance(CALLER),
        };
        // The host's gathers interpret offsets as signed numbers.
        let fits = reach <= i32::MAX as u64;
        let (words, reach) = if fits { (buffer.words.as_ptr(), reach) } else { (std::ptr::null(), 0) };
        let [loads, stores, updates] = [buffer.loads, buffer.stores, buffer.updates].map(marks);
        Self { words, reach, loads, stores, updates }
    }
}

/// Maximum length of the table of slots.
const MOST_SLOTS: usize = 1 << 16;

/// Number of surfaces that the code reads without a bounds check: entries without a surface are
/// empty.
pub(crate) const SURFACES: u32 = 32;

/// Value in place of an address of bits: the caller makes the access.
pub(crate) const CALLER: usize = 1;

/// Flag in the address of bits that stand for pages.
pub(crate) const PAGES: usize = 2;
