//! Waits for words in memory that several processes map.

use std::sync::atomic::AtomicU32;
use std::time::Duration;

/// Waits until another thread, perhaps of another process, wakes the waiters of a word; at most for
/// a time. Returns at once if the word differs from a value, and may return early.
pub fn wait(word: &AtomicU32, value: u32, most: Duration) {
    let seconds = libc::time_t::try_from(most.as_secs()).unwrap_or(libc::time_t::MAX);
    let time = libc::timespec { tv_sec: seconds, tv_nsec: i64::from(most.subsec_nanos()) };
    // SAFETY: the word and the time are valid during the call.
    unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAIT, value, &raw const time) };
}

/// Wakes all waiters of a word, in all processes.
pub fn wake(word: &AtomicU32) {
    // SAFETY: the word is valid during the call.
    unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAKE, i32::MAX) };
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering::{Acquire, Release};
    use std::time::Instant;

    use super::*;

    #[test]
    fn a_waiter_is_woken_long_before_its_time() {
        let word = AtomicU32::new(0);
        let start = Instant::now();
        wait(&word, 1, Duration::from_secs(100));
        wait(&word, 0, Duration::from_millis(5));
        assert!(start.elapsed() >= Duration::from_millis(5), "the time has passed");
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while word.load(Acquire) == 0 {
                    wait(&word, 0, Duration::from_secs(100));
                }
            });
            word.store(1, Release);
            wake(&word);
        });
        assert!(start.elapsed() < Duration::from_secs(50));
    }
}
