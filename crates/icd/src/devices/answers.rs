//! Answers to queries about devices.

use std::ffi::c_void;

use opencl_sys::*;
use visakit::isa::Platform;
use visakit_emulator::limits::{IMAGE_LINE, IMAGE_SIDE};
use visakit_runtime::vendor::compilers;

use crate::base::answer::Answer;
use crate::base::environment::ENVIRONMENT;
use crate::base::error::Result;
use crate::base::handle::{self, Handle};
use crate::base::storage::ALIGNMENT;
use crate::devices::description::{self, max_allocation, memory_bytes, product, uuid};
use crate::devices::device::{Device, PITCH_ALIGNMENT, UPDATABLE, named, versions};
use crate::devices::features::PIPES;
use crate::devices::modules;
use crate::devices::version::{VERSION, api, version};

/// Queries of `cl_ext_float_atomics`, which the bindings lack: capabilities for 32-bit, 64-bit and
/// 16-bit floats.
const SINGLE_ATOMICS: cl_device_info = 0x4231;
const DOUBLE_ATOMICS: cl_device_info = 0x4232;
const HALF_ATOMICS: cl_device_info = 0x4233;
/// Capability flags: additions in global and in local memory; and loads, stores, exchanges, minima
/// and maxima in both.
const GLOBAL_ADDS: cl_bitfield = 1 << 1;
const LOCAL_ADDS: cl_bitfield = 1 << 17;
const EXCHANGES_AND_LIMITS: cl_bitfield = 1 | 1 << 2 | 1 << 16 | 1 << 18;

/// Query whose name in the bindings has a small letter, which patterns do not allow.
const DOT_PRODUCTS_PACKED: cl_device_info = CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_4x8BIT_PACKED;

/// Scopes of clocks.
const CLOCKS: cl_device_kernel_clock_capabilities_khr = CL_DEVICE_KERNEL_CLOCK_SCOPE_DEVICE_KHR
    | CL_DEVICE_KERNEL_CLOCK_SCOPE_WORK_GROUP_KHR
    | CL_DEVICE_KERNEL_CLOCK_SCOPE_SUB_GROUP_KHR;

/// Capabilities of command buffers: kernels that print, and simultaneous use.
const RECORDED: cl_bitfield = 1 | 1 << 2;
/// Properties of the program's queues.
const QUEUES: cl_command_queue_properties = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE;

/// Answers `clGetDeviceInfo`. `platform` is the handle of its platform.
pub(crate) fn info(device: &Handle<Device>, platform: *mut c_void, answer: Answer) -> Result {
    match answer.name {
        CL_DEVICE_TYPE => answer.value(CL_DEVICE_TYPE_GPU),
        CL_DEVICE_VENDOR_ID => answer.value(0x8086_u32),
        CL_DEVICE_MAX_COMPUTE_UNITS => answer.value(device.units as cl_uint),
        // All compute units form one subslice.
        CL_DEVICE_NUM_SLICES_INTEL | CL_DEVICE_NUM_SUB_SLICES_PER_SLICE_INTEL => answer.value(1_u32),
        CL_DEVICE_NUM_THREADS_PER_EU_INTEL => answer.value::<cl_uint>(device.target.eu_threads()),
        CL_DEVICE_NUM_EUS_PER_SUB_SLICE_INTEL => answer.value(device.units as cl_uint),
        CL_DEVICE_ID_INTEL => answer.value::<cl_uint>(device.target.device_id().unwrap_or(0)),
        CL_DEVICE_IP_VERSION_INTEL => {
            let [major, minor, revision] = *device.target.ip_version() else { return answer.value::<cl_uint>(0) };
            answer.value::<cl_uint>(major << 22 | minor << 14 | revision)
        }
        CL_DEVICE_FEATURE_CAPABILITIES_INTEL => {
            let flag = |has: bool, flag: cl_bitfield| if has { flag } else { 0 };
            let products = flag(device.target.dp4a(), CL_DEVICE_FEATURE_FLAG_DP4A_INTEL);
            // Programs read this flag to generate native code, which cannot run here; OpenCL C
            // and SPIR-V use matrix units without it.
            let dpas = device.target.dpas() && ENVIRONMENT.dpas;
            answer.value(products | flag(dpas, CL_DEVICE_FEATURE_FLAG_DPAS_INTEL))
        }
        _ => sizes(device, platform, answer),
    }
}

/// Answers queries about limits of kernels and vectors, and those after them.
fn sizes(device: &Handle<Device>, platform: *mut c_void, answer: Answer) -> Result {
    let if_images = |number: u32| if device.has_images { number } else { 0 };
    let side = if_images(IMAGE_SIDE) as usize;
    match answer.name {
        CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS => answer.value(3_u32),
        CL_DEVICE_MAX_WORK_GROUP_SIZE => answer.value(device.max_group),
        CL_DEVICE_MAX_WORK_ITEM_SIZES => answer.list(&[device.max_group; 3]),
        CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR | CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR => answer.value(16_u32),
        CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT | CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT => answer.value(8_u32),
        CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF | CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF => answer.value(8_u32),
        CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT | CL_DEVICE_NATIVE_VECTOR_WIDTH_INT => answer.value(4_u32),
        CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG
        | CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG
        | CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT
        | CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT => answer.value(1_u32),
        CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE | CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE => {
            answer.value(cl_uint::from(device.has_doubles))
        }
        // The emulated device has no clock.
        CL_DEVICE_MAX_CLOCK_FREQUENCY => answer.value(1000_u32),
        CL_DEVICE_ADDRESS_BITS => answer.value(64_u32),
        CL_DEVICE_MAX_READ_IMAGE_ARGS | CL_DEVICE_MAX_WRITE_IMAGE_ARGS | CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS => {
            answer.value(if_images(128))
        }
        CL_DEVICE_MAX_MEM_ALLOC_SIZE => answer.value(max_allocation()),
        CL_DEVICE_IMAGE2D_MAX_WIDTH | CL_DEVICE_IMAGE2D_MAX_HEIGHT => answer.value(side),
        CL_DEVICE_IMAGE3D_MAX_WIDTH | CL_DEVICE_IMAGE3D_MAX_HEIGHT => answer.value(side),
        CL_DEVICE_IMAGE3D_MAX_DEPTH | CL_DEVICE_IMAGE_MAX_ARRAY_SIZE => answer.value(side.min(2048)),
        CL_DEVICE_IMAGE_MAX_BUFFER_SIZE => answer.value(if_images(IMAGE_LINE) as usize),
        CL_DEVICE_IMAGE_SUPPORT => answer.flag(device.has_images),
        CL_DEVICE_MAX_PARAMETER_SIZE => answer.value(2048_usize),
        CL_DEVICE_MAX_SAMPLERS => answer.value(if_images(16)),
        CL_DEVICE_MEM_BASE_ADDR_ALIGN => answer.value(ALIGNMENT as cl_uint * 8),
        CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE => answer.value(ALIGNMENT as cl_uint),
        CL_DEVICE_IMAGE_PITCH_ALIGNMENT | CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT => {
            answer.value(if_images(PITCH_ALIGNMENT))
        }
        _ => numbers(device, platform, answer),
    }
}

/// Answers queries about floating-point and integer capabilities, and those after them.
fn numbers(device: &Handle<Device>, platform: *mut c_void, answer: Answer) -> Result {
    let if_newer = |flags: cl_bitfield| if device.has_newer { flags } else { 0 };
    match answer.name {
        CL_DEVICE_SINGLE_FP_CONFIG => answer.value(device.precision() | CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT),
        CL_DEVICE_HALF_FP_CONFIG => answer.value(device.precision()),
        CL_DEVICE_DOUBLE_FP_CONFIG => answer.value(if device.has_doubles { device.precision() } else { 0 }),
        SINGLE_ATOMICS => answer.value(GLOBAL_ADDS | EXCHANGES_AND_LIMITS | if_newer(LOCAL_ADDS)),
        HALF_ATOMICS => answer.value(EXCHANGES_AND_LIMITS),
        DOUBLE_ATOMICS if device.has_doubles => {
            answer.value(EXCHANGES_AND_LIMITS | if_newer(GLOBAL_ADDS | LOCAL_ADDS))
        }
        DOUBLE_ATOMICS => answer.value(0_u64),
        CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES => answer
            .value(CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT | CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_PACKED),
        // The six kinds of products are either all accelerated by an instruction, or none is.
        CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_8BIT | DOT_PRODUCTS_PACKED => {
            answer.list(&[cl_bool::from(device.target.dp4a() && device.has_newer); 6])
        }
        CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR => answer.value(if_newer(CLOCKS)),
        _ => memories(device, platform, answer),
    }
}

/// Answers queries about memory and queues, and those after them.
fn memories(device: &Handle<Device>, platform: *mut c_void, answer: Answer) -> Result {
    match answer.name {
        CL_DEVICE_GLOBAL_MEM_CACHE_TYPE => answer.value(CL_READ_WRITE_CACHE),
        CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE => answer.value(64_u32),
        CL_DEVICE_GLOBAL_MEM_CACHE_SIZE => answer.value(1_u64 << 20),
        CL_DEVICE_GLOBAL_MEM_SIZE => answer.value(memory_bytes()),
        CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE => answer.value(max_allocation()),
        CL_DEVICE_MAX_CONSTANT_ARGS => answer.value(8_u32),
        CL_DEVICE_LOCAL_MEM_TYPE => answer.value(CL_LOCAL),
        CL_DEVICE_LOCAL_MEM_SIZE => answer.value(device.local_bytes),
        CL_DEVICE_ERROR_CORRECTION_SUPPORT => answer.flag(false),
        CL_DEVICE_PROFILING_TIMER_RESOLUTION => answer.value(1_usize),
        CL_DEVICE_ENDIAN_LITTLE | CL_DEVICE_AVAILABLE | CL_DEVICE_HOST_UNIFIED_MEMORY => answer.flag(true),
        CL_DEVICE_COMPILER_AVAILABLE | CL_DEVICE_LINKER_AVAILABLE => answer.flag(device.has_compiler()),
        CL_DEVICE_EXECUTION_CAPABILITIES => answer.value(CL_EXEC_KERNEL | CL_EXEC_NATIVE_KERNEL),
        CL_DEVICE_QUEUE_ON_HOST_PROPERTIES | CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR => {
            answer.value(QUEUES)
        }
        CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES => answer.value(0_u64),
        CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE
        | CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE
        | CL_DEVICE_MAX_ON_DEVICE_QUEUES
        | CL_DEVICE_MAX_ON_DEVICE_EVENTS => answer.value(0_u32),
        CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES => answer.value(0_u64),
        CL_DEVICE_QUEUE_FAMILY_PROPERTIES_INTEL => answer.list(&family()),
        _ => names(device, platform, answer),
    }
}

/// Answers queries about names, versions and languages, and those after them.
fn names(device: &Handle<Device>, platform: *mut c_void, answer: Answer) -> Result {
    match answer.name {
        // No hardware could be shared with other drivers, so the UUID is derived from the name and
        // is the same in every process.
        CL_DEVICE_UUID_KHR => answer.list(&uuid(device.target.name())),
        CL_DRIVER_UUID_KHR => answer.list(&uuid(env!("CARGO_PKG_VERSION"))),
        CL_DEVICE_LUID_VALID_KHR => answer.flag(false),
        CL_DEVICE_LUID_KHR => answer.list(&[0_u8; 8]),
        CL_DEVICE_NODE_MASK_KHR => answer.value(0_u32),
        // Each device is on a separate bus.
        CL_DEVICE_PCI_BUS_INFO_KHR => answer.list(&[0, bus(device.target), 0, 0]),
        CL_DEVICE_NAME => answer.text(&format!("visakit (Intel {})", product(device.target).to_ascii_uppercase())),
        CL_DEVICE_VENDOR => answer.text("visakit"),
        CL_DRIVER_VERSION => answer.text(&description::driver_version(device.target)),
        CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR => answer.value(RECORDED),
        CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR => answer.value(0_u64),
        CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR => answer.value(UPDATABLE),
        CL_DEVICE_SEMAPHORE_TYPES_KHR => answer.list(&[CL_SEMAPHORE_TYPE_BINARY_KHR]),
        CL_DEVICE_PROFILE => answer.text("FULL_PROFILE"),
        CL_DEVICE_VERSION => {
            let compiler = compilers::of(device.target).map(|(compiler, _)| format!(" ({})", compiler.version()));
            let version = env!("CARGO_PKG_VERSION");
            answer.text(&format!("{} {version}{}", api(device.is_newest).1, compiler.unwrap_or_default()))
        }
        CL_DEVICE_NUMERIC_VERSION => answer.value(api(device.is_newest).0),
        CL_DEVICE_OPENCL_C_VERSION => answer.text("OpenCL C 1.2 visakit"),
        CL_DEVICE_OPENCL_C_NUMERIC_VERSION_KHR => answer.value(version(1, 2, 0)),
        CL_DEVICE_OPENCL_C_ALL_VERSIONS => answer.list(&device.languages()),
        CL_DEVICE_OPENCL_C_FEATURES => {
            let all = device.features.iter().map(|name| named(name, VERSION));
            answer.list(&all.collect::<Vec<_>>())
        }
        CL_DEVICE_EXTENSIONS => answer.text(&device.extensions.join(" ")),
        CL_DEVICE_EXTENSIONS_WITH_VERSION => answer.list(&versions(&device.extensions)),
        CL_DEVICE_IL_VERSION => {
            let names = device.module_versions().into_iter().map(|minor| format!("SPIR-V_1.{minor}"));
            answer.text(&names.collect::<Vec<_>>().join(" "))
        }
        CL_DEVICE_ILS_WITH_VERSION => {
            let versions = device.module_versions().into_iter().map(|minor| named("SPIR-V", version(1, minor, 0)));
            answer.list(&versions.collect::<Vec<_>>())
        }
        CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS => answer.list(&modules::instruction_sets(device)),
        CL_DEVICE_SPIRV_EXTENSIONS => answer.list(&modules::extensions(device)),
        CL_DEVICE_SPIRV_CAPABILITIES => answer.list(&modules::capabilities(device)),
        // No version was passed officially: the earliest date, because programs parse it.
        CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED => answer.text("v0000-01-01-00"),
        _ => parts(device, platform, answer),
    }
}

/// Answers queries about related objects, and those after them.
fn parts(device: &Handle<Device>, platform: *mut c_void, answer: Answer) -> Result {
    match answer.name {
        CL_DEVICE_PLATFORM => answer.value(platform),
        CL_DEVICE_BUILT_IN_KERNELS => answer.text(""),
        CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION => answer.list::<cl_name_version>(&[]),
        CL_DEVICE_PARENT_DEVICE => answer.value(handle::address_of(device.whole())),
        CL_DEVICE_PARTITION_MAX_SUB_DEVICES if device.units > 1 => answer.value(device.units as cl_uint),
        CL_DEVICE_PARTITION_MAX_SUB_DEVICES => answer.value(0_u32),
        CL_DEVICE_PARTITION_PROPERTIES if device.units > 1 => {
            answer.list(&[CL_DEVICE_PARTITION_EQUALLY, CL_DEVICE_PARTITION_BY_COUNTS])
        }
        CL_DEVICE_PARTITION_PROPERTIES => answer.list(&[0_isize]),
        CL_DEVICE_PARTITION_TYPE => match &device.part_of {
            Some((_, properties)) => answer.list(properties),
            None => answer.list(&[0_isize]),
        },
        CL_DEVICE_PARTITION_AFFINITY_DOMAIN => answer.value(0_u64),
        CL_DEVICE_REFERENCE_COUNT => answer.value(handle::count(device).max(1)),
        _ => sharing(device, answer),
    }
}

/// Answers queries about shared memory, pipes and sub-groups, and those after them.
fn sharing(device: &Handle<Device>, answer: Answer) -> Result {
    let if_pipes = |number: u32| if device.has(PIPES) { number } else { 0 };
    match answer.name {
        CL_DEVICE_PREFERRED_INTEROP_USER_SYNC => answer.flag(true),
        CL_DEVICE_PRINTF_BUFFER_SIZE => answer.value(visakit_emulator::launch::printf::BUFFER_BYTES),
        CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE => answer.value(64_usize << 10),
        CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE => answer.value(max_allocation() as usize),
        CL_DEVICE_SVM_CAPABILITIES => {
            let system = if ENVIRONMENT.system_memory { CL_DEVICE_SVM_FINE_GRAIN_SYSTEM } else { 0 };
            answer.value(CL_DEVICE_SVM_COARSE_GRAIN_BUFFER | CL_DEVICE_SVM_FINE_GRAIN_BUFFER | system)
        }
        CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL if !ENVIRONMENT.system_memory => answer.value(0_u64),
        CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL
        | CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL
        | CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL
        | CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL
        | CL_DEVICE_CROSS_DEVICE_SHARED_MEM_CAPABILITIES_INTEL => {
            answer.value(CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL | CL_UNIFIED_SHARED_MEMORY_ATOMIC_ACCESS_INTEL)
        }
        CL_DEVICE_PIPE_SUPPORT => answer.flag(device.has(PIPES)),
        CL_DEVICE_MAX_PIPE_ARGS => answer.value(if_pipes(16)),
        CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS => answer.value(if_pipes(1)),
        CL_DEVICE_PIPE_MAX_PACKET_SIZE => answer.value(if_pipes(1024)),
        CL_DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT
        | CL_DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT
        | CL_DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT => answer.value(0_u32),
        CL_DEVICE_MAX_NUM_SUB_GROUPS => answer.value((device.max_group / device.widths[0] as usize) as cl_uint),
        CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS => answer.flag(true),
        CL_DEVICE_SUB_GROUP_SIZES_INTEL => {
            answer.list(&device.widths.iter().map(|&width| width as usize).collect::<Vec<_>>())
        }
        CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES => answer.value(
            CL_DEVICE_ATOMIC_ORDER_RELAXED
                | CL_DEVICE_ATOMIC_ORDER_ACQ_REL
                | CL_DEVICE_ATOMIC_ORDER_SEQ_CST
                | CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP
                | CL_DEVICE_ATOMIC_SCOPE_DEVICE
                | CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES,
        ),
        CL_DEVICE_ATOMIC_FENCE_CAPABILITIES => answer.value(
            CL_DEVICE_ATOMIC_ORDER_RELAXED
                | CL_DEVICE_ATOMIC_ORDER_ACQ_REL
                | CL_DEVICE_ATOMIC_ORDER_SEQ_CST
                | CL_DEVICE_ATOMIC_SCOPE_WORK_ITEM
                | CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP
                | CL_DEVICE_ATOMIC_SCOPE_DEVICE
                | CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES,
        ),
        CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT
        | CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT
        | CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT => answer.flag(true),
        CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE => answer.value(device.widths[device.widths.len() - 1] as usize),
        _ => answer.unknown(),
    }
}

/// Returns the number of the bus of a device, which is the same in every process.
fn bus(target: Platform) -> cl_uint {
    Platform::ALL.iter().position(|platform| *platform == target).map_or(0, |place| place as cl_uint + 1)
}

/// Returns the properties of the only family of queues: as many queues as a program likes share one
/// engine.
fn family() -> Vec<u8> {
    let mut bytes = Vec::from(QUEUES.to_ne_bytes());
    bytes.extend(CL_QUEUE_DEFAULT_CAPABILITIES_INTEL.to_ne_bytes());
    bytes.extend(1_u32.to_ne_bytes());
    bytes.extend(b"visakit");
    bytes.resize(std::mem::size_of::<cl_queue_family_properties_intel>(), 0);
    bytes
}
