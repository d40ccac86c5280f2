//! Memory of another owner that a launch uses in place, and the parts of it that kernels may
//! access.

use std::any::Any;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;

use crate::accesses::AccessKind;

/// Memory of another owner, used in place: writes of a launch are visible to that owner at once. A
/// borrow never outlives `owner`.
#[derive(Clone, Debug)]
pub struct Lent {
    /// The memory in whole words.
    pub words: &'static [AtomicU32],
    /// Size in bytes; the last word may be partial.
    pub bytes: usize,
    /// Keeps the memory alive.
    pub owner: Arc<dyn Any + Send + Sync>,
    /// Parts that kernels may access; `None` for all of the memory.
    pub guards: Option<Guards>,
}

impl Lent {
    /// Returns memory with these contents that is never freed.
    pub fn for_good(bytes: &[u8]) -> Self {
        let word = |bytes: &[u8]| {
            let mut word = [0; 4];
            word[..bytes.len()].copy_from_slice(bytes);
            AtomicU32::new(u32::from_le_bytes(word))
        };
        let words: Vec<_> = bytes.chunks(4).map(word).collect();
        Self { words: words.leak(), bytes: bytes.len(), owner: Arc::new(()), guards: None }
    }

    /// Returns the rest of the memory after the first `words` words.
    #[must_use]
    #[inline]
    pub fn behind(&self, words: usize) -> Self {
        let bytes = self.bytes.saturating_sub(words.saturating_mul(4));
        let guards = self.guards.as_ref().map(|guards| guards.behind(words as u64 * 4));
        Self { words: self.words.get(words..).unwrap_or_default(), bytes, owner: Arc::clone(&self.owner), guards }
    }

    /// Returns the readable words, as ranges in increasing order.
    pub fn readable(&self) -> Vec<Range<usize>> {
        let all = self.words.len();
        let Some(guards) = &self.guards else { return std::iter::once(0..all).collect() };
        let word = |at: u64| usize::try_from(at.saturating_sub(guards.skipped) / 4).map_or(all, |word| word.min(all));
        guards.parts.iter().map(|part| word(part.start)..word(part.end)).collect()
    }
}

/// Compares by identity of the memory, not by contents.
impl PartialEq for Lent {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.words, other.words) && self.bytes == other.bytes && self.guards == other.guards
    }
}

/// Parts of a memory that kernels may access.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guards {
    parts: Arc<Vec<Part>>,
    /// Distance in bytes of the memory's first byte from that of the parts' offsets.
    skipped: u64,
}

/// Part of a memory that kernels may read. Offsets are in bytes, multiples of four.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Offset of the first byte.
    pub start: u64,
    /// Offset after the last byte.
    pub end: u64,
    /// True if kernels may write too.
    pub is_writable: bool,
}

impl Guards {
    /// Creates the guards of a memory from parts in increasing order, which do not overlap.
    pub fn new(parts: Vec<Part>) -> Self {
        Self { parts: Arc::new(parts), skipped: 0 }
    }

    /// Returns the guards of the memory after the first `bytes` bytes.
    fn behind(&self, bytes: u64) -> Self {
        Self { parts: Arc::clone(&self.parts), skipped: self.skipped.saturating_add(bytes) }
    }

    /// Returns true if an access of this kind is allowed.
    #[inline]
    pub fn allow(&self, offset: u64, size: u64, kind: AccessKind) -> bool {
        let start = offset.checked_add(self.skipped);
        let Some((mut at, end)) = start.and_then(|at| Some((at, at.checked_add(size)?))) else { return false };
        let first = self.parts.partition_point(|part| part.end <= at);
        for part in &self.parts[first..] {
            if part.start > at || kind != AccessKind::Load && !part.is_writable {
                return false;
            }
            at = part.end;
            if at >= end {
                return true;
            }
        }
        false
    }
}
