//! Records of the bytes that groups of a host thread have touched, to find launches with races
//! between groups.
//!
//! Host threads take groups in order, and each host thread runs its groups sequentially. If no byte
//! written by one host thread was touched by another, every group has observed the same memory as
//! in a sequential run. Otherwise the launch is run again sequentially.
//!
//! All groups only read most buffers, or only count in them. A buffer in such use after the first
//! groups is [settled](Buffer::settle): accesses of that kind are no longer recorded, and an access
//! of another kind makes the trace [lost](Trace::is_lost).

use std::cell::{Cell, OnceCell};

use crate::accesses::AccessKind;
use crate::buffer::Buffer;
use crate::lane::{LANES, enabled_lanes};
use crate::thread::ones;
use visakit_native::Marks;

/// Bit set of the bytes of a buffer, or of the pages of private memory.
type Bits = Vec<Cell<u64>>;

/// Memory touched by the groups of a host thread.
#[derive(Debug, Default)]
pub struct Trace {
    /// For each buffer, the touched bytes by [`AccessKind`].
    buffers: Vec<[OnceCell<Bits>; 3]>,
    /// True if atomics count as stores: atomics of different kinds do not commute.
    mixed: bool,
    lost: Cell<bool>,
    /// Number of (buffer, kind) pairs seen so far.
    kinds: Cell<u32>,
}

impl Trace {
    /// Returns a trace of `buffers` buffers, including private ones. `mixed` is true if the
    /// kernel's atomics do not commute with each other.
    pub fn new(buffers: usize, mixed: bool) -> Self {
        let buffers = (0..buffers).map(|_| Default::default()).collect();
        Self { buffers, mixed, ..Self::default() }
    }

    /// Returns true if a settled buffer was accessed in another way, so that earlier accesses are
    /// unknown.
    #[inline]
    pub fn is_lost(&self) -> bool {
        self.lost.get()
    }

    /// Records an access to `bytes` bytes at `offset`.
    #[inline(never)]
    pub fn note(&self, buffer: &Buffer, kind: AccessKind, offset: u64, bytes: u64) {
        if bytes > 0
            && let Some(bits) = self.bits(buffer, kind)
        {
            mark(bits, offset, bytes, buffer.unit());
        }
    }

    /// Records accesses of channels to `bytes` bytes at `distance` from their offsets.
    #[inline(never)]
    pub fn note_lanes(
        &self,
        buffer: &Buffer,
        kind: AccessKind,
        offsets: &[u32; LANES],
        (distance, bytes): (u32, u32),
        enabled: u32,
    ) {
        let Some(bits) = self.bits(buffer, kind) else { return };
        let (unit, first) = (buffer.unit(), offsets[0]);
        let is_row =
            (0..).zip(offsets).fold(true, |all, (i, offset)| all & (offset.wrapping_sub(first) == i * bytes));
        if enabled == ones(LANES) && is_row {
            return mark(bits, u64::from(first + distance), u64::from(bytes) * LANES as u64, unit);
        }
        for lane in enabled_lanes::<LANES>(enabled) {
            mark(bits, u64::from(offsets[lane] + distance), bytes.into(), unit);
        }
    }

    #[inline(always)]
    fn bits(&self, buffer: &Buffer, kind: AccessKind) -> Option<&Bits> {
        let kind = self.kind(kind);
        if !buffer.has_seen(kind) && buffer.see(kind) {
            self.lost.set(true);
        }
        let units = (buffer.reach() >> buffer.unit()) as usize;
        // A mark may end in the word after the last one.
        Some(self.buffers.get(buffer.number())?[kind as usize].get_or_init(|| {
            self.kinds.set(self.kinds.get() + 1);
            bytemuck::zeroed_vec(units / 64 + 2)
        }))
    }

    /// Returns the kind that an access counts as.
    #[inline(always)]
    fn kind(&self, kind: AccessKind) -> AccessKind {
        if self.mixed && kind == AccessKind::Atomic { AccessKind::Store } else { kind }
    }

    /// Returns the number of (buffer, kind) pairs seen so far. The result of [`Trace::marks`] may
    /// change when it grows.
    #[inline]
    pub fn kinds(&self) -> u32 {
        self.kinds.get()
    }

    /// Returns the recording mode of an access kind on a buffer, for native code. If the record
    /// needs setup first, that is left to the interpreter.
    pub fn marks(&self, buffer: &Buffer, kind: AccessKind) -> Marks<'_> {
        if !buffer.is_noted(kind) {
            return Marks::Nobody;
        }
        let kind = self.kind(kind);
        let bits = self.buffers.get(buffer.number()).and_then(|kinds| kinds[kind as usize].get());
        match bits {
            Some(_) if !buffer.has_seen(kind) => Marks::Caller,
            Some(bits) if buffer.unit() == 0 => Marks::Bits(bits),
            Some(bits) => Marks::Pages(bits),
            None => Marks::Caller,
        }
    }

    /// Zeroes the written pages of a private buffer and clears their marks. Returns the end of the
    /// last page.
    pub fn clear(&self, buffer: &Buffer) -> u64 {
        let mut end = 0;
        for bits in self.buffers.get(buffer.number()).into_iter().flatten().filter_map(OnceCell::get) {
            for (first, word) in (0..).step_by(64).zip(bits) {
                let mut marked = word.take();
                while marked != 0 {
                    let page = first + u64::from(marked.trailing_zeros());
                    marked &= marked - 1;
                    buffer.clear_range(page << buffer.unit(), 1 << buffer.unit());
                    end = end.max((page + 1) << buffer.unit());
                }
            }
        }
        end
    }

    /// Returns true if, in the first `buffers` buffers, a byte written in one trace was touched in
    /// another, or was updated in one and read in another.
    #[inline]
    pub fn is_race(traces: &[Self], buffers: usize) -> bool {
        (0..buffers).any(|n| is_race(traces.iter().filter_map(|trace| trace.buffers.get(n))))
    }
}

/// Words compared at a time.
const PIECE: usize = 256;

fn is_race<'a>(traces: impl Iterator<Item = &'a [OnceCell<Bits>; 3]>) -> bool {
    let of = |trace: &'a [OnceCell<Bits>; 3]| trace.each_ref().map(|bits| bits.get().map(Vec::as_slice));
    let traces: Vec<[Option<&[Cell<u64>]>; 3]> =
        traces.map(of).filter(|kinds| kinds.iter().any(Option::is_some)).collect();
    let words = traces.iter().flatten().flatten().map(|bits| bits.len()).max().unwrap_or(0);
    if traces.len() < 2 {
        return false;
    }
    let [load, store, atomic] = [AccessKind::Load, AccessKind::Store, AccessKind::Atomic].map(|kind| kind as usize);
    (0..words).step_by(PIECE).any(|start| {
        // Bytes touched in the traces so far, by kind.
        let mut before = [[0_u64; PIECE]; 3];
        let mut both = 0;
        for kinds in &traces {
            let piece = |kind: usize| kinds[kind].and_then(|bits| bits.get(start..)).unwrap_or_default();
            for (kind, others) in [(load, [store, atomic]), (atomic, [store, load]), (store, [load, atomic])] {
                for (n, word) in piece(kind).iter().take(PIECE).enumerate() {
                    let mut other = before[others[0]][n] | before[others[1]][n];
                    if kind == store {
                        other |= before[store][n];
                    }
                    both |= word.get() & other;
                }
            }
            for (kind, before) in before.iter_mut().enumerate() {
                before.iter_mut().zip(piece(kind)).for_each(|(before, word)| *before |= word.get());
            }
        }
        both != 0
    })
}

/// Sets the bits of at least one byte; a bit stands for `1 << unit` bytes.
#[inline(always)]
fn mark(bits: &[Cell<u64>], offset: u64, bytes: u64, unit: u32) {
    let first = offset >> unit;
    let mut count = ((offset + bytes - 1) >> unit) - first + 1;
    let (mut index, bit) = ((first / 64) as usize, first % 64);
    let set = |index: usize, mask: u64| {
        if let Some(word) = bits.get(index) {
            word.set(word.get() | mask);
        }
    };
    while count > 64 {
        set(index, u64::MAX << bit);
        set(index + 1, !(u64::MAX << bit));
        (index, count) = (index + 1, count - 64);
    }
    let mask = u64::MAX >> (64 - count);
    set(index, mask << bit);
    if bit + count > 64 {
        set(index + 1, mask >> (64 - bit));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KINDS: [AccessKind; 3] = [AccessKind::Load, AccessKind::Store, AccessKind::Atomic];

    fn shared() -> Buffer {
        let mut buffer = Buffer::zeros(1000);
        buffer.note_all(0);
        buffer
    }

    #[test]
    fn marks_are_the_bytes() {
        for (offset, bytes) in (0..130).flat_map(|offset| (1..140).map(move |bytes| (offset, bytes))) {
            let bits: Bits = bytemuck::zeroed_vec(6);
            mark(&bits, offset, bytes, 0);
            let is_set = |n: u64| bits[n as usize / 64].get() >> (n % 64) & 1 == 1;
            assert!((0..384).all(|n| is_set(n) == (offset..offset + bytes).contains(&n)), "{offset} {bytes}");
        }
    }

    /// Two traces race if one of them has written a byte that the other touched.
    #[test]
    fn kinds_of_races() {
        let buffer = shared();
        for (first, second) in KINDS.into_iter().flat_map(|first| KINDS.map(|second| (first, second))) {
            for mixed in [false, true] {
                let race = |offset| {
                    let traces = [first, second].map(|_| Trace::new(1, mixed));
                    traces[0].note(&buffer, first, 99, 5);
                    traces[1].note(&buffer, second, offset, 3);
                    Trace::is_race(&traces, 1)
                };
                let want = first != second || first == AccessKind::Store || mixed && first == AccessKind::Atomic;
                assert_eq!([96, 97, 103, 104].map(race), [false, want, want, false], "{first:?} {second:?} {mixed}");
            }
        }
    }

    #[test]
    fn channels_and_rows_are_the_same() {
        let buffer = shared();
        let rows: [fn(u32) -> u32; 3] = [|i| 12 + 4 * i, |i| 400 - 4 * i, |i| 8 * i];
        for (row, enabled) in rows.into_iter().flat_map(|row| [(row, 0xffff), (row, 0x7ffe)]) {
            let [all, each] = [(); 2].map(|()| Trace::new(1, false));
            all.note_lanes(&buffer, AccessKind::Store, &std::array::from_fn(|i| row(i as u32)), (4, 4), enabled);
            for lane in enabled_lanes::<LANES>(enabled) {
                each.note(&buffer, AccessKind::Store, u64::from(row(lane as u32)) + 4, 4);
            }
            let bits = |trace: &Trace| trace.buffers[0][1].get().unwrap().iter().map(Cell::get).collect::<Vec<_>>();
            assert_eq!(bits(&all), bits(&each));
        }
    }

    #[test]
    fn settled_buffers_lose_track_of_others() {
        for (kind, other) in KINDS.into_iter().flat_map(|kind| KINDS.map(|other| (kind, other))) {
            let (buffer, trace) = (shared(), Trace::new(1, false));
            trace.note(&buffer, kind, 0, 1);
            buffer.settle();
            assert_eq!(buffer.is_noted(kind), kind == AccessKind::Store, "{kind:?}");
            if buffer.is_noted(other) {
                trace.note(&buffer, other, 0, 1);
            }
            assert_eq!(trace.is_lost(), kind != AccessKind::Store && kind != other, "{kind:?} {other:?}");
        }
    }

    #[test]
    fn private_pages_are_cleared() {
        let (mut buffer, trace) = (Buffer::zeros(20_000), Trace::new(1, false));
        buffer.note_pages(0);
        for offset in [5, 8191, 19_999] {
            buffer.store(offset, 1, 7, crate::buffer::Sharing::Exclusive).unwrap();
            trace.note(&buffer, AccessKind::Store, offset, 1);
        }
        assert!(!buffer.is_noted(AccessKind::Load));
        assert_eq!((trace.clear(&buffer), buffer.to_bytes()), (5 * 4096, vec![0; 20_000]));
        assert_eq!(trace.clear(&buffer), 0);
    }
}
