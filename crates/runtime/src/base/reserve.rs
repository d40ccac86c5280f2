//! Memory reserve for small allocations if the system has no memory, so that a call fails with a
//! code instead of aborting the process.
//!
//! Rust aborts a process whose allocation fails. Large allocations of the driver are fallible. For
//! small ones, calls and launches check the free memory in advance. Another thread may take the
//! memory between the check and the use. The allocation then uses this reserve, and calls fail
//! until the reserve is free again.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Size of the reserve in bytes.
const BYTES: usize = 16 << 20;
/// Maximum size of an allocation from the reserve in bytes.
const LARGEST: usize = 1 << 20;

/// Start address of the reserve; 0 before it is created.
static FIRST: AtomicUsize = AtomicUsize::new(0);

static USE: Mutex<Use> = Mutex::new(Use { next: 0, living: 0 });

/// Usage of the reserve.
struct Use {
    /// Offset after the last allocation; reset to zero when all allocations are freed.
    next: usize,
    living: usize,
}

/// Creates the reserve if it does not exist. Returns true if most of it is free.
pub fn is_ready() -> bool {
    let mut used = USE.lock().unwrap_or_else(PoisonError::into_inner);
    if FIRST.load(Ordering::Relaxed) == 0 {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: new memory that replaces no other.
        let first =
            unsafe { libc::mmap(std::ptr::null_mut(), BYTES, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0) };
        if first == libc::MAP_FAILED {
            return false;
        }
        FIRST.store(first as usize, Ordering::Release);
    }
    if used.living == 0 {
        used.next = 0;
    }
    used.next < BYTES / 4
}

/// Allocates from the reserve.
fn take(layout: Layout) -> *mut u8 {
    let first = FIRST.load(Ordering::Acquire);
    if first == 0 || layout.size() > LARGEST {
        return std::ptr::null_mut();
    }
    // An uncontended lock allocates nothing.
    let mut used = USE.lock().unwrap_or_else(PoisonError::into_inner);
    let place = (first + used.next).next_multiple_of(layout.align());
    let end = place + layout.size();
    if end > first + BYTES {
        return std::ptr::null_mut();
    }
    used.next = end - first;
    used.living += 1;
    place as *mut u8
}

/// Frees memory if it belongs to the reserve.
fn give_back(memory: *mut u8) -> bool {
    let first = FIRST.load(Ordering::Acquire);
    let is_own = first != 0 && (first..first + BYTES).contains(&(memory as usize));
    if is_own {
        let mut used = USE.lock().unwrap_or_else(PoisonError::into_inner);
        used.living -= 1;
        if used.living == 0 {
            used.next = 0;
        }
    }
    is_own
}

/// System allocator with the reserve as a fallback.
pub struct Allocator;

// SAFETY: the memory is the system's, or an unused part of the reserve, aligned and as large as
// requested.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: guaranteed by the caller.
        let memory = unsafe { System.alloc(layout) };
        if memory.is_null() { take(layout) } else { memory }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: guaranteed by the caller.
        let memory = unsafe { System.alloc_zeroed(layout) };
        if !memory.is_null() {
            return memory;
        }
        let memory = take(layout);
        if !memory.is_null() {
            // SAFETY: the memory has that size.
            unsafe { memory.write_bytes(0, layout.size()) };
        }
        memory
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        if !give_back(memory) {
            // SAFETY: guaranteed by the caller; the memory is the system's.
            unsafe { System.dealloc(memory, layout) };
        }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let first = FIRST.load(Ordering::Acquire);
        let is_own = first != 0 && (first..first + BYTES).contains(&(memory as usize));
        if !is_own {
            // SAFETY: guaranteed by the caller; the memory is the system's.
            let new = unsafe { System.realloc(memory, layout, size) };
            if !new.is_null() {
                return new;
            }
        }
        // SAFETY: the caller guarantees that the size is valid for a layout.
        let new_layout = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
        // SAFETY: the layout has a size, as the caller guarantees.
        let new = unsafe { self.alloc(new_layout) };
        if !new.is_null() {
            // SAFETY: both have that many bytes, and the new memory is distinct.
            unsafe {
                new.copy_from_nonoverlapping(memory, layout.size().min(size));
                self.dealloc(memory, layout);
            }
        }
        new
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reserve_is_used_again() {
        assert!(is_ready());
        let layout = |size, align| Layout::from_size_align(size, align).unwrap();
        for _ in 0..3 {
            let all: Vec<_> =
                [(1, 1), (100, 64), (LARGEST, 4096), (8, 8)].map(|(size, align)| layout(size, align)).to_vec();
            let memory: Vec<_> = all.iter().map(|layout| take(*layout)).collect();
            assert!(memory.iter().zip(&all).all(|(memory, layout)| memory.addr().is_multiple_of(layout.align())));
            // SAFETY: each has its size, and none is used afterwards.
            unsafe {
                memory.iter().zip(&all).for_each(|(memory, layout)| memory.write_bytes(7, layout.size()));
                let larger = Allocator.realloc(memory[1], all[1], 5000);
                assert_eq!(std::slice::from_raw_parts(larger, 100), [7; 100]);
                Allocator.dealloc(larger, layout(5000, 64));
                [0, 2, 3].into_iter().for_each(|n: usize| Allocator.dealloc(memory[n], all[n]));
            }
            assert!(is_ready());
        }
        assert!(take(layout(LARGEST + 1, 1)).is_null());
        let many: Vec<_> =
            std::iter::from_fn(|| Some(take(layout(LARGEST, 1))).filter(|memory| !memory.is_null())).collect();
        assert!(many.len() >= 15 && !is_ready());
        assert!(many.into_iter().all(give_back) && is_ready());
    }
}
