//! Interleaved structures: channels that each have two to four dwords, one after the other.

use crate::ir::{Transfer, Unit};

/// Structures of the channels, which follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Structures {
    /// Number of dwords that are moved, the first ones.
    members: u32,
    dwords: u32,
}

impl Structures {
    const fn new(members: u32, dwords: u32) -> Self {
        Self { members, dwords }
    }

    /// Returns the number of dwords that are moved, the first ones.
    pub(crate) fn members(self) -> u32 {
        self.members
    }

    /// Returns the number of dwords, which is also the number of vectors that 16 structures fill.
    pub(crate) fn dwords(self) -> u32 {
        self.dwords
    }

    /// Returns the distance from one structure to the next in bytes.
    pub(crate) fn pitch(self) -> u32 {
        self.dwords * 4
    }

    /// Returns true if a dword of each structure is not moved.
    pub(crate) fn has_gaps(self) -> bool {
        self.members < self.dwords
    }
}

/// Returns the structures that a transfer may have, the most frequent first.
pub(crate) fn structures(transfer: &Transfer) -> &'static [Structures] {
    let is_together = (0..).zip(&transfer.elements).all(|(n, (distance, _))| *distance == n * 4);
    match transfer.elements.len() {
        _ if !is_together || transfer.unit != Unit::Dword => &[],
        2 => &const { [Structures::new(2, 2)] },
        // Vectors of three have the size of vectors of four.
        3 => &const { [Structures::new(3, 4), Structures::new(3, 3)] },
        4 => &const { [Structures::new(4, 4)] },
        _ => &[],
    }
}
