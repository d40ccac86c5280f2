//! The section `.ze_info`: facts that the launcher of a kernel needs (zebin-spec/zeinfo.md).
//!
//! Every compiler version adds keys. Unknown keys of a kernel are kept, see
//! [`KernelInfo::unknown_keys`].

mod keys;
mod read;

use serde::{Deserialize, Deserializer};

use crate::limits::{ARGUMENT_INDEX, PAYLOAD_BYTES, PRIVATE_BYTES, SLM_BYTES};
use keys::{Keyed, keeps_unknown_keys};
pub use keys::{Keys, Place};
pub use read::parse;
use read::{at_most, simd_size, some_at_most};

/// Contents of the section.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, remote = "Self")]
pub struct ZeInfo {
    /// Version of the format, such as `1.20`.
    pub version: String,
    /// Kernels in the order of the texts in the file.
    pub kernels: Vec<KernelInfo>,
    /// Functions that other modules may call.
    pub functions: Vec<FunctionInfo>,
    /// Names and types of the kernels' arguments.
    pub kernels_misc_info: Vec<KernelMiscInfo>,
    /// Place of the section, and its unknown keys.
    #[serde(skip)]
    pub keys: Keys,
}

/// Entry of one kernel.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, remote = "Self")]
pub struct KernelInfo {
    /// Name of the kernel in the source.
    pub name: String,
    /// Attributes in the source.
    pub user_attributes: UserAttributes,
    /// SIMD width, sizes and requirements.
    pub execution_env: ExecutionEnv,
    /// Items of the cross-thread data.
    pub payload_arguments: Vec<PayloadArgument>,
    /// Items of the per-thread data.
    pub per_thread_payload_arguments: Vec<PayloadArgument>,
    /// Binding table entries of arguments.
    pub binding_table_indices: Vec<BindingTableIndex>,
    /// Private and scratch memory buffers.
    pub per_thread_memory_buffers: Vec<PerThreadMemoryBuffer>,
    /// Samplers defined in the source.
    pub inline_samplers: Vec<InlineSampler>,
    /// Place of the entry, and its unknown keys.
    #[serde(skip)]
    pub keys: Keys,
    /// First unknown key of the whole section, which may concern every kernel.
    #[serde(skip)]
    pub section: Keys,
}

/// Attributes of a kernel in its source.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, remote = "Self")]
pub struct UserAttributes {
    /// Reason for which the compiler marked the kernel as invalid; empty for other kernels.
    pub invalid_kernel: String,
    /// Required sub-group size; 0 if the source leaves it to the compiler.
    pub intel_reqd_sub_group_size: u32,
    /// Type hint of the source for the kernel's computations; empty without a hint.
    pub vec_type_hint: String,
    /// Hint of the source for the local size; zeros without a hint.
    pub work_group_size_hint: [u32; 3],
    /// Place of the map, and its unknown keys.
    #[serde(skip)]
    pub keys: Keys,
}

/// Function that kernels and other modules may call.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct FunctionInfo {
    /// Name of the function.
    pub name: String,
    /// SIMD width, sizes and requirements.
    pub execution_env: ExecutionEnv,
}

/// Execution environment of a kernel. Sizes are in bytes.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, remote = "Self")]
pub struct ExecutionEnv {
    /// Number of barriers that the kernel uses.
    pub barrier_count: u32,
    /// Registers per hardware thread.
    pub grf_count: u32,
    /// Channels per hardware thread: 1, 8, 16 or 32.
    #[serde(deserialize_with = "simd_size")]
    pub simd_size: u32,
    /// Shared local memory per work-group.
    #[serde(deserialize_with = "at_most::<SLM_BYTES, _>")]
    pub slm_size: u32,
    /// Size of private memory.
    #[serde(deserialize_with = "at_most::<PRIVATE_BYTES, _>")]
    pub private_size: u32,
    /// Size of spilled registers.
    pub spill_size: u32,
    /// Local size required by the source; zeros if none is required.
    pub required_work_group_size: [u32; 3],
    /// Sub-group size required by the source; 0 if none is required.
    pub required_sub_group_size: u32,
    /// Size of the cross-thread data in the dispatch payload.
    #[serde(deserialize_with = "at_most::<PAYLOAD_BYTES, _>")]
    pub inline_data_payload_size: u32,
    /// True if the kernel calls functions through a stack.
    pub has_stack_calls: bool,
    /// True if the program needs the buffer of implicit arguments.
    pub require_iab: bool,
    /// Order in which local ids are assigned: `[0, 1, 2]` varies x fastest.
    pub work_group_walk_order_dimensions: [u32; 3],
    /// Party that adds the kernel's static shared local memory to the offsets of its arguments: 0
    /// is the kernel's code, 1 is the launcher.
    pub slm_alloc_mode: u32,
    /// Place of the map, and its unknown keys.
    #[serde(skip)]
    pub keys: Keys,
}

impl ExecutionEnv {
    /// Returns true if each hardware thread is one work item, as in kernels of the media compiler
    /// (ESIMD). The channels of such a thread are elements of vectors.
    pub fn is_item_per_thread(&self) -> bool {
        self.simd_size == 1
    }

    /// Returns the index of a work item in its group, from its hardware thread and channel.
    pub fn item(&self, thread: u32, channel: u32) -> u32 {
        if self.is_item_per_thread() { thread } else { thread * self.simd_size + channel }
    }
}

keeps_unknown_keys! {
    ZeInfo: ["global_host_access_table" "kernels_cost_info" "l1_cache_policy"],
    UserAttributes: [
        "intel_reqd_thread_group_dispatch_size" "intel_reqd_workgroup_walk_order" "reqd_work_group_size"
    ],
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
    PayloadArgument: ["image_transformable" "is_pipe"],
    BindingTableIndex: [],
    PerThreadMemoryBuffer: [],
    InlineSampler: [],
}

impl KernelInfo {
    /// Returns the unknown keys of the kernel: owner, key and place.
    pub fn unknown_keys(&self) -> impl Iterator<Item = (&'static str, &str, &Place)> {
        let arguments = self.payload_arguments.iter().chain(&self.per_thread_payload_arguments);
        let maps = [
            ("the section", &self.section),
            ("a kernel", &self.keys),
            ("user attributes", &self.user_attributes.keys),
            ("an execution environment", &self.execution_env.keys),
        ];
        maps.into_iter()
            .chain(arguments.map(|item| ("a payload argument", &item.keys)))
            .chain(self.binding_table_indices.iter().map(|item| ("a binding-table index", &item.keys)))
            .chain(self.per_thread_memory_buffers.iter().map(|item| ("a memory buffer", &item.keys)))
            .chain(self.inline_samplers.iter().map(|item| ("an inline sampler", &item.keys)))
            .flat_map(|(what, keys)| keys.unknown.iter().map(move |(key, place)| (what, key.as_str(), place)))
    }

    fn places_mut(&mut self) -> impl Iterator<Item = &mut Place> {
        let arguments = self.payload_arguments.iter_mut().chain(&mut self.per_thread_payload_arguments);
        let own = [&mut self.section, &mut self.keys, &mut self.user_attributes.keys, &mut self.execution_env.keys];
        own.into_iter()
            .chain(arguments.map(|item| &mut item.keys))
            .chain(self.binding_table_indices.iter_mut().map(|item| &mut item.keys))
            .chain(self.per_thread_memory_buffers.iter_mut().map(|item| &mut item.keys))
            .chain(self.inline_samplers.iter_mut().map(|item| &mut item.keys))
            .flat_map(Keys::places)
    }

    /// Returns true if the kernel has image or sampler arguments.
    pub fn has_images(&self) -> bool {
        let is_one = |item: &PayloadArgument| matches!(item.addrspace, Some(AddrSpace::Image | AddrSpace::Sampler));
        self.payload_arguments.iter().any(is_one)
    }

    /// Returns true if functions of the program may read the buffer of implicit arguments.
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

/// Item of the cross-thread data, or with fewer keys, of the per-thread data.
#[derive(Clone, Debug, Deserialize)]
#[serde(remote = "Self")]
pub struct PayloadArgument {
    /// Kind of the item.
    pub arg_type: ArgType,
    /// Offset within the data, in bytes.
    #[serde(default, deserialize_with = "at_most::<PAYLOAD_BYTES, _>")]
    pub offset: u32,
    /// Size in bytes; 0 for a buffer accessed only through the binding table.
    #[serde(default, deserialize_with = "at_most::<PAYLOAD_BYTES, _>")]
    pub size: u32,
    /// Index of the kernel's argument, for kinds with an argument.
    #[serde(default, deserialize_with = "some_at_most::<ARGUMENT_INDEX, _>")]
    pub arg_index: Option<u32>,
    /// Addressing mode of a pointer.
    #[serde(default)]
    pub addrmode: Option<AddrMode>,
    /// Address space of a pointer.
    #[serde(default)]
    pub addrspace: Option<AddrSpace>,
    /// Kind of access to the memory.
    #[serde(default)]
    pub access_type: Option<AccessType>,
    /// Offset of this part within a structure passed by value.
    #[serde(default, deserialize_with = "some_at_most::<PAYLOAD_BYTES, _>")]
    pub source_offset: Option<u32>,
    /// Alignment of a local pointer, in bytes.
    #[serde(default, deserialize_with = "at_most::<SLM_BYTES, _>")]
    pub slm_alignment: u32,
    /// Index of the sampler.
    #[serde(default)]
    pub sampler_index: Option<u32>,
    /// Kind of the sampler.
    #[serde(default)]
    pub sampler_type: Option<String>,
    /// Kind of the image.
    #[serde(default)]
    pub image_type: Option<String>,
    /// Binding table entry of the program's constants or variables.
    #[serde(default)]
    pub bti_value: Option<u32>,
    /// True if a part of a structure is used as a pointer.
    #[serde(default)]
    pub is_ptr: bool,
    /// Place of the map, and its unknown keys.
    #[serde(skip)]
    pub keys: Keys,
}

/// Entry of the binding table.
#[derive(Clone, Debug, Deserialize)]
#[serde(remote = "Self")]
pub struct BindingTableIndex {
    /// Index in the binding table.
    pub bti_value: u32,
    /// Index of the kernel's argument.
    #[serde(deserialize_with = "at_most::<ARGUMENT_INDEX, _>")]
    pub arg_index: u32,
    /// Place of the map, and its unknown keys.
    #[serde(skip)]
    pub keys: Keys,
}

/// Memory allocated per hardware thread or per channel.
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
    /// Number of the scratch buffer.
    #[serde(default)]
    pub slot: u32,
    /// True if `size` is per channel instead of per hardware thread.
    #[serde(default)]
    pub is_simt_thread: bool,
    /// Place of the map, and its unknown keys.
    #[serde(skip)]
    pub keys: Keys,
}

/// Sampler defined in the source.
#[derive(Clone, Debug, Deserialize)]
#[serde(remote = "Self")]
pub struct InlineSampler {
    /// Index of the sampler.
    pub sampler_index: u32,
    /// Addressing mode.
    pub addrmode: String,
    /// Filter mode.
    pub filtermode: String,
    /// True if coordinates are normalised.
    #[serde(default)]
    pub normalized: bool,
    /// Place of the map, and its unknown keys.
    #[serde(skip)]
    pub keys: Keys,
}

/// Names of a kernel's arguments.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct KernelMiscInfo {
    /// Name of the kernel.
    pub name: String,
    /// Arguments of the kernel.
    pub args_info: Vec<ArgInfo>,
}

/// Declaration of an argument in the source.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct ArgInfo {
    /// Index of the argument.
    #[serde(deserialize_with = "at_most::<ARGUMENT_INDEX, _>")]
    pub index: u32,
    /// Name of the argument.
    pub name: String,
    /// Type and size, such as `float*;8`.
    pub type_name: String,
    /// Address space, such as `__global`.
    pub address_qualifier: String,
    /// Access to an image or a pipe, such as `__read_only`; otherwise `NONE`.
    pub access_qualifier: String,
    /// Qualifiers such as `const` and `volatile`, or `NONE`.
    pub type_qualifiers: String,
}

macro_rules! named {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $text:literal,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
        #[serde(from = "String")]
        pub enum $name {
            $($(#[$doc])* $variant,)*
            /// Name unknown to this version.
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
    /// Kind of a payload item.
    ArgType {
        /// Local ids of a SIMD1 kernel.
        PackedLocalIds = "packed_local_ids",
        /// Local ids, one dimension after the other.
        LocalId = "local_id",
        /// Work items per group in each dimension.
        LocalSize = "local_size",
        /// Number of groups in each dimension.
        GroupCount = "group_count",
        /// Number of dimensions.
        WorkDimensions = "work_dimensions",
        /// Work items in each dimension.
        GlobalSize = "global_size",
        /// Work items of a full group in each dimension.
        EnqueuedLocalSize = "enqueued_local_size",
        /// Offset of the global ids in each dimension.
        GlobalIdOffset = "global_id_offset",
        /// Address of the private memory.
        PrivateBaseStateless = "private_base_stateless",
        /// Address of a buffer accessed through the binding table.
        BufferAddress = "buffer_address",
        /// Offset of a buffer within its surface.
        BufferOffset = "buffer_offset",
        /// Size of a buffer in bytes.
        BufferSize = "buffer_size",
        /// Address of the printf buffer.
        PrintfBuffer = "printf_buffer",
        /// Argument passed by value.
        ByValue = "arg_byvalue",
        /// Argument passed by pointer.
        ByPointer = "arg_bypointer",
        /// Width of an image in texels.
        ImageWidth = "image_width",
        /// Height of an image in texels.
        ImageHeight = "image_height",
        /// Depth of an image in texels.
        ImageDepth = "image_depth",
        /// Number of images in an image array.
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
        /// Flag: coordinates of the sampler are normalised.
        SamplerNormalized = "sampler_normalized",
        /// Flag: the kernel rounds the coordinates of the sampler.
        SamplerSnapWa = "sampler_snap_wa",
        /// Address of the program's constants.
        ConstBase = "const_base",
        /// Address of the program's global variables.
        GlobalBase = "global_base",
        /// Address of the buffer of implicit arguments.
        ImplicitArgBuffer = "implicit_arg_buffer",
        /// Address of the buffer that `assert` writes to.
        AssertBuffer = "assert_buffer",
        /// Address of a buffer for groups that synchronise with each other.
        SyncBuffer = "sync_buffer",
        /// Address of the global buffer for ray tracing.
        RtGlobalBuffer = "rt_global_buffer",
        /// Address of the arguments that are not in the dispatch payload.
        IndirectDataPointer = "indirect_data_pointer",
        /// Address of the scratch memory.
        ScratchPointer = "scratch_pointer",
        /// State of a sampler defined in the source.
        InlineSampler = "inline_sampler",
        /// Number of groups per region in each dimension.
        RegionGroupSize = "region_group_size",
        /// Dimension that is divided into regions.
        RegionGroupDimension = "region_group_dimension",
        /// Number of groups per region.
        RegionGroupWgCount = "region_group_wg_count",
        /// Address of the buffer for barriers of a region.
        RegionGroupBarrierBuffer = "region_group_barrier_buffer",
    }
}

named! {
    /// Addressing mode of memory.
    AddrMode {
        /// Access by 64-bit address.
        Stateless = "stateless",
        /// Access through the binding table.
        Stateful = "stateful",
        /// Access through a heap of surface states.
        Bindless = "bindless",
        /// Access by offset in shared local memory.
        Slm = "slm",
    }
}

named! {
    /// Address space of a pointer.
    AddrSpace {
        /// Global memory.
        Global = "global",
        /// Shared local memory.
        Local = "local",
        /// Constant memory.
        Constant = "constant",
        /// Image.
        Image = "image",
        /// Sampler.
        Sampler = "sampler",
    }
}

named! {
    /// Access of a kernel to an argument's memory.
    AccessType {
        /// Read.
        ReadOnly = "readonly",
        /// Write.
        WriteOnly = "writeonly",
        /// Read and write.
        ReadWrite = "readwrite",
    }
}

impl ZeInfo {
    /// Returns the source name of argument `index` of `kernel`, if the file records it.
    pub fn argument_name(&self, kernel: &str, index: u32) -> Option<&str> {
        let kernel = self.kernels_misc_info.iter().find(|misc| misc.name == kernel)?;
        kernel.args_info.iter().find(|arg| arg.index == index).map(|arg| arg.name.as_str())
    }
}
