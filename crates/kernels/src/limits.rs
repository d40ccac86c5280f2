//! Limits of a routine that is lowered. A routine beyond them is refused with the limit.

/// Bytes of all variables of a routine and of the functions that it calls.
pub const REGISTER_BYTES: u64 = 64 << 20;
