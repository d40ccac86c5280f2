//! Commands on memory: copies, fills, and time stamps.

use std::ffi::c_void;
use std::sync::Arc;

use visakit_runtime::base::clock::now;
use visakit_runtime::base::storage::{self, Storage};

use crate::base::handle::Handle;
use crate::base::result::*;
use crate::base::types::{CopyRegion, KernelTimestampResult};
use crate::devices::context::{Holder, find_range};
use crate::queues::event::Event;
use crate::queues::timeline::Work;

/// Memory of a command: an address, and the allocation that contains it. Closures get the address
/// by a method, so that they capture the allocation too.
#[derive(Clone)]
pub(crate) struct Place {
    address: usize,
    _held: Option<Holder>,
}

impl Place {
    /// Returns the memory at an address. Memory outside of allocations belongs to the program.
    pub(crate) fn new(address: *mut c_void, size: usize) -> Result<Self> {
        ensure(!address.is_null(), ERROR_INVALID_NULL_POINTER)?;
        let address = address as usize;
        Ok(Self { address, _held: find_range(address, size)? })
    }

    /// Returns the address of the first byte.
    fn address(&self) -> usize {
        self.address
    }

    /// Returns the memory of an image.
    pub(crate) fn of_storage(storage: &Arc<Storage>) -> Self {
        Self { address: storage.first() as usize, _held: Some(Arc::clone(storage) as Holder) }
    }
}

/// Rows and slices of memory.
pub(crate) struct Rows {
    pub(crate) place: Place,
    pub(crate) offset: usize,
    /// Pitches of rows and slices in bytes.
    pub(crate) pitches: (usize, usize),
    /// Bytes per row, rows and slices.
    pub(crate) size: [usize; 3],
}

/// Copies rows and slices, which fit into both places.
///
/// # Errors
/// Different sizes.
pub(crate) fn copy_rows(to: Rows, from: Rows) -> Result<Work> {
    ensure(to.size == from.size, ERROR_INVALID_SIZE)?;
    Ok(Arc::new(move || {
        let first = |rows: &Rows| (rows.place.address() + rows.offset) as *mut u8;
        // SAFETY: allocations and images are held, and both have the rows; the program guarantees
        // its own memory.
        unsafe { storage::copy(first(&from), from.pitches, first(&to), to.pitches, to.size) };
        Ok(())
    }))
}

/// Copies bytes. The ranges may overlap.
pub(crate) fn copy(to: Place, from: Place, size: usize) -> Work {
    Arc::new(move || {
        // SAFETY: the program guarantees `size` bytes at both addresses; allocations are held.
        unsafe { std::ptr::copy(from.address() as *const u8, to.address() as *mut u8, size) };
        Ok(())
    })
}

/// Fills memory with a pattern.
pub(crate) fn fill(to: Place, pattern: Vec<u8>, size: usize) -> Work {
    Arc::new(move || {
        // SAFETY: the program guarantees `size` bytes at the address; allocations are held.
        unsafe { storage::fill(to.address() as *mut u8, size, &pattern) };
        Ok(())
    })
}

/// Region of memory with its pitches in bytes.
#[derive(Clone, Copy)]
pub(crate) struct Region {
    pub(crate) region: CopyRegion,
    pub(crate) pitch: u32,
    pub(crate) slice_pitch: u32,
}

impl Region {
    /// Returns the pitches of rows and slices, and the offset of the first byte.
    fn layout(self) -> ((usize, usize), usize) {
        let CopyRegion { origin_x, origin_y, origin_z, width, height, .. } = self.region;
        let or = |given: u32, default: usize| if given == 0 { default } else { given as usize };
        let row = or(self.pitch, width as usize);
        let slice = or(self.slice_pitch, row.saturating_mul(height as usize));
        let offset = (origin_x as usize)
            .saturating_add(row.saturating_mul(origin_y as usize))
            .saturating_add(slice.saturating_mul(origin_z as usize));
        ((row, slice), offset)
    }

    /// Returns the number of bytes per row, rows and slices.
    fn size(self) -> [usize; 3] {
        [self.region.width, self.region.height, self.region.depth.max(1)].map(|side| side as usize)
    }

    /// Returns the number of bytes up to the end of the region.
    fn end(self) -> usize {
        let ((row, slice), offset) = self.layout();
        let [width, height, depth] = self.size();
        let rows = row.saturating_mul(height.saturating_sub(1));
        offset.saturating_add(width).saturating_add(rows).saturating_add(slice.saturating_mul(depth - 1))
    }
}

/// Copies a region of rows and slices.
///
/// # Errors
/// Regions of different size, and those that exceed their allocation.
pub(crate) fn copy_region(to: (*mut c_void, Region), from: (*mut c_void, Region)) -> Result<Work> {
    let rows = |(address, region): (*mut c_void, Region)| -> Result<Rows> {
        let (pitches, offset) = region.layout();
        let place = Place::new(address, region.end())?;
        Ok(Rows { place, offset, pitches, size: region.size() })
    };
    copy_rows(rows(to)?, rows(from)?)
}

/// Writes the time of the device.
pub(crate) fn write_time(to: Place) -> Work {
    Arc::new(move || {
        // SAFETY: the program guarantees 8 bytes at the address; an allocation is held.
        unsafe { (to.address() as *mut u64).write_unaligned(now()) };
        Ok(())
    })
}

/// Writes the time stamps of events, each at its offset.
pub(crate) fn write_timestamps(to: Place, events: Vec<Handle<Event>>, offsets: Vec<usize>) -> Work {
    Arc::new(move || {
        for (event, offset) in events.iter().zip(&offsets) {
            let times = event.timestamps().unwrap_or_default();
            // SAFETY: the program guarantees room at each offset; an allocation is held.
            unsafe { ((to.address() + offset) as *mut KernelTimestampResult).write_unaligned(times) };
        }
        Ok(())
    })
}

/// Runs as many works as memory says, at most all.
pub(crate) fn some_of(count: Place, works: Vec<Work>) -> Work {
    Arc::new(move || {
        // SAFETY: the program guarantees the number at the address; an allocation is held.
        let count = unsafe { (count.address() as *const u32).read_unaligned() };
        works.iter().take(count as usize).try_for_each(|work| work())
    })
}
