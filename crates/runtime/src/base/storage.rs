//! Memory that kernels and the program share: allocated by the driver, provided by the program, or
//! at an address that both use.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::collections::BTreeSet;
use std::fs::File;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd};
use std::os::unix::fs::FileExt;
use std::sync::atomic::AtomicU32;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use visakit_emulator::machine::buffer::{Guards, Lent};
use visakit_emulator::machine::memory::{FIXED, MAX_BUFFER, SLOT};

/// Alignment of memory objects in bytes: the devices' alignment of their largest type.
pub const ALIGNMENT: usize = 128;
/// Size of a page in bytes, the smallest unit that the system maps. Sizes, addresses and offsets of
/// virtual memory are multiples of it.
pub const PAGE: usize = 4096;
/// Minimum size in bytes of memory that is mapped from the system, which commits pages on first
/// use.
const LARGE: usize = 1 << 20;
/// Maximum number of slots to try. Slots may belong to another driver in this process.
const MOST_TRIES: usize = 1 << 16;
/// Minimum size in bytes of the block that a fill repeats.
const FILL_BLOCK: usize = 1 << 14;
/// End of the address range for slots.
pub const FIXED_END: u64 = 1 << 46;

/// Memory of an object.
pub struct Storage {
    first: *mut u8,
    bytes: usize,
    home: Home,
    /// File of the memory, once it is shared with other processes.
    shared: OnceLock<File>,
}

/// Origin of memory.
enum Home {
    Heap(Layout),
    /// Mapping of this many bytes.
    System(usize),
    /// Slot of the address range for shared memory.
    Slot(u64),
    /// Memory of the program.
    Program,
}

// SAFETY: the memory lives until the storage is dropped. Every access uses atomic words, or is
// ordered by the program, as the memory model of devices requires.
unsafe impl Send for Storage {}
// SAFETY: as above.
unsafe impl Sync for Storage {}

impl Storage {
    /// Allocates zeroed memory.
    pub fn new(bytes: usize) -> Option<Arc<Self>> {
        if bytes >= LARGE {
            let whole = bytes.checked_next_multiple_of(ALIGNMENT)?;
            return Some(Self::at(map(whole)?, bytes, Home::System(whole)));
        }
        let layout = Layout::from_size_align(bytes.max(1).next_multiple_of(ALIGNMENT), ALIGNMENT).ok()?;
        // SAFETY: the layout has a size.
        let first = unsafe { alloc_zeroed(layout) };
        (!first.is_null()).then(|| Self::at(first, bytes, Home::Heap(layout)))
    }

    fn at(first: *mut u8, bytes: usize, home: Home) -> Arc<Self> {
        Arc::new(Self { first, bytes, home, shared: OnceLock::new() })
    }

    /// Allocates zeroed memory at an address that kernels use too.
    pub fn in_slot(bytes: usize) -> Option<Arc<Self>> {
        if bytes as u64 > MAX_BUFFER {
            return None;
        }
        let whole = bytes.max(1).next_multiple_of(ALIGNMENT);
        let slot = claim(1, whole, WRITABLE, None)?;
        let first = slot as *mut u8;
        prefer_large_pages(first, whole);
        Some(Self::at(first, bytes, Home::Slot(slot)))
    }

    /// Maps a file at an address that kernels use too.
    pub fn of_file(file: File, bytes: usize) -> Option<Arc<Self>> {
        let whole = bytes.max(1).next_multiple_of(PAGE);
        if bytes as u64 > MAX_BUFFER || file.metadata().ok()?.len() < whole as u64 {
            return None;
        }
        let slot = claim(1, whole, WRITABLE, Some((file.as_fd(), 0)))?;
        let (first, home) = (slot as *mut u8, Home::Slot(slot));
        Some(Arc::new(Self { first, bytes, home, shared: OnceLock::from(file) }))
    }

    /// Moves memory of a slot to a file that other processes can map, and returns the file. A write
    /// at the same time may be lost.
    pub fn share(&self) -> Option<&File> {
        if self.shared.get().is_none() {
            self.slot()?;
            let whole = self.bytes.max(1).next_multiple_of(PAGE);
            let file = anonymous_file(whole)?;
            // SAFETY: the memory has whole pages, and lives until the storage is dropped.
            let contents = unsafe { std::slice::from_raw_parts(self.first, whole) };
            file.write_all_at(contents, 0).ok()?;
            // Another thread may have been faster; then this file is dropped.
            if self.shared.set(file).is_ok() {
                let file = self.shared.get()?;
                place(self.first as u64, whole, WRITABLE, libc::MAP_FIXED, Some((file.as_fd(), 0))).then_some(())?;
            }
        }
        self.shared.get()
    }

    /// Wraps memory of the program if kernels can use it in place: aligned whole words.
    ///
    /// # Safety
    /// `first` points to `bytes` bytes that live until the storage is dropped.
    pub unsafe fn of_program(first: *mut u8, bytes: usize) -> Option<Arc<Self>> {
        let words = (first as usize).is_multiple_of(4) && bytes.is_multiple_of(4);
        words.then(|| Self::at(first, bytes, Home::Program))
    }

    /// Returns the number of bytes up to the end of the last page, for memory in a slot: as on a
    /// device, they exist.
    pub fn mapped_bytes(&self) -> usize {
        match self.home {
            Home::Slot(_) => self.bytes.max(1).next_multiple_of(PAGE),
            _ => self.bytes,
        }
    }

    /// Returns the address of the first byte.
    pub fn first(&self) -> *mut u8 {
        self.first
    }

    /// Returns the size in bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Returns a part of the memory for kernels; the offset must be a multiple of four.
    pub fn lend(self: &Arc<Self>, offset: usize, bytes: usize) -> Lent {
        let room = self.bytes.saturating_sub(offset);
        let bytes = bytes.min(room);
        let count = bytes.div_ceil(4);
        // SAFETY: our own memory is padded to whole words and the program's has only whole words.
        // The words live until the storage is dropped, which `owner` holds; `Lent` is designed for
        // this `'static` lifetime. They are aligned, and every bit pattern is valid.
        let words =
            unsafe { std::slice::from_raw_parts(self.first.add(offset.min(self.bytes)).cast::<AtomicU32>(), count) };
        Lent { words, bytes, owner: Arc::clone(self) as _, guards: None }
    }

    /// Returns the address of the memory's slot for kernels.
    pub fn slot(&self) -> Option<u64> {
        if let Home::Slot(slot) = self.home { Some(slot) } else { None }
    }
}

impl Drop for Storage {
    fn drop(&mut self) {
        match self.home {
            // SAFETY: the memory was allocated with this layout, and nothing uses it any more.
            Home::Heap(layout) => unsafe { dealloc(self.first, layout) },
            Home::System(bytes) => unmap(self.first, bytes),
            Home::Slot(slot) => {
                unmap(self.first, self.bytes.max(1).next_multiple_of(ALIGNMENT));
                SLOTS.lock().unwrap_or_else(PoisonError::into_inner).free.insert(slot);
            }
            Home::Program => {}
        }
    }
}

/// Creates an anonymous file of zeros. The system commits its pages on first use.
pub fn anonymous_file(bytes: usize) -> Option<File> {
    // SAFETY: the name is a string; the result is a new file or -1.
    let fd = unsafe { libc::memfd_create(c"visakit".as_ptr(), libc::MFD_CLOEXEC) };
    if fd < 0 {
        return None;
    }
    // SAFETY: the file is open, and nothing else owns it.
    let file = unsafe { File::from_raw_fd(fd) };
    file.set_len(bytes as u64).ok()?;
    Some(file)
}

/// Reserved addresses for kernels, in whole slots. Files are mapped to their pages.
pub struct Space {
    first: u64,
    bytes: usize,
}

impl Space {
    /// Reserves addresses, a multiple of the system's page size.
    pub fn new(bytes: usize) -> Option<Arc<Self>> {
        let first = claim((bytes as u64).div_ceil(SLOT), bytes, libc::PROT_NONE, None)?;
        Some(Arc::new(Self { first, bytes }))
    }

    /// Returns the first address.
    pub fn first(&self) -> u64 {
        self.first
    }

    /// Returns the size in bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Maps pages of a file. Returns false if the system refuses.
    pub fn map(&self, offset: usize, bytes: usize, file: FilePart<'_>) -> bool {
        let fits = offset.checked_add(bytes).is_some_and(|end| end <= self.bytes);
        let at = self.first + offset as u64;
        fits && place(at, bytes, WRITABLE, libc::MAP_FIXED, Some(file))
    }

    /// Removes pages of a file. If commands still use the addresses, zeros replace the pages,
    /// because an access to missing pages ends the process.
    pub fn unmap(&self, offset: usize, bytes: usize, is_used: bool) {
        if offset.checked_add(bytes).is_some_and(|end| end <= self.bytes) {
            let rights = if is_used { WRITABLE } else { libc::PROT_NONE };
            place(self.first + offset as u64, bytes, rights, libc::MAP_FIXED, None);
        }
    }

    /// Returns the part in one slot for kernels: `bytes` bytes from an offset, of which kernels may
    /// access what the guards allow. Without guards, all pages must be mapped.
    pub fn lend(self: &Arc<Self>, offset: usize, bytes: usize, guards: Option<Guards>) -> Lent {
        let offset = offset.min(self.bytes);
        let bytes = bytes.min(self.bytes - offset);
        // SAFETY: the words are inside the reservation, which `owner` holds; `Lent` is designed for
        // this `'static` lifetime. Kernels access only pages that are mapped.
        let words =
            unsafe { std::slice::from_raw_parts((self.first as usize + offset) as *const AtomicU32, bytes / 4) };
        Lent { words, bytes, owner: Arc::clone(self) as _, guards }
    }
}

impl Drop for Space {
    fn drop(&mut self) {
        unmap(self.first as *mut u8, self.bytes);
        let mut slots = SLOTS.lock().unwrap_or_else(PoisonError::into_inner);
        slots.free.extend((0..(self.bytes as u64).div_ceil(SLOT)).map(|n| self.first + n * SLOT));
    }
}

/// Rights of memory that the program and kernels read and write.
const WRITABLE: i32 = libc::PROT_READ | libc::PROT_WRITE;

/// Open file, and the offset of the first byte to map.
type FilePart<'a> = (BorrowedFd<'a>, usize);

/// Maps pages of a file, or zeros, at the start of free slots, and returns their address.
fn claim(slots: u64, bytes: usize, rights: i32, file: Option<FilePart<'_>>) -> Option<u64> {
    for _ in 0..MOST_TRIES {
        let first = take_slots(slots)?;
        // If other memory uses the addresses, the slots stay taken.
        if place(first, bytes, rights, libc::MAP_FIXED_NOREPLACE, file) {
            return Some(first);
        }
    }
    None
}

/// Maps pages of a file, or zeros, at a fixed address. Returns false if the system refuses.
fn place(at: u64, bytes: usize, rights: i32, fixed: i32, file: Option<FilePart<'_>>) -> bool {
    let (fd, offset) = file.map_or((-1, 0), |(file, offset)| (file.as_raw_fd(), offset));
    let kind = if file.is_some() { libc::MAP_SHARED } else { libc::MAP_PRIVATE | libc::MAP_ANONYMOUS };
    let at = at as *mut libc::c_void;
    // SAFETY: the addresses are free, or belong to the caller's reservation.
    let first = unsafe { libc::mmap(at, bytes, rights, kind | libc::MAP_NORESERVE | fixed, fd, offset as i64) };
    if first != libc::MAP_FAILED && first != at {
        // An old kernel treats the address as a hint only.
        unmap(first.cast(), bytes);
    }
    first == at
}

/// Free slots.
struct Slots {
    free: BTreeSet<u64>,
    next: u64,
}

static SLOTS: Mutex<Slots> = Mutex::new(Slots { free: BTreeSet::new(), next: FIXED });

/// Takes consecutive slots.
fn take_slots(count: u64) -> Option<u64> {
    let mut slots = SLOTS.lock().unwrap_or_else(PoisonError::into_inner);
    if count == 1
        && let Some(slot) = slots.free.pop_first()
    {
        return Some(slot);
    }
    let first = slots.next;
    slots.next = first.checked_add(count.checked_mul(SLOT)?).filter(|end| *end <= FIXED_END)?;
    Some(first)
}

/// Maps memory from the system, at any address.
fn map(bytes: usize) -> Option<*mut u8> {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: new memory that replaces no other.
    let first = unsafe { libc::mmap(std::ptr::null_mut(), bytes, WRITABLE, flags, -1, 0) };
    if first == libc::MAP_FAILED {
        return None;
    }
    prefer_large_pages(first.cast(), bytes);
    Some(first.cast())
}

/// Asks for large pages, which help kernels that access memory with strides of many pages. A
/// failure is harmless.
fn prefer_large_pages(first: *mut u8, bytes: usize) {
    // SAFETY: the range was just mapped, and the advice does not change its contents.
    unsafe { libc::madvise(first.cast(), bytes, libc::MADV_HUGEPAGE) };
}

fn unmap(first: *mut u8, bytes: usize) {
    // SAFETY: the memory came from `map`, and nothing uses it any more.
    unsafe { libc::munmap(first.cast(), bytes) };
}

/// Returns pages of the process for kernels, from the address of a slot. Kernels access only what
/// the guards allow.
///
/// # Safety
/// The guards allow only pages that are mapped, and that stay mapped while kernels use them.
pub unsafe fn lend_process(first: u64, bytes: usize, guards: Guards) -> Lent {
    // SAFETY: kernels access only what the guards allow, which the caller guarantees.
    let words = unsafe { std::slice::from_raw_parts(first as usize as *const AtomicU32, bytes / 4) };
    Lent { words, bytes, owner: Arc::new(()), guards: Some(guards) }
}

/// Copies slices of rows.
///
/// # Safety
/// `size` holds the bytes per row, rows per slice and number of slices. Both memories have these
/// rows with their pitches.
pub unsafe fn copy(
    from: *mut u8,
    from_pitches: (usize, usize),
    to: *mut u8,
    to_pitches: (usize, usize),
    size: [usize; 3],
) {
    let [bytes, rows, slices] = size;
    if from_pitches == to_pitches && from_pitches == (bytes, bytes * rows) {
        // SAFETY: the rows are contiguous; the caller guarantees them.
        return unsafe { std::ptr::copy(from, to, bytes * rows * slices) };
    }
    for (slice, row) in (0..slices).flat_map(|slice| (0..rows).map(move |row| (slice, row))) {
        // SAFETY: the caller guarantees the row.
        unsafe {
            let from = from.add(slice * from_pitches.1 + row * from_pitches.0);
            std::ptr::copy(from, to.add(slice * to_pitches.1 + row * to_pitches.0), bytes);
        }
    }
}

/// Fills memory with a repeated pattern. Copies of the first block keep it in the cache.
///
/// # Safety
/// `first` points to `bytes` bytes.
pub unsafe fn fill(first: *mut u8, bytes: usize, pattern: &[u8]) {
    if bytes == 0 || pattern.is_empty() {
        return;
    }
    // SAFETY: guaranteed by the caller.
    let memory = unsafe { std::slice::from_raw_parts_mut(first, bytes) };
    let mut filled = pattern.len().min(bytes);
    memory[..filled].copy_from_slice(&pattern[..filled]);
    let mut block = filled;
    while filled < bytes {
        // Whole patterns precede, so that a block continues the pattern.
        let count = block.min(bytes - filled);
        memory.copy_within(..count, filled);
        filled += count;
        if block < FILL_BLOCK {
            block = filled;
        }
    }
}
