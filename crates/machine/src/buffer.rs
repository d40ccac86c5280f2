//! Memory of a buffer: atomic words shared by host threads, and a record of its accesses.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicU8, AtomicU32, Ordering::Relaxed};

use crate::accesses::AccessKind;
pub use crate::lent::{Guards, Lent, Part};
use visakit_native::{PAGE, host, may_fail};

/// True if the process has a limit on its address space. Without a limit the system overcommits,
/// and probing costs time.
static IS_LIMITED: LazyLock<bool> = LazyLock::new(|| {
    let limits = std::fs::read_to_string("/proc/self/limits").unwrap_or_default();
    let line = limits.lines().find_map(|line| line.strip_prefix("Max address space"));
    line.and_then(|line| line.split_whitespace().next()).is_some_and(|limit| limit != "unlimited")
});

/// Returns true if `bytes` bytes of memory can be allocated now.
pub fn is_available(bytes: u64) -> bool {
    let is_there = |bytes: usize| may_fail(|| Vec::<u8>::new().try_reserve_exact(bytes).is_ok());
    !*IS_LIMITED || usize::try_from(bytes).is_ok_and(is_there)
}

/// Bytes copied at a time before the source memory is released.
const PIECE: usize = 4 << 20;

/// Concurrency of a memory range: may other host threads access it at the same time?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// Other host threads run groups that access this memory, so read-modify-write must be atomic.
    Shared,
    /// Only the host thread that runs this group accesses the memory.
    Exclusive,
}

/// Memory of one buffer. Offsets and sizes are in bytes; the last word is padded with zeros.
#[derive(Debug, Default)]
pub struct Buffer {
    words: Words,
    len: usize,
    /// Number of the buffer in traces.
    number: u32,
    /// Access kinds as bits: seen kinds from bit 0, recorded kinds from [`NOTED`], and [`PAGES`].
    uses: AtomicU8,
}

/// Storage of a buffer.
#[derive(Debug)]
enum Words {
    Own(Vec<AtomicU32>),
    Lent(Lent),
    /// Memory of which kernels may access parts.
    Guarded(Lent, Guards),
}

impl Default for Words {
    fn default() -> Self {
        Self::Own(Vec::new())
    }
}

const NOTED: u32 = 3;
/// Flag: record pages instead of bytes.
const PAGES: u8 = 1 << 6;
/// Base-two logarithm of the page size in bytes.
const PAGE_BITS: u32 = PAGE.trailing_zeros();

impl Buffer {
    /// Returns a buffer of `len` zero bytes. The system allocates the memory on first write.
    #[inline]
    pub fn zeros(len: usize) -> Self {
        Self { words: Words::Own(bytemuck::zeroed_vec(len.div_ceil(4))), len, ..Self::default() }
    }

    /// Returns a buffer of `len` zero bytes, or `None` if the allocation fails.
    pub fn try_zeros(len: usize) -> Option<Self> {
        let words = may_fail(|| bytemuck::try_zeroed_vec(len.div_ceil(4))).ok()?;
        Some(Self { words: Words::Own(words), len, ..Self::default() })
    }

    /// Returns the buffer for another use, with zeros in its first `count` bytes.
    pub fn renewed(self, count: usize) -> Self {
        self.words().iter().take(count.div_ceil(4)).for_each(|word| word.store(0, Relaxed));
        Self { words: self.words, len: self.len, ..Self::default() }
    }

    /// Returns a buffer with a copy of `bytes`.
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

    /// Returns a buffer with these contents. Frees the vector piece by piece while copying, so that
    /// the peak is one copy and a piece. `None` if the allocation fails.
    pub fn from_vec(mut bytes: Vec<u8>) -> Option<Self> {
        let buffer = Self::try_zeros(bytes.len())?;
        // Copies from the end, because a vector can only release its tail.
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

    /// Returns a buffer on memory of another owner.
    #[inline]
    pub fn lent(mut memory: Lent) -> Self {
        let len = memory.bytes.min(memory.words.len() * 4);
        let words = match memory.guards.take() {
            None => Words::Lent(memory),
            Some(guards) => Words::Guarded(memory, guards),
        };
        Self { words, len, ..Self::default() }
    }

    /// Returns the contents, freeing the words while copying. `None` if the buffer is on another
    /// owner's memory or the allocation fails.
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

    /// Returns a copy of the contents.
    #[inline]
    pub fn to_bytes(&self) -> Vec<u8> {
        self.first_bytes(self.len)
    }

    /// Returns the first `count` bytes, or all if there are fewer.
    pub fn first_bytes(&self, count: usize) -> Vec<u8> {
        let words = self.words();
        let words = &words[..words.len().min(count.div_ceil(4))];
        let mut bytes = Vec::with_capacity(words.len() * 4);
        for word in words {
            bytes.extend(word.load(Relaxed).to_le_bytes());
        }
        bytes.truncate(count.min(self.len));
        bytes
    }

    /// Overwrites the contents from the start, as far as both have whole words.
    #[inline]
    pub fn overwrite(&self, bytes: &[u8]) {
        for (word, bytes) in self.words().iter().zip(bytes.as_chunks::<4>().0) {
            word.store(u32::from_le_bytes(*bytes), Relaxed);
        }
    }

    /// Returns true if the memory belongs to another owner.
    #[inline]
    pub fn is_lent(&self) -> bool {
        !matches!(self.words, Words::Own(_))
    }

    /// Returns the size in bytes.
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns true if the size is zero.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the number of bytes that every access may use: the size, rounded up to whole words.
    /// A guarded buffer has none; [`Buffer::allows`] checks each access.
    #[inline]
    pub fn reach(&self) -> u64 {
        self.words().len() as u64 * 4
    }

    /// Returns true if an access lies in the buffer and is allowed.
    #[inline]
    pub fn allows(&self, offset: u64, size: u32, kind: AccessKind) -> bool {
        offset.checked_add(u64::from(size)).is_some_and(|end| end <= self.reach())
            || self.is_guarded_open(offset, size, kind)
    }

    /// Returns true for a guarded buffer that allows an access.
    #[cold]
    fn is_guarded_open(&self, offset: u64, size: u32, kind: AccessKind) -> bool {
        matches!(&self.words, Words::Guarded(_, guards) if guards.allow(offset, size.into(), kind))
    }

    /// Returns true for an access inside a guarded buffer, which the guards refuse if
    /// [`Buffer::allows`] does.
    #[cold]
    pub fn refuses(&self, offset: u64, size: u32) -> bool {
        let is_inside = offset.checked_add(size.into()).is_some_and(|end| end <= self.len as u64);
        matches!(self.words, Words::Guarded(..)) && is_inside
    }

    /// Zeroes the whole buffer for reuse.
    #[inline]
    pub fn clear(&self) {
        self.clear_range(0, self.reach());
    }

    /// Zeroes the whole words of `bytes` bytes from `offset`, clipped to the buffer.
    #[inline]
    pub fn clear_range(&self, offset: u64, bytes: u64) {
        let all = self.words();
        let first = (offset as usize / 4).min(all.len());
        host::clear(&all[first..first.saturating_add(bytes as usize / 4).min(all.len())]);
    }

    /// Records all accesses by byte, under a number.
    #[inline]
    pub fn note_all(&mut self, number: usize) {
        if let Words::Guarded(..) = self.words {
            return;
        }
        (self.number, self.uses) = (number as u32, (0b111 << NOTED).into());
    }

    /// Records written pages, under a number.
    #[inline]
    pub fn note_pages(&mut self, number: usize) {
        let written = 1 << AccessKind::Store as u8 | 1 << AccessKind::Atomic as u8;
        (self.number, self.uses) = (number as u32, (PAGES | written << NOTED).into());
    }

    /// Returns true if accesses of this kind are recorded.
    #[inline(always)]
    pub fn is_noted(&self, kind: AccessKind) -> bool {
        self.uses.load(Relaxed) & 1 << (kind as u32 + NOTED) != 0
    }

    /// Stops recording loads or atomics if the buffer has seen only that kind; such accesses alone
    /// cannot conflict.
    #[inline]
    pub fn settle(&self) {
        let _ = self.uses.fetch_update(Relaxed, Relaxed, |uses| {
            let is_only = |kind: &AccessKind| uses & 0b111 == 1 << *kind as u8;
            let kind = [AccessKind::Load, AccessKind::Atomic].into_iter().find(is_only)?;
            let noted = 1 << (kind as u32 + NOTED);
            (uses & noted != 0).then_some(uses & !noted)
        });
    }

    /// Returns the bits of the seen and recorded access kinds.
    #[inline(always)]
    pub fn uses(&self) -> u8 {
        self.uses.load(Relaxed)
    }

    /// Returns true if an access of this kind was seen before.
    #[inline(always)]
    pub fn has_seen(&self, kind: AccessKind) -> bool {
        self.uses.load(Relaxed) & 1 << kind as u8 != 0
    }

    /// Marks an access kind as seen. Returns true if accesses of some kind are no longer recorded.
    #[cold]
    pub fn see(&self, kind: AccessKind) -> bool {
        let before = self.uses.fetch_or(1 << kind as u8, Relaxed);
        before & PAGES == 0 && before >> NOTED & 0b111 != 0b111
    }

    /// Returns the number of the buffer in traces.
    #[inline(always)]
    pub fn number(&self) -> usize {
        self.number as usize
    }

    /// Returns the base-two logarithm of the bytes per mark in a trace.
    #[inline(always)]
    pub fn unit(&self) -> u32 {
        if self.uses.load(Relaxed) & PAGES == 0 { 0 } else { PAGE_BITS }
    }

    /// Returns the words, for accesses with checked offsets; none for a guarded buffer.
    #[inline(always)]
    pub fn words(&self) -> &[AtomicU32] {
        match &self.words {
            Words::Own(words) => words,
            Words::Lent(lent) => lent.words,
            Words::Guarded(..) => &[],
        }
    }

    /// Returns the words of another owner's memory that kernels may access as a whole.
    pub fn lent_words(&self) -> Option<&'static [AtomicU32]> {
        match &self.words {
            Words::Lent(lent) => Some(lent.words),
            Words::Own(_) | Words::Guarded(..) => None,
        }
    }

    /// Returns the word at an offset, for an access of this kind.
    #[inline]
    fn word(&self, offset: u64, kind: AccessKind) -> Option<&AtomicU32> {
        let index = usize::try_from(offset >> 2).ok()?;
        match &self.words {
            Words::Own(words) => words.get(index),
            Words::Lent(lent) => lent.words.get(index),
            Words::Guarded(lent, guards) => lent.words.get(index).filter(|_| guards.allow(offset & !3, 4, kind)),
        }
    }

    /// Returns the two words at an offset, a multiple of four, for an atomic operation. `None`
    /// outside the buffer.
    #[inline]
    pub(crate) fn pair(&self, offset: u64) -> Option<&[AtomicU32; 2]> {
        [offset, offset.checked_add(4)?]
            .into_iter()
            .try_for_each(|at| self.word(at, AccessKind::Atomic).map(drop))?;
        let words = match &self.words {
            Words::Own(words) => words,
            Words::Lent(lent) | Words::Guarded(lent, _) => lent.words,
        };
        words.get(usize::try_from(offset >> 2).ok()?..)?.first_chunk()
    }

    /// Loads the 32-bit word at `offset`, a multiple of four. `None` outside the buffer.
    #[inline]
    pub fn load_u32(&self, offset: u64) -> Option<u32> {
        Some(self.word(offset, AccessKind::Load)?.load(Relaxed))
    }

    /// Stores the 32-bit word at `offset`, a multiple of four. `None` outside the buffer.
    #[inline]
    pub fn store_u32(&self, offset: u64, value: u32) -> Option<()> {
        self.word(offset, AccessKind::Store)?.store(value, Relaxed);
        Some(())
    }

    /// Loads `size` bytes (1, 2, 4 or 8) at `offset`, a multiple of `size`, zero-extended. `None`
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

    /// Loads `size` bytes (2, 4 or 8) at any `offset`, zero-extended. `None` outside the buffer.
    #[inline]
    pub fn load_unaligned(&self, offset: u64, size: u32) -> Option<u64> {
        self.load(offset.checked_add(u64::from(size) - 1)?, 1)?;
        let first = offset & !3;
        // Words after the last byte may be missing; their bits are masked off.
        let word = |n: u64| first.checked_add(n * 4).and_then(|at| self.load_u32(at)).map_or(0, u128::from);
        let bits = (word(0) | word(1) << 32 | word(2) << 64) >> ((offset & 3) * 8);
        Some(bits as u64 & u64::MAX >> (64 - size * 8))
    }

    /// Stores `size` bytes (2, 4 or 8) at any `offset`. `None` outside the buffer, which is then
    /// unchanged.
    #[inline]
    pub fn store_unaligned(&self, offset: u64, size: u32, value: u64, sharing: Sharing) -> Option<()> {
        self.load(offset.checked_add(u64::from(size) - 1)?, 1)?;
        for (n, byte) in value.to_le_bytes().iter().enumerate().take(size as usize) {
            self.store(offset + n as u64, 1, (*byte).into(), sharing)?;
        }
        Some(())
    }

    /// Stores `size` bytes (1, 2, 4 or 8) at `offset`, a multiple of `size`. `None` outside the
    /// buffer, which is then unchanged.
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
                let word = self.word(offset, AccessKind::Store)?;
                let (shift, mask) = part(offset, size);
                change_part(word, (value as u32) << shift, mask << shift, sharing);
                Some(())
            }
        }
    }

    /// Atomically replaces `size` bytes (2 or 4) at `offset`, a multiple of `size`, by the result
    /// of `change`. Returns the previous value, or `None` outside the buffer.
    #[inline]
    pub fn update(&self, offset: u64, size: u32, sharing: Sharing, change: impl Fn(u32) -> u32) -> Option<u32> {
        let word = self.word(offset, AccessKind::Atomic)?;
        let (shift, mask) = if size == 4 { (0, u32::MAX) } else { part(offset, size) };
        let step = |old: u32| old & !(mask << shift) | (change(old >> shift & mask) & mask) << shift;
        Some(change_word(word, sharing, step) >> shift & mask)
    }
}

/// Atomically replaces a word by the result of `change`, and returns the previous word.
#[inline(always)]
pub fn change_word(word: &AtomicU32, sharing: Sharing, change: impl Fn(u32) -> u32) -> u32 {
    let mut old = word.load(Relaxed);
    match sharing {
        Sharing::Exclusive => word.store(change(old), Relaxed),
        Sharing::Shared => {
            while let Err(now) = word.compare_exchange_weak(old, change(old), Relaxed, Relaxed) {
                old = now;
            }
        }
    }
    old
}

/// Replaces the bits of `word` selected by `mask`. Only this access may change these bits (anything
/// else is a race), so toggling the differing bits preserves concurrent writes to the other bits.
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

/// Returns the shift and the unshifted mask of the `size` bytes at `offset` within their word.
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
