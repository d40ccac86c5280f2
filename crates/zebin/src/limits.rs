//! How much a container may ask for. What is beyond is a finding at its place in `.ze_info`, which
//! says the limit: numbers of a damaged file must not become memory.
//!
//! The limits are those of the devices, or far above what compilers write.

/// The highest index of an argument: the devices pass 2048 bytes of arguments.
pub const ARGUMENT_INDEX: u32 = 2047;
/// Bytes of shared local memory that a group has. The devices have at most 384 KiB.
pub const SLM_BYTES: u32 = 1 << 20;
/// Bytes of private memory of a hardware thread or channel, in each of its buffers.
pub const PRIVATE_BYTES: u32 = 16 << 20;
/// The channels of a hardware thread, any of these.
pub const SIMD_SIZES: [u32; 4] = [1, 8, 16, 32];
/// Bytes of the data that all threads share, and of those that each has for itself.
pub const PAYLOAD_BYTES: u32 = 1 << 16;
/// Nesting depth of lists and maps in `.ze_info`.
pub const YAML_DEPTH: usize = 64;
/// Values, lists and maps of `.ze_info` together.
pub const YAML_NODES: usize = 250_000;
