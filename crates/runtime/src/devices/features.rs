//! Extensions and optional features of devices, by the capabilities of their compiler and hardware.

use visakit::isa::Platform;

/// Extensions of all devices.
const EXTENSIONS: [&str; 43] = [
    "cl_khr_byte_addressable_store",
    "cl_khr_fp16",
    "cl_khr_global_int32_base_atomics",
    "cl_khr_global_int32_extended_atomics",
    "cl_khr_local_int32_base_atomics",
    "cl_khr_local_int32_extended_atomics",
    "cl_khr_int64_base_atomics",
    "cl_khr_int64_extended_atomics",
    "cl_khr_subgroups",
    "cl_khr_subgroup_extended_types",
    "cl_khr_subgroup_non_uniform_vote",
    "cl_khr_subgroup_ballot",
    "cl_khr_subgroup_non_uniform_arithmetic",
    "cl_khr_subgroup_shuffle",
    "cl_khr_subgroup_shuffle_relative",
    "cl_khr_subgroup_clustered_reduce",
    "cl_khr_spirv_no_integer_wrap_decoration",
    "cl_khr_il_program",
    "cl_khr_create_command_queue",
    COMMAND_BUFFER,
    MUTABLE_DISPATCH,
    "cl_khr_extended_versioning",
    DOT_PRODUCT,
    "cl_khr_device_uuid",
    "cl_khr_pci_bus_info",
    "cl_khr_priority_hints",
    "cl_khr_semaphore",
    "cl_khr_suggested_local_work_size",
    "cl_khr_throttle_hints",
    "cl_ext_float_atomics",
    "cl_intel_command_queue_families",
    "cl_intel_create_buffer_with_properties",
    "cl_intel_device_attribute_query",
    "cl_intel_driver_diagnostics",
    "cl_intel_mem_force_host_memory",
    "cl_intel_spirv_subgroups",
    "cl_intel_subgroups",
    "cl_intel_subgroups_char",
    "cl_intel_subgroups_short",
    "cl_intel_subgroups_long",
    "cl_intel_required_subgroup_size",
    "cl_intel_split_work_group_barrier",
    "cl_intel_unified_shared_memory",
];

/// Extensions of devices with images, which the official tests of immutable objects use too.
const IMAGE_EXTENSIONS: [&str; 4] = [
    "cl_ext_immutable_memory_objects",
    "cl_khr_3d_image_writes",
    "cl_khr_depth_images",
    "cl_khr_image2d_from_buffer",
];

/// Extension without a final version.
pub const COMMAND_BUFFER: &str = "cl_khr_command_buffer";
/// Extension for recorded launches that change, without a final version.
pub const MUTABLE_DISPATCH: &str = "cl_khr_command_buffer_mutable_dispatch";

/// Features of all devices.
const FEATURES: [&str; 18] = [
    "__opencl_c_atomic_order_acq_rel",
    "__opencl_c_atomic_order_seq_cst",
    "__opencl_c_atomic_scope_device",
    "__opencl_c_atomic_scope_all_devices",
    "__opencl_c_generic_address_space",
    "__opencl_c_int64",
    "__opencl_c_integer_dot_product_input_4x8bit",
    "__opencl_c_integer_dot_product_input_4x8bit_packed",
    "__opencl_c_program_scope_global_variables",
    "__opencl_c_subgroups",
    "__opencl_c_work_group_collective_functions",
    "__opencl_c_ext_fp16_global_atomic_load_store",
    "__opencl_c_ext_fp16_global_atomic_min_max",
    "__opencl_c_ext_fp16_local_atomic_load_store",
    "__opencl_c_ext_fp16_local_atomic_min_max",
    "__opencl_c_ext_fp32_global_atomic_add",
    "__opencl_c_ext_fp32_global_atomic_min_max",
    "__opencl_c_ext_fp32_local_atomic_min_max",
];

/// Extensions that only newer compilers declare and link.
const NEWER_EXTENSIONS: [&str; 6] = [
    "cl_khr_expect_assume",
    "cl_khr_extended_bit_ops",
    CLOCK[0],
    "cl_khr_spirv_linkonce_odr",
    "cl_khr_spirv_queries",
    "cl_khr_subgroup_rotate",
];
/// Extension for matrix products. It is offered on request only, because programs take it as a sign
/// to generate native code.
const PRODUCTS: &str = "cl_intel_subgroup_matrix_multiply_accumulate";
/// Extensions that newer compilers link for devices with matrix products.
const MATRIX_EXTENSIONS: [&str; 2] = ["cl_intel_bfloat16_conversions", "cl_intel_subgroup_local_block_io"];
/// Extensions that newer compilers link for devices with messages for rectangles.
const RECTANGLES: [&str; 3] =
    ["cl_intel_subgroup_2d_block_io", "cl_intel_subgroup_buffer_prefetch", "cl_intel_subgroup_extended_block_read"];
/// Extension whose second version is the final one. The driver has the functions that older
/// compilers lack.
pub const DOT_PRODUCT: &str = "cl_khr_integer_dot_product";

/// Feature that only newer compilers link.
const NEWER_FEATURE: &str = "__opencl_c_ext_fp32_local_atomic_add";
/// Extension and features of a clock, which a newer compiler links for every device but declares
/// only for newer ones, and there only that of the device. One clock serves all scopes.
pub const CLOCK: [&str; 4] = [
    "cl_khr_kernel_clock",
    "__opencl_c_kernel_clock_scope_device",
    "__opencl_c_kernel_clock_scope_sub_group",
    "__opencl_c_kernel_clock_scope_work_group",
];
/// Feature that only older compilers have: in `.ze_info` of today's compiler, kernels have no
/// argument for a pipe.
pub const PIPES: &str = "__opencl_c_pipes";
/// Features that only newer compilers link, for devices with doubles.
const NEWER_DOUBLE_FEATURES: [&str; 2] =
    ["__opencl_c_ext_fp64_global_atomic_add", "__opencl_c_ext_fp64_local_atomic_add"];

/// Features that the vendor's headers define for every device although the compiler lacks them on
/// some. Bit operations and differences of most floats are declared but not linked. Named barriers
/// crash the compiler.
pub const PROMISES: [&str; 26] = [
    PIPES,
    RECTANGLES[0],
    RECTANGLES[1],
    RECTANGLES[2],
    "cl_intel_accelerator",
    "cl_intel_bfloat16_conversions",
    "cl_intel_kernel_allocations_info",
    "cl_intel_packed_yuv",
    "cl_intel_subgroup_local_block_io",
    "cl_khr_extended_bit_ops",
    "cl_khr_external_memory",
    "cl_khr_gl_depth_images",
    "cl_khr_gl_msaa_sharing",
    "cl_khr_icd_unloadable",
    "cl_khr_kernel_clock",
    "cl_khr_subgroup_named_barrier",
    "cl_khr_subgroup_rotate",
    "__opencl_c_device_enqueue",
    "__opencl_c_ext_fp16_global_atomic_add",
    "__opencl_c_ext_fp16_local_atomic_add",
    "__opencl_c_ext_fp32_local_atomic_add",
    "__opencl_c_ext_fp64_global_atomic_add",
    "__opencl_c_ext_fp64_local_atomic_add",
    "__opencl_c_kernel_clock_scope_device",
    "__opencl_c_kernel_clock_scope_sub_group",
    "__opencl_c_kernel_clock_scope_work_group",
];

/// Features of images in OpenCL C 3.0, without writes of 3D images.
pub const IMAGES: [&str; 2] = ["__opencl_c_images", "__opencl_c_read_write_images"];
/// Feature that must be on whenever `cl_khr_3d_image_writes` is.
const WRITES_3D: &str = "__opencl_c_3d_image_writes";

/// Extensions that are a part of OpenCL 3.1, together with the features of OpenCL 3.0.
pub const NEWEST: [&str; 9] = [
    DOT_PRODUCT,
    "cl_khr_device_uuid",
    "cl_khr_extended_bit_ops",
    "cl_khr_spirv_queries",
    "cl_khr_subgroup_extended_types",
    "cl_khr_subgroup_rotate",
    "cl_khr_subgroup_shuffle",
    "cl_khr_subgroup_shuffle_relative",
    "cl_khr_suggested_local_work_size",
];

/// Extensions that the vendor's precompiled headers declare. The front end parses the text of the
/// headers, which takes longer than the rest of a small build, if one of them is off.
pub const PRECOMPILED: [&str; 17] = [
    WRITES_3D,
    "cl_intel_device_side_avc_motion_estimation",
    "cl_intel_planar_yuv",
    "cl_intel_subgroups",
    "cl_intel_subgroups_short",
    "cl_khr_3d_image_writes",
    "cl_khr_depth_images",
    "cl_khr_fp16",
    "cl_khr_global_int32_base_atomics",
    "cl_khr_global_int32_extended_atomics",
    "cl_khr_int64_base_atomics",
    "cl_khr_int64_extended_atomics",
    "cl_khr_local_int32_base_atomics",
    "cl_khr_local_int32_extended_atomics",
    "cl_khr_mipmap_image",
    "cl_khr_mipmap_image_writes",
    "cl_khr_subgroups",
];

/// Platform and compiler of a device, which decide its extensions and features.
#[derive(Clone, Copy)]
pub struct Has {
    /// Platform of the GPU.
    pub target: Platform,
    /// True for a compiler of 2025 or later.
    pub newer: bool,
    /// True if the matrix products are offered.
    pub products: bool,
}

impl Has {
    /// Returns the extensions of a device.
    pub fn extensions(self) -> Vec<&'static str> {
        let mut extensions = EXTENSIONS.to_vec();
        if self.target.doubles() {
            extensions.push("cl_khr_fp64");
        }
        if self.target.images() {
            extensions.extend(IMAGE_EXTENSIONS);
        }
        if self.newer {
            extensions.extend(NEWER_EXTENSIONS);
        }
        if self.newer && self.target.dpas() {
            extensions.extend(MATRIX_EXTENSIONS);
            extensions.extend(self.products.then_some(PRODUCTS));
        }
        if self.newer && self.target.rectangles() {
            extensions.extend(RECTANGLES);
        }
        extensions
    }

    /// Returns the optional OpenCL C 3.0 features of a device.
    pub fn features(self) -> Vec<&'static str> {
        let mut features = FEATURES.to_vec();
        if self.target.doubles() {
            features.extend(["__opencl_c_fp64", "__opencl_c_ext_fp64_global_atomic_min_max"]);
            features.push("__opencl_c_ext_fp64_local_atomic_min_max");
        }
        if self.target.images() {
            features.extend([IMAGES[0], WRITES_3D, IMAGES[1]]);
        }
        // A newer release hands the oldest devices to an older one.
        if !self.newer || self.target.old_headers() {
            features.push(PIPES);
        }
        if self.newer {
            features.push(NEWER_FEATURE);
            features.extend(&CLOCK[1..]);
        }
        if self.newer && self.target.doubles() {
            features.extend(NEWER_DOUBLE_FEATURES);
        }
        features
    }
}
