//! Accesses of a message that are told at once, because they all lie inside of one buffer and none comes upon another's: what
//! a watched launch spends its time with.

use crate::machine::access::View;
use crate::machine::in_bounds::InBounds;
use crate::machine::lane::{LANES, enabled_lanes, from_lanes};
use crate::machine::observer::{Access, AccessKind};

/// One access of each enabled channel of a chunk.
#[derive(Clone, Copy, Debug)]
pub struct Accesses<'a> {
    /// What they have in common, and what the first one has.
    pub first: Access,
    /// The enabled channels of the chunk.
    pub enabled: u32,
    /// The channel of the message that is the chunk's first one.
    pub first_lane: u32,
    /// The address of each channel, or the offset where the space is not flat.
    pub addresses: [u64; LANES],
    /// The offset of each channel in the buffer or in the space.
    pub offsets: [u32; LANES],
    /// What stores leave.
    pub values: Option<&'a [u64; LANES]>,
    /// The channels that change what is there.
    pub changes: u32,
}

impl Accesses<'_> {
    /// The access of an enabled channel of the chunk.
    pub fn of(&self, lane: usize) -> Access {
        let lane = lane % LANES;
        Access {
            lane: self.first_lane + lane as u32,
            address: self.addresses[lane],
            offset: self.offsets[lane].into(),
            value: self.values.map(|values| values[lane]),
            changes: self.changes >> lane & 1 == 1,
            ..self.first
        }
    }

    /// Those of all enabled channels.
    pub fn all(&self) -> impl Iterator<Item = Access> {
        enabled_lanes::<LANES>(self.enabled).map(|lane| self.of(lane))
    }
}

/// Bytes at a distance from each channel's place that are accessed as one value.
#[derive(Clone, Copy)]
pub(crate) struct Part {
    pub distance: u32,
    pub size: u32,
    /// Whether nothing looks at what is loaded.
    pub unread: bool,
}

impl InBounds<'_> {
    /// Whether the data of each channel end before those of the next one begin.
    pub(crate) fn is_ascending(&self, enabled: u32, bytes: u32) -> bool {
        let mut end = 0;
        enabled_lanes::<LANES>(enabled).all(|lane| {
            let (offset, before) = (u64::from(self.offsets()[lane]), end);
            end = offset + u64::from(bytes);
            before <= offset
        })
    }

    /// Tells of one access of each channel; stores say what they leave. `None`, with nothing told, when it is not a value of 1, 2, 4 or 8 bytes.
    pub(crate) fn tell(
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
            Accesses { first, enabled, first_lane, addresses, offsets, values, changes }
        });
        Some(())
    }
}
