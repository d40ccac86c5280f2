//! Allocator that ends the process with an error message when memory runs out.
//!
//! Rust aborts a process whose allocation fails, which looks like a crash. With [`Allocator`] the
//! process prints an error that names its command line and ends with exit code 2. Code that can
//! continue without the memory requests it inside [`may_fail`].

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::io::Write;

/// Exit code of a program that failed.
const FAILED: i32 = 2;
/// Maximum number of command-line bytes in the error.
const SHOWN: usize = 400;

thread_local! {
    /// The caller handles a failed allocation.
    static MAY_FAIL: Cell<bool> = const { Cell::new(false) };
}

/// Runs a function whose allocations may fail, such as one that calls `try_reserve`.
pub fn may_fail<T>(allocate: impl FnOnce() -> T) -> T {
    let before = MAY_FAIL.replace(true);
    let result = allocate();
    MAY_FAIL.set(before);
    result
}

/// The system's allocator. An allocation that fails ends the process, except inside of
/// [`may_fail`].
#[derive(Clone, Copy, Debug, Default)]
pub struct Allocator;

// SAFETY: all memory is the system allocator's, from calls with the caller's arguments.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: guaranteed by the caller.
        checked(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise.
        checked(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller's promise.
        checked(unsafe { System.realloc(memory, layout, size) }, size)
    }
}

fn checked(memory: *mut u8, bytes: usize) -> *mut u8 {
    if memory.is_null() && !MAY_FAIL.try_with(Cell::get).unwrap_or(false) {
        end(bytes);
    }
    memory
}

/// Prints the error and ends the process, without memory and without locks.
#[cold]
fn end(bytes: usize) -> ! {
    let mut text = [0; SHOWN + 400];
    let mut rest = text.as_mut_slice();
    let _ = write!(rest, "error[out-of-memory]: {bytes} more bytes cannot be allocated\n--> ");
    let _ = command_line(&mut rest);
    let _ = write!(rest, "\n |\nhelp: use smaller inputs, or raise the limit of the process (`ulimit -v`)\n\n");
    let unused = rest.len();
    let length = text.len() - unused;
    print(&text[..length]);
    exit()
}

/// Copies the process's own command line, with blanks between the words.
fn command_line(out: &mut &mut [u8]) -> std::io::Result<()> {
    let mut line = [0; SHOWN];
    let length =
        std::fs::File::open("/proc/self/cmdline").and_then(|mut file| std::io::Read::read(&mut file, &mut line))?;
    let words = line[..length].strip_suffix(&[0]).unwrap_or(&line[..length]);
    words.iter().try_for_each(|byte| out.write_all(&[if *byte < b' ' { b' ' } else { *byte }]))
}

#[cfg(unix)]
fn print(text: &[u8]) {
    // SAFETY: the text has that many bytes. A failed write cannot be reported.
    let _ = unsafe { libc::write(libc::STDERR_FILENO, text.as_ptr().cast(), text.len()) };
}

#[cfg(unix)]
fn exit() -> ! {
    // SAFETY: the call ends the process at once; none of its state is used afterwards.
    unsafe { libc::_exit(FAILED) }
}

#[cfg(not(unix))]
fn print(text: &[u8]) {
    let _ = std::io::stderr().write_all(text);
}

#[cfg(not(unix))]
fn exit() -> ! {
    std::process::exit(FAILED)
}
