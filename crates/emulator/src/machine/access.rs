//! The one door to memory: what a message reaches, and loads, stores and updates of one value for each enabled channel.

use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch, u32x4};

use crate::machine::lane::{LANES, enabled_lanes};
use crate::machine::memory::{Buffer, Memory, Sharing, part};
use crate::machine::thread::ones;

/// Offsets in shared local memory; a pointer to it carries a tag above them.
const SLM_OFFSET: u64 = 0x0fff_ffff;

/// Memory as a message sees it.
#[derive(Clone, Copy, Debug)]
pub enum View<'a> {
    /// Virtual addresses. An access outside every buffer is a fault, unless [`Memory::outside_is_zero`].
    Flat(&'a Memory),
    /// Shared local memory of the group. An access outside of it is a fault.
    Local(&'a Buffer),
    /// Scratch memory of all hardware threads. An access outside of it is a fault.
    Scratch(&'a Buffer),
    /// A surface: offsets into a buffer. Reads beyond its end give zero, writes there are dropped.
    Surface(&'a Memory, &'a Buffer),
    /// A surface of no size: the binding table's entry holds nothing.
    Nothing,
}

/// An access that cannot be carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Miss {
    /// The channel.
    pub lane: u32,
    /// The address, or the offset in shared local memory.
    pub address: u64,
    /// Bytes of the access.
    pub size: u32,
    /// What is wrong with it.
    pub kind: MissKind,
}

/// What is wrong with an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MissKind {
    /// It is outside every buffer.
    Outside,
    /// It is outside the group's shared local memory.
    OutsideLocal,
    /// It is outside the scratch memory.
    OutsideScratch,
    /// Its address is no multiple of its size.
    Misaligned,
}

/// What an access came to: how many channels of a surface access were beyond its end.
pub type Access = Result<u32, Miss>;

/// Addresses of the channels, and which of them count.
pub struct Lanes<'a> {
    /// Address, or offset, of each channel in bytes.
    pub addresses: &'a [u64; LANES],
    /// The enabled channels.
    pub enabled: u32,
    /// Whether addresses may be anything, not only multiples of the size.
    pub unaligned: bool,
}

impl Lanes<'_> {
    /// The enabled channels with their addresses, in order.
    #[inline(always)]
    fn enabled(&self) -> impl Iterator<Item = (usize, u64)> {
        enabled_lanes::<LANES>(self.enabled).map(|lane| (lane, self.addresses[lane]))
    }

    #[inline(always)]
    fn each(&self, mut access: impl FnMut(usize, u64) -> Access) -> Access {
        let mut outside = 0;
        for (lane, address) in self.enabled() {
            outside += access(lane, address)?;
        }
        Ok(outside)
    }
}

/// A buffer that the addresses of several channels fall into.
struct Window<'a> {
    words: &'a [AtomicU32],
    /// Address of its first byte.
    base: u64,
    /// Bits of an offset that count.
    mask: u64,
}

impl<'a> Window<'a> {
    /// The value of `SIZE` bytes (1, 2, 4 or 8) at an address, zero-extended. `None` when not all of it lies inside, or the
    /// address is no multiple of the size.
    #[inline(always)]
    fn load<const SIZE: u32>(&self, address: u64) -> Option<u64> {
        let (first, word) = self.word::<SIZE>(address)?;
        let value = u64::from(word.load(Relaxed));
        Some(match SIZE {
            4 => value,
            8 => value | u64::from(self.words.get(first + 1)?.load(Relaxed)) << 32,
            _ => {
                let (shift, mask) = part(address, SIZE);
                value >> shift & u64::from(mask)
            }
        })
    }

    /// The word where a value begins, and its place.
    #[inline(always)]
    fn word<const SIZE: u32>(&self, address: u64) -> Option<(usize, &'a AtomicU32)> {
        let offset = address.wrapping_sub(self.base) & self.mask;
        if !offset.is_multiple_of(SIZE.into()) {
            return None;
        }
        let first = usize::try_from(offset >> 2).ok()?;
        Some((first, self.words.get(first)?))
    }
}

impl<'a> View<'a> {
    /// The buffer that an address falls into; others may not.
    #[inline(always)]
    fn window(&self, address: u64) -> Option<Window<'a>> {
        let whole = |buffer: &'a Buffer, mask| Some(Window { words: buffer.words(), base: 0, mask });
        match *self {
            View::Flat(memory) => {
                memory.find(address).map(|(buffer, base)| Window { words: buffer.words(), base, mask: u64::MAX })
            }
            View::Local(buffer) => whole(buffer, SLM_OFFSET),
            View::Scratch(buffer) | View::Surface(_, buffer) => whole(buffer, u64::MAX),
            View::Nothing => None,
        }
    }

    /// The words of the buffer that an address falls into, its first address, and the bits of an offset that count.
    #[inline(always)]
    pub(crate) fn words_around(&self, address: u64) -> Option<(&'a [AtomicU32], u64, u64)> {
        self.window(address).map(|window| (window.words, window.base, window.mask))
    }

    /// The words of the only buffer that there is, and the bits of an offset that count.
    #[inline(always)]
    pub(crate) fn whole(&self) -> Option<(&'a [AtomicU32], u32)> {
        match *self {
            View::Flat(_) | View::Nothing => None,
            View::Local(buffer) => Some((buffer.words(), SLM_OFFSET as u32)),
            View::Scratch(buffer) | View::Surface(_, buffer) => Some((buffer.words(), u32::MAX)),
        }
    }

    /// The buffer that the first enabled channel's address falls into.
    #[inline(always)]
    fn window_of(&self, lanes: &Lanes<'_>) -> Option<Window<'a>> {
        let (_, address) = lanes.enabled().next()?;
        self.window(address)
    }

    /// Reads one 32-bit word. `None` when it does not lie inside, or `address` is misaligned.
    #[inline]
    pub fn load_word(&self, address: u64) -> Option<u32> {
        self.window(address)?.load::<4>(address).map(|word| word as u32)
    }

    /// Reads values as [`View::load`], when all of them lie in one buffer, at multiples of their size. `None` otherwise.
    #[inline]
    fn load_inside<const SIZE: u32>(&self, lanes: &Lanes<'_>, values: &mut [u64; LANES]) -> Option<()> {
        let window = self.window_of(lanes)?;
        for (lane, address) in lanes.enabled() {
            values[lane] = window.load::<SIZE>(address)?;
        }
        Some(())
    }

    /// Reads 32-bit words as [`View::load_words`], under the conditions of [`View::load_inside`].
    #[inline]
    fn load_words_inside(&self, lanes: &Lanes<'_>, values: &mut [u32; LANES]) -> Option<()> {
        let window = self.window_of(lanes)?;
        if lanes.enabled == ones(LANES) {
            let word = |address: u64| Some(window.word::<4>(address)?.1.load(Relaxed));
            let addresses = lanes.addresses.as_chunks().0;
            for (values, [a, b, c, d]) in values.as_chunks_mut().0.iter_mut().zip(addresses) {
                together(values, [word(*a)?, word(*b)?, word(*c)?, word(*d)?]);
            }
            return Some(());
        }
        for (lane, address) in lanes.enabled() {
            values[lane] = window.word::<4>(address)?.1.load(Relaxed);
        }
        Some(())
    }

    /// Writes 32-bit words as [`View::store_words`], under the conditions of [`View::load_inside`]; where they do not hold, some
    /// of the words may have been written.
    #[inline]
    fn store_words_inside(&self, lanes: &Lanes<'_>, values: &[u32; LANES]) -> Option<()> {
        let window = self.window_of(lanes)?;
        for (lane, address) in lanes.enabled() {
            window.word::<4>(address)?.1.store(values[lane], Relaxed);
        }
        Some(())
    }

    /// Whether other host threads may use the memory at the same time.
    #[inline]
    pub(crate) fn sharing(&self) -> Sharing {
        match self {
            // A thread has whole words of scratch memory for itself.
            View::Local(_) | View::Scratch(_) => Sharing::Exclusive,
            _ => Sharing::Shared,
        }
    }

    /// The buffer that an address falls into, with the offset there. `None`: the access is lost, as surfaces lose it.
    #[inline]
    fn place(&self, lane: usize, address: u64, size: u32) -> Result<Option<(&'a Buffer, u64)>, Miss> {
        if address.is_multiple_of(u64::from(size)) {
            self.place_anywhere(lane, address, size)
        } else {
            Err(Miss { lane: lane as u32, address, size, kind: MissKind::Misaligned })
        }
    }

    /// The same for any address.
    #[inline]
    fn place_anywhere(&self, lane: usize, address: u64, size: u32) -> Result<Option<(&'a Buffer, u64)>, Miss> {
        let miss = |kind| Err(Miss { lane: lane as u32, address, size, kind });
        match *self {
            View::Flat(memory) => match memory.find(address) {
                Some((buffer, base)) if fits(buffer, address - base, size) => Ok(Some((buffer, address - base))),
                _ if memory.outside_is_zero => Ok(None),
                _ => miss(MissKind::Outside),
            },
            View::Local(buffer) => {
                let offset = address & SLM_OFFSET;
                if fits(buffer, offset, size) { Ok(Some((buffer, offset))) } else { miss(MissKind::OutsideLocal) }
            }
            View::Scratch(buffer) if fits(buffer, address, size) => Ok(Some((buffer, address))),
            View::Scratch(_) => miss(MissKind::OutsideScratch),
            View::Surface(_, buffer) => Ok(fits(buffer, address, size).then_some((buffer, address))),
            View::Nothing => Ok(None),
        }
    }

    /// Reads 32-bit words that stand one behind the other into little-endian bytes. `None` when they do not all lie inside,
    /// or `address` is misaligned; then nothing has been read.
    #[inline]
    pub fn load_row(&self, address: u64, bytes: &mut [[u8; 4]]) -> Option<()> {
        let words = self.row(address, bytes.len())?;
        if let (Ok(words), Ok(bytes)) =
            (<&[AtomicU32; LANES]>::try_from(words), <&mut [[u8; 4]; LANES]>::try_from(&mut *bytes))
        {
            let mut values = [0; LANES];
            for (values, words) in values.as_chunks_mut().0.iter_mut().zip(words.as_chunks::<4>().0) {
                together(values, words.each_ref().map(|word| word.load(Relaxed)));
            }
            *bytes = values.map(u32::to_le_bytes);
            return Some(());
        }
        for (bytes, word) in bytes.iter_mut().zip(words) {
            *bytes = word.load(Relaxed).to_le_bytes();
        }
        Some(())
    }

    /// Writes 32-bit words one behind the other. `None` as [`View::load_row`].
    #[inline]
    pub fn store_row(&self, address: u64, bytes: &[[u8; 4]]) -> Option<()> {
        for (bytes, word) in bytes.iter().zip(self.row(address, bytes.len())?) {
            word.store(u32::from_le_bytes(*bytes), Relaxed);
        }
        Some(())
    }

    #[inline]
    fn row(&self, address: u64, count: usize) -> Option<&'a [AtomicU32]> {
        let (buffer, offset) = self.place(0, address, 4).ok()??;
        let first = usize::try_from(offset / 4).ok()?;
        buffer.words().get(first..first.checked_add(count)?)
    }

    /// Reads one value of `size` bytes (1, 2, 4 or 8) for each channel, zero-extended.
    ///
    /// # Errors
    /// The first channel whose access cannot be carried out.
    pub fn load(&self, lanes: &Lanes<'_>, size: u32, values: &mut [u64; LANES]) -> Access {
        let done = match size {
            1 => self.load_inside::<1>(lanes, values),
            2 => self.load_inside::<2>(lanes, values),
            4 => self.load_inside::<4>(lanes, values),
            _ => self.load_inside::<8>(lanes, values),
        };
        if done.is_some() {
            return Ok(0);
        }
        match size {
            1 => self.load_sized::<1>(lanes, values),
            2 => self.load_sized::<2>(lanes, values),
            4 => self.load_sized::<4>(lanes, values),
            _ => self.load_sized::<8>(lanes, values),
        }
    }

    fn load_sized<const SIZE: u32>(&self, lanes: &Lanes<'_>, values: &mut [u64; LANES]) -> Access {
        lanes.each(|lane, address| {
            if lanes.unaligned && !address.is_multiple_of(SIZE.into()) {
                let place = self.place_anywhere(lane, address, SIZE)?;
                values[lane] = place.and_then(|(buffer, offset)| buffer.load_unaligned(offset, SIZE)).unwrap_or(0);
                return Ok(place.is_none().into());
            }
            let place = self.place(lane, address, SIZE)?;
            values[lane] = place.and_then(|(buffer, offset)| buffer.load(offset, SIZE)).unwrap_or(0);
            Ok(place.is_none().into())
        })
    }

    /// Reads one 32-bit word for each channel.
    ///
    /// # Errors
    /// The first channel whose access cannot be carried out.
    pub fn load_words(&self, lanes: &Lanes<'_>, values: &mut [u32; LANES]) -> Access {
        if self.load_words_inside(lanes, values).is_some() {
            return Ok(0);
        }
        if lanes.unaligned {
            let mut wide = [0; LANES];
            let outside = self.load_sized::<4>(lanes, &mut wide)?;
            *values = wide.map(|value| value as u32);
            return Ok(outside);
        }
        lanes.each(|lane, address| {
            let place = self.place(lane, address, 4)?;
            values[lane] = place.and_then(|(buffer, offset)| buffer.load_u32(offset)).unwrap_or(0);
            Ok(place.is_none().into())
        })
    }

    /// Writes one value of `size` bytes (1, 2, 4 or 8) for each channel. Where channels write the same place, the last
    /// one of them wins.
    ///
    /// # Errors
    /// The first channel whose access cannot be carried out; those before it have been.
    pub fn store(&self, lanes: &Lanes<'_>, size: u32, values: &[u64; LANES]) -> Access {
        match size {
            1 => self.store_sized::<1>(lanes, values),
            2 => self.store_sized::<2>(lanes, values),
            4 => self.store_sized::<4>(lanes, values),
            _ => self.store_sized::<8>(lanes, values),
        }
    }

    fn store_sized<const SIZE: u32>(&self, lanes: &Lanes<'_>, values: &[u64; LANES]) -> Access {
        let sharing = self.sharing();
        lanes.each(|lane, address| {
            if lanes.unaligned && !address.is_multiple_of(SIZE.into()) {
                let place = self.place_anywhere(lane, address, SIZE)?;
                if let Some((buffer, offset)) = place {
                    buffer.store_unaligned(offset, SIZE, values[lane], sharing);
                }
                return Ok(place.is_none().into());
            }
            let place = self.place(lane, address, SIZE)?;
            if let Some((buffer, offset)) = place {
                buffer.store(offset, SIZE, values[lane], sharing);
            }
            Ok(place.is_none().into())
        })
    }

    /// Writes one 32-bit word for each channel.
    ///
    /// # Errors
    /// As [`View::store`].
    pub fn store_words(&self, lanes: &Lanes<'_>, values: &[u32; LANES]) -> Access {
        if self.store_words_inside(lanes, values).is_some() {
            return Ok(0);
        }
        if lanes.unaligned {
            return self.store_sized::<4>(lanes, &values.map(u64::from));
        }
        lanes.each(|lane, address| {
            let place = self.place(lane, address, 4)?;
            if let Some((buffer, offset)) = place {
                buffer.store_u32(offset, values[lane]);
            }
            Ok(place.is_none().into())
        })
    }

    /// Replaces one value of `size` bytes (2, 4 or 8) for each channel by what `change` makes of it, each in one step;
    /// `old` gets what was there.
    ///
    /// # Errors
    /// As [`View::store`].
    pub fn update(
        &self,
        lanes: &Lanes<'_>,
        size: u32,
        old: &mut [u64; LANES],
        change: impl Fn(usize, u64) -> u64,
    ) -> Access {
        if let (View::Local(buffer), 4) = (self, size) {
            // The most frequent case, and the only one without anybody else.
            return lanes.each(|lane, address| {
                let Some((_, offset)) = self.place(lane, address, 4)? else { return Ok(1) };
                let value = u64::from(buffer.load_u32(offset).unwrap_or(0));
                buffer.store_u32(offset, change(lane, value) as u32);
                old[lane] = value;
                Ok(0)
            });
        }
        let sharing = self.sharing();
        lanes.each(|lane, address| {
            let place = self.place(lane, address, size)?;
            old[lane] = match (place, self) {
                (None, _) => 0,
                (Some((buffer, offset)), View::Flat(memory) | View::Surface(memory, _)) if size == 8 => {
                    memory.update_u64(buffer, offset, sharing, |value| change(lane, value)).unwrap_or(0)
                }
                (Some((buffer, offset)), _) if size == 8 => {
                    let value = buffer.load(offset, 8).unwrap_or(0);
                    buffer.store(offset, 8, change(lane, value), sharing);
                    value
                }
                (Some((buffer, offset)), _) => {
                    let step = |value: u32| change(lane, u64::from(value)) as u32;
                    buffer.update(offset, size, sharing, step).map_or(0, u64::from)
                }
            };
            Ok(place.is_none().into())
        })
    }
}

/// Writes words that were read one by one as a vector: a vector that is loaded from where its parts have just been stored one by
/// one has to wait for all of them.
#[inline(always)]
pub(crate) fn together(to: &mut [u32; 4], words: [u32; 4]) {
    dispatch!(Level::baseline(), simd => u32x4::simd_from(simd, words).store_slice(to));
}

#[inline]
fn fits(buffer: &Buffer, offset: u64, size: u32) -> bool {
    offset.checked_add(u64::from(size)).is_some_and(|end| end <= buffer.reach())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lanes(addresses: &[u64; LANES], enabled: u32) -> Lanes<'_> {
        Lanes { addresses, enabled, unaligned: false }
    }

    #[test]
    fn rows_and_single_words_agree() {
        let mut memory = Memory::default();
        let bytes: Vec<u8> = (0..=255).collect();
        let base = memory.map(Buffer::from_bytes(&bytes)).unwrap();
        let row: [u64; LANES] = std::array::from_fn(|i| base + 8 + 4 * i as u64);
        let mut backwards = row;
        backwards.reverse();
        let view = View::Flat(&memory);
        let (mut a, mut b) = ([0; LANES], [0; LANES]);
        assert_eq!(view.load_words(&lanes(&row, 0xffff), &mut a), Ok(0));
        assert_eq!(view.load_words(&lanes(&backwards, 0xffff), &mut b), Ok(0));
        b.reverse();
        assert_eq!(a, b);
        let mut bytes = [[0; 4]; LANES];
        assert_eq!(view.load_row(base + 8, &mut bytes), Some(()));
        assert_eq!(bytes.map(u32::from_le_bytes), a);
        assert_eq!(bytes[1], [12, 13, 14, 15]);
        assert_eq!(view.load_row(base + 9, &mut bytes), None);
        assert_eq!(view.load_row(base + 256 - 60, &mut bytes), None);
        assert_eq!(view.load_row(base + 256 - 64, &mut bytes), Some(()));

        assert_eq!(view.store_row(base + 8, &[[7, 0, 0, 0]; 8]), Some(()));
        assert_eq!(memory.buffers()[0].load_u32(8 + 4 * 7), Some(7));
        assert_eq!(memory.buffers()[0].load_u32(8 + 4 * 8), Some(a[8]));
    }

    #[test]
    fn flat_accesses_outside_are_faults() {
        let mut memory = Memory::default();
        let base = memory.map(Buffer::zeros(16)).unwrap();
        let view = View::Flat(&memory);
        let addresses: [u64; LANES] = std::array::from_fn(|i| base + 4 * i as u64);
        let mut values = [0; LANES];
        assert_eq!(view.load_words(&lanes(&addresses, 0xf), &mut values), Ok(0));
        let miss = view.load_words(&lanes(&addresses, 0x1f), &mut values).unwrap_err();
        assert_eq!((miss.lane, miss.address, miss.kind), (4, base + 16, MissKind::Outside));
        let odd = [base + 2; LANES];
        let miss = view.store_words(&lanes(&odd, 0b1000), &values).unwrap_err();
        assert_eq!((miss.lane, miss.kind), (3, MissKind::Misaligned));
        let anywhere = Lanes { unaligned: true, ..lanes(&odd, 1) };
        assert_eq!(view.store_words(&anywhere, &[0x0403_0201; LANES]), Ok(0));
        assert_eq!(view.load_words(&anywhere, &mut values), Ok(0));
        assert_eq!(
            (values[0], memory.buffers()[0].to_bytes()[..7].to_vec()),
            (0x0403_0201, vec![0, 0, 1, 2, 3, 4, 0])
        );
    }

    #[test]
    fn surfaces_lose_what_is_beyond_their_end() {
        let memory = Memory::default();
        let buffer = Buffer::from_bytes(&[1, 0, 0, 0, 2, 0, 0, 0]);
        let view = View::Surface(&memory, &buffer);
        let addresses: [u64; LANES] = std::array::from_fn(|i| 4 * i as u64);
        let mut values = [9; LANES];
        assert_eq!(view.load_words(&lanes(&addresses, 0xf), &mut values), Ok(2));
        assert_eq!(values[..5], [1, 2, 0, 0, 9]);
        assert_eq!(view.store(&lanes(&addresses, 0xc), 4, &[5; LANES]), Ok(2));
        let mut old = [0; LANES];
        assert_eq!(view.update(&lanes(&addresses, 0x6), 4, &mut old, |_, x| x + 40), Ok(1));
        assert_eq!((old[1], old[2], buffer.load_u32(4)), (2, 0, Some(42)));
        assert_eq!(View::Nothing.load(&lanes(&addresses, 1), 4, &mut old), Ok(1));
    }

    #[test]
    fn local_addresses_carry_a_tag() {
        let buffer = Buffer::zeros(16);
        let view = View::Local(&buffer);
        let addresses = [0x1000_0004; LANES];
        let mut old = [0; LANES];
        assert_eq!(view.update(&lanes(&addresses, 0xffff), 4, &mut old, |_, x| x + 1), Ok(0));
        assert_eq!((old[15], buffer.load_u32(4)), (15, Some(16)));
        let miss = view.load(&lanes(&[0x1000_0010; LANES], 1), 4, &mut old).unwrap_err();
        assert_eq!(miss.kind, MissKind::OutsideLocal);
    }
}
