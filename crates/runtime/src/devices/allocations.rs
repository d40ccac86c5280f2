//! Memory that kernels and the program access by the same addresses, of a context.

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use visakit_emulator::machine::memory::Regions;

use crate::base::failure::Failure;
use crate::base::storage::Storage;

/// Allocations of a context.
pub struct Allocations<A>(Mutex<State<A>>);

struct State<A> {
    /// Allocations by address.
    all: BTreeMap<u64, Allocation<A>>,
    /// All allocations in the form for launches; rebuilt after a change.
    regions: Option<Arc<Regions>>,
}

/// Allocation of shared memory.
#[derive(Clone)]
pub struct Allocation<A> {
    /// Memory.
    pub storage: Arc<Storage>,
    /// Properties of the API: the kind of memory, the device.
    pub about: A,
}

impl<A> Default for Allocations<A> {
    fn default() -> Self {
        Self(Mutex::new(State { all: BTreeMap::new(), regions: None }))
    }
}

impl<A: Clone> Allocations<A> {
    fn state(&self) -> MutexGuard<'_, State<A>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the allocation that contains an address, with its properties.
    pub fn lookup(&self, address: usize) -> Option<Allocation<A>> {
        let state = self.state();
        let (first, found) = state.all.range(..=address as u64).next_back()?;
        (address as u64 - first < found.storage.bytes().max(1) as u64).then(|| found.clone())
    }

    /// Returns the allocation that contains an address.
    pub fn find(&self, address: usize) -> Option<Arc<Storage>> {
        self.lookup(address).map(|found| found.storage)
    }

    /// Returns the allocation that contains a range; `None` for memory of the program. The range
    /// may extend to the end of the last page: oneMKL copies its whole results, also those that
    /// its caller has no space for.
    ///
    /// # Errors
    /// Fails if the range extends beyond this page.
    pub fn find_range(&self, first: usize, size: usize) -> Result<Option<Arc<Storage>>, Failure> {
        let Some(found) = self.lookup(first) else { return Ok(None) };
        let offset = first - found.storage.first() as usize;
        let fits = offset.checked_add(size).is_some_and(|end| end <= found.storage.mapped_bytes());
        if fits { Ok(Some(found.storage)) } else { Err(Failure::InvalidValue) }
    }

    /// Returns all allocations, for a launch.
    pub fn regions(&self) -> Arc<Regions> {
        let mut state = self.state();
        let State { all, regions } = &mut *state;
        let lent = || all.iter().map(|(first, one)| (*first, one.storage.lend(0, usize::MAX)));
        let make = || Arc::new(Regions::new(lent()));
        Arc::clone(regions.get_or_insert_with(make))
    }

    /// Adds an allocation and returns its address.
    pub fn add(&self, allocation: Allocation<A>) -> *mut c_void {
        let first = allocation.storage.first();
        let mut state = self.state();
        state.all.insert(first as u64, allocation);
        state.regions = None;
        first.cast()
    }

    /// Frees the allocation that begins at an address. Launches that use it keep it alive until
    /// they are over.
    ///
    /// # Errors
    /// `InvalidValue` if no allocation begins there.
    pub fn free(&self, address: *mut c_void) -> Result<(), Failure> {
        let mut state = self.state();
        let gone = state.all.remove(&(address as u64));
        let regions = gone.is_some().then(|| state.regions.take());
        drop(state);
        drop(regions);
        gone.map(drop).ok_or(Failure::InvalidValue)
    }

    /// Frees all allocations whose properties fulfil a condition.
    pub fn free_if(&self, mut is_gone: impl FnMut(&A) -> bool) {
        let mut state = self.state();
        let all = std::mem::take(&mut state.all);
        let (gone, rest): (BTreeMap<_, _>, _) = all.into_iter().partition(|(_, one)| is_gone(&one.about));
        state.all = rest;
        let regions = state.regions.take();
        drop(state);
        drop((gone, regions));
    }
}
