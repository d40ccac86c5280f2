//! Shadow cells: the last accesses to each word or byte.

use crate::race::stamps::{STAMP_BITS, Stamps, WHOLE};
use visakit_machine::observer::AccessKind;

/// Last accesses to a word, as stamps (0 for none) and channels. A split word has one access per
/// byte.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cell {
    pub write: u32,
    /// Two different readers, so that any writer differs from one of them; or atomic operations
    /// after a store; or, in the second entry, a store followed by atomic operations.
    pub reads: [u32; 2],
    pub channels: [u8; 3],
    /// [`SPLIT`] if the bytes have separate accesses. This word then holds the last byte's access,
    /// and the words above hold the others.
    flags: u8,
}

/// Flag: the bytes of the word have separate accesses.
const SPLIT: u8 = 0x80;
/// Channel number for any channel other than the stamp's.
pub(super) const ANOTHER: u8 = 0x3e;

/// Access to a byte: the stamp, above it the channel, and a flag for a second reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Packed(u32);

impl Packed {
    fn new(stamp: u32, channel: u8, several: bool) -> Self {
        Self(stamp | u32::from(channel & 0x3f) << STAMP_BITS | u32::from(several) << (STAMP_BITS + 6))
    }

    fn stamp(self) -> u32 {
        self.0 & ((1 << STAMP_BITS) - 1)
    }

    fn channel(self) -> u8 {
        match (self.0 >> STAMP_BITS) as u8 & 0x3f {
            0x3f => WHOLE,
            channel => channel,
        }
    }

    fn several(self) -> bool {
        self.0 >> (STAMP_BITS + 6) & 1 == 1
    }
}

impl Cell {
    /// Returns the cell as four words.
    pub(super) fn words(self) -> [u32; 4] {
        let [a, b, c] = self.channels;
        [self.write, self.reads[0], self.reads[1], u32::from_le_bytes([a, b, c, self.flags])]
    }

    pub(super) fn from_words([write, first, second, rest]: [u32; 4]) -> Self {
        let [a, b, c, flags] = rest.to_le_bytes();
        Self { write, reads: [first, second], channels: [a, b, c], flags }
    }

    pub(super) fn is_split(&self) -> bool {
        self.flags & SPLIT != 0
    }

    /// Splits the word: each byte receives the accesses of the word.
    pub(super) fn split(&mut self, stamps: &Stamps) {
        if self.is_split() {
            return;
        }
        let whole = *self;
        self.flags = SPLIT;
        (0..4).for_each(|byte| self.set_byte(byte, &whole, stamps));
    }

    /// Returns the accesses to a byte of a split word.
    #[inline(always)]
    pub(super) fn byte(&self, byte: usize, stamps: &Stamps) -> Self {
        let [a, b, c] = self.channels;
        let packed = match byte {
            0 => self.write,
            1 | 2 => self.reads[byte - 1],
            _ => u32::from_le_bytes([a, b, c, self.flags & !SPLIT]),
        };
        let packed = Packed(packed);
        let (stamp, channel) = (packed.stamp(), packed.channel());
        let is_read = stamps.is(stamp, AccessKind::Load);
        match (is_read, packed.several()) {
            (false, _) => Self { write: stamp, channels: [channel, 0, 0], ..Self::default() },
            (true, false) => Self { reads: [stamp, 0], channels: [0, channel, 0], ..Self::default() },
            (true, true) => Self { reads: [stamp; 2], channels: [0, channel, ANOTHER], ..Self::default() },
        }
    }

    /// Stores the most significant access to a byte: a store since the last barrier, otherwise a
    /// reader.
    #[inline(always)]
    pub(super) fn set_byte(&mut self, byte: usize, of: &Self, stamps: &Stamps) {
        let [store, read, another] = of.channels;
        let [first, second] = of.reads.map(|stamp| if stamps.is_past(stamp) { 0 } else { stamp });
        let packed = match (first, second) {
            _ if of.write != 0 && stamps.is_recent(of.write) => Packed::new(of.write, store, false),
            (0, 0) => Packed::new(of.write, store, false),
            (0, second) => Packed::new(second, another, false),
            (first, second) => Packed::new(first, read, second != 0),
        };
        match byte {
            0 => self.write = packed.0,
            1 | 2 => self.reads[byte - 1] = packed.0,
            _ => {
                let [a, b, c, flags] = packed.0.to_le_bytes();
                (self.channels, self.flags) = ([a, b, c], flags | SPLIT);
            }
        }
    }
}
