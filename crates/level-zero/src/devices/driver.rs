//! The driver: its devices and extensions.

use std::sync::{Arc, LazyLock};

use visakit_runtime::devices::description::{Description, listed};

use crate::base::handle::{self, Handle, kind};
use crate::devices::device::Device;

/// Driver of the API.
pub(crate) struct Driver {
    pub(crate) devices: Vec<Handle<Device>>,
    pub(crate) vertices: Vec<Handle<Vertex>>,
}

kind!(Driver);

/// Vertex of the fabric: a device.
pub(crate) struct Vertex {
    pub(crate) device: Handle<Device>,
}

kind!(Vertex);

/// Version of the API: 1.17.
pub(crate) const VERSION: u32 = 1 << 16 | 17;

/// Extensions with their versions.
pub(crate) const EXTENSIONS: [(&str, u32); 28] = [
    ("ZE_extension_device_ip_version", 1 << 16),
    ("ZE_extension_device_memory_properties", 1 << 16),
    ("ZE_extension_device_usablemem_size_properties", 1 << 16),
    ("ZE_extension_eu_count", 1 << 16),
    ("ZE_extension_event_query_kernel_timestamps", 1 << 16),
    ("ZE_extension_float_atomics", 1 << 16),
    ("ZE_extension_image_copy", 1 << 16),
    ("ZE_extension_image_query_alloc_properties", 1 << 16),
    ("ZE_extension_image_view", 1 << 16),
    ("ZE_extension_image_view_planar", 1 << 16),
    ("ZE_extension_kernel_max_group_size_properties", 1 << 16),
    ("ZE_extension_memory_free_policies", 1 << 16),
    ("ZE_extension_record_replay_graph", 1 << 16),
    ("ZE_extension_subgroups", 1 << 16),
    ("ZE_extension_kernel_binary_exp", 1 << 16),
    ("ZE_extension_linkage_inspection", 1 << 16),
    ("ZE_experimental_command_list_clone", 1 << 16),
    ("ZE_experimental_event_pool_counter_based", 1 << 16),
    ("ZE_experimental_event_query_timestamps", 1 << 16),
    ("ZE_experimental_global_offset", 1 << 16),
    ("ZE_experimental_image_memory_properties", 1 << 16),
    ("ZE_experimental_image_view", 1 << 16),
    ("ZE_experimental_image_view_planar", 1 << 16),
    ("ZE_experimental_immediate_command_list_append", 1 << 16),
    ("ZE_experimental_kernel_allocation_properties", 1 << 16),
    ("ZE_experimental_module_program", 1 << 16),
    ("ZE_experimental_scheduling_hints", 1 << 16),
    ("ZE_experimental_mutable_command_list", 1 << 16 | 1),
];

static DRIVER: LazyLock<Handle<Driver>> = LazyLock::new(|| {
    let device = |target| handle::permanent(Device::new(Description::new(target)));
    let devices: Vec<_> = listed().into_iter().map(device).collect();
    let vertex = |device: &Handle<Device>| handle::permanent(Vertex { device: Arc::clone(device) });
    let vertices = devices.iter().map(vertex).collect();
    handle::permanent(Driver { devices, vertices })
});

/// Returns the only driver, which lives until the process ends.
pub(crate) fn the() -> &'static Handle<Driver> {
    &DRIVER
}
