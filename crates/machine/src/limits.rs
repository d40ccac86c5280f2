//! Limits of memory and of turns.

pub use crate::memory::MAX_BUFFER as BUFFER_BYTES;

/// Turn of a thread in instructions, after which others run.
pub const TURN: u64 = 1 << 16;
/// Instructions that are left of a turn when a pause ends it. Threads pause when they have failed to
/// take a lock, but not while they hold one, so that a turn should end here.
pub const PAUSE: u64 = TURN - (1 << 10);
