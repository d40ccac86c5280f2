//! Numbers of exits: where execution has left the code, and why.

pub(crate) const BLOCK: u32 = 0;
pub(crate) const FULL: u32 = 1;
pub(crate) const SOME: u32 = 2;
pub(crate) const END: u32 = 3;
pub(crate) const BITS: u32 = 2;
