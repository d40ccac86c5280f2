//! Fast path of messages: transfers a chunk's data with one bounds check if they lie inside one
//! buffer.

use std::sync::atomic::Ordering::Relaxed;

use crate::memory::address::Pattern;
use crate::memory::message::{Chunk, Message};
use visakit_machine::access::View;
use visakit_machine::chunk::blend;
use visakit_machine::in_bounds::{Extent, InBounds, load_row, row, store_row};
use visakit_machine::lane::{LANES, from_lanes};
use visakit_machine::observer::AccessKind;
use visakit_machine::thread::{Thread, ones};
use visakit_machine::told::{Part, Row};

/// Static properties of a message that can use the fast path.
#[derive(Clone, Copy)]
pub(super) struct FastPath {
    pub(super) unit: Unit,
    pub(super) extent: Extent,
    /// True if each channel has one dword, at its address.
    is_single: bool,
    /// True if a channel's elements are contiguous in memory.
    is_row: bool,
    /// True if a single channel transfers dwords that are contiguous in memory and in registers.
    is_block: bool,
}

/// Data transferred per channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    /// Dwords, contiguous over channels in registers.
    Dword,
    /// Qwords, contiguous over channels in registers.
    Qword,
    /// Between one and four bytes at any address, in the low bytes of a dword; a load keeps the
    /// other bytes.
    Bytes(u32),
    /// A byte or word, zero-extended to a dword.
    Extended(u32),
}

impl FastPath {
    pub(super) fn of(message: &Message) -> Option<Self> {
        let Message { transfer, elements, unaligned, .. } = message;
        let is_row = elements.iter().zip(0..).all(|(distance, n)| *distance == n * transfer.size);
        let reach = elements.iter().max().copied().unwrap_or(0);
        let (unit, bytes, alignment) = match (transfer.size, transfer.slot, transfer.lane_step) {
            (4, 4, 4) => (Unit::Dword, reach + 4, 4),
            // Unaligned qwords use the fast path at dword alignment, and the slow path otherwise.
            (8, 8, 8) => (Unit::Qword, reach + 8, if *unaligned { 4 } else { 8 }),
            (1, 1, 4) if transfer.element_step == 1 && is_row && (1..=4).contains(&elements.len()) => {
                let count = elements.len() as u32;
                (Unit::Bytes(count), count, 1)
            }
            (size @ (1 | 2), 4, 4) if !transfer.high && *elements == [0] => {
                (Unit::Extended(size), size, if *unaligned { 1 } else { size })
            }
            _ => return None,
        };
        let is_block = message.is_vector() && transfer.is_dwords() && is_row;
        Some(Self { unit, extent: Extent { bytes, alignment }, is_single: *elements == [0], is_row, is_block })
    }
}

impl Message {
    /// Transfers a chunk if its dwords are contiguous in memory, or the same for all channels.
    /// `None` if they are not, or not all in bounds.
    #[inline(always)]
    pub(super) fn row<const STORE: bool>(
        &self,
        thread: &mut Thread,
        view: &View<'_>,
        fast: FastPath,
        chunk: Chunk,
    ) -> Option<()> {
        if fast.unit != Unit::Dword {
            return None;
        }
        let (address, at, count) = match self.addressing.pattern(thread, chunk.n as usize, chunk.enabled) {
            Pattern::Row { address, first, count } if fast.is_single => {
                (address, self.place(chunk, 0) + first * 4, count)
            }
            Pattern::Same(address) if fast.is_block => (address, chunk.at, self.elements.len()),
            Pattern::Same(address) if !STORE && fast.is_row => {
                return self.load_same(thread, view, fast, address, chunk);
            }
            _ => return None,
        };
        let words = row(view, address, count, kind::<STORE>())?;
        if STORE {
            store_row(words, &thread.registers.bytes(at).as_chunks().0[..count]);
        } else {
            load_row(words, &mut thread.registers.bytes_mut(at).as_chunks_mut().0[..count]);
        }
        Some(())
    }

    /// Loads dwords that are the same for all channels.
    #[inline(never)]
    fn load_same(
        &self,
        thread: &mut Thread,
        view: &View<'_>,
        fast: FastPath,
        address: u64,
        chunk: Chunk,
    ) -> Option<()> {
        let words = row(view, address, fast.extent.bytes as usize / 4, AccessKind::Load)?;
        for (element, distance) in self.elements.iter().enumerate() {
            let word = words.get(*distance as usize / 4)?.load(Relaxed);
            blend(&mut thread.registers, self.place(chunk, element), &[word; LANES], chunk.enabled);
        }
        Some(())
    }

    /// Transfers a chunk whose data lie inside one buffer. `None`, with nothing transferred, if
    /// they do not.
    #[inline(never)]
    pub(super) fn in_bounds<const STORE: bool>(
        &self,
        thread: &mut Thread,
        view: &View<'_>,
        fast: FastPath,
        chunk: Chunk,
    ) -> Option<()> {
        let (n, enabled) = (chunk.n as usize, chunk.enabled);
        let places = match (self.addressing.resolve_dwords(thread, n), view.whole()) {
            (Some(offsets), Some((buffer, mask))) => {
                InBounds::new(buffer, from_lanes(|i| offsets[i] & mask), enabled, fast.extent)?
            }
            _ => InBounds::of_addresses(view, &self.addressing.resolve(thread, n), enabled, fast.extent)?,
        };
        if fast.is_row {
            places.note(view, kind::<STORE>(), 0, fast.extent.bytes, enabled);
        } else {
            let each = self.elements.iter();
            each.for_each(|distance| places.note(view, kind::<STORE>(), *distance, self.transfer.size, enabled));
        }
        let registers = &mut thread.registers;
        if let Unit::Bytes(size) | Unit::Extended(size) = fast.unit {
            let at = self.place(chunk, 0);
            let old: [u32; LANES] = registers.load(at);
            if STORE {
                return places.put_parts(size, &old, enabled, view.sharing());
            }
            let values = places.parts(size)?;
            let kept = if let Unit::Bytes(1..=3) = fast.unit { u32::MAX << (size * 8) } else { 0 };
            blend(registers, at, &from_lanes::<u32, LANES>(|i| values[i] | old[i] & kept), enabled);
            return Some(());
        }
        for (element, &distance) in self.elements.iter().enumerate() {
            let at = self.place(chunk, element);
            match fast.unit {
                Unit::Qword if STORE => {
                    let values: [u64; LANES] = registers.load(at);
                    places.put_words(distance, &from_lanes(|i| values[i] as u32), enabled)?;
                    places.put_words(distance + 4, &from_lanes(|i| (values[i] >> 32) as u32), enabled)?;
                }
                Unit::Qword => {
                    let (low, high) = (places.words(distance)?, places.words(distance + 4)?);
                    let values: [u64; LANES] = from_lanes(|i| u64::from(high[i]) << 32 | u64::from(low[i]));
                    blend(registers, at, &values, enabled);
                }
                _ if STORE => places.put_words(distance, &registers.load(at), enabled)?,
                _ => blend(registers, at, &places.words(distance)?, enabled),
            }
        }
        Some(())
    }

    /// Reports a chunk's data to the observer if they lie inside one buffer and do not overlap.
    /// Otherwise returns `None` and reports nothing.
    #[inline(never)]
    pub(super) fn tell<const STORE: bool>(
        &self,
        thread: &Thread,
        view: &View<'_>,
        fast: FastPath,
        chunk: Chunk,
    ) -> Option<()> {
        if let Some((address, step)) = self.steps::<STORE>(thread, fast, chunk) {
            let row = Row::new(view, address, step, chunk.enabled, fast.extent.bytes)?;
            return self.tell_parts::<STORE>(thread, chunk, |part, values| row.tell(view, chunk.who(), part, values));
        }
        let addresses = self.addressing.resolve(thread, chunk.n as usize);
        let places = InBounds::of_addresses(view, &addresses, chunk.enabled, fast.extent)?;
        if STORE && !places.is_ascending(chunk.enabled, fast.extent.bytes) {
            return None;
        }
        let who = chunk.who();
        if let Unit::Bytes(size) | Unit::Extended(size) = fast.unit {
            let unread = !STORE && self.unread != 0;
            if size == 3 || unread && self.unread != ones(self.elements.len()) {
                return None;
            }
            let mask = u32::MAX >> (32 - size * 8);
            let values: [u64; LANES] = if STORE {
                let words: [u32; LANES] = thread.registers.load(self.place(chunk, 0));
                from_lanes(|i| u64::from(words[i] & mask))
            } else {
                [0; LANES]
            };
            return places.tell(view, &addresses, who, Part { distance: 0, size, unread }, STORE.then_some(&values));
        }
        self.tell_parts::<STORE>(thread, chunk, |part, values| places.tell(view, &addresses, who, part, values))
    }

    /// Returns the address of the first enabled channel and the constant distance between channels,
    /// for dword accesses.
    fn steps<const STORE: bool>(&self, thread: &Thread, fast: FastPath, chunk: Chunk) -> Option<(u64, u32)> {
        if fast.unit != Unit::Dword {
            return None;
        }
        match self.addressing.pattern(thread, chunk.n as usize, chunk.enabled) {
            Pattern::Row { address, .. } if fast.is_single => Some((address, 4)),
            Pattern::Same(address) if !STORE || chunk.enabled.is_power_of_two() => Some((address, 0)),
            _ => None,
        }
    }

    /// Reports each element of a chunk's channels; stores include their values.
    fn tell_parts<const STORE: bool>(
        &self,
        thread: &Thread,
        chunk: Chunk,
        tell: impl Fn(Part, Option<&[u64; LANES]>) -> Option<()>,
    ) -> Option<()> {
        let size = self.transfer.size;
        for (element, &distance) in self.elements.iter().enumerate() {
            if STORE {
                let values = self.transfer.get(thread, self.place(chunk, element), chunk.enabled);
                tell(Part { distance, size, unread: false }, Some(&values))?;
            } else {
                let unread = self.unread.checked_shr(element as u32).is_some_and(|bits| bits & 1 == 1);
                tell(Part { distance, size, unread }, None)?;
            }
        }
        Some(())
    }
}

/// Returns the access kind of a store (`STORE`) or load.
const fn kind<const STORE: bool>() -> AccessKind {
    if STORE { AccessKind::Store } else { AccessKind::Load }
}
