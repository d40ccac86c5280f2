//! The single platform, with all devices.

use std::ffi::c_void;
use std::sync::LazyLock;

use opencl_sys::*;

use crate::base::answer::Answer;
use crate::base::error::{Result, ensure};
use crate::base::handle::{self, Handle, kind};
use crate::devices::device::{self, Device};
use crate::devices::version::api;

/// OpenCL platform.
pub(crate) struct Platform {
    pub(crate) devices: Vec<Handle<Device>>,
}

kind!(Platform, CL_INVALID_PLATFORM);

/// Returns the only platform.
pub(crate) fn the() -> &'static Handle<Platform> {
    static PLATFORM: LazyLock<Handle<Platform>> =
        LazyLock::new(|| handle::create(Platform { devices: device::all() }));
    &PLATFORM
}

/// Checks that a handle is the platform's; null is accepted.
pub(crate) fn check(platform: *mut c_void) -> Result {
    ensure(platform.is_null() || platform == handle::address(the()), CL_INVALID_PLATFORM)
}

/// Returns the devices of a type.
///
/// # Errors
/// Fails if the type is invalid, or no device has it.
pub(crate) fn devices(wanted: cl_device_type) -> Result<Vec<Handle<Device>>> {
    let known = CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_ACCELERATOR | CL_DEVICE_TYPE_CUSTOM;
    let is_all = wanted == CL_DEVICE_TYPE_ALL;
    ensure(is_all || wanted != 0 && wanted & !(known | CL_DEVICE_TYPE_DEFAULT) == 0, CL_INVALID_DEVICE_TYPE)?;
    let all = &the().devices;
    let found: Vec<_> = match wanted {
        CL_DEVICE_TYPE_DEFAULT => all.iter().take(1).cloned().collect(),
        _ if is_all || wanted & CL_DEVICE_TYPE_GPU != 0 => all.clone(),
        _ if wanted & CL_DEVICE_TYPE_DEFAULT != 0 => all.iter().take(1).cloned().collect(),
        _ => Vec::new(),
    };
    ensure(!found.is_empty(), CL_DEVICE_NOT_FOUND)?;
    Ok(found)
}

/// Returns the extensions of the platform: those of all devices, and the loader's extension.
fn extensions() -> Vec<&'static str> {
    let devices = &the().devices;
    let mut common: Vec<&str> = devices.first().map(|device| device.extensions.clone()).unwrap_or_default();
    common.retain(|name| devices.iter().all(|device| device.extensions.contains(name)));
    common.insert(0, "cl_khr_icd");
    common
}

/// Returns true if a device has the newest version of OpenCL, which is then the platform's.
pub(crate) fn is_newest() -> bool {
    the().devices.iter().any(|device| device.is_newest)
}

/// Answers `clGetPlatformInfo`.
pub(crate) fn info(answer: Answer) -> Result {
    match answer.name {
        CL_PLATFORM_PROFILE => answer.text("FULL_PROFILE"),
        CL_PLATFORM_VERSION => answer.text(&format!("{} {}", api(is_newest()).1, env!("CARGO_PKG_VERSION"))),
        CL_PLATFORM_NUMERIC_VERSION => answer.value(api(is_newest()).0),
        // oneDNN looks for "Intel" in this name, llama.cpp for "OpenCL".
        CL_PLATFORM_NAME => answer.text("visakit OpenCL for Intel GPUs"),
        CL_PLATFORM_VENDOR => answer.text("visakit"),
        CL_PLATFORM_EXTENSIONS => answer.text(&extensions().join(" ")),
        CL_PLATFORM_EXTENSIONS_WITH_VERSION => answer.list(&device::versions(&extensions())),
        CL_PLATFORM_HOST_TIMER_RESOLUTION => answer.value(1_u64),
        CL_PLATFORM_SEMAPHORE_TYPES_KHR => answer.list(&[CL_SEMAPHORE_TYPE_BINARY_KHR]),
        CL_PLATFORM_ICD_SUFFIX_KHR => answer.text("VISAKIT"),
        _ => answer.unknown(),
    }
}
