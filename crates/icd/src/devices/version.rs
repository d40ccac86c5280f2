//! Versions of the API.

use opencl_sys::cl_uint;

/// Version of the API.
pub(crate) const VERSION: cl_uint = version(3, 0, 0);
/// Prefix of the version strings of platform and devices.
pub(crate) const VERSION_TEXT: &str = "OpenCL 3.0 visakit";

/// Encodes a version as a number.
pub(crate) const fn version(major: cl_uint, minor: cl_uint, patch: cl_uint) -> cl_uint {
    major << 22 | minor << 12 | patch
}
