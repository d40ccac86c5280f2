//! Messages whose data all lie inside of one buffer: the usual case, in which one check serves for all channels, and each
//! value is then a word or two of the buffer. Everything else goes through [`crate::machine::access`], channel by channel.

use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use crate::kernels::message::{Addresses, Data, Elements, Message};
use crate::machine::access::{View, together};
use crate::machine::lane::{LANES, enabled_lanes, from_lanes};
use crate::machine::memory::{Sharing, change_part, part};
use crate::machine::operand::blend;
use crate::machine::thread::{Thread, ones};

/// How the data of a message are moved, as far as its form tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// Words, one channel's behind the other's.
    Words,
    /// Pairs of words, one channel's behind the other's.
    Pairs,
    /// One to four bytes at any address, to and from the low bytes of a dword, of which the others stay as they are.
    Bytes(u32),
    /// One or two bytes which become a dword, at a multiple of their size or anywhere.
    Extended { size: u32, anywhere: bool },
    /// In any other way.
    Other,
}

impl Form {
    pub(super) fn new(message: &Message) -> Self {
        let Message { shape, elements, unaligned, .. } = message;
        let in_row = elements.iter().zip(0..).all(|(distance, n)| *distance == n * u64::from(shape.size));
        match (shape.size, shape.slot, shape.lane_step) {
            (4, 4, 4) => Self::Words,
            (8, 8, 8) => Self::Pairs,
            (1, 1, 4) if shape.element_step == 1 && in_row && (1..=4).contains(&elements.len()) => {
                Self::Bytes(elements.len() as u32)
            }
            (size @ (1 | 2), 4, 4) if !shape.high && *elements == [0] => {
                Self::Extended { size, anywhere: *unaligned }
            }
            _ => Self::Other,
        }
    }

    /// Bytes that one value has, and those of its address that must be zero.
    fn size(self) -> (u32, u32) {
        match self {
            Self::Words => (4, 3),
            Self::Pairs => (8, 3),
            Self::Bytes(count) => (count, 0),
            Self::Extended { size, anywhere } => (size, if anywhere { 0 } else { size - 1 }),
            Self::Other => (0, 0),
        }
    }
}

/// A buffer and a place in it for each channel; those that are not enabled have the place of one that is.
struct Reached<'a> {
    words: &'a [AtomicU32],
    offsets: [u32; LANES],
}

/// Where the n-th chunk of channels finds its values; nothing when any of them does not lie inside, or is not where values of
/// this form have to be.
#[inline(always)]
fn reached<'a>(
    addresses: &Addresses,
    data: Data,
    thread: &Thread,
    view: &View<'a>,
    n: usize,
    enabled: u32,
) -> Option<Reached<'a>> {
    let first = enabled.trailing_zeros() as usize % LANES;
    let (words, offsets) = match (addresses.plain_dwords(thread), view.whole()) {
        (Some((at, global)), Some((words, mask))) => {
            let elements: [u32; LANES] = thread.registers.load(at + (n * LANES * 4) as u32);
            (words, from_lanes(|i| elements[i].wrapping_add(global) & mask))
        }
        _ => {
            let all = addresses.resolve(thread, n);
            let (words, base, mask) = view.words_around(all[first])?;
            let distances: [u64; LANES] = from_lanes(|i| all[i].wrapping_sub(base) & mask);
            let used = |i: usize| if enabled >> i & 1 == 1 { u64::MAX } else { 0 };
            let high: [u64; LANES] = from_lanes(|i| distances[i] & used(i));
            if high.iter().fold(0, |all, distance| all | distance) >> 32 != 0 {
                return None;
            }
            (words, from_lanes(|i| distances[i] as u32))
        }
    };
    let origin = offsets[first];
    let offsets: [u32; LANES] = if enabled == ones(LANES) {
        offsets
    } else {
        from_lanes(|i| if enabled & 1 << i != 0 { offsets[i] } else { origin })
    };
    let (size, low) = data.form.size();
    let limit = u32::try_from((words.len() as u64 * 4).checked_sub(u64::from(data.reach) + u64::from(size))?).ok()?;
    let refused: [u32; LANES] = from_lanes(|i| (offsets[i] & low) | u32::from(offsets[i] > limit));
    (refused.iter().fold(0, |all, one| all | one) == 0).then_some(Reached { words, offsets })
}

impl Reached<'_> {
    /// The word so many bytes behind each channel's place.
    #[inline(always)]
    fn words_at(&self, distance: u32) -> Option<[u32; LANES]> {
        let mut values = [0; LANES];
        let word = |offset: u32| Some(self.words.get((offset + distance) as usize / 4)?.load(Relaxed));
        for (values, [a, b, c, d]) in values.as_chunks_mut().0.iter_mut().zip(self.offsets.as_chunks().0) {
            together(values, [word(*a)?, word(*b)?, word(*c)?, word(*d)?]);
        }
        Some(values)
    }

    /// The values of one to four bytes at each channel's place.
    #[inline(always)]
    fn parts(&self, size: u32) -> Option<[u32; LANES]> {
        let mask = u32::MAX >> (32 - size * 8);
        let part = |offset: u32| {
            let (index, bit) = (offset as usize / 4, offset % 4 * 8);
            let mut word = self.words.get(index)?.load(Relaxed) >> bit;
            if bit + size * 8 > 32 {
                word |= self.words.get(index + 1)?.load(Relaxed) << (32 - bit);
            }
            Some(word & mask)
        };
        let mut values = [0; LANES];
        for (values, [a, b, c, d]) in values.as_chunks_mut().0.iter_mut().zip(self.offsets.as_chunks().0) {
            together(values, [part(*a)?, part(*b)?, part(*c)?, part(*d)?]);
        }
        Some(values)
    }

    /// Writes one to four bytes at the place of each enabled channel, in the order of the channels.
    #[inline(always)]
    fn put_parts(&self, size: u32, values: &[u32; LANES], enabled: u32, sharing: Sharing) -> Option<()> {
        let [origin, ..] = self.offsets;
        let is_row = (0..).zip(self.offsets).all(|(i, offset): (u32, u32)| offset.wrapping_sub(origin) == i * size);
        if size < 4 && enabled == ones(LANES) && is_row && origin % 4 == 0 && size != 3 {
            // The channels write all bytes of their words.
            let per_word = (4 / size) as usize;
            for (word, values) in self.words.get(origin as usize / 4..)?.iter().zip(values.chunks_exact(per_word)) {
                let mask = u32::MAX >> (32 - size * 8);
                let all = values.iter().rev().fold(0, |all, value| all << (size * 8) | value & mask);
                word.store(all, Relaxed);
            }
            return Some(());
        }
        for lane in enabled_lanes::<LANES>(enabled) {
            let (offset, value) = (self.offsets[lane], values[lane]);
            if size == 4 && offset % 4 == 0 {
                self.words.get(offset as usize / 4)?.store(value, Relaxed);
            } else if size <= 2 && offset % size == 0 {
                let (shift, mask) = part(offset.into(), size);
                change_part(self.words.get(offset as usize / 4)?, value << shift, mask << shift, sharing);
            } else {
                for n in 0..size {
                    let (shift, mask) = part((offset + n).into(), 1);
                    let word = self.words.get((offset + n) as usize / 4)?;
                    change_part(word, (value >> (n * 8) & mask) << shift, mask << shift, sharing);
                }
            }
        }
        Some(())
    }

    #[inline(always)]
    fn put_words(&self, distance: u32, values: &[u32; LANES], enabled: u32) -> Option<()> {
        let place = |lane: usize| self.words.get((self.offsets[lane] + distance) as usize / 4);
        if enabled == ones(LANES) {
            for (lane, value) in values.iter().enumerate() {
                place(lane)?.store(*value, Relaxed);
            }
            return Some(());
        }
        for lane in enabled_lanes::<LANES>(enabled) {
            place(lane)?.store(values[lane], Relaxed);
        }
        Some(())
    }
}

impl Message {
    /// Reads what all lies inside; nothing has been read when it does not.
    #[inline(never)]
    pub(super) fn load_reached(
        &self,
        thread: &mut Thread,
        view: &View<'_>,
        data: Data,
        n: usize,
        enabled: u32,
    ) -> Option<()> {
        let reached = reached(&self.addresses, data, thread, view, n, enabled)?;
        match data.form {
            Form::Words => {
                for (element, distance) in self.elements.iter().enumerate() {
                    let values = reached.words_at(*distance as u32)?;
                    blend(&mut thread.registers, self.shape.place(data.at, element, n), &values, enabled);
                }
            }
            Form::Pairs => {
                for (element, distance) in self.elements.iter().enumerate() {
                    let (low, high) = (reached.words_at(*distance as u32)?, reached.words_at(*distance as u32 + 4)?);
                    let values: [u64; LANES] = from_lanes(|i| u64::from(high[i]) << 32 | u64::from(low[i]));
                    blend(&mut thread.registers, self.shape.place(data.at, element, n), &values, enabled);
                }
            }
            Form::Bytes(size) => {
                let at = self.shape.place(data.at, 0, n);
                let (values, kept) = (reached.parts(size)?, u32::MAX.checked_shl(size * 8).unwrap_or(0));
                let old: [u32; LANES] = thread.registers.load(at);
                let values: [u32; LANES] = from_lanes(|i| values[i] | old[i] & kept);
                blend(&mut thread.registers, at, &values, enabled);
            }
            Form::Extended { size, .. } => {
                let values = reached.parts(size)?;
                blend(&mut thread.registers, self.shape.place(data.at, 0, n), &values, enabled);
            }
            Form::Other => return None,
        }
        Some(())
    }

    /// Writes what all lies inside; nothing has been written when it does not.
    #[inline(never)]
    pub(super) fn store_reached(
        &self,
        thread: &Thread,
        view: &View<'_>,
        data: Data,
        n: usize,
        enabled: u32,
    ) -> Option<()> {
        let reached = reached(&self.addresses, data, thread, view, n, enabled)?;
        match data.form {
            Form::Words => {
                for (element, distance) in self.elements.iter().enumerate() {
                    let values: [u32; LANES] = thread.registers.load(self.shape.place(data.at, element, n));
                    reached.put_words(*distance as u32, &values, enabled)?;
                }
            }
            Form::Pairs => {
                for (element, distance) in self.elements.iter().enumerate() {
                    let values: [u64; LANES] = thread.registers.load(self.shape.place(data.at, element, n));
                    reached.put_words(*distance as u32, &from_lanes(|i| values[i] as u32), enabled)?;
                    reached.put_words(*distance as u32 + 4, &from_lanes(|i| (values[i] >> 32) as u32), enabled)?;
                }
            }
            Form::Bytes(size) | Form::Extended { size, .. } => {
                let values: [u32; LANES] = thread.registers.load(self.shape.place(data.at, 0, n));
                reached.put_parts(size, &values, enabled, view.sharing())?;
            }
            Form::Other => return None,
        }
        Some(())
    }
}

impl Addresses {
    /// Where dwords stand that only need a number added to be addresses of 32 bits, and the number.
    #[inline(always)]
    fn plain_dwords(&self, thread: &Thread) -> Option<(u32, u32)> {
        let Some(Elements::Dwords(at)) = self.elements else { return None };
        if self.unit != 1 || self.mask != u64::from(u32::MAX) || self.pitch.is_some() || self.scratch.is_some() {
            return None;
        }
        let global = self.global.as_ref().map_or(0, |global| global.first(thread) as u32);
        Some((at, global.wrapping_add(self.offset as u32)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes of the memory that the tests use.
    const BYTES: usize = 96;

    fn bytes_of(words: &[AtomicU32]) -> Vec<u8> {
        words.iter().flat_map(|word| word.load(Relaxed).to_le_bytes()).collect()
    }

    #[test]
    fn parts_of_words_at_any_address() {
        let places: [fn(u32) -> u32; 4] = [|i| i, |i| 4 + 2 * i, |i| (i * 37 + 5) % 90, |i| 60 - 3 * i];
        for (size, place) in (1..=4).flat_map(|size| places.map(|place| (size, place))) {
            for enabled in [0xffff, 0x0ff3] {
                let words: Vec<_> =
                    (0..BYTES as u32 / 4).map(|n| AtomicU32::new(n.wrapping_mul(0x9e37_79b9))).collect();
                let before = bytes_of(&words);
                let reached = Reached { words: &words, offsets: from_lanes(|i| place(i as u32)) };
                let read = |lane: usize| {
                    let at = place(lane as u32) as usize;
                    before[at..at + size as usize].iter().rev().fold(0, |all, byte| all << 8 | u32::from(*byte))
                };
                assert_eq!(reached.parts(size), Some(from_lanes(read)));
                let values: [u32; LANES] = from_lanes(|i| 0x8040_2010 ^ (i as u32 * 0x0503_0107));
                for sharing in [Sharing::Shared, Sharing::Exclusive] {
                    reached.put_parts(size, &values, enabled, sharing).unwrap();
                }
                let mut want = before.clone();
                for lane in (0..LANES).filter(|lane| enabled >> lane & 1 == 1) {
                    let at = place(lane as u32) as usize;
                    want[at..at + size as usize].copy_from_slice(&values[lane].to_le_bytes()[..size as usize]);
                }
                // Where channels overlap, the second time begins with what the first left; the last of them wins both times.
                assert_eq!(bytes_of(&words), want, "{size} bytes, {enabled:x}");
            }
        }
    }
}
