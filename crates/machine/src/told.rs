//! Batched reports of a message's accesses, for accesses inside one buffer that do not overlap.
//! Reporting dominates the time of an observed launch.

use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use crate::access::View;
pub use crate::accesses::{Accesses, Places};
use crate::in_bounds::{InBounds, words_at};
use crate::lane::{LANES, enabled_lanes, from_lanes};
use crate::observer::AccessKind;

/// Part of each channel's data: bytes at a distance from the channel's offset.
#[derive(Clone, Copy)]
pub struct Part {
    /// Distance in bytes.
    pub distance: u32,
    /// Size in bytes.
    pub size: u32,
    /// True if the loaded value is unused.
    pub unread: bool,
}

impl InBounds<'_> {
    /// Returns true if the data of each channel end before those of the next channel start.
    #[inline]
    pub fn is_ascending(&self, enabled: u32, bytes: u32) -> bool {
        let mut end = 0;
        enabled_lanes::<LANES>(enabled).all(|lane| {
            let (offset, before) = (u64::from(self.offsets()[lane]), end);
            end = offset + u64::from(bytes);
            before <= offset
        })
    }

    /// Reports one access per channel; stores include their values. Returns `None`, and reports
    /// nothing, unless the size is 1, 2, 4 or 8 bytes.
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

/// Dwords in memory for consecutive channels, or the same dwords for all channels.
#[derive(Clone, Copy)]
pub struct Row<'a> {
    words: &'a [AtomicU32],
    address: u64,
    /// Distance between channels in bytes; 0 if all channels use the same dwords.
    step: u32,
}

impl<'a> Row<'a> {
    /// Returns the dwords from `address` for channels with `bytes` bytes of data each. `None` if
    /// the data are not all inside one buffer.
    #[inline]
    pub fn new(view: &View<'a>, address: u64, step: u32, enabled: u32, bytes: u32) -> Option<Self> {
        let channels = u32::BITS - enabled.leading_zeros() - enabled.trailing_zeros();
        let bytes = step * (channels - 1) + bytes;
        Some(Self { words: words_at(view, address, bytes as usize / 4)?.words, address, step })
    }

    /// Reports one dword access per channel; stores include their values.
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
