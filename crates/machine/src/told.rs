//! Accesses of a message that are told at once, because they all lie inside of one buffer and none
//! comes upon another's: what a watched launch spends its time with.

use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use crate::access::View;
use crate::in_bounds::{InBounds, words_at};
use crate::lane::{LANES, enabled_lanes, from_lanes};
use crate::observer::{Access, AccessKind};

/// One access of each enabled channel of a chunk.
#[derive(Clone, Copy, Debug)]
pub struct Accesses<'a> {
    /// What they have in common, and what the first one has.
    pub first: Access,
    /// The enabled channels of the chunk.
    pub enabled: u32,
    /// The channel of the message that is the chunk's first one.
    pub first_lane: u32,
    /// Where the others go.
    pub places: Places<'a>,
    /// What stores leave.
    pub values: Option<&'a [u64; LANES]>,
    /// The channels that change what is there.
    pub changes: u32,
}

/// Where the accesses of a chunk go.
#[derive(Clone, Copy, Debug)]
pub enum Places<'a> {
    /// Each channel's place is so many bytes behind that of the channel before it.
    Row(u32),
    /// Anywhere.
    Each {
        /// The address of each channel, or the offset where the space is not flat.
        addresses: &'a [u64; LANES],
        /// The offset of each channel in the buffer or in the space; for one that is not enabled,
        /// that of another one.
        offsets: &'a [u32; LANES],
    },
}

impl Accesses<'_> {
    /// The address and the offset of an enabled channel of the chunk.
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

    /// The highest offset.
    #[inline]
    pub fn last_offset(&self) -> u64 {
        match self.places {
            Places::Row(_) => self.place(31 - self.enabled.leading_zeros() as usize).1,
            Places::Each { offsets, .. } => offsets.iter().fold(0, |last, offset| last.max(*offset)).into(),
        }
    }

    /// The access of an enabled channel of the chunk.
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

    /// Those of all enabled channels.
    #[inline]
    pub fn all(&self) -> impl Iterator<Item = Access> {
        enabled_lanes::<LANES>(self.enabled).map(|lane| self.of(lane))
    }
}

/// Bytes at a distance from each channel's place that are accessed as one value.
#[derive(Clone, Copy)]
pub struct Part {
    /// Bytes from the place of each channel.
    pub distance: u32,
    /// Bytes of the value.
    pub size: u32,
    /// Whether nothing looks at what is loaded.
    pub unread: bool,
}

impl InBounds<'_> {
    /// Whether the data of each channel end before those of the next one begin.
    #[inline]
    pub fn is_ascending(&self, enabled: u32, bytes: u32) -> bool {
        let mut end = 0;
        enabled_lanes::<LANES>(enabled).all(|lane| {
            let (offset, before) = (u64::from(self.offsets()[lane]), end);
            end = offset + u64::from(bytes);
            before <= offset
        })
    }

    /// Tells of one access of each channel; stores say what they leave. `None`, with nothing told,
    /// when it is not a value of 1, 2, 4 or 8 bytes.
    pub fn tell(
        &self,
        view: &View<'_>,
        addresses: &[u64; LANES],
        (first_lane, enabled): (u32, u32),
        part: Part,
        values: Option<&[u64; LANES]>,
    ) -> Option<()> {
        let Part { distance, size, unread } = part;
        let changes = match values {
            Some(values) => {
                let there: [u64; LANES] = match size {
                    1 | 2 => self.parts(size)?.map(u64::from),
                    4 if distance == 0 => self.parts(size)?.map(u64::from),
                    4 => self.words(distance)?.map(u64::from),
                    8 => {
                        let (low, high) = (self.words(distance)?, self.words(distance + 4)?);
                        from_lanes(|i| u64::from(high[i]) << 32 | u64::from(low[i]))
                    }
                    _ => return None,
                };
                (0..LANES).fold(0, |bits, i| bits | u32::from(there[i] != values[i]) << i)
            }
            None => u32::MAX,
        };
        let kind = if values.is_some() { AccessKind::Store } else { AccessKind::Load };
        let lane = enabled.trailing_zeros() as usize % LANES;
        let addresses = from_lanes(|i| addresses[i].wrapping_add(u64::from(distance)));
        let offsets = from_lanes(|i| self.offsets()[i].wrapping_add(distance));
        let value = values.map(|values| values[lane]);
        let changed = changes >> lane & 1 == 1;
        view.tell_all(kind, first_lane + lane as u32, (addresses[lane], size, unread), (value, changed), |first| {
            let places = Places::Each { addresses: &addresses, offsets: &offsets };
            Accesses { first, enabled, first_lane, places, values, changes }
        });
        Some(())
    }
}

/// Dwords in memory, in the order of the enabled channels from one on, or the same ones for all of
/// them.
#[derive(Clone, Copy)]
pub struct Row<'a> {
    words: &'a [AtomicU32],
    address: u64,
    /// From each channel to the next one.
    step: u32,
}

impl<'a> Row<'a> {
    /// Those from an address on, for channels whose data end so many bytes behind their places.
    /// `None` when they do not all lie inside of one buffer.
    #[inline]
    pub fn new(view: &View<'a>, address: u64, step: u32, enabled: u32, bytes: u32) -> Option<Self> {
        let channels = u32::BITS - enabled.leading_zeros() - enabled.trailing_zeros();
        let bytes = step * (channels - 1) + bytes;
        Some(Self { words: words_at(view, address, bytes as usize / 4)?.words, address, step })
    }

    /// Tells of one dword of each channel; stores say what they leave.
    pub fn tell(
        &self,
        view: &View<'_>,
        (first_lane, enabled): (u32, u32),
        part: Part,
        values: Option<&[u64; LANES]>,
    ) -> Option<()> {
        let (lane, index) = (enabled.trailing_zeros() as usize % LANES, part.distance as usize / 4);
        let words = self.words.get(index..)?;
        let changes = values.map_or(u32::MAX, |values| {
            let there = words.iter().step_by((self.step as usize / 4).max(1)).zip(values[lane..].iter());
            there.enumerate().fold(0, |bits, (n, (word, value))| {
                bits | u32::from(u64::from(word.load(Relaxed)) != *value) << (lane + n)
            })
        });
        let kind = if values.is_some() { AccessKind::Store } else { AccessKind::Load };
        let address = self.address + u64::from(part.distance);
        let (value, changed) = (values.map(|values| values[lane]), changes >> lane & 1 == 1);
        view.tell_all(kind, first_lane + lane as u32, (address, part.size, part.unread), (value, changed), |first| {
            Accesses { first, enabled, first_lane, places: Places::Row(self.step), values, changes }
        });
        Some(())
    }
}
