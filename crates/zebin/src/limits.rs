//! Limits on what a container may request. A larger value is a finding at its place in `.ze_info`,
//! which names the limit. Numbers in a damaged file must not cause huge allocations.
//!
//! The limits are those of the devices, or far above what compilers write.

/// Largest index of an argument: the devices pass 2048 bytes of arguments.
pub const ARGUMENT_INDEX: u32 = 2047;
/// Bytes of shared local memory per work-group. The devices have at most 384 KiB.
pub const SLM_BYTES: u32 = 1 << 20;
/// Bytes of each private memory buffer of a hardware thread or channel.
pub const PRIVATE_BYTES: u32 = 16 << 20;
/// Possible numbers of channels per hardware thread.
pub const SIMD_SIZES: [u32; 4] = [1, 8, 16, 32];
/// Bytes of the cross-thread data, and of the per-thread data.
pub const PAYLOAD_BYTES: u32 = 1 << 16;
/// Maximum nesting depth of lists and maps in `.ze_info`.
pub const YAML_DEPTH: usize = 64;
/// Maximum number of values, lists and maps in `.ze_info`.
pub const YAML_NODES: usize = 250_000;
