//! Sets of bytes of the register file, in words of 64 bytes. A set costs as much as it has words
//! that are neither empty nor full, whatever the size of the register file.

use std::ops::Range;

/// A set of bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ByteSet {
    /// The bits of each word that `words` does not list: none or all.
    rest: u64,
    /// The other words, by number, in ascending order.
    words: Vec<(u32, u64)>,
}

/// Returns the words that contain the `bytes` bytes at `at`, each with the bits of these bytes.
fn words(at: u32, bytes: u32) -> impl Iterator<Item = (u32, u64)> {
    let end = at + bytes;
    (at / 64..end.div_ceil(64)).map(move |word| {
        let (first, end) = (at.max(word * 64) - word * 64, end.min(word * 64 + 64) - word * 64);
        (word, u64::MAX >> (64 - (end - first)) << first)
    })
}

impl ByteSet {
    /// The number of words that the set stores.
    pub(crate) fn len(&self) -> usize {
        self.words.len()
    }

    fn word(&self, word: u32) -> u64 {
        let found = self.words.binary_search_by_key(&word, |(word, _)| *word);
        found.map_or(self.rest, |n| self.words[n].1)
    }

    /// Returns true if the set contains any of the `bytes` bytes at `at`.
    pub(crate) fn touch(&self, at: u32, bytes: u32) -> bool {
        words(at, bytes).any(|(word, bits)| self.word(word) & bits != 0)
    }

    /// Returns the set with an entry for each word of a register file of `bytes` bytes.
    pub(crate) fn dense(&self, bytes: u32) -> DenseByteSet {
        let mut words = vec![self.rest; bytes.div_ceil(64) as usize];
        for (word, bits) in &self.words {
            if let Some(word) = words.get_mut(*word as usize) {
                *word = *bits;
            }
        }
        DenseByteSet(words)
    }
}

/// A set of bytes for frequent queries: all words of a register file.
#[derive(Clone, Debug)]
pub(crate) struct DenseByteSet(Vec<u64>);

impl DenseByteSet {
    /// Returns the set without ranges of bytes.
    pub(crate) fn without(mut self, ranges: &[Range<u32>]) -> Self {
        let ranges = ranges.iter().filter(|range| !range.is_empty());
        for (word, bits) in ranges.flat_map(|range| words(range.start, range.end - range.start)) {
            if let Some(word) = self.0.get_mut(word as usize) {
                *word &= !bits;
            }
        }
        self
    }

    fn touch(&self, at: u32, bytes: u32) -> bool {
        words(at, bytes).any(|(word, bits)| self.0.get(word as usize).is_some_and(|word| word & bits != 0))
    }

    /// Returns one bit for each dword of the [`PIECE`](crate::PIECE) at `at` that has a byte in the
    /// set; `at` is a multiple of the piece size.
    pub(crate) fn of_piece(&self, at: u32) -> u8 {
        (0..8).fold(0, |all, dword| all | u8::from(self.touch(at + dword * 4, 4)) << dword)
    }
}

/// Set of bytes under change, with an entry for each word of the register file. A change takes
/// constant time, independent of the size of the set.
#[derive(Clone, Debug, Default)]
pub(crate) struct WorkingSet {
    rest: u64,
    values: Vec<u64>,
    /// The round in which each value was set; values of earlier rounds are invalid.
    rounds: Vec<u32>,
    round: u32,
    /// The words that have been set in this round.
    set: Vec<u32>,
    /// The number of words touched so far.
    spent: u64,
}

/// The inverse of a change.
#[derive(Clone, Debug)]
pub(crate) enum Undo {
    /// Restores a word.
    Word(u32, u64),
    /// Restores the whole set.
    All(ByteSet),
}

impl WorkingSet {
    /// Returns the empty set for a register file of `bytes` bytes.
    pub(crate) fn new(bytes: u32) -> Self {
        let words = bytes.div_ceil(64) as usize;
        Self { values: vec![0; words], rounds: vec![0; words], round: 1, ..Self::default() }
    }

    /// Returns the number of words touched so far.
    pub(crate) fn spent(&self) -> u64 {
        self.spent
    }

    fn begin(&mut self, rest: u64) {
        self.rest = rest;
        self.set.clear();
        self.round = self.round.checked_add(1).unwrap_or_else(|| {
            self.rounds.fill(0);
            1
        });
    }

    /// Removes all bytes.
    pub(crate) fn clear(&mut self) {
        self.begin(0);
    }

    /// Adds all bytes.
    pub(crate) fn fill(&mut self) {
        self.begin(u64::MAX);
    }

    /// Replaces the set.
    pub(crate) fn set(&mut self, bytes: &ByteSet) {
        self.begin(bytes.rest);
        bytes.words.iter().for_each(|(word, bits)| self.put(*word, *bits));
    }

    fn word(&self, word: u32) -> Option<u64> {
        let round = *self.rounds.get(word as usize)?;
        Some(if round == self.round { self.values[word as usize] } else { self.rest })
    }

    /// Replaces the bits of a word. Words after the register file do not exist.
    fn put(&mut self, word: u32, bits: u64) {
        self.spent += 1;
        let n = word as usize;
        let (Some(value), Some(round)) = (self.values.get_mut(n), self.rounds.get_mut(n)) else { return };
        *value = bits;
        if std::mem::replace(round, self.round) != self.round {
            self.set.push(word);
        }
    }

    /// Adds `bytes` bytes from `at` on.
    pub(crate) fn add(&mut self, at: u32, bytes: u32, log: Option<&mut Vec<Undo>>) {
        self.change(at, bytes, log, |old, bits| old | bits);
    }

    /// Removes `bytes` bytes from `at` on.
    pub(crate) fn remove(&mut self, at: u32, bytes: u32, log: Option<&mut Vec<Undo>>) {
        self.change(at, bytes, log, |old, bits| old & !bits);
    }

    fn change(&mut self, at: u32, bytes: u32, mut log: Option<&mut Vec<Undo>>, to: impl Fn(u64, u64) -> u64) {
        for (word, bits) in words(at, bytes) {
            let Some(old) = self.word(word) else { return };
            let new = to(old, bits);
            if new != old {
                self.put(word, new);
                if let Some(log) = &mut log {
                    log.push(Undo::Word(word, old));
                }
            }
        }
    }

    /// Adds another set.
    pub(crate) fn unite(&mut self, other: &ByteSet) {
        self.spent += 1;
        if other.rest != 0 {
            let words = other.words.iter().map(|(word, bits)| (*word, bits | self.word(*word).unwrap_or(0)));
            let words: Vec<_> = words.collect();
            self.fill();
            words.into_iter().for_each(|(word, bits)| self.put(word, bits));
            return;
        }
        for (word, bits) in &other.words {
            if let Some(old) = self.word(*word)
                && old | bits != old
            {
                self.put(*word, old | bits);
            }
        }
        self.spent += other.words.len() as u64;
    }

    /// Adds another changing set.
    pub(crate) fn unite_with(&mut self, other: &Self) {
        if other.rest != 0 {
            self.unite(&other.byte_set());
            return;
        }
        for word in &other.set {
            if let (Some(old), Some(bits)) = (self.word(*word), other.word(*word))
                && old | bits != old
            {
                self.put(*word, old | bits);
            }
        }
        self.spent += other.set.len() as u64 + 1;
    }

    /// Returns a copy in compact form.
    pub(crate) fn byte_set(&self) -> ByteSet {
        let words = self.set.iter().filter_map(|word| Some((*word, self.word(*word)?)));
        let mut words: Vec<_> = words.filter(|(_, bits)| *bits != self.rest).collect();
        words.sort_unstable_by_key(|(word, _)| *word);
        words.shrink_to_fit();
        ByteSet { rest: self.rest, words }
    }

    /// Reverts a change.
    pub(crate) fn undo(&mut self, undo: &Undo) {
        match undo {
            Undo::Word(word, bits) => self.put(*word, *bits),
            Undo::All(bytes) => self.set(bytes),
        }
    }

    /// Returns true if the set contains any of the `bytes` bytes at `at`.
    pub(crate) fn touch(&self, at: u32, bytes: u32) -> bool {
        words(at, bytes).any(|(word, bits)| self.word(word).is_some_and(|word| word & bits != 0))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    const SIZE: u32 = 512;

    /// Compares a set with a set of single bytes.
    fn is_same(plain: &BTreeSet<u32>, set: &WorkingSet) {
        let bytes = set.byte_set();
        for at in 0..SIZE {
            assert_eq!(plain.contains(&at), set.touch(at, 1), "byte {at}");
            assert_eq!(plain.contains(&at), bytes.touch(at, 1), "byte {at} of what is kept");
        }
    }

    #[test]
    fn sets_do_as_sets_of_single_bytes_do() {
        let mut random = 1_u64;
        let mut next = |below: u32| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (random >> 33) as u32 % below
        };
        for _ in 0..200 {
            let (mut set, mut plain) = (WorkingSet::new(SIZE), BTreeSet::new());
            let (mut other, mut other_plain) = (WorkingSet::new(SIZE), BTreeSet::new());
            for _ in 0..20 {
                let at = next(SIZE);
                let bytes = 1 + next(100).min(SIZE - at - 1);
                let mut log = Vec::new();
                let before = plain.clone();
                match next(8) {
                    0..=2 => {
                        set.add(at, bytes, Some(&mut log));
                        plain.extend(at..at + bytes);
                    }
                    3 | 4 => {
                        set.remove(at, bytes, Some(&mut log));
                        (at..at + bytes).for_each(|byte| {
                            plain.remove(&byte);
                        });
                    }
                    5 => {
                        log.push(Undo::All(set.byte_set()));
                        set.fill();
                        plain.extend(0..SIZE);
                    }
                    6 => {
                        log.push(Undo::All(set.byte_set()));
                        set.unite(&other.byte_set());
                        plain.extend(&other_plain);
                    }
                    _ => {
                        log.push(Undo::All(set.byte_set()));
                        set.unite_with(&other);
                        plain.extend(&other_plain);
                    }
                }
                is_same(&plain, &set);
                match next(4) {
                    0 => {
                        log.iter().rev().for_each(|undo| set.undo(undo));
                        plain = before;
                        is_same(&plain, &set);
                    }
                    1 => {
                        std::mem::swap(&mut set, &mut other);
                        std::mem::swap(&mut plain, &mut other_plain);
                    }
                    _ => {}
                }
            }
        }
    }

    #[test]
    fn rounds_that_overflow_begin_again() {
        let mut set = WorkingSet::new(SIZE);
        set.add(0, 64, None);
        set.round = u32::MAX - 1;
        set.clear();
        set.add(64, 8, None);
        set.clear();
        set.add(128, 8, None);
        is_same(&(128..136).collect(), &set);
    }
}
