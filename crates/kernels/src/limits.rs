//! Limits of a lowered routine. A routine that exceeds a limit is rejected with a message that
//! names it.

/// Bytes of all variables of a routine and of the functions that it calls.
pub const REGISTER_BYTES: u64 = 64 << 20;
