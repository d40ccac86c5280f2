//! `.ze_info`: what the launcher of a kernel must know (zebin-spec/zeinfo.md).
//!
//! Keys that are not known are passed over: newer compilers add some in every version.

mod read;

use serde::Deserialize;

use crate::limits::{ARGUMENT_INDEX, PAYLOAD_BYTES, PRIVATE_BYTES, SLM_BYTES};
pub use read::parse;
use read::{at_most, simd_size, some_at_most};

/// The whole section.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct ZeInfo {
    /// Version of the format, such as `1.20`.
    pub version: String,
    /// The kernels, in the order of the file's texts.
    pub kernels: Vec<KernelInfo>,
    /// Functions that other modules may call.
    pub functions: Vec<FunctionInfo>,
    /// Names and types of the kernels' arguments.
    pub kernels_misc_info: Vec<KernelMiscInfo>,
}

/// One kernel.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct KernelInfo {
    /// The kernel's name in the source.
    pub name: String,
    /// What the source asks for.
    pub user_attributes: UserAttributes,
    /// Widths, sizes and needs.
    pub execution_env: ExecutionEnv,
    /// What is in the cross-thread data, and where.
    pub payload_arguments: Vec<PayloadArgument>,
    /// What is in the per-thread data.
    pub per_thread_payload_arguments: Vec<PayloadArgument>,
    /// Which binding-table entry belongs to which argument.
    pub binding_table_indices: Vec<BindingTableIndex>,
    /// Private and scratch memory.
    pub per_thread_memory_buffers: Vec<PerThreadMemoryBuffer>,
    /// Samplers written in the source.
    pub inline_samplers: Vec<InlineSampler>,
}

/// Attributes of a kernel in its source.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct UserAttributes {
    /// The size of sub-groups; 0 where the source leaves it to the compiler.
    pub intel_reqd_sub_group_size: u32,
    /// The type that the kernel mostly computes with, as the source says; empty where it does not.
    pub vec_type_hint: String,
    /// The local size that the source hints at; zeros where it does not.
    pub work_group_size_hint: [u32; 3],
}

/// A function outside every kernel.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct FunctionInfo {
    /// Name.
    pub name: String,
    /// Widths, sizes and needs.
    pub execution_env: ExecutionEnv,
}

/// How a kernel is executed. Sizes are in bytes.
#[derive(Clone, Debug, Deserialize)]
#[serde(default)]
pub struct ExecutionEnv {
    /// Number of barriers that the kernel uses.
    pub barrier_count: u32,
    /// Registers of a hardware thread.
    pub grf_count: u32,
    /// Channels of a hardware thread: 1, 8, 16 or 32.
    #[serde(deserialize_with = "simd_size")]
    pub simd_size: u32,
    /// Shared local memory of a group.
    #[serde(deserialize_with = "at_most::<SLM_BYTES, _>")]
    pub slm_size: u32,
    /// Private memory.
    #[serde(deserialize_with = "at_most::<PRIVATE_BYTES, _>")]
    pub private_size: u32,
    /// Spilled registers.
    pub spill_size: u32,
    /// Local size that the source demands; zeros where it does not.
    pub required_work_group_size: [u32; 3],
    /// Channels of a hardware thread that the source demands; 0 where it does not.
    pub required_sub_group_size: u32,
    /// Bytes of cross-thread data that arrive with the thread.
    #[serde(deserialize_with = "at_most::<PAYLOAD_BYTES, _>")]
    pub inline_data_payload_size: u32,
    /// The kernel calls functions through a stack.
    pub has_stack_calls: bool,
    /// The program needs the buffer of implicit arguments.
    pub require_iab: bool,
    /// The order in which local ids are dealt out: `[0, 1, 2]` is x fastest.
    pub work_group_walk_order_dimensions: [u32; 3],
}

impl KernelInfo {
    /// Whether functions of the program may read the buffer of implicit arguments.
    pub fn has_implicit_arguments(&self) -> bool {
        let env = &self.execution_env;
        let is_passed = |item: &PayloadArgument| item.arg_type == ArgType::ImplicitArgBuffer;
        env.has_stack_calls || env.require_iab || self.payload_arguments.iter().any(is_passed)
    }
}

impl Default for ExecutionEnv {
    fn default() -> Self {
        Self {
            barrier_count: 0,
            grf_count: 0,
            simd_size: 0,
            slm_size: 0,
            private_size: 0,
            spill_size: 0,
            required_work_group_size: [0; 3],
            required_sub_group_size: 0,
            inline_data_payload_size: 0,
            has_stack_calls: false,
            require_iab: false,
            work_group_walk_order_dimensions: [0, 1, 2],
        }
    }
}

/// One item of the cross-thread data (or, with fewer keys, of the per-thread data).
#[derive(Clone, Debug, Deserialize)]
pub struct PayloadArgument {
    /// What it is.
    pub arg_type: ArgType,
    /// Offset within the data, in bytes.
    #[serde(default, deserialize_with = "at_most::<PAYLOAD_BYTES, _>")]
    pub offset: u32,
    /// Size in bytes; 0 for a buffer that is reached through the binding table only.
    #[serde(default, deserialize_with = "at_most::<PAYLOAD_BYTES, _>")]
    pub size: u32,
    /// Index of the kernel's argument, for the kinds that have one.
    #[serde(default, deserialize_with = "some_at_most::<ARGUMENT_INDEX, _>")]
    pub arg_index: Option<u32>,
    /// How a pointer is reached.
    #[serde(default)]
    pub addrmode: Option<AddrMode>,
    /// Where a pointer points.
    #[serde(default)]
    pub addrspace: Option<AddrSpace>,
    /// What the kernel does with the memory.
    #[serde(default)]
    pub access_type: Option<AccessType>,
    /// Offset of this part within a structure that is passed by value.
    #[serde(default, deserialize_with = "some_at_most::<PAYLOAD_BYTES, _>")]
    pub source_offset: Option<u32>,
    /// Alignment of a local pointer, in bytes.
    #[serde(default, deserialize_with = "at_most::<SLM_BYTES, _>")]
    pub slm_alignment: u32,
    /// Index of a sampler.
    #[serde(default)]
    pub sampler_index: Option<u32>,
    /// Kind of image.
    #[serde(default)]
    pub image_type: Option<String>,
}

/// An entry of the binding table.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct BindingTableIndex {
    /// Index in the binding table.
    pub bti_value: u32,
    /// Index of the kernel's argument.
    #[serde(deserialize_with = "at_most::<ARGUMENT_INDEX, _>")]
    pub arg_index: u32,
}

/// Memory that every hardware thread, or every channel, has for itself.
#[derive(Clone, Debug, Deserialize)]
pub struct PerThreadMemoryBuffer {
    /// `global`, `scratch` or `slm`.
    #[serde(rename = "type")]
    pub kind: String,
    /// `private_space`, `spill_fill_space` or `single_space`.
    pub usage: String,
    /// Size in bytes.
    #[serde(deserialize_with = "at_most::<PRIVATE_BYTES, _>")]
    pub size: u32,
    /// Which scratch buffer it is.
    #[serde(default)]
    pub slot: u32,
    /// Whether `size` counts for each channel instead of each hardware thread.
    #[serde(default)]
    pub is_simt_thread: bool,
}

/// A sampler that the source spells out.
#[derive(Clone, Debug, Deserialize)]
pub struct InlineSampler {
    /// Index of the sampler.
    pub sampler_index: u32,
    /// Addressing mode.
    pub addrmode: String,
    /// Filter mode.
    pub filtermode: String,
    /// Whether the coordinates are normalised.
    #[serde(default)]
    pub normalized: bool,
}

/// Names of a kernel's arguments.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct KernelMiscInfo {
    /// The kernel.
    pub name: String,
    /// Its arguments.
    pub args_info: Vec<ArgInfo>,
}

/// How an argument is called in the source.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct ArgInfo {
    /// Index of the argument.
    #[serde(deserialize_with = "at_most::<ARGUMENT_INDEX, _>")]
    pub index: u32,
    /// Name.
    pub name: String,
    /// Type and size, such as `float*;8`.
    pub type_name: String,
    /// Address space, such as `__global`.
    pub address_qualifier: String,
    /// What may be done with an image or a pipe, such as `__read_only`; else `NONE`.
    pub access_qualifier: String,
    /// Words such as `const` and `volatile`, or `NONE`.
    pub type_qualifiers: String,
}

macro_rules! named {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $text:literal,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
        #[serde(from = "String")]
        pub enum $name {
            $($(#[$doc])* $variant,)*
            /// A name that this version does not know.
            Other(String),
        }

        impl From<String> for $name {
            fn from(text: String) -> Self {
                match text.as_str() {
                    $($text => Self::$variant,)*
                    _ => Self::Other(text),
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(match self {
                    $(Self::$variant => $text,)*
                    Self::Other(text) => text,
                })
            }
        }
    };
}

named! {
    /// What an item of the payload is.
    ArgType {
        /// Local ids of a SIMD1 kernel.
        PackedLocalIds = "packed_local_ids",
        /// Local ids, one dimension after the other.
        LocalId = "local_id",
        /// Work items of a group, in each dimension.
        LocalSize = "local_size",
        /// Groups, in each dimension.
        GroupCount = "group_count",
        /// Number of dimensions.
        WorkDimensions = "work_dimensions",
        /// Work items, in each dimension.
        GlobalSize = "global_size",
        /// Work items of a full group, in each dimension.
        EnqueuedLocalSize = "enqueued_local_size",
        /// Offset of the global ids, in each dimension.
        GlobalIdOffset = "global_id_offset",
        /// Address of the private memory.
        PrivateBaseStateless = "private_base_stateless",
        /// Address of a buffer that is reached through the binding table.
        BufferAddress = "buffer_address",
        /// Offset of a buffer within its surface.
        BufferOffset = "buffer_offset",
        /// Size of a buffer in bytes.
        BufferSize = "buffer_size",
        /// Address of the printf buffer.
        PrintfBuffer = "printf_buffer",
        /// An argument passed by value.
        ByValue = "arg_byvalue",
        /// An argument passed by pointer.
        ByPointer = "arg_bypointer",
        /// Width of an image in texels.
        ImageWidth = "image_width",
        /// Height of an image in texels.
        ImageHeight = "image_height",
        /// Depth of an image in texels.
        ImageDepth = "image_depth",
        /// Number of images in an array of them.
        ImageArraySize = "image_array_size",
        /// OpenCL's number of an image's channel order.
        ImageChannelOrder = "image_channel_order",
        /// OpenCL's number of an image's channel type.
        ImageChannelDataType = "image_channel_data_type",
        /// Number of levels of an image.
        ImageNumMipLevels = "image_num_mip_levels",
        /// Number of samples of a texel.
        ImageNumSamples = "image_num_samples",
        /// Addressing mode of a sampler.
        SamplerAddress = "sampler_address",
        /// Whether a sampler takes coordinates from 0 to 1.
        SamplerNormalized = "sampler_normalized",
        /// Whether coordinates of a sampler are rounded by the kernel.
        SamplerSnapWa = "sampler_snap_wa",
        /// Address of the program's constants.
        ConstBase = "const_base",
        /// Address of the program's global variables.
        GlobalBase = "global_base",
        /// Address of the buffer of implicit arguments.
        ImplicitArgBuffer = "implicit_arg_buffer",
    }
}

named! {
    /// How memory is reached.
    AddrMode {
        /// By a 64-bit address.
        Stateless = "stateless",
        /// Through the binding table.
        Stateful = "stateful",
        /// Through a heap of surface states.
        Bindless = "bindless",
        /// As an offset in shared local memory.
        Slm = "slm",
    }
}

named! {
    /// Where a pointer points.
    AddrSpace {
        /// Global memory.
        Global = "global",
        /// Shared local memory.
        Local = "local",
        /// Constant memory.
        Constant = "constant",
        /// An image.
        Image = "image",
        /// A sampler.
        Sampler = "sampler",
    }
}

named! {
    /// What a kernel does with an argument's memory.
    AccessType {
        /// It reads.
        ReadOnly = "readonly",
        /// It writes.
        WriteOnly = "writeonly",
        /// It does both.
        ReadWrite = "readwrite",
    }
}

impl ZeInfo {
    /// The source name of argument `index` of `kernel`, where the file tells it.
    pub fn argument_name(&self, kernel: &str, index: u32) -> Option<&str> {
        let kernel = self.kernels_misc_info.iter().find(|misc| misc.name == kernel)?;
        kernel.args_info.iter().find(|arg| arg.index == index).map(|arg| arg.name.as_str())
    }
}
