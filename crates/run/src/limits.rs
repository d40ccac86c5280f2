//! Limits of a running group. A launch that exceeds a limit is rejected with a message that names
//! it.

/// Bytes of a group's private and shared local memory together.
pub const GROUP_BYTES: u64 = 1 << 30;
/// Deepest nesting of calls. Subroutines must not recurse, so a chain of calls has at most as many
/// entries as the routine has subroutines. Functions may recurse; unless they never use their stack
/// in memory, it overflows before this limit.
pub const CALL_DEPTH: usize = 1 << 14;
