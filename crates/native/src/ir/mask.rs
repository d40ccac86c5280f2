//! Masks: the enabled channels of a step.

/// Enabled channels of a step: of the active channels from `shift` on, those in `lanes` whose
/// predicate holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Mask {
    /// The first channel.
    pub shift: u32,
    /// A bit for each channel.
    pub lanes: u32,
    /// True if inactive channels count too.
    pub always: bool,
    /// Number of the predicate; 0 for none.
    pub predicate: u32,
    /// Reduction of the predicate's bits.
    pub combine: Combine,
    /// True if the combined bits are inverted.
    pub inverse: bool,
}

/// Reduction of a predicate's bits to one bit per channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Combine {
    /// No reduction: each channel has its own bit.
    Each,
    /// Set for all channels if any bit is set.
    Any,
    /// Set for all channels if all bits are set.
    All,
}
