//! Contexts, and the memory that kernels and the program share.

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex};

use visakit_emulator::machine::memory::SLOT;
use visakit_runtime::base::storage::Storage;
use visakit_runtime::devices::allocations::{Allocation, Allocations};
use visakit_runtime::devices::description::max_allocation;

use crate::base::handle::{Handle, kind};
use crate::base::result::*;
use crate::devices::device::Device;

/// Context of the API.
pub(crate) struct Context {
    pub(crate) devices: Vec<Handle<Device>>,
    /// Number of the context, unique in the process.
    id: u64,
}

kind!(Context);

/// Memory of all contexts. As in Intel's runtime, commands of one context may use memory of
/// another.
pub(crate) static ALLOCATIONS: LazyLock<Allocations<Usm>> = LazyLock::new(Allocations::default);

/// Properties of an allocation.
#[derive(Clone)]
pub(crate) struct Usm {
    /// Kind of memory: `HOST`, `DEVICE` or `SHARED`.
    pub(crate) kind: u32,
    pub(crate) device: Option<Handle<Device>>,
    /// Number of the allocation, unique in the process.
    pub(crate) id: u64,
    /// Number of the context.
    context: u64,
    /// Atomic accesses that the program declares, by device; they have no effect.
    pub(crate) atomics: Arc<Mutex<BTreeMap<usize, u32>>>,
}

/// Kinds of memory.
pub(crate) const HOST: u32 = 1;
pub(crate) const DEVICE: u32 = 2;
pub(crate) const SHARED: u32 = 3;

/// Maximum alignment in bytes; all allocations begin at the start of a slot.
const MOST_ALIGNMENT: usize = SLOT as usize;

impl Drop for Context {
    fn drop(&mut self) {
        ALLOCATIONS.free_if(|usm| usm.context == self.id);
    }
}

/// Returns a number that is unique in the process.
pub(crate) fn next() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

impl Context {
    /// Creates a context of some devices.
    pub(crate) fn new(devices: Vec<Handle<Device>>) -> Self {
        Self { devices, id: next() }
    }

    /// Returns true if a device belongs to the context.
    pub(crate) fn has(&self, device: &Handle<Device>) -> bool {
        self.devices.iter().any(|own| Arc::ptr_eq(own, device))
    }

    /// Allocates memory.
    pub(crate) fn allocate(
        &self,
        kind: u32,
        device: Option<Handle<Device>>,
        size: usize,
        alignment: usize,
    ) -> Result<*mut c_void> {
        if let Some(device) = &device {
            ensure(self.has(device), ERROR_INVALID_ARGUMENT)?;
        }
        // As in Intel's driver, other alignments than powers of two are no error.
        ensure(alignment <= MOST_ALIGNMENT, ERROR_UNSUPPORTED_ALIGNMENT)?;
        ensure(size > 0 && size as u64 <= max_allocation(), ERROR_UNSUPPORTED_SIZE)?;
        let storage = Storage::in_slot(size).ok_or(ERROR_OUT_OF_DEVICE_MEMORY)?;
        let about = Usm { kind, device, id: next(), context: self.id, atomics: Arc::default() };
        Ok(ALLOCATIONS.add(Allocation { storage, about }))
    }
}
