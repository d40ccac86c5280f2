//! What calls answer when they fail.

use opencl_sys::{CL_OUT_OF_HOST_MEMORY, CL_OUT_OF_RESOURCES, CL_SUCCESS, cl_int};

use crate::base::reserve;

/// An error code of the API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Code(pub(crate) cl_int);

/// What a call gives, or its error code.
pub(crate) type Result<T = ()> = std::result::Result<T, Code>;

/// The error with this code.
pub(crate) fn fail<T>(code: cl_int) -> Result<T> {
    Err(Code(code))
}

/// The error with this code unless a condition holds.
pub(crate) fn ensure(condition: bool, code: cl_int) -> Result {
    if condition { Ok(()) } else { fail(code) }
}

/// Runs the body of a call. A panic, which would be a mistake of ours, does not leave the library.
pub(crate) fn guard<T>(body: impl FnOnce() -> Result<T>) -> Result<T> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(body)).unwrap_or(fail(CL_OUT_OF_RESOURCES))
}

/// Runs the body of a call that makes something. It fails where a small allocation in it might, as
/// that ends the process.
pub(crate) fn guard_room<T>(body: impl FnOnce() -> Result<T>) -> Result<T> {
    check_room(ROOM)?;
    guard(body)
}

/// Bytes that a call needs at most for small things, the stack included.
pub(crate) const ROOM: u64 = 12 << 20;

/// Fails where the process has a limit and that many bytes cannot be had.
pub(crate) fn check_room(bytes: u64) -> Result {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the structure is there for the call.
    let is_known = unsafe { libc::getrlimit(libc::RLIMIT_AS, &raw mut limit) } == 0;
    if is_known && limit.rlim_cur == libc::RLIM_INFINITY {
        return Ok(());
    }
    ensure(reserve::is_ready(), CL_OUT_OF_HOST_MEMORY)?;
    let is_there = |bytes: usize| Vec::<u8>::new().try_reserve_exact(bytes).is_ok();
    ensure(usize::try_from(bytes).is_ok_and(is_there), CL_OUT_OF_HOST_MEMORY)
}

/// What a call without a result of its own returns.
pub(crate) fn status(result: Result) -> cl_int {
    result.map_or_else(|code| code.0, |()| CL_SUCCESS)
}
