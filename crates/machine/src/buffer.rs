//! The memory of one buffer: atomic words, which several host threads read and write at the same
//! time, and who did what.

use std::any::Any;
use std::sync::atomic::{AtomicU8, AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, LazyLock};

use crate::observer::AccessKind;
use visakit_native::{PAGE, may_fail};

/// The process has a limit of memory. Without one the system gives addresses without memory, and
/// asking takes time.
static IS_LIMITED: LazyLock<bool> = LazyLock::new(|| {
    let limits = std::fs::read_to_string("/proc/self/limits").unwrap_or_default();
    let line = limits.lines().find_map(|line| line.strip_prefix("Max address space"));
    line.and_then(|line| line.split_whitespace().next()).is_some_and(|limit| limit != "unlimited")
});

/// Returns `true` if that many bytes of memory can be had now.
pub fn is_available(bytes: u64) -> bool {
    let is_there = |bytes: usize| may_fail(|| Vec::<u8>::new().try_reserve_exact(bytes).is_ok());
    !*IS_LIMITED || usize::try_from(bytes).is_ok_and(is_there)
}

/// Bytes that are copied before the memory that they were in is given back.
const PIECE: usize = 4 << 20;

/// Whether other host threads may be using the same memory at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// Other host threads run groups that reach this memory: read-modify-write must be atomic.
    Shared,
    /// Only the host thread that runs this group reaches it.
    Exclusive,
}

/// Memory of one buffer. Offsets and sizes are in bytes; a size that is no multiple of four is
/// filled up with zeros.
#[derive(Debug, Default)]
pub struct Buffer {
    words: Words,
    len: usize,
    /// Its number in traces.
    number: u32,
    /// Kinds of accesses: from bit 0 on those that there were, from [`NOTED`] on those that are
    /// noted; and [`PAGES`].
    uses: AtomicU8,
}

/// The words of a buffer.
#[derive(Debug)]
enum Words {
    Own(Vec<AtomicU32>),
    Lent(Lent),
}

impl Default for Words {
    fn default() -> Self {
        Self::Own(Vec::new())
    }
}

/// Memory that is somebody else's and is used in place: what a launch does to it is seen at once.
/// It is never handed on for longer than `owner` is held.
#[derive(Clone, Debug)]
pub struct Lent {
    /// The memory, in whole words.
    pub words: &'static [AtomicU32],
    /// Size in bytes, of which the last word may have only some.
    pub bytes: usize,
    /// Keeps the memory there.
    pub owner: Arc<dyn Any + Send + Sync>,
}

impl Lent {
    /// Memory with these bytes, which stays until the process ends.
    pub fn for_good(bytes: &[u8]) -> Self {
        let word = |bytes: &[u8]| {
            let mut word = [0; 4];
            word[..bytes.len()].copy_from_slice(bytes);
            AtomicU32::new(u32::from_le_bytes(word))
        };
        let words: Vec<_> = bytes.chunks(4).map(word).collect();
        Self { words: words.leak(), bytes: bytes.len(), owner: Arc::new(()) }
    }

    /// What is behind some words of it.
    #[must_use]
    #[inline]
    pub fn behind(&self, words: usize) -> Self {
        let bytes = self.bytes.saturating_sub(words.saturating_mul(4));
        Self { words: self.words.get(words..).unwrap_or_default(), bytes, owner: Arc::clone(&self.owner) }
    }
}

/// The same memory is equal, whatever is in it.
impl PartialEq for Lent {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.words, other.words) && self.bytes == other.bytes
    }
}

const NOTED: u32 = 3;
/// Whether pages are noted instead of bytes.
const PAGES: u8 = 1 << 6;
/// Bytes of a page as a power of two.
const PAGE_BITS: u32 = PAGE.trailing_zeros();

impl Buffer {
    /// A buffer of `len` zero bytes. The system gives its memory when it is first written to.
    #[inline]
    pub fn zeros(len: usize) -> Self {
        Self { words: Words::Own(bytemuck::zeroed_vec(len.div_ceil(4))), len, ..Self::default() }
    }

    /// Returns a buffer of `len` zero bytes; `None` if there is no memory for it.
    pub fn try_zeros(len: usize) -> Option<Self> {
        let words = may_fail(|| bytemuck::try_zeroed_vec(len.div_ceil(4))).ok()?;
        Some(Self { words: Words::Own(words), len, ..Self::default() })
    }

    /// A buffer with these contents.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        let (whole, rest) = bytes.as_chunks::<4>();
        let mut words = Vec::with_capacity(bytes.len().div_ceil(4));
        words.extend(whole.iter().map(|word| AtomicU32::new(u32::from_le_bytes(*word))));
        if !rest.is_empty() {
            let mut last = [0; 4];
            last[..rest.len()].copy_from_slice(rest);
            words.push(AtomicU32::new(u32::from_le_bytes(last)));
        }
        Self { words: Words::Own(words), len: bytes.len(), ..Self::default() }
    }

    /// Returns a buffer with these contents, which go away while they are copied: there are never
    /// two of everything. `None` if there is no memory for it.
    pub fn from_vec(mut bytes: Vec<u8>) -> Option<Self> {
        let buffer = Self::try_zeros(bytes.len())?;
        // From the end on: a vector gives back what is behind its end.
        while !bytes.is_empty() {
            let start = (bytes.len() - 1) / PIECE * PIECE;
            let (whole, rest) = bytes[start..].as_chunks::<4>();
            let mut last = [0; 4];
            last[..rest.len()].copy_from_slice(rest);
            let last = (!rest.is_empty()).then_some(&last);
            for (word, bytes) in buffer.words()[start / 4..].iter().zip(whole.iter().chain(last)) {
                word.store(u32::from_le_bytes(*bytes), Relaxed);
            }
            bytes.truncate(start);
            bytes.shrink_to_fit();
        }
        Some(buffer)
    }

    /// A buffer that is somebody else's memory.
    #[inline]
    pub fn lent(memory: Lent) -> Self {
        let len = memory.bytes.min(memory.words.len() * 4);
        Self { words: Words::Lent(memory), len, ..Self::default() }
    }

    /// Returns the contents, for good; the words go away while they are copied. `None` when they
    /// are somebody else's, and when there is no memory for them.
    pub fn into_vec(self) -> Option<Vec<u8>> {
        let Self { words: Words::Own(mut words), len, .. } = self else { return None };
        let mut bytes = may_fail(|| bytemuck::try_zeroed_vec::<u8>(words.len() * 4)).ok()?;
        while !words.is_empty() {
            let start = (words.len() - 1) / (PIECE / 4) * (PIECE / 4);
            for (bytes, word) in bytes[start * 4..].as_chunks_mut().0.iter_mut().zip(&words[start..]) {
                *bytes = word.load(Relaxed).to_le_bytes();
            }
            words.truncate(start);
            words.shrink_to_fit();
        }
        bytes.truncate(len);
        Some(bytes)
    }

    /// The contents.
    #[inline]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.reach() as usize);
        for word in self.words() {
            bytes.extend(word.load(Relaxed).to_le_bytes());
        }
        bytes.truncate(self.len);
        bytes
    }

    /// Replaces the contents from the start on, as far as there are whole words of both.
    #[inline]
    pub fn overwrite(&self, bytes: &[u8]) {
        for (word, bytes) in self.words().iter().zip(bytes.as_chunks::<4>().0) {
            word.store(u32::from_le_bytes(*bytes), Relaxed);
        }
    }

    /// Returns `true` if the memory is somebody else's.
    #[inline]
    pub fn is_lent(&self) -> bool {
        matches!(self.words, Words::Lent(_))
    }

    /// Size in bytes.
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is nothing in it.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Bytes that can be reached: the size, rounded up to whole words.
    #[inline]
    pub fn reach(&self) -> u64 {
        self.words().len() as u64 * 4
    }

    /// Makes everything zero, for a buffer that is used again.
    #[inline]
    pub fn clear(&self) {
        self.clear_range(0, self.reach());
    }

    /// Makes so many bytes from an offset on zero, whole words, as far as they are there.
    #[inline]
    pub fn clear_range(&self, offset: u64, bytes: u64) {
        for word in self.words().iter().skip(offset as usize / 4).take(bytes as usize / 4) {
            word.store(0, Relaxed);
        }
    }

    /// Has all accesses noted, byte for byte, under a number.
    #[inline]
    pub fn note_all(&mut self, number: usize) {
        (self.number, self.uses) = (number as u32, (0b111 << NOTED).into());
    }

    /// Has the pages noted that are written, under a number.
    #[inline]
    pub fn note_pages(&mut self, number: usize) {
        let written = 1 << AccessKind::Store as u8 | 1 << AccessKind::Atomic as u8;
        (self.number, self.uses) = (number as u32, (PAGES | written << NOTED).into());
    }

    /// Whether accesses of a kind are noted.
    #[inline(always)]
    pub fn is_noted(&self, kind: AccessKind) -> bool {
        self.uses.load(Relaxed) & 1 << (kind as u32 + NOTED) != 0
    }

    /// Notes no more accesses of a kind when there was no other, and it is none that matters by
    /// itself.
    #[inline]
    pub fn settle(&self) {
        let _ = self.uses.fetch_update(Relaxed, Relaxed, |uses| {
            let is_only = |kind: &AccessKind| uses & 0b111 == 1 << *kind as u8;
            let kind = [AccessKind::Load, AccessKind::Atomic].into_iter().find(is_only)?;
            let noted = 1 << (kind as u32 + NOTED);
            (uses & noted != 0).then_some(uses & !noted)
        });
    }

    /// Which kinds of accesses there were, and which are noted.
    #[inline(always)]
    pub fn uses(&self) -> u8 {
        self.uses.load(Relaxed)
    }

    /// Whether there was an access of a kind before.
    #[inline(always)]
    pub fn has_seen(&self, kind: AccessKind) -> bool {
        self.uses.load(Relaxed) & 1 << kind as u8 != 0
    }

    /// There is an access of a kind. Tells whether those of another are no longer noted.
    #[cold]
    pub fn see(&self, kind: AccessKind) -> bool {
        let before = self.uses.fetch_or(1 << kind as u8, Relaxed);
        before & PAGES == 0 && before >> NOTED & 0b111 != 0b111
    }

    /// Its number in traces.
    #[inline(always)]
    pub fn number(&self) -> usize {
        self.number as usize
    }

    /// Bytes that a mark in a trace stands for, as a power of two.
    #[inline(always)]
    pub fn unit(&self) -> u32 {
        if self.uses.load(Relaxed) & PAGES == 0 { 0 } else { PAGE_BITS }
    }

    /// The words, for accesses that have checked their offsets.
    #[inline(always)]
    pub fn words(&self) -> &[AtomicU32] {
        match &self.words {
            Words::Own(words) => words,
            Words::Lent(lent) => lent.words,
        }
    }

    /// The 32-bit word at `offset`, which is a multiple of four. `None` outside the buffer.
    #[inline]
    pub fn load_u32(&self, offset: u64) -> Option<u32> {
        let index = usize::try_from(offset >> 2).ok()?;
        Some(self.words().get(index)?.load(Relaxed))
    }

    /// Replaces the 32-bit word at `offset`, which is a multiple of four. `None` outside the
    /// buffer.
    #[inline]
    pub fn store_u32(&self, offset: u64, value: u32) -> Option<()> {
        let index = usize::try_from(offset >> 2).ok()?;
        self.words().get(index)?.store(value, Relaxed);
        Some(())
    }

    /// The `size` bytes (1, 2, 4 or 8) at `offset`, a multiple of `size`, zero-extended. `None`
    /// outside the buffer.
    #[inline]
    pub fn load(&self, offset: u64, size: u32) -> Option<u64> {
        match size {
            8 => {
                let low = self.load_u32(offset)?;
                let high = self.load_u32(offset.checked_add(4)?)?;
                Some(u64::from(high) << 32 | u64::from(low))
            }
            4 => self.load_u32(offset).map(u64::from),
            _ => {
                let word = self.load_u32(offset)?;
                let (shift, mask) = part(offset, size);
                Some(u64::from(word >> shift & mask))
            }
        }
    }

    /// The `size` bytes (2, 4 or 8) at any `offset`, zero-extended. `None` outside the buffer.
    #[inline]
    pub fn load_unaligned(&self, offset: u64, size: u32) -> Option<u64> {
        self.load(offset.checked_add(u64::from(size) - 1)?, 1)?;
        let first = offset & !3;
        // Words behind the last byte are not there, and do not count.
        let word = |n: u64| first.checked_add(n * 4).and_then(|at| self.load_u32(at)).map_or(0, u128::from);
        let bits = (word(0) | word(1) << 32 | word(2) << 64) >> ((offset & 3) * 8);
        Some(bits as u64 & u64::MAX >> (64 - size * 8))
    }

    /// Replaces the `size` bytes (2, 4 or 8) at any `offset`. `None` outside the buffer, which then
    /// stays as it was.
    #[inline]
    pub fn store_unaligned(&self, offset: u64, size: u32, value: u64, sharing: Sharing) -> Option<()> {
        self.load(offset.checked_add(u64::from(size) - 1)?, 1)?;
        for (n, byte) in value.to_le_bytes().iter().enumerate().take(size as usize) {
            self.store(offset + n as u64, 1, (*byte).into(), sharing)?;
        }
        Some(())
    }

    /// Replaces the `size` bytes (1, 2, 4 or 8) at `offset`, a multiple of `size`. `None` outside
    /// the buffer, which then stays as it was.
    #[inline]
    pub fn store(&self, offset: u64, size: u32, value: u64, sharing: Sharing) -> Option<()> {
        match size {
            8 => {
                let high = offset.checked_add(4)?;
                self.load_u32(high)?;
                self.store_u32(offset, value as u32)?;
                self.store_u32(high, (value >> 32) as u32)
            }
            4 => self.store_u32(offset, value as u32),
            _ => {
                let word = self.words().get(usize::try_from(offset >> 2).ok()?)?;
                let (shift, mask) = part(offset, size);
                change_part(word, (value as u32) << shift, mask << shift, sharing);
                Some(())
            }
        }
    }

    /// Replaces the `size` bytes (2 or 4) at `offset`, a multiple of `size`, by what `change` makes
    /// of them, in one step. Gives back what was there. `None` outside the buffer.
    #[inline]
    pub fn update(&self, offset: u64, size: u32, sharing: Sharing, change: impl Fn(u32) -> u32) -> Option<u32> {
        let word = self.words().get(usize::try_from(offset >> 2).ok()?)?;
        let (shift, mask) = if size == 4 { (0, u32::MAX) } else { part(offset, size) };
        let step = |old: u32| old & !(mask << shift) | (change(old >> shift & mask) & mask) << shift;
        let mut old = word.load(Relaxed);
        match sharing {
            Sharing::Exclusive => word.store(step(old), Relaxed),
            Sharing::Shared => {
                while let Err(now) = word.compare_exchange_weak(old, step(old), Relaxed, Relaxed) {
                    old = now;
                }
            }
        }
        Some(old >> shift & mask)
    }
}

/// Replaces the bits of a word that `mask` has. Only this access changes these bits (a race
/// otherwise), so toggling those that differ leaves the neighbours to whoever writes them.
#[inline(always)]
pub fn change_part(word: &AtomicU32, bits: u32, mask: u32, sharing: Sharing) {
    let old = word.load(Relaxed);
    let change = (old ^ bits) & mask;
    match sharing {
        Sharing::Exclusive => word.store(old ^ change, Relaxed),
        Sharing::Shared if change == 0 => {}
        Sharing::Shared => {
            word.fetch_xor(change, Relaxed);
        }
    }
}

/// Where the part of a word that begins at `offset` stands in it: its shift, and its mask before
/// the shift.
#[inline(always)]
pub fn part(offset: u64, size: u32) -> (u32, u32) {
    ((offset as u32 & 3) * 8, if size == 1 { 0xff } else { 0xffff })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_words() {
        let buffer = Buffer::from_bytes(&[1, 2, 3, 4, 5]);
        assert_eq!((buffer.len(), buffer.reach()), (5, 8));
        assert_eq!(buffer.load(0, 4), Some(0x0403_0201));
        assert_eq!(buffer.load(2, 2), Some(0x0403));
        assert_eq!(buffer.load(3, 1), Some(4));
        assert_eq!(buffer.load(0, 8), Some(0x0000_0005_0403_0201));
        assert_eq!(buffer.load(8, 4), None);
        for sharing in [Sharing::Shared, Sharing::Exclusive] {
            buffer.store(1, 1, 0xaa, sharing).unwrap();
            buffer.store(2, 2, 0xbbcc, sharing).unwrap();
            assert_eq!(buffer.to_bytes(), [1, 0xaa, 0xcc, 0xbb, 5]);
            buffer.store(0, 4, 0x0403_0201, sharing).unwrap();
        }
        assert_eq!(buffer.store(4, 8, u64::MAX, Sharing::Shared), None);
        assert_eq!(buffer.to_bytes(), [1, 2, 3, 4, 5]);
    }

    #[test]
    fn contents_move_in_and_out() {
        for len in [0, 1, 3, 4, 5, 4096, PIECE - 1, PIECE, PIECE + 1, 2 * PIECE + 6] {
            let bytes: Vec<u8> = (0..len).map(|n| (n ^ n >> 8 ^ n >> 16) as u8).collect();
            let buffer = Buffer::from_vec(bytes.clone()).unwrap();
            assert_eq!(buffer.len(), len);
            assert!(buffer.to_bytes() == bytes && buffer.into_vec() == Some(bytes), "{len} bytes");
        }
    }

    #[test]
    fn unaligned_parts() {
        let bytes: Vec<u8> = (1..=16).collect();
        for offset in 0..16_u64 {
            for size in [2_u32, 4, 8] {
                let buffer = Buffer::from_bytes(&bytes);
                let range = offset as usize..offset as usize + size as usize;
                let want = bytes
                    .get(range.clone())
                    .map(|part| part.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte)));
                assert_eq!(buffer.load_unaligned(offset, size), want);
                let stored = buffer.store_unaligned(offset, size, u64::MAX, Sharing::Shared);
                assert_eq!(stored.is_some(), want.is_some());
                let mut after = bytes.clone();
                if want.is_some() {
                    after[range].fill(0xff);
                }
                assert_eq!(buffer.to_bytes(), after);
            }
        }
        assert_eq!(Buffer::zeros(8).load_unaligned(u64::MAX, 4), None);
    }
}
