//! Limits of a lowered routine. A routine that exceeds a limit is rejected with a message that
//! names it.

/// Largest size in bytes of all variables of a routine and the functions that it calls.
pub const REGISTER_BYTES: u64 = 64 << 20;
