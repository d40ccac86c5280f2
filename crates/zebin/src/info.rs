//! `.ze_info`: what the launcher of a kernel must know (zebin-spec/zeinfo.md).
//!
//! Keys that are not known are passed over: newer compilers add some in every version.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use visakit_diag::{Diagnostic, Severity};

use crate::limits::{ARGUMENT_INDEX, PAYLOAD_BYTES, PRIVATE_BYTES, SIMD_SIZES, SLM_BYTES, YAML_DEPTH, YAML_NODES};

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

/// Reads the section. `file` is the name of the zebin, or of the YAML file.
///
/// # Errors
/// When the text is no YAML, or a documented key has a value of the wrong kind; the message has line and column in `.ze_info`.
pub fn parse(file: &str, text: &str) -> Result<ZeInfo, Box<Diagnostic>> {
    let options = serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_depth: YAML_DEPTH,
            max_nodes: YAML_NODES,
            max_events: YAML_NODES * 2,
        },
    };
    serde_saphyr::from_str_with_options(text, options).map_err(|error| {
        let message = first_line(&error.without_snippet().to_string());
        // The parser has a depth of its own, for what never ends.
        let help = match message.contains("recursion limit") {
            true => format!("lists and maps are nested {YAML_DEPTH} deep at most"),
            false => "the layout of the arguments cannot be read; see zebin-spec/zeinfo.md for the keys".to_owned(),
        };
        let mut finding =
            Diagnostic::new("ze-info-syntax", Severity::Error, format!("{file}(.ze_info)"), message).help(help);
        if let Some(place) = error.location() {
            finding.line = u32::try_from(place.line()).unwrap_or(0);
            finding.column = u32::try_from(place.column()).unwrap_or(0);
            let line = usize::try_from(place.line()).unwrap_or(0);
            finding.quote = text.lines().nth(line.saturating_sub(1)).unwrap_or_default().to_owned();
        }
        Box::new(finding)
    })
}

/// A number that has a limit.
fn at_most<'de, const MOST: u32, D: Deserializer<'de>>(from: D) -> Result<u32, D::Error> {
    within::<MOST, D>(u32::deserialize(from)?)
}

/// The same for a number that need not be there.
fn some_at_most<'de, const MOST: u32, D: Deserializer<'de>>(from: D) -> Result<Option<u32>, D::Error> {
    Option::deserialize(from)?.map(within::<MOST, D>).transpose()
}

fn within<'de, const MOST: u32, D: Deserializer<'de>>(number: u32) -> Result<u32, D::Error> {
    let refused = || D::Error::custom(format!("{number} is too large: the limit is {MOST}"));
    (number <= MOST).then_some(number).ok_or_else(refused)
}

fn simd_size<'de, D: Deserializer<'de>>(from: D) -> Result<u32, D::Error> {
    let size = u32::deserialize(from)?;
    let refused = || D::Error::custom(format!("a thread has 1, 8, 16 or 32 channels, not {size}"));
    SIMD_SIZES.contains(&size).then_some(size).ok_or_else(refused)
}

fn first_line(message: &str) -> String {
    message.lines().next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: &str = "---
version: '1.20'
kernels:
  - name: k
    something_new: { a: [1, 2] }
    execution_env:
      grf_count: 128
      simd_size: 16
      required_work_group_size: [ 16, 2, 1 ]
    payload_arguments:
      - arg_type: arg_bypointer
        offset: 0
        size: 0
        arg_index: 0
        addrmode: stateful
        addrspace: global
        access_type: readonly
      - arg_type: from_the_future
        offset: 32
        size: 8
...
";

    #[test]
    fn reads_known_keys_and_passes_over_others() {
        let info = parse("k.zebin", SMALL).unwrap();
        let kernel = &info.kernels[0];
        assert_eq!(kernel.execution_env.simd_size, 16);
        assert_eq!(kernel.execution_env.required_work_group_size, [16, 2, 1]);
        assert_eq!(kernel.execution_env.work_group_walk_order_dimensions, [0, 1, 2]);
        assert_eq!(kernel.payload_arguments[0].arg_type, ArgType::ByPointer);
        assert_eq!(kernel.payload_arguments[0].addrmode, Some(AddrMode::Stateful));
        assert_eq!(kernel.payload_arguments[1].arg_type.to_string(), "from_the_future");
    }

    #[test]
    fn wrong_values_are_located() {
        let text = SMALL.replace("simd_size: 16", "simd_size: sixteen");
        let error = parse("k.zebin", &text).unwrap_err();
        assert_eq!((error.code, error.line), ("ze-info-syntax", 8), "{error:?}");
        assert!(error.quote.contains("sixteen"));
    }

    /// Each number is taken at its limit, and refused at its place just above.
    #[test]
    fn limits_are_located() {
        for (key, most) in [
            ("execution_env: { slm_size: N }", SLM_BYTES),
            ("execution_env: { private_size: N }", PRIVATE_BYTES),
            ("execution_env: { inline_data_payload_size: N }", PAYLOAD_BYTES),
            ("payload_arguments: [{ arg_type: arg_byvalue, arg_index: N }]", ARGUMENT_INDEX),
            ("payload_arguments: [{ arg_type: arg_byvalue, source_offset: N }]", PAYLOAD_BYTES),
            ("payload_arguments: [{ arg_type: arg_byvalue, offset: N }]", PAYLOAD_BYTES),
            ("payload_arguments: [{ arg_type: arg_byvalue, size: N }]", PAYLOAD_BYTES),
            ("payload_arguments: [{ arg_type: arg_byvalue, slm_alignment: N }]", SLM_BYTES),
            ("binding_table_indices: [{ bti_value: 0, arg_index: N }]", ARGUMENT_INDEX),
            ("per_thread_memory_buffers: [{ type: global, usage: private_space, size: N }]", PRIVATE_BYTES),
        ] {
            let text =
                |number: u32| format!("kernels:\n  - name: k\n    {}\n", key.replace('N', &number.to_string()));
            assert!(parse("k", &text(most)).is_ok(), "{key}");
            for number in [most + 1, u32::MAX] {
                let error = parse("k", &text(number)).unwrap_err();
                assert_eq!((error.code, error.line), ("ze-info-syntax", 3), "{key}: {error:?}");
                assert!(error.message.contains(&format!("the limit is {most}")), "{error:?}");
            }
        }
        for size in [0, 2, 9, 31, 33] {
            let error = parse("k", &SMALL.replace("simd_size: 16", &format!("simd_size: {size}"))).unwrap_err();
            assert!(error.line == 8 && error.message.contains("1, 8, 16 or 32"), "{error:?}");
        }
        for size in SIMD_SIZES {
            assert!(parse("k", &SMALL.replace("simd_size: 16", &format!("simd_size: {size}"))).is_ok());
        }
    }

    #[test]
    fn yaml_has_a_depth_and_a_size() {
        let nested = |depth: usize| format!("other: {}{}\n", "[".repeat(depth - 1), "]".repeat(depth - 1));
        assert!(parse("k", &nested(YAML_DEPTH)).is_ok());
        for depth in [YAML_DEPTH + 1, 100_000] {
            let error = parse("k", &nested(depth)).unwrap_err();
            assert!(error.line == 1, "{error:?}");
            let said = format!("{} {}", error.message, error.help);
            assert!(said.contains("depth") || said.contains("64 deep"), "{error:?}");
        }
        // The map, the key and the list are nodes as well.
        let long = |nodes: usize| format!("other: [{}]\n", "1,".repeat(nodes - 3));
        assert!(parse("k", &long(YAML_NODES)).is_ok());
        let error = parse("k", &long(YAML_NODES + 1)).unwrap_err();
        assert!(error.message.contains("nodes"), "{error:?}");
    }
}
