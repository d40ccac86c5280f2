//! Numbers of exits: where execution has left the code, and why.

/// The caller has to begin a block.
pub(crate) const BLOCK: u32 = 0;
/// The caller has to do a step, with all channels of the block active.
pub(crate) const FULL: u32 = 1;
/// The caller has to do a step, with any channels active.
pub(crate) const SOME: u32 = 2;
/// The caller has to find the block after this one.
pub(crate) const END: u32 = 3;
/// The number of bits of the kind; the number of the step or the block is in the bits above.
pub(crate) const BITS: u32 = 2;
