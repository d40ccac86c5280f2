//! Devices: one for each of Intel's GPUs that both the compiler and the emulator support.
//!
//! A device supports what the compiler builds for it and the emulator runs. Its extensions and
//! features are those whose macros the compiler defines. Work-group limits are the hardware's, so
//! that programs make the same choices. The number of compute units is this machine's number of
//! threads.

use std::ffi::c_void;
use std::ops::Deref;
use std::sync::Arc;

use opencl_sys::*;
use visakit_runtime::devices::description::{self, Description};
use visakit_runtime::devices::features::{COMMAND_BUFFER, DOT_PRODUCT, MUTABLE_DISPATCH};

use crate::base::error::{Code, Result, ensure, fail};
use crate::base::handle::{self, Handle, kind};
use crate::devices::version::{NEWEST, version};

/// OpenCL device.
pub(crate) struct Device {
    description: Description,
    /// Parent device and the partition properties, for a sub-device.
    pub(super) part_of: Option<(Handle<Device>, Vec<cl_device_partition_property>)>,
}

kind!(Device, CL_INVALID_DEVICE);

/// Returns all devices, or those that the environment names.
pub(crate) fn all() -> Vec<Handle<Device>> {
    let device = |target| handle::create(Device { description: Description::new(target), part_of: None });
    description::listed().into_iter().map(device).collect()
}

impl Deref for Device {
    type Target = Description;

    fn deref(&self) -> &Description {
        &self.description
    }
}

impl Device {
    /// Returns the minor numbers of the SPIR-V versions that the device's compiler reads, newest
    /// first.
    pub(super) fn module_versions(&self) -> Vec<cl_uint> {
        let newest = self.newest_spirv().into_iter();
        // Intel's runtime of 2022 lists one version.
        newest.flat_map(|newest| (if self.has_newer { 0 } else { newest }..=newest).rev()).collect()
    }

    /// Returns the device that a sub-device is a part of.
    pub(crate) fn whole(&self) -> Option<&Handle<Device>> {
        self.part_of.as_ref().map(|(whole, _)| whole)
    }

    /// Returns the versions of OpenCL C.
    pub(super) fn languages(&self) -> Vec<cl_name_version> {
        let known = [(1, 0), (1, 1), (1, 2), (2, 0), (3, 0)].map(|(major, minor)| version(major, minor, 0));
        known.into_iter().chain(self.is_newest.then_some(NEWEST)).map(|version| named("OpenCL C", version)).collect()
    }

    /// Returns the floating-point capabilities of a type, as flags.
    pub(super) fn precision(&self) -> cl_device_fp_config {
        CL_FP_DENORM | CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST | CL_FP_ROUND_TO_ZERO | CL_FP_ROUND_TO_INF | CL_FP_FMA
    }
}

/// Returns a name with a version.
pub(super) fn named(name: &str, version: cl_version) -> cl_name_version {
    let mut bytes = [0; CL_NAME_VERSION_MAX_NAME_SIZE];
    bytes.iter_mut().zip(name.bytes()).for_each(|(to, from)| *to = from);
    cl_name_version { version, name: bytes }
}

/// Returns extensions or features with their versions.
pub(crate) fn versions(names: &[&str]) -> Vec<cl_name_version> {
    // For command buffers it is the version of the headers that systems install. Later versions
    // have other parameters.
    let version = |name: &str| match name {
        COMMAND_BUFFER => version(0, 9, 8),
        MUTABLE_DISPATCH => version(0, 9, 5),
        DOT_PRODUCT => version(2, 0, 0),
        _ => version(1, 0, 0),
    };
    names.iter().map(|name| named(name, version(name))).collect()
}

/// Divides a device into sub-devices, each with its share of the threads, but at least one.
pub(crate) fn divide(
    device: &Handle<Device>,
    properties: &[cl_device_partition_property],
) -> Result<Vec<Handle<Device>>> {
    let positive = |&units: &cl_device_partition_property| usize::try_from(units).ok().filter(|&units| units > 0);
    let parts = match properties {
        [CL_DEVICE_PARTITION_EQUALLY, units, 0] => {
            let units = positive(units).ok_or(Code(CL_INVALID_VALUE))?;
            ensure(units <= device.units, CL_INVALID_DEVICE_PARTITION_COUNT)?;
            vec![units; device.units / units]
        }
        [CL_DEVICE_PARTITION_BY_COUNTS, counts @ .., 0] => {
            let counts: Option<_> = counts.iter().map(positive).collect();
            counts.ok_or(Code(CL_INVALID_DEVICE_PARTITION_COUNT))?
        }
        _ => return fail(CL_INVALID_VALUE),
    };
    // A single equal part is no partition; the conformance tests expect a refusal.
    let is_whole = properties[0] == CL_DEVICE_PARTITION_EQUALLY && parts.len() < 2;
    ensure(device.units > 1 && !parts.is_empty() && !is_whole, CL_DEVICE_PARTITION_FAILED)?;
    let all = parts.iter().try_fold(0_usize, |all, &units| all.checked_add(units));
    ensure(all.is_some_and(|all| all <= device.units), CL_INVALID_DEVICE_PARTITION_COUNT)?;
    let part = |units: usize| {
        let part_of = Some((Arc::clone(device), properties.to_vec()));
        let threads = (device.threads * units).div_ceil(device.units);
        let description = Description { threads, units, ..Description::new(device.target) };
        handle::create(Device { description, part_of })
    };
    Ok(parts.into_iter().map(part).collect())
}

/// Retains or releases a device. Only sub-devices are counted.
pub(crate) fn hold(device: *mut c_void, change: fn(*mut c_void) -> Result) -> Result {
    match handle::get::<Device>(device)?.part_of {
        Some(_) => change(device),
        None => Ok(()),
    }
}

/// Parts of recorded launches that can change.
pub(crate) const UPDATABLE: cl_mutable_dispatch_fields_khr = CL_MUTABLE_DISPATCH_GLOBAL_OFFSET_KHR
    | CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR
    | CL_MUTABLE_DISPATCH_LOCAL_SIZE_KHR
    | CL_MUTABLE_DISPATCH_ARGUMENTS_KHR
    | CL_MUTABLE_DISPATCH_EXEC_INFO_KHR;

/// Alignment of the row pitch of images created from buffers, in texels.
pub(crate) const PITCH_ALIGNMENT: u32 = 1;
