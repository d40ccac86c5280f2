//! Versions of the API.

use opencl_sys::cl_uint;

/// Version of the API, and of the features of OpenCL C.
pub(crate) const VERSION: cl_uint = version(3, 0, 0);
/// Version of the newest API and language.
pub(crate) const NEWEST: cl_uint = version(3, 1, 0);

/// Returns the version of a device or of the platform, and the prefix of its version string.
pub(crate) fn api(is_newest: bool) -> (cl_uint, &'static str) {
    if is_newest { (NEWEST, "OpenCL 3.1 visakit") } else { (VERSION, "OpenCL 3.0 visakit") }
}

/// Encodes a version as a number.
pub(crate) const fn version(major: cl_uint, minor: cl_uint, patch: cl_uint) -> cl_uint {
    major << 22 | minor << 12 | patch
}
