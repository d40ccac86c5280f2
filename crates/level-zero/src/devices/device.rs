//! Devices: properties in the structures of the API.

use std::ffi::c_void;
use std::sync::OnceLock;

use visakit_emulator::launch::printf::BUFFER_BYTES;
use visakit_emulator::limits::{IMAGE_LINE, IMAGE_SIDE};
use visakit_runtime::base::environment::ENVIRONMENT;
use visakit_runtime::devices::description::{
    Description, available_bytes, max_allocation, memory_bytes, product, uuid,
};

use crate::base::chain::{each, fill, text};
use crate::base::extensions::*;
use crate::base::handle::{self, Handle, kind};
use crate::base::types::*;

/// Device of the API.
pub(crate) struct Device {
    pub(crate) description: Description,
    module: OnceLock<Handle<MemoryModule>>,
}

kind!(Device);

/// Memory of a device in system management.
pub(crate) struct MemoryModule {
    /// True for memory on a card, false for a part of the system's memory.
    pub(crate) is_on_card: bool,
}

kind!(MemoryModule);

/// Type of `ze_device_properties_t` whose timer resolution is in cycles per second.
const DEVICE_PROPERTIES_1_2: u32 = 0x2_0006;
const DEVICE_IP_VERSION: u32 = 0x1_000f;
const USABLE_MEMORY: u32 = 0x2_0041;
const FLOAT_ATOMICS: u32 = 0x1_0003;
const EU_COUNT: u32 = 0x1_0005;
const SCHEDULING_HINTS: u32 = 0x2_0003;

/// Scheduling hints of kernels: oldest first, round robin, and round robin of stalled threads.
pub(crate) const HINTS: u32 = 0b111;

/// Flags of the queue groups: one for kernels, also cooperative ones, and copies; one for copies
/// alone. Each has one queue. Programs try each power of two up to the maximum size of a pattern.
pub(crate) const GROUPS: [u32; 2] = [COMPUTE | 0b110, 0b10];
/// Maximum size of a fill's pattern in bytes that the device states; others work too.
pub(crate) const MOST_PATTERN: usize = 128;
/// Flag of queue groups that run kernels.
pub(crate) const COMPUTE: u32 = 1;

const MUTABLE_LISTS: u32 = 0x2_0015;
/// Parts of commands that can change: arguments, sizes, offsets, events, the kernel.
pub(crate) const MUTABLE_PARTS: u32 = (1 << 7) - 1;

/// Type of the structure for the kinds of graphs, and the flag of graphs that cannot change.
const GRAPHS: u32 = 0x2_0047;
const IMMUTABLE: u32 = 1;

/// Device type of GPUs.
pub(crate) const GPU: u32 = 1;
/// Flag of devices that share the host's memory.
pub(crate) const INTEGRATED: u32 = 1;
/// Capabilities of a type: subnormals, infinities, all rounding modes, fused operations.
const PRECISION: u32 = 0b11_1111;
/// Correctly rounded division and square root.
const ROUNDED_DIVISION: u32 = 1 << 6;
/// Module features: halves, doubles, 64-bit atomics, byte products.
const HALVES: u32 = 1;
const DOUBLES: u32 = 1 << 1;
const LONG_ATOMICS: u32 = 1 << 2;
const DP4A: u32 = 1 << 3;
/// Capabilities of allocations: accesses and atomics, also concurrent accesses of host and device.
const ACCESS: u32 = 0b11;
const CONCURRENT: u32 = 0b100;
/// Capabilities of float atomics: loads and stores, additions, minima and maxima, in global and in
/// local memory.
const EXCHANGES_AND_LIMITS: u32 = 1 | 1 << 2 | 1 << 16 | 1 << 18;
const GLOBAL_ADDS: u32 = 1 << 1;
const LOCAL_ADDS: u32 = 1 << 17;
/// Version 1 of SPIR-V in the form of `ZE_MAKE_VERSION`, to which the minor number is added.
const SPIRV: u32 = 1 << 16;

/// Names of the device's memory.
const MEMORY: &str = "HOST";

impl Device {
    /// Creates a device.
    pub(crate) fn new(description: Description) -> Self {
        Self { description, module: OnceLock::new() }
    }

    /// Returns the UUID.
    pub(crate) fn uuid(&self) -> [u8; 16] {
        uuid(self.description.target.name())
    }

    /// Returns the handle of the memory in system management.
    pub(crate) fn module(&self) -> *mut c_void {
        let make = || handle::permanent(MemoryModule { is_on_card: self.description.target.card() });
        handle::address(self.module.get_or_init(make))
    }

    /// Answers `zeDeviceGetProperties`.
    pub(crate) fn properties(&self, out: &mut DeviceProperties) {
        let Self { description, .. } = self;
        out.kind = GPU;
        out.vendor_id = 0x8086;
        out.device_id = description.target.device_id().unwrap_or(0);
        out.flags = if description.target.card() { 0 } else { INTEGRATED };
        out.subdevice_id = 0;
        // The emulated device has no clock.
        out.core_clock_rate = 1000;
        out.max_mem_alloc_size = max_allocation();
        out.max_hardware_contexts = 1024;
        out.max_command_queue_priority = 0;
        // All compute units form one subslice.
        out.num_threads_per_eu = description.target.eu_threads();
        out.physical_eusimd_width = description.widths[0];
        out.num_eus_per_subslice = description.units as u32;
        out.num_subslices_per_slice = 1;
        out.num_slices = 1;
        // Time stamps are nanoseconds.
        out.timer_resolution = if out.stype == DEVICE_PROPERTIES_1_2 { 1_000_000_000 } else { 1 };
        out.timestamp_valid_bits = 64;
        out.kernel_timestamp_valid_bits = 64;
        out.uuid.id = self.uuid();
        out.name = text(&format!("visakit (Intel {})", product(description.target).to_ascii_uppercase()));
    }

    /// Fills in the extension structures of `zeDeviceGetProperties`.
    ///
    /// # Safety
    /// The chain is valid.
    pub(crate) unsafe fn extensions(&self, next: *mut c_void) {
        let units = self.description.units as u32;
        let version = |place| {
            let [major, minor, revision] = *self.description.target.ip_version() else { return };
            // SAFETY: the structure has this type.
            unsafe {
                fill(place, |out: &mut DeviceIpVersionExt| out.ip_version = major << 22 | minor << 14 | revision);
            }
        };
        // SAFETY: guaranteed by the caller.
        unsafe {
            each(next, |stype, place| match stype {
                DEVICE_IP_VERSION => version(place),
                MUTABLE_LISTS => fill(place, |out: &mut MutableCommandListExpProperties| {
                    (out.mutable_command_list_flags, out.mutable_command_flags) = (0, MUTABLE_PARTS);
                }),
                GRAPHS => fill(place, |out: &mut RecordReplayGraphExtProperties| out.graph_flags = IMMUTABLE),
                EU_COUNT => fill(place, |out: &mut EuCountExt| out.num_total_eus = units),
                USABLE_MEMORY => fill(place, |out: &mut DeviceUsablememSizeExtProperties| {
                    out.curr_usable_mem_size = available_bytes();
                }),
                _ => {}
            })
        };
    }

    /// Fills in the extension structures of `zeDeviceGetModuleProperties`.
    ///
    /// # Safety
    /// The chain is valid.
    pub(crate) unsafe fn module_extensions(&self, next: *mut c_void) {
        let Description { has_doubles, has_newer, .. } = self.description;
        let if_newer = |flags: u32| if has_newer { flags } else { 0 };
        let atomics = |out: &mut FloatAtomicExtProperties| {
            out.fp16_flags = EXCHANGES_AND_LIMITS;
            out.fp32_flags = EXCHANGES_AND_LIMITS | GLOBAL_ADDS | if_newer(LOCAL_ADDS);
            let doubles = EXCHANGES_AND_LIMITS | if_newer(GLOBAL_ADDS | LOCAL_ADDS);
            out.fp64_flags = if has_doubles { doubles } else { 0 };
        };
        // SAFETY: guaranteed by the caller; the structure has this type.
        unsafe {
            each(next, |stype, place| match stype {
                FLOAT_ATOMICS => fill(place, atomics),
                SCHEDULING_HINTS => {
                    fill(place, |out: &mut SchedulingHintExpProperties| out.scheduling_hint_flags = HINTS);
                }
                _ => {}
            })
        };
    }

    /// Answers `zeDeviceGetComputeProperties`.
    pub(crate) fn compute(&self, out: &mut DeviceComputeProperties) {
        let Self { description, .. } = self;
        let side = description.max_group as u32;
        out.max_total_group_size = side;
        (out.max_group_size_x, out.max_group_size_y, out.max_group_size_z) = (side, side, side);
        (out.max_group_count_x, out.max_group_count_y, out.max_group_count_z) = (u32::MAX, u32::MAX, u32::MAX);
        out.max_shared_local_memory = u32::try_from(description.local_bytes).unwrap_or(u32::MAX);
        out.sub_group_sizes = [0; 8];
        out.sub_group_sizes.iter_mut().zip(description.widths).for_each(|(to, from)| *to = *from);
        out.num_sub_group_sizes = description.widths.len().min(8) as u32;
    }

    /// Answers `zeDeviceGetModuleProperties`.
    pub(crate) fn modules(&self, out: &mut DeviceModuleProperties) {
        let Self { description, .. } = self;
        let flag = |has: bool, flag: u32| if has { flag } else { 0 };
        out.spirv_version_supported = description.newest_spirv().map_or(0, |minor| SPIRV | minor);
        let doubles = flag(description.has_doubles, DOUBLES);
        out.flags = HALVES | doubles | LONG_ATOMICS | flag(description.target.dp4a(), DP4A);
        out.fp16flags = PRECISION;
        out.fp32flags = PRECISION | ROUNDED_DIVISION;
        out.fp64flags = flag(description.has_doubles, PRECISION);
        out.max_arguments_size = 2048;
        out.printf_buffer_size = BUFFER_BYTES as u32;
        out.native_kernel_supported.id = uuid(description.target.name());
    }

    /// Answers `zeDeviceGetMemoryProperties` for the only memory.
    pub(crate) fn memory(out: &mut DeviceMemoryProperties) {
        out.flags = 0;
        (out.max_clock_rate, out.max_bus_width) = (1000, 64);
        out.total_size = memory_bytes();
        out.name = text(MEMORY);
    }

    /// Answers `zeDeviceGetImageProperties`.
    pub(crate) fn images(&self, out: &mut DeviceImageProperties) {
        let if_images = |number: u32| if self.description.has_images { number } else { 0 };
        out.max_image_dims1_d = if_images(IMAGE_SIDE);
        out.max_image_dims2_d = if_images(IMAGE_SIDE);
        out.max_image_dims3_d = if_images(IMAGE_SIDE.min(2048));
        out.max_image_buffer_size = if_images(IMAGE_LINE).into();
        out.max_image_array_slices = if_images(2048);
        out.max_samplers = if_images(16);
        (out.max_read_image_args, out.max_write_image_args) = (if_images(128), if_images(128));
    }

    /// Answers `zeDeviceGetMemoryAccessProperties`.
    pub(crate) fn accesses(out: &mut DeviceMemoryAccessProperties) {
        out.host_alloc_capabilities = ACCESS | CONCURRENT;
        out.device_alloc_capabilities = ACCESS | CONCURRENT;
        out.shared_single_device_alloc_capabilities = ACCESS | CONCURRENT;
        out.shared_cross_device_alloc_capabilities = ACCESS | CONCURRENT;
        out.shared_system_alloc_capabilities = if ENVIRONMENT.system_memory { ACCESS | CONCURRENT } else { 0 };
    }
}
