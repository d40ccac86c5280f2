//! Masks: the channels that a step is for.

/// The channels of a step: of the active channels from `shift` on, those in `lanes` where a
/// predicate holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Mask {
    /// The first channel.
    pub shift: u32,
    /// A bit for each channel.
    pub lanes: u32,
    /// True if inactive channels count too.
    pub always: bool,
    /// The number of a predicate; 0 for none.
    pub predicate: u32,
    /// The combination of its bits.
    pub combine: Combine,
    /// True if the combined bits are inverted.
    pub inverse: bool,
}

/// How the bits of a predicate become one bit for each channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Combine {
    /// Each channel has its own bit.
    Each,
    /// All channels have the same bit: set if any bit is set.
    Any,
    /// All channels have the same bit: set if all bits are set.
    All,
}
