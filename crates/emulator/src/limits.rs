//! Limits of a launch. A request beyond a limit is a finding that names the limit.

pub use visakit_kernels::limits::REGISTER_BYTES;
pub use visakit_launch::limits::{GROUP_ITEMS, IMAGE_LINE, IMAGE_SIDE, PRINTED_BYTES, STREAM_BYTES};
pub use visakit_machine::limits::BUFFER_BYTES;
pub use visakit_run::limits::{CALL_DEPTH, GROUP_BYTES};
