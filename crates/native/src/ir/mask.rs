//! Masks: the channels that a step is for.

/// The channels that something is for: of those that are active, from `shift` on, the ones in
/// `lanes`, where a predicate holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Mask {
    /// The first channel.
    pub shift: u32,
    /// One bit for each channel.
    pub lanes: u32,
    /// Whether those that are not active count too.
    pub always: bool,
    /// The number of a predicate; 0 for none.
    pub predicate: u32,
    /// How its bits combine.
    pub combine: Combine,
    /// Whether they are turned over after that.
    pub inverse: bool,
}

/// How the bits of a predicate become one bit a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Combine {
    /// Each channel its own bit.
    Each,
    /// All channels: whether any bit is set.
    Any,
    /// All channels: whether all bits are set.
    All,
}
