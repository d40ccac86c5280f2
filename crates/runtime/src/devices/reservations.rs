//! Virtual memory: reserved addresses whose pages are mapped to physical memory, with the access
//! that kernels have.

use std::collections::BTreeMap;
use std::fs::File;
use std::os::fd::AsFd;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use visakit_emulator::machine::buffer::{Guards, Lent, Part};
use visakit_emulator::machine::memory::{MAX_BUFFER, Regions, SLOT};

use crate::base::failure::Failure;
use crate::base::storage::{Space, anonymous_file};

/// Physical memory: an anonymous file.
pub struct Physical {
    file: File,
    bytes: usize,
}

/// Access of kernels to pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Access {
    /// Every access is a fault.
    #[default]
    None,
    /// Loads, stores and atomic operations.
    Write,
    /// Loads; every other access is a fault.
    Read,
}

/// Reserved addresses, with the owners' properties of their physical memory.
pub struct Reservations<A>(Mutex<State<A>>);

/// Extent of the regions for a launch.
#[derive(Clone, Copy)]
enum Extent {
    /// Up to the last mapped page.
    Mapped,
    /// All reserved pages.
    Reserved,
}

struct State<A> {
    /// Reservations by address.
    all: BTreeMap<u64, Reservation<A>>,
    /// All mapped pages in the form for launches; rebuilt after a change.
    regions: Option<Arc<Regions>>,
}

struct Reservation<A> {
    /// Number of the owner.
    owner: u64,
    space: Arc<Space>,
    /// Mapped pages by offset. They do not overlap.
    parts: BTreeMap<usize, Mapped<A>>,
}

/// Pages that are mapped to physical memory, which the mapping holds.
#[derive(Clone)]
pub struct Mapped<A> {
    /// Address of the first byte.
    pub first: u64,
    /// Size in bytes.
    pub bytes: usize,
    /// Access of kernels.
    pub access: Access,
    /// Properties of the physical memory.
    pub about: A,
    /// Physical memory.
    pub physical: Arc<Physical>,
}

impl Physical {
    /// Creates zeroed memory. The system commits pages on first use.
    pub fn new(bytes: usize) -> Option<Arc<Self>> {
        let file = anonymous_file(bytes)?;
        Some(Arc::new(Self { file, bytes }))
    }

    /// Returns the size in bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Returns the file.
    pub fn file(&self) -> &File {
        &self.file
    }
}

impl<A> Default for Reservations<A> {
    fn default() -> Self {
        Self(Mutex::new(State { all: BTreeMap::new(), regions: None }))
    }
}

impl<A: Clone> Reservations<A> {
    fn state(&self) -> MutexGuard<'_, State<A>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reserves addresses for an owner.
    pub fn reserve(&self, owner: u64, bytes: usize) -> Option<u64> {
        let space = Space::new(bytes)?;
        let first = space.first();
        self.state().all.insert(first, Reservation { owner, space, parts: BTreeMap::new() });
        Some(first)
    }

    /// Frees a whole reservation. Commands that use it keep it alive until they are over.
    ///
    /// # Errors
    /// `InvalidValue` for any other range.
    pub fn free(&self, first: u64, bytes: usize) -> Result<(), Failure> {
        let mut state = self.state();
        let is_whole = state.all.get(&first).is_some_and(|own| own.space.bytes() == bytes);
        let gone = if is_whole { state.all.remove(&first) } else { None };
        let regions = gone.is_some().then(|| state.regions.take());
        drop(state);
        drop(regions);
        gone.map(drop).ok_or(Failure::InvalidValue)
    }

    /// Frees all reservations of an owner.
    pub fn free_of(&self, owner: u64) {
        let mut state = self.state();
        let (gone, rest): (BTreeMap<_, _>, _) =
            std::mem::take(&mut state.all).into_iter().partition(|(_, own)| own.owner == owner);
        state.all = rest;
        let regions = state.regions.take();
        drop(state);
        drop((gone, regions));
    }

    /// Maps unmapped pages of a reservation to physical memory from an offset.
    ///
    /// # Errors
    /// `InvalidValue` for other pages, and for a range outside of the physical memory.
    pub fn map(
        &self,
        (first, bytes): (u64, usize),
        (physical, offset): (&Arc<Physical>, usize),
        access: Access,
        about: A,
    ) -> Result<(), Failure> {
        let mut state = self.state();
        let (own, at) = find(&mut state, first, bytes)?;
        let is_inside = offset.checked_add(bytes).is_some_and(|end| end <= physical.bytes);
        let before = own.parts.range(..at + bytes).next_back();
        let is_free = before.is_none_or(|(start, part)| start + part.bytes <= at);
        if !is_inside || !is_free {
            return Err(Failure::InvalidValue);
        }
        if !own.space.map(at, bytes, (physical.file().as_fd(), offset)) {
            return Err(Failure::OutOfHostMemory);
        }
        own.parts.insert(at, Mapped { first, bytes, access, about, physical: Arc::clone(physical) });
        state.regions = None;
        Ok(())
    }

    /// Unmaps the mapped pages of a range.
    ///
    /// # Errors
    /// `InvalidValue` for a range that is not in one reservation.
    pub fn unmap(&self, first: u64, bytes: usize) -> Result<(), Failure> {
        let mut state = self.state();
        state.regions = None;
        let (own, at) = find(&mut state, first, bytes)?;
        own.split(at);
        own.split(at + bytes);
        let mut rest = own.parts.split_off(&at);
        own.parts.append(&mut rest.split_off(&(at + bytes)));
        // Launches and commands hold the reservation.
        let is_used = Arc::strong_count(&own.space) > 1;
        rest.iter().for_each(|(start, part)| own.space.unmap(*start, part.bytes, is_used));
        Ok(())
    }

    /// Changes the access to the mapped pages of a range.
    ///
    /// # Errors
    /// `InvalidValue` for a range that is not in one reservation, or without mapped pages.
    pub fn set_access(&self, first: u64, bytes: usize, access: Access) -> Result<(), Failure> {
        let mut state = self.state();
        let (own, at) = find(&mut state, first, bytes)?;
        own.split(at);
        own.split(at + bytes);
        let mut parts = own.parts.range_mut(at..at + bytes).peekable();
        parts.peek().ok_or(Failure::InvalidValue)?;
        parts.for_each(|(_, part)| part.access = access);
        state.regions = None;
        Ok(())
    }

    /// Returns the access to the first page of a range, and the number of bytes with this access.
    ///
    /// # Errors
    /// `InvalidValue` for a range that is not in one reservation.
    pub fn access(&self, first: u64, bytes: usize) -> Result<(Access, usize), Failure> {
        let mut state = self.state();
        let (own, at) = find(&mut state, first, bytes)?;
        let (access, mut end) = own.access(at);
        while end < at + bytes && own.access(end).0 == access {
            end = own.access(end).1;
        }
        Ok((access, end.min(at + bytes) - at))
    }

    /// Returns the mapped pages that contain an address.
    pub fn lookup(&self, address: u64) -> Option<Mapped<A>> {
        let state = self.state();
        let (first, own) = state.all.range(..=address).next_back()?;
        let at = usize::try_from(address - first).ok()?;
        let (start, part) = own.parts.range(..=at).next_back()?;
        (at - start < part.bytes).then(|| part.clone())
    }

    /// Returns the reservation that contains a range; `None` if its first address is in none.
    ///
    /// # Errors
    /// `InvalidValue` if some pages are not mapped.
    pub fn find_range(&self, first: u64, bytes: usize) -> Result<Option<Arc<Space>>, Failure> {
        let mut state = self.state();
        let is_inside = |(start, own): (&u64, &Reservation<A>)| first - start < own.space.bytes() as u64;
        if !state.all.range(..=first).next_back().is_some_and(is_inside) {
            return Ok(None);
        }
        let (own, at) = find(&mut state, first, bytes.max(1))?;
        let mut end = at;
        while end < at + bytes.max(1) {
            let (access, next) = own.access(end);
            if access == Access::None {
                return Err(Failure::InvalidValue);
            }
            end = next;
        }
        Ok(Some(Arc::clone(&own.space)))
    }

    /// Returns the mapped pages, for a launch with pointers. If one points to other pages, the
    /// regions contain these pages too, and their guards refuse all accesses. Such a launch is
    /// slower.
    pub fn regions(&self, pointers: impl IntoIterator<Item = u64>) -> Arc<Regions> {
        let mut state = self.state();
        let State { all, regions } = &mut *state;
        let is_unmapped = |address: u64| {
            let found = all.range(..=address).next_back().map(|(first, own)| (own, (address - first) as usize));
            found.is_some_and(|(own, at)| at < own.space.bytes() && own.access(at).0 == Access::None)
        };
        if pointers.into_iter().any(is_unmapped) {
            return Arc::new(Regions::new(all.values().flat_map(|own| own.regions(Extent::Reserved))));
        }
        let make = || Arc::new(Regions::new(all.values().flat_map(|own| own.regions(Extent::Mapped))));
        Arc::clone(regions.get_or_insert_with(make))
    }
}

/// Returns the reservation that contains a range, and the offset of the range in it.
fn find<A>(state: &mut State<A>, first: u64, bytes: usize) -> Result<(&mut Reservation<A>, usize), Failure> {
    let (start, own) = state.all.range_mut(..=first).next_back().ok_or(Failure::InvalidValue)?;
    let at = usize::try_from(first - start).map_err(|_| Failure::InvalidValue)?;
    let fits = at.checked_add(bytes).is_some_and(|end| end <= own.space.bytes());
    if fits { Ok((own, at)) } else { Err(Failure::InvalidValue) }
}

impl<A: Clone> Reservation<A> {
    /// Splits the mapped pages at an offset.
    fn split(&mut self, at: usize) {
        let Some((&start, part)) = self.parts.range_mut(..at).next_back() else { return };
        let before = at - start;
        if before < part.bytes {
            let (first, bytes) = (part.first + before as u64, part.bytes - before);
            let after = Mapped { first, bytes, ..part.clone() };
            part.bytes = before;
            self.parts.insert(at, after);
        }
    }

    /// Returns the access to the byte at an offset, and the end of the pages that are known to have
    /// this access.
    fn access(&self, at: usize) -> (Access, usize) {
        if let Some((start, part)) =
            self.parts.range(..=at).next_back().filter(|(start, part)| at - *start < part.bytes)
        {
            return (part.access, start + part.bytes);
        }
        let next = self.parts.range(at..).next();
        (Access::None, next.map_or(self.space.bytes(), |(start, _)| *start))
    }

    /// Returns the memory of each slot, with its address.
    fn regions(&self, extent: Extent) -> Vec<(u64, Lent)> {
        let slot = SLOT as usize;
        let count = self.space.bytes().div_ceil(slot);
        let lent = |n: usize| {
            let (start, end) = (n * slot, (n + 1) * slot);
            let mut parts: Vec<Part> = Vec::new();
            let first = self.parts.range(..start).next_back().map_or(start, |(at, _)| *at);
            for (at, part) in self.parts.range(first..end).filter(|(_, part)| part.access != Access::None) {
                let (from, to) = (at.max(&start) - start, (at + part.bytes).min(end).saturating_sub(start));
                let (from, to, is_writable) = (from as u64, to as u64, part.access == Access::Write);
                match parts.last_mut() {
                    _ if from >= to => {}
                    Some(last) if last.end == from && last.is_writable == is_writable => last.end = to,
                    _ => parts.push(Part { start: from, end: to, is_writable }),
                }
            }
            let is_plain = matches!(parts.as_slice(), [only] if only.start == 0 && only.is_writable);
            let (bytes, is_plain) = match extent {
                Extent::Mapped => (parts.last()?.end, is_plain),
                Extent::Reserved => ((end.min(self.space.bytes()) - start) as u64, false),
            };
            let guards = if is_plain && bytes <= MAX_BUFFER { None } else { Some(Guards::new(parts)) };
            Some((self.space.first() + start as u64, self.space.lend(start, bytes as usize, guards)))
        };
        (0..count).filter_map(lent).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::storage::PAGE;

    #[test]
    fn pages_are_mapped_and_guarded() {
        let all = Reservations::<u8>::default();
        let first = all.reserve(1, 8 * PAGE).unwrap();
        let physical = Physical::new(4 * PAGE).unwrap();
        let page = |n: usize| first + (n * PAGE) as u64;
        let map = |n: usize, count: usize, offset: usize, access| {
            all.map((page(n), count * PAGE), (&physical, offset * PAGE), access, 7)
        };
        assert!(all.regions([]).all().is_empty() && all.lookup(first).is_none());
        assert_eq!(map(0, 2, 0, Access::Write), Ok(()));
        assert_eq!(map(1, 1, 0, Access::Write), Err(Failure::InvalidValue), "the page is mapped");
        assert_eq!(map(2, 2, 3, Access::Write), Err(Failure::InvalidValue), "physical memory ends");
        assert_eq!(map(7, 2, 0, Access::Write), Err(Failure::InvalidValue), "the reservation ends");
        // One range from the start needs no guards.
        let regions = all.regions([]);
        let [(at, lent)] = regions.all() else { panic!("one region") };
        assert!(*at == first && lent.bytes == 2 * PAGE && lent.guards.is_none());
        // A pointer to another page.
        let beyond = all.regions([page(5)]);
        assert!(beyond.all()[0].1.bytes == 8 * PAGE && beyond.all()[0].1.readable().iter().eq([&(0..2048)]));
        // The same physical page at two addresses.
        assert_eq!(map(4, 1, 1, Access::Read), Ok(()));
        // SAFETY: both pages are mapped.
        unsafe {
            (page(1) as *mut u32).write(42);
            assert_eq!((page(4) as *const u32).read(), 42);
        }
        assert_eq!(all.regions([]).all()[0].1.readable(), [0..2048, 4096..5120]);
        assert_eq!(all.access(page(0), 8 * PAGE), Ok((Access::Write, 2 * PAGE)));
        assert_eq!(all.access(page(2), 6 * PAGE), Ok((Access::None, 2 * PAGE)));
        assert_eq!(all.access(page(4), 4 * PAGE), Ok((Access::Read, PAGE)));
        assert_eq!(all.lookup(page(4) + 9).map(|found| (found.first, found.about)), Some((page(4), 7)));
        assert!(all.find_range(page(0), 2 * PAGE).is_ok_and(|found| found.is_some()));
        assert!(
            all.find_range(page(1), 2 * PAGE).is_err() && all.find_range(16, 1).is_ok_and(|found| found.is_none())
        );
        // Parts of a mapping change.
        assert_eq!(all.set_access(page(1), PAGE, Access::Read), Ok(()));
        assert_eq!(all.set_access(page(6), PAGE, Access::Read), Err(Failure::InvalidValue));
        assert_eq!(all.access(page(0), 2 * PAGE), Ok((Access::Write, PAGE)));
        assert_eq!(all.unmap(page(0), PAGE), Ok(()));
        assert_eq!(all.access(page(0), 2 * PAGE), Ok((Access::None, PAGE)));
        // SAFETY: the second page is mapped.
        assert_eq!(unsafe { (page(1) as *const u32).read() }, 42);
        // A launch holds the region, so that its pages stay accessible.
        // SAFETY: zeros replace the page.
        assert_eq!((all.unmap(page(1), PAGE), unsafe { (page(1) as *const u32).read() }), (Ok(()), 0));
        drop((regions, beyond));
        assert_eq!(all.free(first, PAGE), Err(Failure::InvalidValue));
        assert_eq!((all.free(first, 8 * PAGE), all.free(first, 8 * PAGE)), (Ok(()), Err(Failure::InvalidValue)));
        // More than one slot.
        let large = all.reserve(2, 3 * SLOT as usize).unwrap();
        let at = large + SLOT - PAGE as u64;
        assert_eq!(all.map((at, 2 * PAGE), (&physical, 0), Access::Write, 0), Ok(()));
        let regions = all.regions([]);
        assert_eq!(
            regions.all().iter().map(|(at, lent)| (*at, lent.bytes)).collect::<Vec<_>>(),
            [(large, SLOT as usize), (large + SLOT, PAGE)]
        );
        all.free_of(2);
        assert!(all.regions([]).all().is_empty());
    }
}
