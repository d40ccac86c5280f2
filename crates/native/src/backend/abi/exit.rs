//! Exit numbers: reasons for leaving the code, and positions.

/// The caller must begin a block.
pub(crate) const BLOCK: u32 = 0;
/// The caller must execute a step with all channels of the block active.
pub(crate) const FULL: u32 = 1;
/// The caller must execute a step with any channels active.
pub(crate) const SOME: u32 = 2;
/// The caller must find the block after this one.
pub(crate) const END: u32 = 3;
/// Number of low bits that hold the kind; the bits above hold the number of the step or block.
pub(crate) const BITS: u32 = 2;
