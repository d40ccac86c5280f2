//! Time of events.

/// Returns the time of the system's monotonic clock in nanoseconds, which a program can read too. A
/// clock that starts with the library would report zero at first.
pub fn now() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the structure lives during the call, and every system has this clock.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) };
    let nanoseconds = i128::from(time.tv_sec) * 1_000_000_000 + i128::from(time.tv_nsec);
    u64::try_from(nanoseconds).unwrap_or(0)
}
