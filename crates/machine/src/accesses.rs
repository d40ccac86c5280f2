//! Memory accesses as observers see them.

use crate::lane::{LANES, enabled_lanes};

/// Location of an executing instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Spot {
    /// Index of the instruction: the kernel's come first, then those of its functions.
    pub instruction: u32,
    /// Source line that the program names for the instruction.
    pub source_line: Option<u32>,
    /// Channel of the thread that is the instruction's first channel.
    pub first_channel: u32,
    /// True for a NoMask instruction, which acts for all channels of the thread.
    pub no_mask: bool,
}

/// A memory access of one channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// Kind of the access.
    pub kind: AccessKind,
    /// The address space.
    pub space: Space,
    /// Number of the accessed buffer in
    /// [`Memory::buffers`](crate::memory::Memory::buffers), if it is one of these.
    pub buffer: Option<usize>,
    /// The thread group.
    pub group: [u32; 3],
    /// Index of the hardware thread in its group.
    pub thread: u32,
    /// Channel number.
    pub lane: u32,
    /// Virtual address, or offset in an address space that is not flat.
    pub address: u64,
    /// Offset in the buffer or address space.
    pub offset: u64,
    /// Size in bytes.
    pub size: u32,
    /// Value that a store or atomic leaves in memory, if known.
    pub value: Option<u64>,
    /// True if the loaded value is unused: compilers load gaps between needed elements, and an
    /// atomic may discard the old value.
    pub unread: bool,
    /// False if the write is known to leave memory unchanged.
    pub changes: bool,
    /// Location of the instruction.
    pub spot: Spot,
}

/// Kind of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names are self-explanatory")]
pub enum AccessKind {
    Load,
    Store,
    Atomic,
}

/// Address space of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are self-explanatory")]
pub enum Space {
    Flat,
    Local,
    Scratch,
    Surface,
}

/// Accesses of a chunk, one per enabled channel.
#[derive(Clone, Copy, Debug)]
pub struct Accesses<'a> {
    /// Access of the first enabled channel; also the common properties of all.
    pub first: Access,
    /// Enabled channels of the chunk.
    pub enabled: u32,
    /// Number of the chunk's first channel in the message.
    pub first_lane: u32,
    /// Locations of the accesses.
    pub places: Places<'a>,
    /// Values that stores leave in memory.
    pub values: Option<&'a [u64; LANES]>,
    /// Channels whose store changes memory.
    pub changes: u32,
}

/// Locations of a chunk's accesses.
#[derive(Clone, Copy, Debug)]
pub enum Places<'a> {
    /// Constant distance in bytes between consecutive channels.
    Row(u32),
    /// Arbitrary locations.
    Each {
        /// Virtual address of each channel, or offset in an address space that is not flat.
        addresses: &'a [u64; LANES],
        /// Offset of each channel in the buffer or address space; a disabled channel has the offset
        /// of another channel.
        offsets: &'a [u32; LANES],
    },
}

impl Accesses<'_> {
    /// Returns address and offset of an enabled channel of the chunk.
    #[inline(always)]
    pub fn place(&self, lane: usize) -> (u64, u64) {
        let lane = lane % LANES;
        match self.places {
            Places::Row(step) => {
                let distance = (lane as u64).wrapping_sub(self.enabled.trailing_zeros().into()) * u64::from(step);
                (self.first.address + distance, self.first.offset + distance)
            }
            Places::Each { addresses, offsets } => (addresses[lane], offsets[lane].into()),
        }
    }

    /// Returns the highest offset.
    #[inline]
    pub fn last_offset(&self) -> u64 {
        match self.places {
            Places::Row(_) => self.place(31 - self.enabled.leading_zeros() as usize).1,
            Places::Each { offsets, .. } => offsets.iter().fold(0, |last, offset| last.max(*offset)).into(),
        }
    }

    /// Returns the access of an enabled channel of the chunk.
    #[inline]
    pub fn of(&self, lane: usize) -> Access {
        let lane = lane % LANES;
        let (address, offset) = self.place(lane);
        Access {
            lane: self.first_lane + lane as u32,
            address,
            offset,
            value: self.values.map(|values| values[lane]),
            changes: self.changes >> lane & 1 == 1,
            ..self.first
        }
    }

    /// Returns the accesses of all enabled channels.
    #[inline]
    pub fn all(&self) -> impl Iterator<Item = Access> {
        enabled_lanes::<LANES>(self.enabled).map(|lane| self.of(lane))
    }
}
