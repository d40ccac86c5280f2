//! Errors that both front ends translate, and guards of calls.

use crate::base::reserve;

/// Reason of a failure, without the code of an API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// Value that is not allowed, such as a misaligned pointer.
    InvalidValue,
    /// The host has no memory for small allocations.
    OutOfHostMemory,
    /// A launch failed, or the driver has a defect.
    OutOfResources,
}

/// Runs the body of a call. A panic, which would be a defect of the driver, does not leave the
/// library.
///
/// # Errors
/// Those of the body, and `OutOfResources` after a panic.
pub fn guard<T, E: From<Failure>>(body: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(body)).unwrap_or(Err(Failure::OutOfResources.into()))
}

/// Runs the body of a call that creates an object. Fails early if small allocations might fail,
/// because a failed small allocation would abort the process.
///
/// # Errors
/// Those of [`guard`] and [`check_room`].
pub fn guard_room<T, E: From<Failure>>(body: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
    check_room(ROOM)?;
    guard(body)
}

/// Maximum memory for the small allocations of a call in bytes, including the stack.
pub const ROOM: u64 = 12 << 20;

/// Fails if the process has a memory limit and `bytes` cannot be allocated.
///
/// # Errors
/// `OutOfHostMemory`.
pub fn check_room(bytes: u64) -> Result<(), Failure> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the structure lives during the call.
    let is_known = unsafe { libc::getrlimit(libc::RLIMIT_AS, &raw mut limit) } == 0;
    if is_known && limit.rlim_cur == libc::RLIM_INFINITY {
        return Ok(());
    }
    let is_there = |bytes: usize| Vec::<u8>::new().try_reserve_exact(bytes).is_ok();
    let has_room = reserve::is_ready() && usize::try_from(bytes).is_ok_and(is_there);
    if has_room { Ok(()) } else { Err(Failure::OutOfHostMemory) }
}
