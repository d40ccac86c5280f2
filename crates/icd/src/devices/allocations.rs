//! Memory that kernels and the program access by the same addresses, of a context.

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use opencl_sys::*;
use visakit_emulator::machine::buffer::Lent;

use crate::base::error::{Result, ensure};
use crate::base::handle::Handle;
use crate::base::storage::Storage;
use crate::devices::device::Device;

/// Allocations of a context.
#[derive(Default)]
pub(crate) struct Allocations(Mutex<State>);

#[derive(Default)]
struct State {
    /// Allocations by address.
    all: BTreeMap<u64, Allocation>,
    /// All allocations in the form for launches; rebuilt after a change.
    regions: Option<Arc<Vec<(u64, Lent)>>>,
}

/// Allocation of shared memory.
#[derive(Clone)]
pub(crate) struct Allocation {
    pub(crate) storage: Arc<Storage>,
    /// Type of unified shared memory.
    pub(crate) kind: cl_unified_shared_memory_type_intel,
    /// Device that it belongs to; `None` for host memory.
    pub(crate) device: Option<Handle<Device>>,
    pub(crate) flags: cl_mem_alloc_flags_intel,
}

impl Allocations {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn lookup(&self, address: usize) -> Option<Allocation> {
        let state = self.state();
        let (first, found) = state.all.range(..=address as u64).next_back()?;
        (address as u64 - first < found.storage.bytes().max(1) as u64).then(|| found.clone())
    }

    /// Returns the allocation that contains an address.
    pub(crate) fn find(&self, address: usize) -> Option<Arc<Storage>> {
        self.lookup(address).map(|found| found.storage)
    }

    /// Returns the allocation that contains a range; `None` for memory of the program. The range
    /// may extend to the end of the last page: oneMKL copies its whole results, also those that
    /// its caller has no space for.
    ///
    /// # Errors
    /// Fails if the range extends beyond this page.
    pub(crate) fn find_range(&self, first: usize, size: usize) -> Result<Option<Arc<Storage>>> {
        let Some(found) = self.lookup(first) else { return Ok(None) };
        let offset = first - found.storage.first() as usize;
        let fits = offset.checked_add(size).is_some_and(|end| end <= found.storage.mapped_bytes());
        ensure(fits, CL_INVALID_VALUE)?;
        Ok(Some(found.storage))
    }

    /// Returns all allocations, for a launch.
    pub(crate) fn regions(&self) -> Arc<Vec<(u64, Lent)>> {
        let mut state = self.state();
        let State { all, regions } = &mut *state;
        let make = || Arc::new(all.iter().map(|(first, one)| (*first, one.storage.lend(0, usize::MAX))).collect());
        Arc::clone(regions.get_or_insert_with(make))
    }

    pub(crate) fn add(&self, allocation: Allocation) -> *mut c_void {
        let first = allocation.storage.first();
        let mut state = self.state();
        state.all.insert(first as u64, allocation);
        state.regions = None;
        first.cast()
    }

    /// Frees the allocation that begins at an address. Launches that use it keep it alive until
    /// they are over.
    pub(crate) fn free(&self, address: *mut c_void) -> Result {
        let mut state = self.state();
        let gone = state.all.remove(&(address as u64));
        let regions = gone.is_some().then(|| state.regions.take());
        drop(state);
        drop(regions);
        ensure(gone.is_some(), CL_INVALID_VALUE)
    }
}
