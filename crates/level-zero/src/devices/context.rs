//! Contexts, and the memory that kernels and the program share.

use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use visakit_runtime::base::storage::Storage;
use visakit_runtime::devices::allocations::{Allocation, Allocations};
use visakit_runtime::devices::description::max_allocation;

use crate::base::handle::{Handle, kind};
use crate::base::result::*;
use crate::devices::device::Device;

/// Context of the API.
pub(crate) struct Context {
    pub(crate) devices: Vec<Handle<Device>>,
    pub(crate) allocations: Allocations<Usm>,
}

kind!(Context);

/// Properties of an allocation.
#[derive(Clone)]
pub(crate) struct Usm {
    /// Kind of memory: `HOST`, `DEVICE` or `SHARED`.
    pub(crate) kind: u32,
    pub(crate) device: Option<Handle<Device>>,
    /// Number of the allocation, unique in the process.
    pub(crate) id: u64,
}

/// Kinds of memory.
pub(crate) const HOST: u32 = 1;
pub(crate) const DEVICE: u32 = 2;
pub(crate) const SHARED: u32 = 3;

/// Maximum alignment in bytes; all allocations begin at the start of a slot.
const MOST_ALIGNMENT: usize = 1 << 21;

impl Context {
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
        static NEXT: AtomicU64 = AtomicU64::new(1);
        if let Some(device) = &device {
            ensure(self.has(device), ERROR_INVALID_ARGUMENT)?;
        }
        let is_aligned = alignment == 0 || alignment.is_power_of_two() && alignment <= MOST_ALIGNMENT;
        ensure(is_aligned, ERROR_UNSUPPORTED_ALIGNMENT)?;
        ensure(size > 0 && size as u64 <= max_allocation(), ERROR_UNSUPPORTED_SIZE)?;
        let storage = Storage::in_slot(size).ok_or(ERROR_OUT_OF_DEVICE_MEMORY)?;
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        Ok(self.allocations.add(Allocation { storage, about: Usm { kind, device, id } }))
    }
}
