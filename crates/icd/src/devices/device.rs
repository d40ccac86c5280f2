//! Devices: one for each of Intel's GPUs that both the compiler and the emulator support.
//!
//! A device supports what the compiler builds for it and the emulator runs. Its extensions and
//! features are those whose macros the compiler defines. Work-group limits are the hardware's, so
//! that programs make the same choices. The number of compute units is this machine's number of
//! threads.

use std::ffi::c_void;
use std::sync::{Arc, LazyLock};

use opencl_sys::*;
use visakit::isa::Platform;
use visakit_emulator::limits::BUFFER_BYTES;
use visakit_zebin::ocloc::INSTALL;

use crate::base::environment::ENVIRONMENT;
use crate::base::error::{Code, Result, ensure, fail};
use crate::base::handle::{self, Handle, kind};
use crate::base::say::say;
use crate::devices::features::{COMMAND_BUFFER, DOT_PRODUCT, Has, MUTABLE_DISPATCH, PROMISES};
use crate::devices::offered;
use crate::devices::version::version;
use crate::vendor::compilers;

/// OpenCL device.
pub(crate) struct Device {
    /// Platform of the GPU.
    pub(crate) target: Platform,
    pub(crate) extensions: Vec<&'static str>,
    /// Optional features of OpenCL C 3.0.
    pub(super) features: Vec<&'static str>,
    /// Maximum number of work items per group.
    pub(crate) max_group: usize,
    /// Shared local memory per group in bytes.
    pub(crate) local_bytes: u64,
    pub(crate) has_images: bool,
    pub(super) has_doubles: bool,
    /// True if the device's compiler links the features in `NEWER_FEATURES`.
    pub(super) has_newer: bool,
    /// Sub-group sizes that kernels can require.
    pub(crate) widths: &'static [u32],
    /// Number of host threads for the device's kernels.
    pub(crate) threads: usize,
    /// Number of compute units: the host threads, but at least `MIN_UNITS`. A sub-device has as
    /// many as its creator asked for.
    pub(super) units: usize,
    /// Parent device and the partition properties, for a sub-device.
    pub(super) part_of: Option<(Handle<Device>, Vec<cl_device_partition_property>)>,
}

kind!(Device, CL_INVALID_DEVICE);

/// Fewest compute units of a device. Libraries such as oneMKL divide the number by that of the
/// subslice that they expect, which is 8 or 16, and then divide by the result.
const MIN_UNITS: usize = 16;

/// Returns the macros that a program for a device must not see: the headers define them although
/// the device lacks the feature.
pub(crate) fn untrue_macros(target: Platform) -> Vec<&'static str> {
    let device = Device::new(target);
    PROMISES.into_iter().filter(|name| !device.has(name)).collect()
}

/// Returns true if the compiler of a device declares integer dot products without linking them.
pub(crate) fn lacks_dots(target: Platform) -> bool {
    !compilers::of(target).is_some_and(|(compiler, _)| compiler.is_newer())
}

/// Returns true if the compiler of a device supports pipes. A newer release hands the oldest
/// devices to an older one.
pub(crate) fn has_pipes(target: Platform) -> bool {
    !compilers::of(target).is_some_and(|(compiler, _)| compiler.is_newer()) || target.old_headers()
}

/// Returns all devices, or those that the environment names.
pub(crate) fn all() -> Vec<Handle<Device>> {
    let targets: Vec<_> = match &ENVIRONMENT.devices {
        // A device without a compiler is listed only on request; it can run binaries.
        None => offered::in_default_order(|target| compilers::of(target).is_some()),
        Some(names) => names.split(',').filter_map(known).collect(),
    };
    let devices: Vec<_> = targets.into_iter().map(|target| handle::create(Device::new(target))).collect();
    if devices.is_empty() && ENVIRONMENT.devices.is_none() {
        say(&format!("no devices: no compiler is installed; {INSTALL}"));
    }
    devices
}

/// Returns the name of the product that represents a platform.
pub(crate) fn product(target: Platform) -> &'static str {
    target.device().map_or(target.name(), |device| device.name())
}

/// Returns the platform of a name, and reports an unknown name.
fn known(name: &str) -> Option<Platform> {
    let found = Platform::from_name(name.trim()).filter(|target| offered::targets().contains(target));
    if found.is_none() {
        let names = offered::targets().into_iter().map(product).collect::<Vec<_>>().join(", ");
        say(&format!("unknown device `{}`; VISAKIT_DEVICES may list {names}", name.trim()));
    }
    found
}

impl Device {
    fn new(target: Platform) -> Self {
        let (has_images, has_doubles) = (target.images(), target.doubles());
        let has_newer = compilers::of(target).is_some_and(|(compiler, _)| compiler.is_newer());
        let has = Has {
            images: has_images,
            doubles: has_doubles,
            matrices: target.dpas(),
            products: ENVIRONMENT.dpas,
            pipes: has_pipes(target),
            newer: has_newer,
        };
        let (extensions, features) = (has.extensions(), has.features());
        let max_group = target.group_items() as usize;
        let (local_bytes, widths) = (target.slm_bytes().into(), target.simd_widths());
        let (threads, part_of) = (host_threads(), None);
        Self {
            target,
            extensions,
            features,
            max_group,
            local_bytes,
            has_images,
            has_doubles,
            has_newer,
            widths,
            threads,
            units: threads.max(MIN_UNITS),
            part_of,
        }
    }

    /// Returns the SPIR-V versions that the device's compiler reads, newest first. Each is listed
    /// as the vendor's runtime of the same age lists it.
    pub(super) fn module_versions(&self) -> Vec<cl_uint> {
        match (self.has_compiler(), self.has_newer) {
            (false, _) => Vec::new(),
            (true, false) => vec![2],
            (true, true) => (0..=5).rev().collect(),
        }
    }

    /// Returns the device that a sub-device is a part of.
    pub(crate) fn whole(&self) -> Option<&Handle<Device>> {
        self.part_of.as_ref().map(|(whole, _)| whole)
    }

    /// Returns true if the device has an extension or an optional feature.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.extensions.contains(&name) || self.features.contains(&name)
    }

    /// Returns true if a compiler builds for the device.
    pub(crate) fn has_compiler(&self) -> bool {
        compilers::of(self.target).is_some()
    }

    /// Returns the versions of OpenCL C.
    pub(super) fn languages(&self) -> Vec<cl_name_version> {
        let known = [(1, 0), (1, 1), (1, 2), (2, 0), (3, 0)];
        known.map(|(major, minor)| named("OpenCL C", version(major, minor, 0))).to_vec()
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
        handle::create(Device { threads, units, part_of, ..Device::new(device.target) })
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

/// Returns the number of host threads.
pub(crate) fn host_threads() -> usize {
    ENVIRONMENT.threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, |n| n.get()))
}

/// Returns the size of this machine's memory in bytes.
pub(crate) fn memory_bytes() -> u64 {
    static BYTES: LazyLock<u64> = LazyLock::new(|| {
        // SAFETY: these calls take and return numbers.
        let (pages, size) = unsafe { (libc::sysconf(libc::_SC_PHYS_PAGES), libc::sysconf(libc::_SC_PAGESIZE)) };
        u64::try_from(pages).unwrap_or(0).saturating_mul(u64::try_from(size).unwrap_or(0)).max(1 << 30)
    });
    *BYTES
}

/// Returns the maximum size of a buffer in bytes.
pub(crate) fn max_allocation() -> u64 {
    // Whole pages, and at most half of the memory.
    (BUFFER_BYTES & !0xffff).min(memory_bytes() / 2)
}

/// Parts of recorded launches that can change.
pub(crate) const UPDATABLE: cl_mutable_dispatch_fields_khr = CL_MUTABLE_DISPATCH_GLOBAL_OFFSET_KHR
    | CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR
    | CL_MUTABLE_DISPATCH_LOCAL_SIZE_KHR
    | CL_MUTABLE_DISPATCH_ARGUMENTS_KHR
    | CL_MUTABLE_DISPATCH_EXEC_INFO_KHR;

/// Alignment of the row pitch of images created from buffers, in texels.
pub(crate) const PITCH_ALIGNMENT: u32 = 1;
