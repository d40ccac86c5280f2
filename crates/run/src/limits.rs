//! Limits of a group that runs. A launch beyond them is refused with the limit.

/// Bytes that the threads of a group have for themselves, with their shared local memory.
pub const GROUP_BYTES: u64 = 1 << 30;
/// How deep calls are nested. Subroutines must not call themselves, so no chain of calls is longer
/// than a routine has subroutines. Functions may; their stack in memory is full before this, unless
/// they never use it.
pub const CALL_DEPTH: usize = 1 << 14;
