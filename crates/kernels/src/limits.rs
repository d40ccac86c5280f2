//! Limits of a routine that is lowered. A routine beyond them is refused with the limit.

/// Largest size in bytes of all variables of a routine and the functions that it calls.
pub const REGISTER_BYTES: u64 = 64 << 20;
