//! Fast path for messages whose data lie inside one buffer. One bounds check covers all channels,
//! and each value is a word or two of the buffer. All other messages use
//! [`crate::access`], channel by channel.

use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use crate::access::View;
use crate::buffer::{Buffer, Sharing, change_part, change_word, part};
use crate::lane::{LANES, enabled_lanes, from_lanes};
use crate::observer::AccessKind;
use crate::thread::ones;
use visakit_native::host::store_together;

/// Bounds and alignment that the fast path requires of each channel's address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Distance in bytes from a channel's address to the end of its data.
    pub bytes: u32,
    /// Required alignment of addresses in bytes: 1, 2 or 4.
    pub alignment: u32,
}

/// A buffer with an in-bounds offset for each channel. A disabled channel has the offset of an
/// enabled one.
pub struct InBounds<'a> {
    buffer: &'a Buffer,
    words: &'a [AtomicU32],
    offsets: [u32; LANES],
}

impl<'a> InBounds<'a> {
    /// Returns the offsets of the enabled channels, or `None` if data of this extent are not all in
    /// bounds.
    #[inline(always)]
    pub fn new(buffer: &'a Buffer, offsets: [u32; LANES], enabled: u32, extent: Extent) -> Option<Self> {
        let words = buffer.words();
        let origin = offsets[enabled.trailing_zeros() as usize % LANES];
        let offsets: [u32; LANES] = if enabled == ones(LANES) {
            offsets
        } else {
            from_lanes(|i| if enabled & 1 << i != 0 { offsets[i] } else { origin })
        };
        let limit = u32::try_from((words.len() as u64 * 4).checked_sub(extent.bytes.into())?).ok()?;
        let low = extent.alignment - 1;
        let refused: [u32; LANES] = from_lanes(|i| (offsets[i] & low) | u32::from(offsets[i] > limit));
        (refused.iter().fold(0, |all, one| all | one) == 0).then_some(Self { buffer, words, offsets })
    }

    /// Returns the offsets of `addresses` in a view, as [`InBounds::new`].
    #[inline(always)]
    pub fn of_addresses(view: &View<'a>, addresses: &[u64; LANES], enabled: u32, extent: Extent) -> Option<Self> {
        let (buffer, base, mask) = view.around(addresses[enabled.trailing_zeros() as usize % LANES])?;
        let distances: [u64; LANES] = from_lanes(|i| addresses[i].wrapping_sub(base) & mask);
        let used = |i: usize| if enabled >> i & 1 == 1 { u64::MAX } else { 0 };
        let high: [u64; LANES] = from_lanes(|i| distances[i] & used(i));
        if high.iter().fold(0, |all, distance| all | distance) >> 32 != 0 {
            return None;
        }
        Self::new(buffer, from_lanes(|i| distances[i] as u32), enabled, extent)
    }

    /// Returns the offsets of all channels.
    #[inline(always)]
    pub fn offsets(&self) -> &[u32; LANES] {
        &self.offsets
    }

    /// Records in the trace, if enabled, that each enabled channel accesses `bytes` bytes at
    /// `distance` from its offset.
    #[inline(always)]
    pub fn note(&self, view: &View<'a>, kind: AccessKind, distance: u32, bytes: u32, enabled: u32) {
        if let Some(trace) = view.trace(self.buffer, kind) {
            trace.note_lanes(self.buffer, kind, &self.offsets, (distance, bytes), enabled);
        }
    }

    /// Loads the word at `distance` bytes from each channel's offset.
    #[inline(always)]
    pub fn words(&self, distance: u32) -> Option<[u32; LANES]> {
        self.gather(
            #[inline(always)]
            |offset| Some(self.words.get((offset + distance) as usize / 4)?.load(Relaxed)),
        )
    }

    /// Loads a value of one to four bytes at each channel's offset.
    #[inline(always)]
    pub fn parts(&self, size: u32) -> Option<[u32; LANES]> {
        let mask = u32::MAX >> (32 - size * 8);
        self.gather(
            #[inline(always)]
            |offset| {
                let (index, bit) = (offset as usize / 4, offset % 4 * 8);
                let mut word = self.words.get(index)?.load(Relaxed) >> bit;
                if bit + size * 8 > 32 {
                    word |= self.words.get(index + 1)?.load(Relaxed) << (32 - bit);
                }
                Some(word & mask)
            },
        )
    }

    #[inline(always)]
    fn gather(&self, value: impl Fn(u32) -> Option<u32>) -> Option<[u32; LANES]> {
        let mut values = [0; LANES];
        for (values, [a, b, c, d]) in values.as_chunks_mut().0.iter_mut().zip(self.offsets.as_chunks().0) {
            store_together(values, [value(*a)?, value(*b)?, value(*c)?, value(*d)?]);
        }
        Some(values)
    }

    /// Stores a word at `distance` bytes from each enabled channel's offset.
    #[inline(always)]
    pub fn put_words(&self, distance: u32, values: &[u32; LANES], enabled: u32) -> Option<()> {
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

    /// Atomically replaces the word at each enabled channel's offset by the result of `change`, in
    /// channel order; `old` receives the previous words.
    #[inline(always)]
    pub fn update_words(
        &self,
        old: &mut [u64; LANES],
        enabled: u32,
        sharing: Sharing,
        change: impl Fn(usize, u64) -> u64,
    ) -> Option<()> {
        for lane in enabled_lanes::<LANES>(enabled) {
            let word = self.words.get(self.offsets[lane] as usize / 4)?;
            old[lane] = change_word(word, sharing, |value| change(lane, value.into()) as u32).into();
        }
        Some(())
    }

    /// Stores one to four bytes at each enabled channel's offset, in channel order.
    #[inline(always)]
    pub fn put_parts(&self, size: u32, values: &[u32; LANES], enabled: u32, sharing: Sharing) -> Option<()> {
        let [origin, ..] = self.offsets;
        let is_row = (0..).zip(self.offsets).all(|(i, offset): (u32, u32)| offset.wrapping_sub(origin) == i * size);
        if size < 4 && enabled == ones(LANES) && is_row && origin % 4 == 0 && size != 3 {
            // Contiguous stores cover whole words.
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
}

/// Contiguous words of a buffer.
pub struct Found<'a> {
    buffer: &'a Buffer,
    /// The words.
    pub words: &'a [AtomicU32],
    /// Byte offset of the first word in the buffer.
    offset: u64,
}

/// Returns `count` contiguous words from an address. `None` if they are not all inside one buffer,
/// or if the address is not a multiple of four.
#[inline]
pub fn words_at<'a>(view: &View<'a>, address: u64, count: usize) -> Option<Found<'a>> {
    let (buffer, base, mask) = view.around(address)?;
    let offset = address.wrapping_sub(base) & mask;
    let first = usize::try_from(offset / 4).ok().filter(|_| offset.is_multiple_of(4))?;
    Some(Found { buffer, words: buffer.words().get(first..first.checked_add(count)?)?, offset })
}

/// Returns `count` contiguous words from an address, as [`words_at`], and records an access of this
/// kind.
#[inline]
pub fn row<'a>(view: &View<'a>, address: u64, count: usize, kind: AccessKind) -> Option<&'a [AtomicU32]> {
    let Found { buffer, words, offset } = words_at(view, address, count)?;
    if let Some(trace) = view.trace(buffer, kind) {
        trace.note(buffer, kind, offset, count as u64 * 4);
    }
    Some(words)
}

/// Loads words as little-endian bytes, up to the shorter length.
#[inline]
pub fn load_row(words: &[AtomicU32], bytes: &mut [[u8; 4]]) {
    if let (Ok(words), Ok(bytes)) =
        (<&[AtomicU32; LANES]>::try_from(words), <&mut [[u8; 4]; LANES]>::try_from(&mut *bytes))
    {
        let mut values = [0; LANES];
        for (values, words) in values.as_chunks_mut().0.iter_mut().zip(words.as_chunks::<4>().0) {
            store_together(values, from_lanes(|i| words[i].load(Relaxed)));
        }
        for (bytes, value) in bytes.iter_mut().zip(values) {
            *bytes = value.to_le_bytes();
        }
        return;
    }
    for (bytes, word) in bytes.iter_mut().zip(words) {
        *bytes = word.load(Relaxed).to_le_bytes();
    }
}

/// Stores little-endian bytes as words.
#[inline]
pub fn store_row(words: &[AtomicU32], bytes: &[[u8; 4]]) {
    for (bytes, word) in bytes.iter().zip(words) {
        word.store(u32::from_le_bytes(*bytes), Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access::Target;
    use crate::memory::Memory;
    use crate::observer::Witness;

    /// Size of the test memory in bytes.
    const BYTES: usize = 96;

    fn bytes_of(words: &[AtomicU32]) -> Vec<u8> {
        words.iter().flat_map(|word| word.load(Relaxed).to_le_bytes()).collect()
    }

    #[test]
    fn parts_of_words_at_any_address() {
        let places: [fn(u32) -> u32; 4] = [|i| i, |i| 4 + 2 * i, |i| (i * 37 + 5) % 90, |i| 60 - 3 * i];
        for (size, place) in (1..=4).flat_map(|size| places.map(|place| (size, place))) {
            for enabled in [0xffff, 0x0ff3] {
                let bytes: Vec<_> =
                    (0..BYTES as u32 / 4).flat_map(|n| n.wrapping_mul(0x9e37_79b9).to_le_bytes()).collect();
                let buffer = Buffer::from_bytes(&bytes);
                let words = buffer.words();
                let before = bytes_of(words);
                let in_bounds = InBounds { buffer: &buffer, words, offsets: from_lanes(|i| place(i as u32)) };
                let read = |lane: usize| {
                    let at = place(lane as u32) as usize;
                    before[at..at + size as usize].iter().rev().fold(0, |all, byte| all << 8 | u32::from(*byte))
                };
                assert_eq!(in_bounds.parts(size), Some(from_lanes(read)));
                let values: [u32; LANES] = from_lanes(|i| 0x8040_2010 ^ (i as u32 * 0x0503_0107));
                for sharing in [Sharing::Shared, Sharing::Exclusive] {
                    in_bounds.put_parts(size, &values, enabled, sharing).unwrap();
                }
                let mut want = before.clone();
                for lane in (0..LANES).filter(|lane| enabled >> lane & 1 == 1) {
                    let at = place(lane as u32) as usize;
                    want[at..at + size as usize].copy_from_slice(&values[lane].to_le_bytes()[..size as usize]);
                }
                // Where channels overlap, the second store starts from the result of the first; the
                // last channel wins in both.
                assert_eq!(bytes_of(words), want, "{size} bytes, {enabled:x}");
            }
        }
    }

    #[test]
    fn rows_and_single_words_agree() {
        let mut memory = Memory::default();
        let bytes: Vec<u8> = (0..=255).collect();
        let base = memory.map(Buffer::from_bytes(&bytes)).unwrap();
        let view = View::new(Target::Flat(&memory, &[]), Witness::default(), 0);
        let addresses: [u64; LANES] = from_lanes(|i| base + 68 - 4 * i as u64);
        let dword = Extent { bytes: 4, alignment: 4 };
        let mut single = InBounds::of_addresses(&view, &addresses, 0xffff, dword).unwrap().words(0).unwrap();
        single.reverse();
        let mut bytes = [[0; 4]; LANES];
        load_row(row(&view, base + 8, LANES, AccessKind::Load).unwrap(), &mut bytes);
        assert_eq!(bytes.map(u32::from_le_bytes), single);
        assert_eq!(bytes[1], [12, 13, 14, 15]);
        let is_row = |address| row(&view, address, LANES, AccessKind::Load).is_some();
        assert_eq!([9, 256 - 60, 256 - 64].map(|offset| is_row(base + offset)), [false, false, true]);
        assert!(InBounds::of_addresses(&view, &[base + 256; LANES], 1, dword).is_none());
        assert!(InBounds::of_addresses(&view, &[base + 2; LANES], 1, dword).is_none());

        store_row(row(&view, base + 8, 8, AccessKind::Store).unwrap(), &[[7, 0, 0, 0]; 8]);
        assert_eq!(memory.buffers()[0].load_u32(8 + 4 * 7), Some(7));
        assert_eq!(memory.buffers()[0].load_u32(8 + 4 * 8), Some(single[8]));
    }
}
