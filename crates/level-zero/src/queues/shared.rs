//! States of events that several processes use: words of a file that each process maps.

use std::fs::File;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::time::Duration;

use visakit_emulator::machine::buffer::Lent;
use visakit_runtime::base::futex;
use visakit_runtime::base::storage::{PAGE, Storage, anonymous_file};

use crate::base::result::*;

/// Words of an event, and of the file's head: number of events, flags of the pool.
const WORDS: usize = 8;

/// Words of an event by number: the state, then the halves of the start and of the end.
const STATE: usize = 0;
const START: usize = 2;
const END: usize = 4;

/// States of an event.
const NOT_SIGNALED: u32 = 0;
const SIGNALED: u32 = 1;
const FAILED: u32 = 2;

/// States of a pool's events.
pub(crate) struct SharedPool {
    storage: Arc<Storage>,
}

/// Start and end of a command in nanoseconds.
#[derive(Clone, Copy, Default)]
pub(crate) struct Times {
    pub(crate) start: u64,
    pub(crate) end: u64,
}

/// State of an event.
#[derive(Clone)]
pub(crate) struct SharedState {
    /// All words of the file.
    memory: Lent,
    /// Number of the event's first word.
    first: usize,
}

/// Returns the size of a file for a number of events.
fn bytes_of(count: u32) -> usize {
    (count as usize + 1).saturating_mul(4 * WORDS)
}

impl SharedPool {
    /// Creates the states of new events.
    pub(crate) fn new(count: u32, flags: u32) -> Result<Self> {
        let bytes = bytes_of(count);
        let file = anonymous_file(bytes.next_multiple_of(PAGE)).ok_or(ERROR_OUT_OF_HOST_MEMORY)?;
        let storage = Storage::of_file(file, bytes).ok_or(ERROR_OUT_OF_HOST_MEMORY)?;
        let head = storage.lend(0, bytes).words;
        head[0].store(count, Relaxed);
        head[1].store(flags, Relaxed);
        Ok(Self { storage })
    }

    /// Maps the file of another process. Returns the pool with its number of events and its flags.
    ///
    /// # Errors
    /// Fails for a file that is smaller than its number of events.
    pub(crate) fn open(file: File, bytes: usize) -> Result<(Self, u32, u32)> {
        ensure(bytes > bytes_of(0), ERROR_INVALID_ARGUMENT)?;
        let storage = Storage::of_file(file, bytes).ok_or(ERROR_INVALID_ARGUMENT)?;
        let head = storage.lend(0, bytes).words;
        let (count, flags) = (head[0].load(Relaxed), head[1].load(Relaxed));
        ensure(count > 0 && bytes_of(count) == bytes, ERROR_INVALID_ARGUMENT)?;
        Ok((Self { storage }, count, flags))
    }

    /// Returns the file, and its size in bytes.
    pub(crate) fn file(&self) -> Result<(&File, usize)> {
        Ok((self.storage.share().ok_or(ERROR_OUT_OF_HOST_MEMORY)?, self.storage.bytes()))
    }

    /// Returns the state of the event with an index below the number of events.
    pub(crate) fn state(&self, index: u32) -> SharedState {
        SharedState { memory: self.storage.lend(0, usize::MAX), first: (index as usize + 1) * WORDS }
    }
}

impl SharedState {
    fn word(&self, n: usize) -> &AtomicU32 {
        &self.memory.words[self.first + n]
    }

    fn set_time(&self, n: usize, time: u64) {
        self.word(n).store(time as u32, Relaxed);
        self.word(n + 1).store((time >> 32) as u32, Relaxed);
    }

    fn time(&self, n: usize) -> u64 {
        u64::from(self.word(n).load(Relaxed)) | u64::from(self.word(n + 1).load(Relaxed)) << 32
    }

    /// Signals, and wakes what waits in all processes.
    pub(crate) fn signal(&self, times: Times, has_failed: bool) {
        self.set_time(START, times.start);
        self.set_time(END, times.end);
        self.word(STATE).store(if has_failed { FAILED } else { SIGNALED }, Release);
        futex::wake(self.word(STATE));
    }

    /// Returns to the state before the signal.
    pub(crate) fn reset(&self) {
        self.word(STATE).store(NOT_SIGNALED, Release);
    }

    /// Returns the times of the command and true if it failed; `None` if not signaled.
    pub(crate) fn get(&self) -> Option<(Times, bool)> {
        let state = self.word(STATE).load(Acquire);
        (state != NOT_SIGNALED).then(|| (Times { start: self.time(START), end: self.time(END) }, state == FAILED))
    }

    /// Waits for the signal, at most for a time. May return early.
    pub(crate) fn wait(&self, most: Duration) {
        futex::wait(self.word(STATE), NOT_SIGNALED, most);
    }
}
