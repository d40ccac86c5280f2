//! Contexts, and the memory that kernels and the program share.

use std::any::Any;
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::fs::File;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex};

use visakit_emulator::machine::memory::{Regions, SLOT};
use visakit_runtime::base::storage::Storage;
use visakit_runtime::devices::allocations::{Allocation, Allocations};
use visakit_runtime::devices::description::{max_allocation, memory_bytes};
use visakit_runtime::devices::reservations::{Physical, Reservations};

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

/// Virtual memory of all contexts.
pub(crate) static RESERVATIONS: LazyLock<Reservations<Usm>> = LazyLock::new(Reservations::default);

/// Physical memory that a program maps.
pub(crate) struct PhysicalMemory {
    pub(crate) memory: Arc<Physical>,
    pub(crate) about: Usm,
}

kind!(PhysicalMemory);

/// Flags of atomic accesses, by device.
pub(crate) type AtomicFlags = Arc<Mutex<BTreeMap<usize, u32>>>;

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
    pub(crate) atomics: AtomicFlags,
    /// True for memory of an interprocess handle.
    pub(crate) is_imported: bool,
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
        RESERVATIONS.free_of(self.id);
    }
}

/// Returns all memory that kernels and the program share, for a launch with pointers.
pub(crate) fn regions(pointers: impl IntoIterator<Item = u64>) -> Vec<Arc<Regions>> {
    vec![ALLOCATIONS.regions(), RESERVATIONS.regions(pointers)]
}

/// Returns the number of bytes of all allocations.
pub(crate) fn allocated() -> u64 {
    ALLOCATIONS.regions().all().iter().map(|(_, lent)| lent.bytes as u64).sum()
}

/// Memory at an address.
pub(crate) struct Found {
    pub(crate) first: u64,
    pub(crate) bytes: usize,
    pub(crate) about: Usm,
}

/// Returns the allocation, or the mapped virtual memory, that contains an address.
pub(crate) fn lookup(address: u64) -> Option<Found> {
    if let Some(found) = ALLOCATIONS.lookup(address as usize) {
        let Allocation { storage, about } = found;
        return Some(Found { first: storage.first() as u64, bytes: storage.bytes(), about });
    }
    RESERVATIONS.lookup(address).map(|found| Found { first: found.first, bytes: found.bytes, about: found.about })
}

/// Calls a function with the file and the size of the memory at an address: mapped pages, or an
/// allocation, which moves to a file.
///
/// # Errors
/// Fails for addresses without memory, and as on a device for memory that migrates.
pub(crate) fn with_file<T>(first: u64, export: impl FnOnce(&File, usize) -> Result<T>) -> Result<T> {
    if let Some(mapped) = RESERVATIONS.lookup(first) {
        return export(mapped.physical.file(), mapped.physical.bytes());
    }
    let found = ALLOCATIONS.lookup(first as usize).ok_or(ERROR_INVALID_ARGUMENT)?;
    ensure(found.about.kind != SHARED, ERROR_INVALID_ARGUMENT)?;
    export(found.storage.share().ok_or(ERROR_OUT_OF_HOST_MEMORY)?, found.storage.bytes())
}

/// Owner of memory; while an owner is held, the memory exists.
pub(crate) type Holder = Arc<dyn Any + Send + Sync>;

/// Returns the owner of a range; `None` for memory of the program.
///
/// # Errors
/// Fails if the range extends beyond its allocation, or some of its pages are not mapped.
pub(crate) fn find_range(first: usize, bytes: usize) -> Result<Option<Holder>> {
    if let Some(found) = ALLOCATIONS.find_range(first, bytes)? {
        return Ok(Some(found));
    }
    Ok(RESERVATIONS.find_range(first as u64, bytes)?.map(|found| found as Holder))
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

    /// Returns the properties of new memory.
    fn usm(&self, kind: u32, device: Option<Handle<Device>>) -> Usm {
        Usm { kind, device, id: next(), context: self.id, is_imported: false, atomics: Arc::default() }
    }

    /// Maps a file that the program passes; it is freed like other memory.
    pub(crate) fn allocate_file(
        &self,
        kind: u32,
        device: Option<Handle<Device>>,
        (file, bytes): (File, usize),
    ) -> Result<*mut c_void> {
        if let Some(device) = &device {
            ensure(self.has(device), ERROR_INVALID_ARGUMENT)?;
        }
        ensure(bytes > 0, ERROR_UNSUPPORTED_SIZE)?;
        let storage = Storage::of_file(file, bytes).ok_or(ERROR_INVALID_ARGUMENT)?;
        Ok(ALLOCATIONS.add(Allocation { storage, about: self.usm(kind, device) }))
    }

    /// Maps a file of an interprocess handle.
    pub(crate) fn import(&self, device: &Handle<Device>, (file, bytes): (File, usize)) -> Result<*mut c_void> {
        let storage = Storage::of_file(file, bytes).ok_or(ERROR_INVALID_ARGUMENT)?;
        let about = Usm { is_imported: true, ..self.usm(DEVICE, Some(Arc::clone(device))) };
        Ok(ALLOCATIONS.add(Allocation { storage, about }))
    }

    /// Reserves addresses.
    pub(crate) fn reserve(&self, bytes: usize) -> Result<u64> {
        RESERVATIONS.reserve(self.id, bytes).ok_or(ERROR_OUT_OF_HOST_MEMORY)
    }

    /// Creates physical memory.
    pub(crate) fn physical(&self, kind: u32, device: Option<Handle<Device>>, bytes: usize) -> Result<PhysicalMemory> {
        if let Some(device) = &device {
            ensure(self.has(device), ERROR_INVALID_ARGUMENT)?;
        }
        ensure(bytes as u64 <= memory_bytes(), ERROR_UNSUPPORTED_SIZE)?;
        let memory = Physical::new(bytes).ok_or(ERROR_OUT_OF_DEVICE_MEMORY)?;
        Ok(PhysicalMemory { memory, about: self.usm(kind, device) })
    }

    /// Returns true for physical memory of this context.
    pub(crate) fn owns(&self, physical: &PhysicalMemory) -> bool {
        physical.about.context == self.id
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
        let about = self.usm(kind, device);
        Ok(ALLOCATIONS.add(Allocation { storage, about }))
    }
}
