//! Descriptions of devices: one for each of Intel's GPUs that both the compiler and the emulator
//! support.

use std::sync::LazyLock;

use visakit::isa::Platform;
use visakit_emulator::limits::BUFFER_BYTES;
use visakit_zebin::ocloc::INSTALL;

use crate::base::environment::ENVIRONMENT;
use crate::base::say::say;
use crate::devices::features::{Has, IMAGES, NEWEST, PRECOMPILED, PROMISES};
use crate::devices::offered;
use crate::vendor::compilers;

/// Description of a device, in the terms of no API.
#[derive(Clone)]
pub struct Description {
    /// Platform of the GPU.
    pub target: Platform,
    /// Extensions of OpenCL.
    pub extensions: Vec<&'static str>,
    /// Optional features of OpenCL C 3.0.
    pub features: Vec<&'static str>,
    /// Maximum number of work items per group.
    pub max_group: usize,
    /// Shared local memory per group in bytes.
    pub local_bytes: u64,
    /// True if kernels can use images.
    pub has_images: bool,
    /// True if kernels can use doubles.
    pub has_doubles: bool,
    /// True if the device's compiler links the features in `NEWER_FEATURES`.
    pub has_newer: bool,
    /// True for a device of OpenCL 3.1 instead of 3.0, which is reported on request only: Intel's
    /// runtime reports 3.0, and programs may not know a later version.
    pub is_newest: bool,
    /// Sub-group sizes that kernels can require.
    pub widths: &'static [u32],
    /// Number of host threads for the device's kernels.
    pub threads: usize,
    /// Number of compute units: the host threads, but at least `MIN_UNITS`. A sub-device has as
    /// many as its creator asked for.
    pub units: usize,
}

/// Fewest compute units of a device. Libraries such as oneMKL divide the number by that of the
/// subslice that they expect, which is 8 or 16, and then divide by the result.
const MIN_UNITS: usize = 16;

/// Returns the platforms to list as devices: all that have a compiler, or those that the
/// environment names.
pub fn listed() -> Vec<Platform> {
    let targets: Vec<_> = match &ENVIRONMENT.devices {
        // A device without a compiler is listed only on request; it can run binaries.
        None => offered::in_default_order(|target| compilers::of(target).is_some()),
        Some(names) => names.split(',').filter_map(known).collect(),
    };
    if targets.is_empty() && ENVIRONMENT.devices.is_none() {
        say(&format!("no devices: no compiler is installed; {INSTALL}"));
    }
    targets
}

/// Returns the name of the product that represents a platform.
pub fn product(target: Platform) -> &'static str {
    target.device().map_or(target.name(), |device| device.name())
}

impl Description {
    /// Describes the device of a platform.
    pub fn new(target: Platform) -> Self {
        let (has_images, has_doubles) = (target.images(), target.doubles());
        let has_newer = compilers::of(target).is_some_and(|(compiler, _)| compiler.is_newer());
        let has = Has { target, newer: has_newer, products: ENVIRONMENT.dpas };
        let (extensions, features) = (has.extensions(), has.features());
        let is_newest = ENVIRONMENT.newest && NEWEST.iter().all(|name| extensions.contains(name));
        let max_group = target.group_items() as usize;
        let (local_bytes, widths) = (target.slm_bytes().into(), target.simd_widths());
        let threads = host_threads();
        Self {
            target,
            extensions,
            features,
            max_group,
            local_bytes,
            has_images,
            has_doubles,
            has_newer,
            is_newest,
            widths,
            threads,
            units: threads.max(MIN_UNITS),
        }
    }

    /// Returns true if a compiler builds for the device.
    pub fn has_compiler(&self) -> bool {
        compilers::of(self.target).is_some()
    }

    /// Returns the minor number of the newest version of SPIR-V that the device's compiler reads.
    pub fn newest_spirv(&self) -> Option<u32> {
        self.has_compiler().then_some(if self.has_newer { 6 } else { 2 })
    }

    /// Returns true if the device has an extension or an optional feature.
    pub fn has(&self, name: &str) -> bool {
        self.extensions.contains(&name) || self.features.contains(&name)
    }

    /// Returns the macros that a program for the device must not see: the headers or the options of
    /// the build define them although the device lacks the feature.
    pub fn untrue_macros(&self) -> impl Iterator<Item = &'static str> {
        PROMISES.into_iter().chain(IMAGES).chain(PRECOMPILED).filter(|name| !self.has(name))
    }
}

/// Returns the number of host threads.
pub fn host_threads() -> usize {
    ENVIRONMENT.threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, |n| n.get()))
}

/// Returns the size of this machine's memory in bytes.
pub fn memory_bytes() -> u64 {
    static BYTES: LazyLock<u64> = LazyLock::new(|| {
        // SAFETY: these calls take and return numbers.
        let (pages, size) = unsafe { (libc::sysconf(libc::_SC_PHYS_PAGES), libc::sysconf(libc::_SC_PAGESIZE)) };
        u64::try_from(pages).unwrap_or(0).saturating_mul(u64::try_from(size).unwrap_or(0)).max(1 << 30)
    });
    *BYTES
}

/// Returns the size of this machine's free memory in bytes.
pub fn available_bytes() -> u64 {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"));
    let kibibytes = line.and_then(|line| line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok());
    kibibytes.map_or(memory_bytes() / 2, |number| number.saturating_mul(1024)).min(memory_bytes())
}

/// Returns the maximum size of a buffer in bytes.
pub fn max_allocation() -> u64 {
    // Whole pages, and at most half of the memory.
    (BUFFER_BYTES & !0xffff).min(memory_bytes() / 2)
}

/// Returns a UUID made from a name of this driver.
pub fn uuid(name: &str) -> [u8; 16] {
    let mut bytes = *b"visakit\0........";
    bytes[8..].iter_mut().zip(name.bytes().chain(std::iter::repeat(0))).for_each(|(to, from)| *to = from);
    bytes
}

/// Returns the driver's version in the form of Intel's runtime, which libraries parse: year, week
/// and build. It is the compiler's version, because libraries select kernels by it. The version of
/// this driver is part of the device's version.
pub fn driver_version(target: Platform) -> String {
    let compiler = compilers::of(target).map(|(compiler, _)| compiler.installed.version.as_str());
    let numbers: Option<Vec<u32>> = compiler.and_then(|text| text.split('.').map(|part| part.parse().ok()).collect());
    let numbers = numbers.filter(|numbers| numbers.len() >= 3);
    let text = numbers.map(|numbers| numbers.iter().map(u32::to_string).collect::<Vec<_>>().join("."));
    text.unwrap_or_else(|| env!("CARGO_PKG_VERSION").to_owned())
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
