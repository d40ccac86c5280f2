//! Status codes of failed calls.

use opencl_sys::{CL_OUT_OF_HOST_MEMORY, CL_OUT_OF_RESOURCES, CL_SUCCESS, cl_int};

use crate::base::reserve;

/// Error code of the API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Code(pub(crate) cl_int);

/// Result of a call, or its error code.
pub(crate) type Result<T = ()> = std::result::Result<T, Code>;

/// Returns the error with this code.
pub(crate) fn fail<T>(code: cl_int) -> Result<T> {
    Err(Code(code))
}

/// Returns the error with this code unless a condition holds.
pub(crate) fn ensure(condition: bool, code: cl_int) -> Result {
    if condition { Ok(()) } else { fail(code) }
}

/// Runs the body of a call. A panic, which would be a defect of the driver, does not leave the
/// library.
pub(crate) fn guard<T>(body: impl FnOnce() -> Result<T>) -> Result<T> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(body)).unwrap_or(fail(CL_OUT_OF_RESOURCES))
}

/// Runs the body of a call that creates an object. Fails early if small allocations might fail,
/// because a failed small allocation would abort the process.
pub(crate) fn guard_room<T>(body: impl FnOnce() -> Result<T>) -> Result<T> {
    check_room(ROOM)?;
    guard(body)
}

/// Maximum memory for the small allocations of a call in bytes, including the stack.
pub(crate) const ROOM: u64 = 12 << 20;

/// Fails if the process has a memory limit and `bytes` cannot be allocated.
pub(crate) fn check_room(bytes: u64) -> Result {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the structure lives during the call.
    let is_known = unsafe { libc::getrlimit(libc::RLIMIT_AS, &raw mut limit) } == 0;
    if is_known && limit.rlim_cur == libc::RLIM_INFINITY {
        return Ok(());
    }
    ensure(reserve::is_ready(), CL_OUT_OF_HOST_MEMORY)?;
    let is_there = |bytes: usize| Vec::<u8>::new().try_reserve_exact(bytes).is_ok();
    ensure(usize::try_from(bytes).is_ok_and(is_there), CL_OUT_OF_HOST_MEMORY)
}

/// Converts the result of a call to its status code.
pub(crate) fn status(result: Result) -> cl_int {
    result.map_or_else(|code| code.0, |()| CL_SUCCESS)
}
