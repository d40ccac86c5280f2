//! Exit numbers: reasons for leaving the code, and positions.

/// Exit kind: the caller must begin a block.
pub(crate) const BLOCK: u32 = 0;
/// Exit kind: the caller must execute a step with all channels of the block active.
pub(crate) const FULL: u32 = 1;
/// Exit kind: the caller must execute a step with any channels active.
pub(crate) const SOME: u32 = 2;
/// Exit kind: the caller must find the block after this one.
pub(crate) const END: u32 = 3;
/// Number of low bits that hold the kind; the bits above hold the number of the step or block.
pub(crate) const BITS: u32 = 2;
