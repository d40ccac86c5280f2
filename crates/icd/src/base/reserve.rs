//! Memory for small allocations when the system has none: what lets a call fail with a code instead
//! of ending the process.
//!
//! Rust ends a process whose allocation fails. Large ones are made so that they may fail; calls and
//! launches look first whether there is room for small ones. Between the look and the use another
//! thread may have taken it: then this memory is used, and calls fail until it has been given back.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Bytes of the reserve.
const BYTES: usize = 16 << 20;
/// The largest allocation that it is for.
const LARGEST: usize = 1 << 20;

/// Start of the reserve; 0 before it is made.
static FIRST: AtomicUsize = AtomicUsize::new(0);

static USE: Mutex<Use> = Mutex::new(Use { next: 0, living: 0 });

/// Bytes of the reserve in use.
struct Use {
    /// Offset behind the last allocation. It goes back to zero when all are gone.
    next: usize,
    living: usize,
}

/// Makes the reserve if it is missing. Returns `true` if it is there and most of it is free.
pub(crate) fn is_ready() -> bool {
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

/// Takes memory of the reserve.
fn take(layout: Layout) -> *mut u8 {
    let first = FIRST.load(Ordering::Acquire);
    if first == 0 || layout.size() > LARGEST {
        return std::ptr::null_mut();
    }
    // A lock without contention takes no memory.
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

/// Frees memory, if it is of the reserve.
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

/// The system's allocator, with the reserve behind it.
struct Allocator;

#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

// SAFETY: memory is the system's, or a part of the reserve that nobody else has, aligned and as
// large as asked for.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise.
        let memory = unsafe { System.alloc(layout) };
        if memory.is_null() { take(layout) } else { memory }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise.
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
            // SAFETY: the caller's promise; it is the system's.
            unsafe { System.dealloc(memory, layout) };
        }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let first = FIRST.load(Ordering::Acquire);
        let is_own = first != 0 && (first..first + BYTES).contains(&(memory as usize));
        if !is_own {
            // SAFETY: the caller's promise; it is the system's.
            let new = unsafe { System.realloc(memory, layout, size) };
            if !new.is_null() {
                return new;
            }
        }
        // SAFETY: the caller promises that the size is no larger than a layout's may be.
        let new_layout = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
        // SAFETY: the layout has a size, as the caller promises.
        let new = unsafe { self.alloc(new_layout) };
        if !new.is_null() {
            // SAFETY: both have that many bytes, and the new memory is another one.
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
            // SAFETY: each has its size, and none is used any more.
            unsafe {
                memory.iter().zip(&all).for_each(|(memory, layout)| memory.write_bytes(7, layout.size()));
                let larger = ALLOCATOR.realloc(memory[1], all[1], 5000);
                assert_eq!(std::slice::from_raw_parts(larger, 100), [7; 100]);
                ALLOCATOR.dealloc(larger, layout(5000, 64));
                [0, 2, 3].into_iter().for_each(|n: usize| ALLOCATOR.dealloc(memory[n], all[n]));
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
