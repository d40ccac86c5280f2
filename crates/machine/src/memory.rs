//! Global memory: buffers in one flat 64-bit address space.
//!
//! Each buffer owns a slot of 4 GiB, so the upper half of an address identifies the buffer and the
//! rest of the slot is a guard. An index past either end of its buffer hits no other buffer.
//!
//! Several host threads run thread groups at the same time, so a buffer consists of atomic words.
//! Relaxed loads and stores of a word cost as much as plain ones. A store to part of a word
//! preserves the other bytes even if another host thread writes them. A kernel without data races
//! therefore has the same result for any number of host threads. A [`trace`](crate::trace)
//! finds the other kernels; each buffer says which accesses are recorded.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

use crate::buffer::{Buffer, Sharing};
use crate::lent::Lent;
use crate::thread::Thread;
use visakit_native::Slots;
use visakit_native::host::update_pair;

/// Base-two logarithm of the slot size.
pub const SLOT_BITS: u32 = 32;
/// Bytes at the end of a slot that no buffer may use.
const GUARD: u64 = 1 << 16;
/// Largest size of a buffer in bytes.
pub const MAX_BUFFER: u64 = (1 << SLOT_BITS) - GUARD;
/// First address for buffers with a fixed address; it lies past the slots of all other buffers.
pub const FIXED: u64 = 1 << 44;
/// Page size in bytes: devices allocate memory in whole pages.
const PAGE: u64 = 1 << 12;
/// Size of a slot in bytes.
pub const SLOT: u64 = 1 << SLOT_BITS;
/// Distance in slots between scattered buffers.
const STRIDE: u64 = 31;
/// Number of locks for 64-bit atomics where native code does not access the memory.
const LOCKS: usize = 64;

/// Memory with fixed addresses, past all other buffers. Launches share it, because a program may
/// have thousands of allocations.
#[derive(Debug)]
pub struct Regions {
    /// Each memory with its address, in the order of addresses.
    all: Vec<(u64, Lent)>,
    buffers: Vec<Buffer>,
    /// Index of the first memory that does not fit its address.
    misfit: Option<usize>,
    /// Number that no other regions have.
    id: u64,
    /// Table for native code of these regions and of those with the numbers, as last requested. It
    /// keeps no memory alive.
    slots: Mutex<Option<(Vec<u64>, Arc<Slots<'static>>)>>,
}

/// Number of the next regions.
static NEXT_ID: AtomicU64 = AtomicU64::new(1);

impl Regions {
    /// Creates the regions from memory with addresses. The last of several at an address counts.
    pub fn new(all: impl IntoIterator<Item = (u64, Lent)>) -> Self {
        let sorted: BTreeMap<u64, Lent> = all.into_iter().collect();
        let all: Vec<_> = sorted.into_iter().collect();
        let buffers: Vec<_> = all.iter().map(|(_, lent)| Buffer::lent(lent.clone())).collect();
        let is_slot = |address: u64| address >= FIXED && address.is_multiple_of(SLOT);
        let fits = |(address, buffer): (u64, &Buffer)| is_slot(address) && buffer.reach() <= MAX_BUFFER;
        let misfit = all.iter().map(|(address, _)| *address).zip(&buffers).position(|one| !fits(one));
        Self { all, buffers, misfit, id: NEXT_ID.fetch_add(1, Relaxed), slots: Mutex::default() }
    }

    /// Returns each memory with its address, in the order of addresses.
    pub fn all(&self) -> &[(u64, Lent)] {
        &self.all
    }

    /// Returns a memory that does not begin at the start of a slot from [`FIXED`], or is too large
    /// for it. Kernels may then not use the regions.
    pub fn misfit(&self) -> Option<&(u64, Lent)> {
        self.all.get(self.misfit?)
    }

    /// Returns the memory that contains an address, with its own address.
    pub fn containing(&self, address: u64) -> Option<&(u64, Lent)> {
        let next = self.all.partition_point(|(first, _)| *first <= address);
        self.all.get(next.checked_sub(1)?).filter(|(first, lent)| address - first < lent.bytes as u64)
    }

    /// Returns the buffers, each with its address.
    fn entries(&self) -> impl Iterator<Item = (u64, &Buffer)> {
        self.all.iter().map(|(address, _)| *address).zip(&self.buffers)
    }

    /// Returns the buffer of a slot.
    fn buffer(&self, slot: u64) -> Option<&Buffer> {
        let found = self.all.binary_search_by_key(&(slot << SLOT_BITS), |(address, _)| *address);
        self.buffers.get(found.ok()?)
    }
}

/// The flat address space of a launch.
#[derive(Debug, Default)]
pub struct Memory {
    buffers: Vec<Buffer>,
    /// Buffers with a fixed address; later ones hide earlier ones at the same address.
    fixed: Vec<Arc<Regions>>,
    /// First slot of scattered buffers; 0 for consecutive slots.
    first: u64,
    /// True if reads outside every buffer return zero and writes are dropped; false if both are
    /// faults.
    pub outside_is_zero: bool,
    /// True if accesses to the rest of a buffer's last page are handled like that, too.
    pub whole_pages: bool,
    /// Time in instructions; see [`Memory::time`].
    clock: AtomicU64,
    locks: Locks,
}

#[derive(Debug)]
struct Locks([Mutex<()>; LOCKS]);

impl Default for Locks {
    fn default() -> Self {
        Self(std::array::from_fn(|_| Mutex::new(())))
    }
}

impl Memory {
    /// Reads the launch's clock, which all threads share. It advances by the instructions that the
    /// thread has executed since it last did so.
    pub fn time(&self, thread: &mut Thread) -> u64 {
        // A thread that starts again counts from zero.
        let passed = thread.executed.checked_sub(thread.timed).unwrap_or(thread.executed).max(1);
        thread.timed = thread.executed;
        self.clock.fetch_add(passed, Relaxed).wrapping_add(passed)
    }

    /// Scatters buffers over the address space, at addresses distinct from those of the next 30
    /// values of `number`. A pointer that leaves its buffer, or comes from another launch, hits no
    /// buffer. Must be called before the first [`Memory::map`].
    #[inline]
    pub fn scatter(&mut self, number: u32) {
        self.first = u64::from(number) % STRIDE + 1;
    }

    /// Maps a buffer at the next free address. `None` if it is larger than [`MAX_BUFFER`] or the
    /// address space is exhausted.
    #[inline]
    pub fn map(&mut self, buffer: Buffer) -> Option<u64> {
        if buffer.reach() > MAX_BUFFER {
            return None;
        }
        // The region from [`FIXED`] is reserved for fixed addresses.
        if self.first != 0 && self.address(self.buffers.len()) >= FIXED {
            return None;
        }
        self.buffers.push(buffer);
        Some(self.address(self.buffers.len() - 1))
    }

    /// Maps memory with fixed addresses.
    #[inline]
    pub fn map_fixed(&mut self, regions: &Arc<Regions>) {
        if !regions.all.is_empty() {
            self.fixed.push(Arc::clone(regions));
        }
    }

    /// Returns the buffers with fixed addresses, each with its address, in the order of addresses.
    pub fn regions(&self) -> Vec<(u64, &Buffer)> {
        let mut all: Vec<_> = self.fixed.iter().rev().flat_map(|regions| regions.entries()).collect();
        if self.fixed.len() > 1 {
            all.sort_by_key(|(address, _)| *address);
            all.dedup_by_key(|(address, _)| *address);
        }
        all
    }

    /// Returns the buffers with fixed addresses in the form for native code.
    pub fn slots(&self) -> Arc<Slots<'static>> {
        let Some((first, others)) = self.fixed.split_first() else { return Arc::default() };
        let ids = || others.iter().map(|regions| regions.id);
        let mut kept = first.slots.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((of, slots)) = kept.as_ref()
            && of.iter().copied().eq(ids())
        {
            return Arc::clone(slots);
        }
        let words = |buffer: &Buffer| buffer.lent_words().unwrap_or_default();
        let all = self.regions().into_iter().map(|(address, buffer)| ((address >> SLOT_BITS) as u32, words(buffer)));
        let slots = Arc::new(Slots::new(all));
        *kept = Some((ids().collect(), Arc::clone(&slots)));
        slots
    }

    /// Returns the buffers in the order in which they were mapped.
    #[inline]
    pub fn buffers(&self) -> &[Buffer] {
        &self.buffers
    }

    /// Records the accesses to all buffers in traces.
    #[inline]
    pub fn note_all(&mut self) {
        self.buffers.iter_mut().enumerate().for_each(|(number, buffer)| buffer.note_all(number));
    }

    /// Returns the buffers, consuming the memory.
    #[inline]
    pub fn into_buffers(self) -> Vec<Buffer> {
        self.buffers
    }

    /// Returns the address of the n-th buffer. Slot 0 is unused, so the null pointer and nearby
    /// addresses hit no buffer.
    #[inline]
    pub fn address(&self, index: usize) -> u64 {
        match self.first {
            0 => (index as u64 + 1) << SLOT_BITS,
            first => (first + index as u64 * STRIDE) << SLOT_BITS,
        }
    }

    /// Returns the buffer number of a slot.
    #[inline(always)]
    fn index(&self, slot: u64) -> Option<usize> {
        let index = match self.first {
            0 => slot.checked_sub(1)?,
            first => slot.checked_sub(first).filter(|n| n.is_multiple_of(STRIDE))? / STRIDE,
        };
        usize::try_from(index).ok()
    }

    /// Returns the buffer whose slot contains `address`, and its base address. The address may be
    /// past the buffer's end.
    #[inline]
    pub fn find(&self, address: u64) -> Option<(&Buffer, u64)> {
        self.find_with(&[], address)
    }

    /// Finds a buffer as [`Memory::find`] does, with private buffers numbered after the others.
    #[inline]
    pub fn find_with<'a>(&'a self, private: &'a [Buffer], address: u64) -> Option<(&'a Buffer, u64)> {
        let slot = address >> SLOT_BITS;
        let fixed = || self.fixed.iter().rev().find_map(|regions| regions.buffer(slot));
        let buffer = match self.index(slot) {
            Some(index) => {
                let others = || private.get(index - self.buffers.len()).or_else(fixed);
                self.buffers.get(index).or_else(others)?
            }
            None => fixed()?,
        };
        Some((buffer, slot << SLOT_BITS))
    }

    /// Returns true if an access outside every buffer is dropped; false if it is a fault.
    #[cold]
    pub fn loses(&self, private: &[Buffer], address: u64, size: u32) -> bool {
        let is_in_page = |(buffer, base): (&Buffer, u64)| {
            let end = (address - base).saturating_add(size.into());
            end <= buffer.reach().next_multiple_of(PAGE)
        };
        self.outside_is_zero || self.whole_pages && self.find_with(private, address).is_some_and(is_in_page)
    }

    /// Replaces the 64-bit word at `offset`, a multiple of eight, by the result of `change`,
    /// atomically with respect to other calls of this method and to native code. Returns the
    /// previous value, or `None` outside the buffer.
    #[inline]
    pub fn update_u64(
        &self,
        buffer: &Buffer,
        offset: u64,
        sharing: Sharing,
        change: impl Fn(u64) -> u64,
    ) -> Option<u64> {
        if sharing == Sharing::Shared
            && let Some(pair) = buffer.pair(offset)
            && let Some(old) = update_pair(pair, &change)
        {
            return Some(old);
        }
        let _held = (sharing == Sharing::Shared).then(|| {
            let lock = &self.locks.0[(offset >> 3) as usize % LOCKS];
            lock.lock().unwrap_or_else(PoisonError::into_inner)
        });
        let old = buffer.load(offset, 8)?;
        buffer.store(offset, 8, change(old), sharing)?;
        Some(old)
    }
}

/// Address of the first function, in a part of the address space without buffers.
const FUNCTIONS_AT: u64 = 0x1_0000;
/// Distance between function addresses.
const FUNCTION_STEP: u64 = 16;

/// Returns the address of the n-th function.
pub fn function_address(n: usize) -> u64 {
    FUNCTIONS_AT + n as u64 * FUNCTION_STEP
}

/// Returns the index of the function at an address.
#[inline]
pub fn function_at(address: u64) -> Option<usize> {
    let distance = address.checked_sub(FUNCTIONS_AT)?;
    distance.is_multiple_of(FUNCTION_STEP).then(|| usize::try_from(distance / FUNCTION_STEP).ok())?
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU32;

    use super::*;
    use crate::accesses::AccessKind;
    use crate::buffer::{Guards, Part};

    #[test]
    fn scattered_buffers_are_found_and_nothing_between_them() {
        let mut both = [Memory::default(), Memory::default()];
        let addresses: Vec<[u64; 2]> = (0..)
            .zip(&mut both)
            .map(|(number, memory)| {
                memory.scatter(number);
                std::array::from_fn(|_| memory.map(Buffer::zeros(16)).unwrap())
            })
            .collect();
        for (memory, own) in both.iter().zip(&addresses) {
            let hits = (0..100).filter(|slot| memory.find(slot << SLOT_BITS).is_some()).count();
            assert_eq!(hits, 2);
            assert!(own.iter().all(|address| memory.find(address + 15).is_some_and(|(_, base)| base == *address)));
            let private = [Buffer::zeros(4)];
            assert!(memory.find_with(&private, memory.address(2)).is_some());
        }
        assert!(addresses[0].iter().all(|address| both[1].find(*address).is_none()));
        // The address space below the fixed addresses is finite.
        assert!((0..1000).any(|_| both[0].map(Buffer::zeros(4)).is_none()));
    }

    #[test]
    fn updates_give_back_the_old_value() {
        let mut memory = Memory::default();
        memory.map(Buffer::from_bytes(&[0xff, 0xff, 1, 0, 0, 0, 0, 0])).unwrap();
        let buffer = &memory.buffers()[0];
        for sharing in [Sharing::Shared, Sharing::Exclusive] {
            assert_eq!(buffer.update(0, 2, sharing, |x| x + 1), Some(0xffff));
            assert_eq!(buffer.load(0, 4), Some(0x0001_0000), "no carry into the neighbour");
            assert_eq!(buffer.update(0, 4, sharing, |x| x | 0xffff), Some(0x0001_0000));
        }
        let old = memory.update_u64(buffer, 0, Sharing::Shared, |x| x + (1 << 40));
        assert_eq!((old, buffer.load(4, 4)), (Some(0x1_ffff), Some(1 << 8)));
        assert_eq!(buffer.update(8, 4, Sharing::Shared, |x| x), None);
        assert_eq!(memory.update_u64(buffer, 8, Sharing::Shared, |x| x), None);
    }

    #[test]
    fn addresses_name_buffers() {
        let mut memory = Memory::default();
        let first = memory.map(Buffer::zeros(16)).unwrap();
        let second = memory.map(Buffer::zeros(4)).unwrap();
        assert!(memory.find(0).is_none() && memory.find(first - 1).is_none());
        assert_eq!(memory.find(first + 12).map(|(b, base)| (b.len(), base)), Some((16, first)));
        let (behind, base) = memory.find(second - 1).unwrap();
        assert_eq!(behind.load((second - 1 - base) & !3, 4), None, "the guard belongs to nobody");
        assert!(memory.find(u64::MAX).is_none());
    }

    #[test]
    fn lent_memory_is_used_in_place_at_its_own_address() {
        let words: &'static [AtomicU32] = vec![AtomicU32::new(7), AtomicU32::new(9)].leak();
        let lent = Lent { words, bytes: 7, owner: Arc::new(()), guards: None };
        let mut memory = Memory::default();
        let other = memory.map(Buffer::lent(lent.clone())).unwrap();
        let at = |address: u64| Regions::new([(address, lent.clone())]);
        assert!([FIXED + 4, SLOT].iter().all(|address| at(*address).misfit().is_some()));
        let regions = at(FIXED + 3 * SLOT);
        assert!(regions.misfit().is_none() && regions.containing(FIXED + 3 * SLOT - 1).is_none());
        assert!(
            regions.containing(FIXED + 3 * SLOT + 6).is_some() && regions.containing(FIXED + 3 * SLOT + 7).is_none()
        );
        memory.map_fixed(&Arc::new(regions));
        let (buffer, base) = memory.find(FIXED + 3 * SLOT + 4).unwrap();
        assert_eq!((buffer.load_u32(4), base, buffer.len()), (Some(9), FIXED + 3 * SLOT, 7));
        buffer.store_u32(0, 8).unwrap();
        assert_eq!((words[0].load(Relaxed), memory.find(other).unwrap().0.load_u32(0)), (8, Some(8)));
        assert!(memory.find(FIXED + 2 * SLOT).is_none());
        assert_eq!(Buffer::lent(lent).into_vec(), None);
    }

    /// Only parts are accessible: the first word, and words from the fourth, which are read-only.
    #[test]
    fn guards_refuse_accesses() {
        let words: &'static [AtomicU32] = (0..8).map(AtomicU32::new).collect::<Vec<_>>().leak();
        let part = |start, end, is_writable| Part { start, end, is_writable };
        let guards = Guards::new(vec![part(0, 4, true), part(12, 20, false), part(20, 32, false)]);
        let lent = Lent { words, bytes: 32, owner: Arc::new(()), guards: Some(guards) };
        assert_eq!(lent.readable(), [0..1, 3..5, 5..8]);
        let buffer = Buffer::lent(lent.clone());
        let [load, store] = [AccessKind::Load, AccessKind::Store];
        assert!(buffer.words().is_empty() && buffer.reach() == 0 && buffer.len() == 32);
        let may = |offset, size, kind| buffer.allows(offset, size, kind);
        assert_eq!([may(0, 4, store), may(0, 8, load), may(4, 4, load)], [true, false, false]);
        assert_eq!([may(16, 8, load), may(16, 8, store), may(28, 8, load)], [true, false, false]);
        assert!(!may(u64::MAX, 4, load) && buffer.refuses(4, 4) && !buffer.refuses(32, 4));
        assert_eq!((buffer.store_u32(0, 9), buffer.load_u32(0)), (Some(()), Some(9)));
        assert_eq!((buffer.load_u32(4), buffer.load_u32(12), buffer.store_u32(12, 1)), (None, Some(3), None));
        assert_eq!(buffer.update(20, 4, Sharing::Shared, |x| x + 1), None);
        assert_eq!(words[5].load(Relaxed), 5);
        let rest = Buffer::lent(lent.behind(3));
        assert_eq!((rest.load(0, 8), rest.store(0, 4, 1, Sharing::Shared)), (Some(4 << 32 | 3), None));
    }

    #[test]
    fn updates_from_many_threads_are_all_counted() {
        let mut memory = Memory::default();
        memory.map(Buffer::zeros(16)).unwrap();
        let memory = &memory;
        std::thread::scope(|scope| {
            for thread in 0..4 {
                scope.spawn(move || {
                    let buffer = &memory.buffers()[0];
                    for _ in 0..1000 {
                        buffer.update(0, 4, Sharing::Shared, |x| x.wrapping_add(1));
                        memory.update_u64(buffer, 8, Sharing::Shared, |x| x + 1);
                        // As native code does.
                        if thread < 2 && buffer.pair(8).and_then(|pair| update_pair(pair, |x| x + 1)).is_none() {
                            memory.update_u64(buffer, 8, Sharing::Shared, |x| x + 1);
                        }
                        let byte = buffer.load(4 + thread, 1).unwrap();
                        buffer.store(4 + thread, 1, byte + 1, Sharing::Shared);
                    }
                });
            }
        });
        let buffer = &memory.buffers()[0];
        assert_eq!((buffer.load(0, 4), buffer.load(8, 8)), (Some(4000), Some(6000)));
        assert_eq!(buffer.load(4, 4), Some(u64::from_le_bytes([232, 232, 232, 232, 0, 0, 0, 0])));
    }
}
