//! Structures of the API, as its specification lays them out.
#![expect(missing_docs, reason = "names and fields are those of the specification")]

use std::ffi::{c_char, c_void};

use crate::base::structures::structures;

structures! {
    InitDriverTypeDesc {
        stype: u32,
        p_next: *mut c_void,
        flags: u32,
    }
    DriverUuid {
        id: [u8; 16],
    }
    DriverProperties {
        stype: u32,
        p_next: *mut c_void,
        uuid: DriverUuid,
        driver_version: u32,
    }
    DriverMemoryFreeExtProperties {
        stype: u32,
        p_next: *mut c_void,
        free_policies: u32,
    }
    DriverIpcProperties {
        stype: u32,
        p_next: *mut c_void,
        flags: u32,
    }
    DriverExtensionProperties {
        name: [u8; 256],
        version: u32,
    }
    DeviceUuid {
        id: [u8; 16],
    }
    DeviceProperties {
        stype: u32,
        p_next: *mut c_void,
        kind: u32,
        vendor_id: u32,
        device_id: u32,
        flags: u32,
        subdevice_id: u32,
        core_clock_rate: u32,
        max_mem_alloc_size: u64,
        max_hardware_contexts: u32,
        max_command_queue_priority: u32,
        num_threads_per_eu: u32,
        physical_eusimd_width: u32,
        num_eus_per_subslice: u32,
        num_subslices_per_slice: u32,
        num_slices: u32,
        timer_resolution: u64,
        timestamp_valid_bits: u32,
        kernel_timestamp_valid_bits: u32,
        uuid: DeviceUuid,
        name: [u8; 256],
    }
    DeviceThread {
        slice: u32,
        subslice: u32,
        eu: u32,
        thread: u32,
    }
    DeviceComputeProperties {
        stype: u32,
        p_next: *mut c_void,
        max_total_group_size: u32,
        max_group_size_x: u32,
        max_group_size_y: u32,
        max_group_size_z: u32,
        max_group_count_x: u32,
        max_group_count_y: u32,
        max_group_count_z: u32,
        max_shared_local_memory: u32,
        num_sub_group_sizes: u32,
        sub_group_sizes: [u32; 8],
    }
    NativeKernelUuid {
        id: [u8; 16],
    }
    DeviceModuleProperties {
        stype: u32,
        p_next: *mut c_void,
        spirv_version_supported: u32,
        flags: u32,
        fp16flags: u32,
        fp32flags: u32,
        fp64flags: u32,
        max_arguments_size: u32,
        printf_buffer_size: u32,
        native_kernel_supported: NativeKernelUuid,
    }
    CommandQueueGroupProperties {
        stype: u32,
        p_next: *mut c_void,
        flags: u32,
        max_memory_fill_pattern_size: usize,
        num_queues: u32,
    }
    DeviceMemoryProperties {
        stype: u32,
        p_next: *mut c_void,
        flags: u32,
        max_clock_rate: u32,
        max_bus_width: u32,
        total_size: u64,
        name: [u8; 256],
    }
    DeviceMemoryAccessProperties {
        stype: u32,
        p_next: *mut c_void,
        host_alloc_capabilities: u32,
        device_alloc_capabilities: u32,
        shared_single_device_alloc_capabilities: u32,
        shared_cross_device_alloc_capabilities: u32,
        shared_system_alloc_capabilities: u32,
    }
    DeviceCacheProperties {
        stype: u32,
        p_next: *mut c_void,
        flags: u32,
        cache_size: usize,
    }
    DeviceImageProperties {
        stype: u32,
        p_next: *mut c_void,
        max_image_dims1_d: u32,
        max_image_dims2_d: u32,
        max_image_dims3_d: u32,
        max_image_buffer_size: u64,
        max_image_array_slices: u32,
        max_samplers: u32,
        max_read_image_args: u32,
        max_write_image_args: u32,
    }
    DeviceExternalMemoryProperties {
        stype: u32,
        p_next: *mut c_void,
        memory_allocation_import_types: u32,
        memory_allocation_export_types: u32,
        image_import_types: u32,
        image_export_types: u32,
    }
    DeviceP2pProperties {
        stype: u32,
        p_next: *mut c_void,
        flags: u32,
    }
    DeviceIpVersionExt {
        stype: u32,
        p_next: *mut c_void,
        ip_version: u32,
    }
    DeviceMemoryExtProperties {
        stype: u32,
        p_next: *mut c_void,
        kind: u32,
        physical_size: u64,
        read_bandwidth: u32,
        write_bandwidth: u32,
        bandwidth_unit: u32,
    }
    FloatAtomicExtProperties {
        stype: u32,
        p_next: *mut c_void,
        fp16_flags: u32,
        fp32_flags: u32,
        fp64_flags: u32,
    }
    DeviceLuidExt {
        id: [u8; 8],
    }
    SchedulingHintExpProperties {
        stype: u32,
        p_next: *mut c_void,
        scheduling_hint_flags: u32,
    }
    SchedulingHintExpDesc {
        stype: u32,
        p_next: *mut c_void,
        flags: u32,
    }
    PciAddressExt {
        domain: u32,
        bus: u32,
        device: u32,
        function: u32,
    }
    FabricVertexExpProperties {
        stype: u32,
        p_next: *mut c_void,
        uuid: DeviceUuid,
        vertex_type: u32,
        remote: u8,
        address: PciAddressExt,
    }
    PciSpeedExt {
        gen_version: i32,
        width: i32,
        max_bandwidth: i64,
    }
    PciExtProperties {
        stype: u32,
        p_next: *mut c_void,
        address: PciAddressExt,
        max_speed: PciSpeedExt,
    }
    DeviceVectorWidthPropertiesExt {
        stype: u32,
        p_next: *mut c_void,
        vector_width_size: u32,
        preferred_vector_width_char: u32,
        preferred_vector_width_short: u32,
        preferred_vector_width_int: u32,
        preferred_vector_width_long: u32,
        preferred_vector_width_float: u32,
        preferred_vector_width_double: u32,
        preferred_vector_width_half: u32,
        native_vector_width_char: u32,
        native_vector_width_short: u32,
        native_vector_width_int: u32,
        native_vector_width_long: u32,
        native_vector_width_float: u32,
        native_vector_width_double: u32,
        native_vector_width_half: u32,
    }
    DeviceUsablememSizeExtProperties {
        stype: u32,
        p_next: *mut c_void,
        curr_usable_mem_size: u64,
    }
    EuCountExt {
        stype: u32,
        p_next: *mut c_void,
        num_total_eus: u32,
    }
    DeviceCacheLineSizeExt {
        stype: u32,
        p_next: *mut c_void,
        cache_line_size: usize,
    }
    ContextDesc {
        stype: u32,
        p_next: *mut c_void,
        flags: u32,
    }
    CommandQueueDesc {
        stype: u32,
        p_next: *mut c_void,
        ordinal: u32,
        index: u32,
        flags: u32,
        mode: u32,
        priority: u32,
    }
    CommandListDesc {
        stype: u32,
        p_next: *mut c_void,
        command_queue_group_ordinal: u32,
        flags: u32,
    }
    DeviceMemAllocDesc {
        stype: u32,
        p_next: *mut c_void,
        flags: u32,
        ordinal: u32,
    }
    HostMemAllocDesc {
        stype: u32,
        p_next: *mut c_void,
        flags: u32,
    }
    MemoryAllocationProperties {
        stype: u32,
        p_next: *mut c_void,
        kind: u32,
        id: u64,
        page_size: u64,
    }
    MemoryFreeExtDesc {
        stype: u32,
        p_next: *mut c_void,
        free_policy: u32,
    }
    CopyRegion {
        origin_x: u32,
        origin_y: u32,
        origin_z: u32,
        width: u32,
        height: u32,
        depth: u32,
    }
    EventPoolDesc {
        stype: u32,
        p_next: *mut c_void,
        flags: u32,
        count: u32,
    }
    EventDesc {
        stype: u32,
        p_next: *mut c_void,
        index: u32,
        signal: u32,
        wait: u32,
    }
    KernelTimestampData {
        kernel_start: u64,
        kernel_end: u64,
    }
    KernelTimestampResult {
        global: KernelTimestampData,
        context: KernelTimestampData,
    }
    EventCounterBasedDesc {
        stype: u32,
        p_next: *mut c_void,
        flags: u32,
        signal: u32,
        wait: u32,
    }
    FenceDesc {
        stype: u32,
        p_next: *mut c_void,
        flags: u32,
    }
    ModuleConstants {
        num_constants: u32,
        p_constant_ids: *const u32,
        p_constant_values: *const *mut c_void,
    }
    ModuleDesc {
        stype: u32,
        p_next: *mut c_void,
        format: u32,
        input_size: usize,
        p_input_module: *const u8,
        p_build_flags: *const c_char,
        p_constants: *const ModuleConstants,
    }
    ModuleProgramExpDesc {
        stype: u32,
        p_next: *mut c_void,
        count: u32,
        input_sizes: *const usize,
        p_input_modules: *const *const u8,
        p_build_flags: *const *const c_char,
        p_constants: *const *const ModuleConstants,
    }
    ModuleProperties {
        stype: u32,
        p_next: *mut c_void,
        flags: u32,
    }
    KernelDesc {
        stype: u32,
        p_next: *mut c_void,
        flags: u32,
        p_kernel_name: *const c_char,
    }
    KernelUuid {
        kid: [u8; 16],
        mid: [u8; 16],
    }
    KernelProperties {
        stype: u32,
        p_next: *mut c_void,
        num_kernel_args: u32,
        required_group_size_x: u32,
        required_group_size_y: u32,
        required_group_size_z: u32,
        required_num_sub_groups: u32,
        required_subgroup_size: u32,
        max_subgroup_size: u32,
        max_num_subgroups: u32,
        local_mem_size: u32,
        private_mem_size: u32,
        spill_mem_size: u32,
        uuid: KernelUuid,
    }
    KernelPreferredGroupSizeProperties {
        stype: u32,
        p_next: *mut c_void,
        preferred_multiple: u32,
    }
    KernelMaxGroupSizePropertiesExt {
        stype: u32,
        p_next: *mut c_void,
        max_group_size: u32,
    }
    GroupCount {
        group_count_x: u32,
        group_count_y: u32,
        group_count_z: u32,
    }
    GroupSize {
        group_size_x: u32,
        group_size_y: u32,
        group_size_z: u32,
    }
    SamplerDesc {
        stype: u32,
        p_next: *mut c_void,
        address_mode: u32,
        filter_mode: u32,
        is_normalized: u8,
    }
    LinkageInspectionExtDesc {
        stype: u32,
        p_next: *mut c_void,
        flags: u32,
    }
    ImageFormat {
        layout: u32,
        kind: u32,
        x: u32,
        y: u32,
        z: u32,
        w: u32,
    }
    ImageDesc {
        stype: u32,
        p_next: *mut c_void,
        flags: u32,
        kind: u32,
        format: ImageFormat,
        width: u64,
        height: u32,
        depth: u32,
        arraylevels: u32,
        miplevels: u32,
    }
    ImageProperties {
        stype: u32,
        p_next: *mut c_void,
        sampler_filter_flags: u32,
    }
    ImageMemoryPropertiesExp {
        stype: u32,
        p_next: *mut c_void,
        size: u64,
        row_pitch: u64,
        slice_pitch: u64,
    }
    ImageAllocationExtProperties {
        stype: u32,
        p_next: *mut c_void,
        id: u64,
    }
    SynchronizedTimestampDataExt {
        kernel_start: u64,
        kernel_end: u64,
    }
    SynchronizedTimestampResultExt {
        global: SynchronizedTimestampDataExt,
        context: SynchronizedTimestampDataExt,
    }
    EventQueryKernelTimestampsResultsExtProperties {
        stype: u32,
        p_next: *mut c_void,
        p_kernel_timestamps_buffer: *const KernelTimestampResult,
        p_synchronized_timestamps_buffer: *const SynchronizedTimestampResultExt,
    }
    EventPoolCounterBasedExpDesc {
        stype: u32,
        p_next: *mut c_void,
        flags: u32,
    }
}

/// `ze_image_region_t`, which has the fields of a region of memory.
pub type ImageRegion = CopyRegion;
