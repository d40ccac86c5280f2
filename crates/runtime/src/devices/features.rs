//! Extensions and optional features of devices, by the capabilities of their compiler and hardware.

/// Extensions of all devices.
const EXTENSIONS: [&str; 35] = [
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
    "cl_khr_extended_versioning",
    "cl_khr_device_uuid",
    "cl_khr_priority_hints",
    "cl_khr_semaphore",
    "cl_khr_suggested_local_work_size",
    "cl_khr_throttle_hints",
    "cl_ext_float_atomics",
    "cl_intel_device_attribute_query",
    "cl_intel_subgroups",
    "cl_intel_subgroups_char",
    "cl_intel_subgroups_short",
    "cl_intel_subgroups_long",
    "cl_intel_required_subgroup_size",
    "cl_intel_split_work_group_barrier",
    "cl_intel_unified_shared_memory",
];

/// Extension without a final version.
pub const COMMAND_BUFFER: &str = "cl_khr_command_buffer";

/// Features of all devices.
const FEATURES: [&str; 17] = [
    "__opencl_c_atomic_order_acq_rel",
    "__opencl_c_atomic_order_seq_cst",
    "__opencl_c_atomic_scope_device",
    "__opencl_c_atomic_scope_all_devices",
    "__opencl_c_generic_address_space",
    "__opencl_c_int64",
    "__opencl_c_pipes",
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

/// Extensions that the compiler of 2022 declares without linking them, and that of 2026 links.
const NEWER_EXTENSIONS: [&str; 2] = ["cl_khr_extended_bit_ops", DOT_PRODUCT];
/// Extension whose second version is the final one.
pub const DOT_PRODUCT: &str = "cl_khr_integer_dot_product";

/// Features that only newer compilers link.
const NEWER_FEATURES: [&str; 3] = [
    "__opencl_c_ext_fp32_local_atomic_add",
    "__opencl_c_integer_dot_product_input_4x8bit",
    "__opencl_c_integer_dot_product_input_4x8bit_packed",
];
/// Features that only newer compilers link, for devices with doubles.
const NEWER_DOUBLE_FEATURES: [&str; 2] =
    ["__opencl_c_ext_fp64_global_atomic_add", "__opencl_c_ext_fp64_local_atomic_add"];

/// Features that the vendor's headers define for every device although the compiler lacks them on
/// some. Byte products, bit operations and differences of most floats are declared but not linked.
pub const PROMISES: [&str; 15] = [
    "cl_khr_3d_image_writes",
    "cl_khr_depth_images",
    "cl_khr_extended_bit_ops",
    "cl_khr_integer_dot_product",
    "__opencl_c_3d_image_writes",
    "__opencl_c_device_enqueue",
    "__opencl_c_ext_fp16_global_atomic_add",
    "__opencl_c_ext_fp16_local_atomic_add",
    "__opencl_c_ext_fp32_local_atomic_add",
    "__opencl_c_ext_fp64_global_atomic_add",
    "__opencl_c_ext_fp64_local_atomic_add",
    "__opencl_c_images",
    "__opencl_c_integer_dot_product_input_4x8bit",
    "__opencl_c_integer_dot_product_input_4x8bit_packed",
    "__opencl_c_read_write_images",
];

/// Capabilities that not all devices have.
#[derive(Clone, Copy)]
pub struct Has {
    /// True if kernels can use images.
    pub images: bool,
    /// True if kernels can use doubles.
    pub doubles: bool,
    /// True for a compiler of 2025 or later.
    pub newer: bool,
}

impl Has {
    /// Returns the extensions of a device.
    pub fn extensions(self) -> Vec<&'static str> {
        let mut extensions = EXTENSIONS.to_vec();
        if self.doubles {
            extensions.push("cl_khr_fp64");
        }
        if self.images {
            extensions.extend(["cl_khr_3d_image_writes", "cl_khr_depth_images", "cl_khr_image2d_from_buffer"]);
        }
        if self.newer {
            extensions.extend(NEWER_EXTENSIONS);
        }
        extensions
    }

    /// Returns the optional OpenCL C 3.0 features of a device.
    pub fn features(self) -> Vec<&'static str> {
        let mut features = FEATURES.to_vec();
        if self.doubles {
            features.extend(["__opencl_c_fp64", "__opencl_c_ext_fp64_global_atomic_min_max"]);
            features.push("__opencl_c_ext_fp64_local_atomic_min_max");
        }
        if self.images {
            features.extend(["__opencl_c_images", "__opencl_c_3d_image_writes", "__opencl_c_read_write_images"]);
        }
        if self.newer {
            features.extend(NEWER_FEATURES);
        }
        if self.newer && self.doubles {
            features.extend(NEWER_DOUBLE_FEATURES);
        }
        features
    }
}
