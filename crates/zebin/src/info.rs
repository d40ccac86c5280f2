//! `.ze_info`: what the launcher of a kernel must know (zebin-spec/zeinfo.md).
//!
//! Newer compilers add keys in every version. Those of a kernel that are not known are kept:
//! [`KernelInfo::unknown_keys`].

mod keys;
mod read;

use serde::{Deserialize, Deserializer};

use crate::limits::{ARGUMENT_INDEX, PAYLOAD_BYTES, PRIVATE_BYTES, SLM_BYTES};
use keys::{Keyed, keeps_unknown_keys};
pub use keys::{Keys, Place};
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
#[serde(default, remote = "Self")]
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
    /// Its place, and the keys that are not known.
    #[serde(skip)]
    pub keys: Keys,
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
#[serde(default, remote = "Self")]
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
    /// Who adds the shared local memory that the kernel declares to the offsets of its arguments: 0
    /// its code, 1 the launch.
    pub slm_alloc_mode: u32,
    /// Its place, and the keys that are not known.
    #[serde(skip)]
    pub keys: Keys,
}

keeps_unknown_keys! {
    KernelInfo: ["experimental_properties" "debug_env"],
    ExecutionEnv: [
        "disable_mid_thread_preemption" "eu_thread_count" "generate_local_id" "has_4gb_buffers" "has_bindless_image_read"
        "has_device_enqueue" "has_dpas" "has_fence_for_image_access" "has_global_atomics" "has_indirect_calls"
        "has_lsc_stores_with_non_default_l1_cache_controls" "has_multi_scratch_spaces" "has_no_stateless_write"
        "has_printf_calls" "has_rtcalls" "has_sample" "indirect_stateless_count" "offset_to_skip_per_thread_data_load"
        "offset_to_skip_set_ffid_gp" "quantum_partition_dimension" "quantum_size" "quantum_walk_order"
        "require_assert_buffer" "require_disable_eufusion" "require_sync_buffer" "subgroup_independent_forward_progress"
        "thread_scheduling_mode"
    ],
    PayloadArgument: ["image_transformable" "is_pipe" "sampler_type"],
    BindingTableIndex: [],
    PerThreadMemoryBuffer: [],
    InlineSampler: [],
}

impl KernelInfo {
    /// Returns the keys of the kernel that are not known: what they belong to, the key and its
    /// place.
    pub fn unknown_keys(&self) -> impl Iterator<Item = (&'static str, &str, &Place)> {
        let arguments = self.payload_arguments.iter().chain(&self.per_thread_payload_arguments);
        let maps = [("a kernel", &self.keys), ("an execution environment", &self.execution_env.keys)].into_iter();
        maps.chain(arguments.map(|item| ("a payload argument", &item.keys)))
            .chain(self.binding_table_indices.iter().map(|item| ("a binding-table index", &item.keys)))
            .chain(self.per_thread_memory_buffers.iter().map(|item| ("a memory buffer", &item.keys)))
            .chain(self.inline_samplers.iter().map(|item| ("an inline sampler", &item.keys)))
            .flat_map(|(what, keys)| keys.unknown.iter().map(move |(key, place)| (what, key.as_str(), place)))
    }

    fn places_mut(&mut self) -> impl Iterator<Item = &mut Place> {
        let arguments = self.payload_arguments.iter_mut().chain(&mut self.per_thread_payload_arguments);
        let maps = [&mut self.keys, &mut self.execution_env.keys].into_iter();
        maps.chain(arguments.map(|item| &mut item.keys))
            .chain(self.binding_table_indices.iter_mut().map(|item| &mut item.keys))
            .chain(self.per_thread_memory_buffers.iter_mut().map(|item| &mut item.keys))
            .chain(self.inline_samplers.iter_mut().map(|item| &mut item.keys))
            .flat_map(Keys::places)
    }

    /// Whether the kernel has arguments that are images or samplers.
    pub fn has_images(&self) -> bool {
        let is_one = |item: &PayloadArgument| matches!(item.addrspace, Some(AddrSpace::Image | AddrSpace::Sampler));
        self.payload_arguments.iter().any(is_one)
    }

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
            slm_alloc_mode: 0,
            keys: Keys::default(),
        }
    }
}

/// One item of the cross-thread data (or, with fewer keys, of the per-thread data).
#[derive(Clone, Debug, Deserialize)]
#[serde(remote = "Self")]
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
    /// Entry of the binding table that the program's constants or variables have.
    #[serde(default)]
    pub bti_value: Option<u32>,
    /// Whether a part of a structure is used as a pointer.
    #[serde(default)]
    pub is_ptr: bool,
    /// Its place, and the keys that are not known.
    #[serde(skip)]
    pub keys: Keys,
}

/// An entry of the binding table.
#[derive(Clone, Debug, Deserialize)]
#[serde(remote = "Self")]
pub struct BindingTableIndex {
    /// Index in the binding table.
    pub bti_value: u32,
    /// Index of the kernel's argument.
    #[serde(deserialize_with = "at_most::<ARGUMENT_INDEX, _>")]
    pub arg_index: u32,
    /// Its place, and the keys that are not known.
    #[serde(skip)]
    pub keys: Keys,
}

/// Memory that every hardware thread, or every channel, has for itself.
#[derive(Clone, Debug, Deserialize)]
#[serde(remote = "Self")]
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
    /// Its place, and the keys that are not known.
    #[serde(skip)]
    pub keys: Keys,
}

/// A sampler that the source spells out.
#[derive(Clone, Debug, Deserialize)]
#[serde(remote = "Self")]
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
    /// Its place, and the keys that are not known.
    #[serde(skip)]
    pub keys: Keys,
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
        /// Address of the buffer that `assert` writes to.
        AssertBuffer = "assert_buffer",
        /// Address of a buffer for groups that wait for each other.
        SyncBuffer = "sync_buffer",
        /// Address of what ray tracing shares.
        RtGlobalBuffer = "rt_global_buffer",
        /// Address of the arguments that do not come with the dispatch.
        IndirectDataPointer = "indirect_data_pointer",
        /// Address of the scratch memory.
        ScratchPointer = "scratch_pointer",
        /// The state of a sampler that the source spells out.
        InlineSampler = "inline_sampler",
        /// Groups of a region, in each dimension.
        RegionGroupSize = "region_group_size",
        /// The dimension that is divided into regions.
        RegionGroupDimension = "region_group_dimension",
        /// Number of groups of a region.
        RegionGroupWgCount = "region_group_wg_count",
        /// Address of the buffer for barriers of a region.
        RegionGroupBarrierBuffer = "region_group_barrier_buffer",
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
