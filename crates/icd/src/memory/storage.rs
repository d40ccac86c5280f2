//! Memory that kernels and the program share: our own, the program's, or a place in the address
//! space that both know.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::collections::BTreeSet;
use std::sync::atomic::AtomicU32;
use std::sync::{Arc, Mutex, PoisonError};

use visakit_emulator::machine::buffer::Lent;
use visakit_emulator::machine::memory::{FIXED, MAX_BUFFER, SLOT};

/// Alignment of memory objects in bytes: what the devices say of their largest type.
pub(crate) const ALIGNMENT: usize = 128;
/// Memory of this size is asked of the system, which gives it as it is touched.
const LARGE: usize = 1 << 20;
/// The end of the addresses that slots are taken from.
const FIXED_END: u64 = 1 << 46;

/// Memory of an object.
pub(crate) struct Storage {
    first: *mut u8,
    bytes: usize,
    home: Home,
}

/// Where memory comes from.
enum Home {
    Heap(Layout),
    /// So many bytes of the system.
    System(usize),
    /// A slot of the address space.
    Slot(u64),
    /// The program.
    Program,
}

// SAFETY: the memory is there until the storage is dropped, and every access to it is of atomic
// words or one that the program keeps apart from others, as it has to with the memory of devices.
unsafe impl Send for Storage {}
// SAFETY: as above.
unsafe impl Sync for Storage {}

impl Storage {
    /// So many zero bytes.
    pub(crate) fn new(bytes: usize) -> Option<Arc<Self>> {
        if bytes >= LARGE {
            let whole = bytes.checked_next_multiple_of(ALIGNMENT)?;
            let first = map(std::ptr::null_mut(), whole, 0)?;
            return Some(Arc::new(Self { first, bytes, home: Home::System(whole) }));
        }
        let layout = Layout::from_size_align(bytes.max(1).next_multiple_of(ALIGNMENT), ALIGNMENT).ok()?;
        // SAFETY: the layout has a size.
        let first = unsafe { alloc_zeroed(layout) };
        (!first.is_null()).then(|| Arc::new(Self { first, bytes, home: Home::Heap(layout) }))
    }

    /// So many zero bytes at an address that kernels use as well.
    pub(crate) fn in_slot(bytes: usize) -> Option<Arc<Self>> {
        if bytes as u64 > MAX_BUFFER {
            return None;
        }
        let whole = bytes.max(1).next_multiple_of(ALIGNMENT);
        for _ in 0..64 {
            let slot = take_slot()?;
            match map(slot as *mut libc::c_void, whole, libc::MAP_FIXED_NOREPLACE) {
                Some(first) => return Some(Arc::new(Self { first, bytes, home: Home::Slot(slot) })),
                // Somebody else is there, and stays: the slot is not given back.
                None => continue,
            }
        }
        None
    }

    /// Memory of the program, where kernels can use it: whole words.
    ///
    /// # Safety
    /// `first` points to so many bytes, which are there until the storage is dropped.
    pub(crate) unsafe fn of_program(first: *mut u8, bytes: usize) -> Option<Arc<Self>> {
        let words = (first as usize).is_multiple_of(4) && bytes.is_multiple_of(4);
        words.then(|| Arc::new(Self { first, bytes, home: Home::Program }))
    }

    /// Where it begins.
    pub(crate) fn first(&self) -> *mut u8 {
        self.first
    }

    /// Size in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// A part of it, as kernels use it; an offset is a multiple of four.
    pub(crate) fn lend(self: &Arc<Self>, offset: usize, bytes: usize) -> Lent {
        let room = self.bytes.saturating_sub(offset);
        let bytes = bytes.min(room);
        let count = bytes.div_ceil(4);
        // SAFETY: our own memory is filled up to whole words and the program's has only such, so
        // these words are there as long as the storage, which the owner holds: that the reference
        // says `'static` is what `Lent` is made for. They are aligned, and every value is a word.
        let words =
            unsafe { std::slice::from_raw_parts(self.first.add(offset.min(self.bytes)).cast::<AtomicU32>(), count) };
        Lent { words, bytes, owner: Arc::clone(self) as _ }
    }

    /// The address of the slot that it has, for kernels.
    pub(crate) fn slot(&self) -> Option<u64> {
        if let Home::Slot(slot) = self.home { Some(slot) } else { None }
    }
}

impl Drop for Storage {
    fn drop(&mut self) {
        match self.home {
            // SAFETY: it was allocated with this layout, and nobody uses it any more.
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

/// The slots that nobody has.
struct Slots {
    free: BTreeSet<u64>,
    next: u64,
}

static SLOTS: Mutex<Slots> = Mutex::new(Slots { free: BTreeSet::new(), next: FIXED });

fn take_slot() -> Option<u64> {
    let mut slots = SLOTS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(slot) = slots.free.pop_first() {
        return Some(slot);
    }
    let slot = slots.next;
    slots.next = Some(slot + SLOT).filter(|_| slot < FIXED_END)?;
    Some(slot)
}

/// Asks the system for memory.
fn map(at: *mut libc::c_void, bytes: usize, flags: i32) -> Option<*mut u8> {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | flags;
    // SAFETY: new memory that replaces no other: where an address is asked for it must be free.
    let first = unsafe { libc::mmap(at, bytes, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0) };
    if first == libc::MAP_FAILED {
        return None;
    }
    if !at.is_null() && first != at {
        // An old system that takes the address for a wish.
        unmap(first.cast(), bytes);
        return None;
    }
    // Large pages: kernels walk memory in steps of many pages. What the system cannot give it does
    // not. SAFETY: the range was mapped just now, and advice changes none of its bytes.
    unsafe { libc::madvise(first, bytes, libc::MADV_HUGEPAGE) };
    Some(first.cast())
}

fn unmap(first: *mut u8, bytes: usize) {
    // SAFETY: the memory came from `map`, and nobody uses it any more.
    unsafe { libc::munmap(first.cast(), bytes) };
}
