//! What calls answer when they fail.

use opencl_sys::{CL_OUT_OF_RESOURCES, CL_SUCCESS, cl_int};

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

/// What a call without a result of its own returns.
pub(crate) fn status(result: Result) -> cl_int {
    result.map_or_else(|code| code.0, |()| CL_SUCCESS)
}
