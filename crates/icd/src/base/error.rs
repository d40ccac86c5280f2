//! Status codes of failed calls.

use opencl_sys::{CL_INVALID_VALUE, CL_OUT_OF_HOST_MEMORY, CL_OUT_OF_RESOURCES, CL_SUCCESS, cl_int};
use visakit_runtime::base::failure::Failure;

pub(crate) use visakit_runtime::base::failure::{ROOM, check_room, guard, guard_room};

/// Error code of the API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Code(pub(crate) cl_int);

/// Result of a call, or its error code.
pub(crate) type Result<T = ()> = std::result::Result<T, Code>;

impl From<Failure> for Code {
    fn from(failure: Failure) -> Self {
        Self(match failure {
            Failure::InvalidValue => CL_INVALID_VALUE,
            Failure::OutOfHostMemory => CL_OUT_OF_HOST_MEMORY,
            Failure::OutOfResources => CL_OUT_OF_RESOURCES,
        })
    }
}

/// Returns the error with this code.
pub(crate) fn fail<T>(code: cl_int) -> Result<T> {
    Err(Code(code))
}

/// Returns the error with this code unless a condition holds.
pub(crate) fn ensure(condition: bool, code: cl_int) -> Result {
    if condition { Ok(()) } else { fail(code) }
}

/// Converts the result of a call to its status code.
pub(crate) fn status(result: Result) -> cl_int {
    result.map_or_else(|code| code.0, |()| CL_SUCCESS)
}
