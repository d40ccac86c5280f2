//! Answers of `cl_khr_spirv_queries`: what SPIR-V modules may use on a device.

use std::ffi::{CStr, c_char};

use opencl_sys::cl_uint;
use spirv::Capability;

use crate::devices::device::Device;

/// Extension or feature of a device, with the extensions of SPIR-V and the capabilities that
/// modules may then use.
type Use = (&'static str, &'static [&'static CStr], &'static [Capability]);

/// Capabilities of all devices.
const ALWAYS: [Capability; 13] = [
    Capability::Addresses,
    Capability::Float16,
    Capability::Float16Buffer,
    Capability::GenericPointer,
    Capability::GroupNonUniform,
    Capability::Groups,
    Capability::Int16,
    Capability::Int64,
    Capability::Int8,
    Capability::Kernel,
    Capability::Linkage,
    Capability::SubgroupDispatch,
    Capability::Vector16,
];

const IMAGES: &[Capability] = &[
    Capability::Image1D,
    Capability::ImageBasic,
    Capability::ImageBuffer,
    Capability::ImageReadWrite,
    Capability::LiteralSampler,
    Capability::Sampled1D,
    Capability::SampledBuffer,
];
const DOTS: &[Capability] =
    &[Capability::DotProduct, Capability::DotProductInput4x8Bit, Capability::DotProductInput4x8BitPacked];
const BLOCKS: &[Capability] = &[
    Capability::SubgroupBufferBlockIOINTEL,
    Capability::SubgroupImageBlockIOINTEL,
    Capability::SubgroupShuffleINTEL,
];
const PREFETCHES: &[Capability] = &[Capability::SubgroupBufferPrefetchINTEL];
const ARITHMETIC: &[Capability] = &[Capability::GroupNonUniformArithmetic];
const FLOAT_ADD: &CStr = c"SPV_EXT_shader_atomic_float_add";
const FLOAT_LIMITS: &CStr = c"SPV_EXT_shader_atomic_float_min_max";

/// Uses that the extensions and features of devices permit.
const USES: [Use; 26] = [
    ("__opencl_c_pipes", &[], &[Capability::Pipes]),
    ("__opencl_c_images", &[], IMAGES),
    ("__opencl_c_fp64", &[], &[Capability::Float64]),
    ("cl_khr_int64_base_atomics", &[], &[Capability::Int64Atomics]),
    ("cl_khr_expect_assume", &[c"SPV_KHR_expect_assume"], &[Capability::ExpectAssumeKHR]),
    ("cl_khr_extended_bit_ops", &[c"SPV_KHR_bit_instructions"], &[Capability::BitInstructions]),
    ("cl_khr_integer_dot_product", &[c"SPV_KHR_integer_dot_product"], DOTS),
    ("cl_khr_kernel_clock", &[c"SPV_KHR_shader_clock"], &[Capability::ShaderClockKHR]),
    ("cl_khr_spirv_linkonce_odr", &[c"SPV_KHR_linkonce_odr"], &[]),
    ("cl_khr_spirv_no_integer_wrap_decoration", &[c"SPV_KHR_no_integer_wrap_decoration"], &[]),
    ("cl_khr_subgroup_ballot", &[], &[Capability::GroupNonUniformBallot]),
    ("cl_khr_subgroup_clustered_reduce", &[], &[Capability::GroupNonUniformClustered]),
    ("cl_khr_subgroup_non_uniform_arithmetic", &[], ARITHMETIC),
    ("cl_khr_subgroup_non_uniform_vote", &[], &[Capability::GroupNonUniformVote]),
    ("cl_khr_subgroup_rotate", &[c"SPV_KHR_subgroup_rotate"], &[Capability::GroupNonUniformRotateKHR]),
    ("cl_khr_subgroup_shuffle", &[], &[Capability::GroupNonUniformShuffle]),
    ("cl_khr_subgroup_shuffle_relative", &[], &[Capability::GroupNonUniformShuffleRelative]),
    ("__opencl_c_ext_fp32_global_atomic_add", &[FLOAT_ADD], &[Capability::AtomicFloat32AddEXT]),
    ("__opencl_c_ext_fp32_global_atomic_min_max", &[FLOAT_LIMITS], &[Capability::AtomicFloat32MinMaxEXT]),
    ("__opencl_c_ext_fp16_global_atomic_min_max", &[FLOAT_LIMITS], &[Capability::AtomicFloat16MinMaxEXT]),
    ("__opencl_c_ext_fp64_global_atomic_add", &[FLOAT_ADD], &[Capability::AtomicFloat64AddEXT]),
    ("__opencl_c_ext_fp64_global_atomic_min_max", &[FLOAT_LIMITS], &[Capability::AtomicFloat64MinMaxEXT]),
    ("cl_intel_bfloat16_conversions", &[c"SPV_INTEL_bfloat16_conversion"], &[Capability::BFloat16ConversionINTEL]),
    ("cl_intel_split_work_group_barrier", &[c"SPV_INTEL_split_barrier"], &[Capability::SplitBarrierINTEL]),
    ("cl_intel_spirv_subgroups", &[c"SPV_INTEL_subgroups"], BLOCKS),
    ("cl_intel_subgroup_buffer_prefetch", &[c"SPV_INTEL_subgroup_buffer_prefetch"], PREFETCHES),
];

/// Returns the extended instruction sets.
pub(crate) fn instruction_sets(device: &Device) -> Vec<*const c_char> {
    if device.has_compiler() { vec![c"OpenCL.std".as_ptr()] } else { Vec::new() }
}

/// Returns the extensions of SPIR-V. Each is listed once.
pub(crate) fn extensions(device: &Device) -> Vec<*const c_char> {
    let mut names: Vec<&CStr> = uses(device).flat_map(|(_, extensions, _)| *extensions).copied().collect();
    names.sort_unstable();
    names.dedup();
    names.into_iter().map(CStr::as_ptr).collect()
}

/// Returns the capabilities, each once.
pub(crate) fn capabilities(device: &Device) -> Vec<cl_uint> {
    let always = if device.has_compiler() { &ALWAYS[..] } else { &[] };
    // SPIR-V 1.6 has it.
    let uniform = (device.newest_spirv() >= Some(6)).then_some(&Capability::UniformDecoration);
    let all = always.iter().chain(uniform).chain(uses(device).flat_map(|(_, _, capabilities)| *capabilities));
    all.map(|capability| *capability as cl_uint).collect()
}

fn uses(device: &Device) -> impl Iterator<Item = &'static Use> {
    USES.iter().filter(|(name, ..)| device.has_compiler() && device.has(name))
}
