//! Results of calls.

use visakit_runtime::base::failure::Failure;

/// Result code of the API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Code(pub u32);

/// Result of a call, or its error code.
pub(crate) type Result<T = ()> = std::result::Result<T, Code>;

/// Defines result codes.
macro_rules! codes {
    ($($name:ident = $value:literal,)*) => {$(
        #[doc = concat!("`ZE_RESULT_", stringify!($name), "`")]
        pub const $name: Code = Code($value);
    )*};
}

codes! {
    SUCCESS = 0,
    NOT_READY = 1,
    ERROR_DEVICE_LOST = 0x7000_0001,
    ERROR_OUT_OF_HOST_MEMORY = 0x7000_0002,
    ERROR_OUT_OF_DEVICE_MEMORY = 0x7000_0003,
    ERROR_MODULE_BUILD_FAILURE = 0x7000_0004,
    ERROR_MODULE_LINK_FAILURE = 0x7000_0005,
    EXP_ERROR_DEVICE_IS_NOT_VERTEX = 0x7ff0_0001,
    ERROR_UNINITIALIZED = 0x7800_0001,
    ERROR_UNSUPPORTED_VERSION = 0x7800_0002,
    ERROR_UNSUPPORTED_FEATURE = 0x7800_0003,
    ERROR_INVALID_ARGUMENT = 0x7800_0004,
    ERROR_INVALID_NULL_HANDLE = 0x7800_0005,
    ERROR_INVALID_NULL_POINTER = 0x7800_0007,
    ERROR_INVALID_SIZE = 0x7800_0008,
    ERROR_UNSUPPORTED_SIZE = 0x7800_0009,
    ERROR_UNSUPPORTED_ALIGNMENT = 0x7800_000a,
    ERROR_INVALID_SYNCHRONIZATION_OBJECT = 0x7800_000b,
    ERROR_INVALID_ENUMERATION = 0x7800_000c,
    ERROR_UNSUPPORTED_ENUMERATION = 0x7800_000d,
    ERROR_UNSUPPORTED_IMAGE_FORMAT = 0x7800_000e,
    ERROR_INVALID_NATIVE_BINARY = 0x7800_000f,
    ERROR_INVALID_GLOBAL_NAME = 0x7800_0010,
    ERROR_INVALID_KERNEL_NAME = 0x7800_0011,
    ERROR_INVALID_FUNCTION_NAME = 0x7800_0012,
    ERROR_INVALID_GROUP_SIZE_DIMENSION = 0x7800_0013,
    ERROR_INVALID_KERNEL_ARGUMENT_INDEX = 0x7800_0015,
    ERROR_INVALID_KERNEL_ARGUMENT_SIZE = 0x7800_0016,
    ERROR_INVALID_MODULE_UNLINKED = 0x7800_0018,
    ERROR_INVALID_COMMAND_LIST_TYPE = 0x7800_0019,
    ERROR_OVERLAPPING_REGIONS = 0x7800_001a,
    ERROR_INVALID_KERNEL_HANDLE = 0x7800_001c,
    QUERY_TRUE = 0x7800_0022,
    QUERY_FALSE = 0x7800_0023,
    ERROR_INVALID_GRAPH = 0x7800_0024,
    ERROR_GRAPH_CAPTURE_UNSUPPORTED = 0x7800_0025,
    ERROR_GRAPH_CAPTURE_MERGE_ATTEMPT = 0x7800_0027,
    ERROR_COMMAND_LIST_NOT_CAPTURING = 0x7800_0028,
    ERROR_GRAPH_UNJOINED_FORKS = 0x7800_0029,
}

impl From<Failure> for Code {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::InvalidValue => ERROR_INVALID_ARGUMENT,
            Failure::OutOfHostMemory => ERROR_OUT_OF_HOST_MEMORY,
            Failure::OutOfResources => ERROR_DEVICE_LOST,
        }
    }
}

/// Returns the error with this code unless a condition holds.
pub(crate) fn ensure(condition: bool, code: Code) -> Result {
    if condition { Ok(()) } else { Err(code) }
}

/// Converts the result of a call to its code.
pub(crate) fn status(result: Result) -> u32 {
    result.err().unwrap_or(SUCCESS).0
}
