//! Regions of the register file: the location of each channel of an operand.

use crate::lane::LANES;
use crate::thread::Thread;

/// Location of the channels of an operand. Distances are in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// Start of the first row.
    pub start: Start,
    /// Distance between rows.
    pub vertical: u32,
    /// Channels per row; a power of two.
    pub width: u32,
    /// Distance between channels of a row.
    pub horizontal: u32,
    /// Number of channels of the instruction.
    pub lanes: u32,
}

/// Start of a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// Fixed register offset.
    At(u32),
    /// Register offset held in an address element.
    Address {
        /// Register offset of the address element.
        at: u32,
        /// Displacement added to the address.
        displacement: i32,
    },
    /// Register offset of each row, held in an address element per row.
    Addresses {
        /// Register offset of the first row's address element.
        at: u32,
        /// Displacement added to each address.
        displacement: i32,
    },
}

impl Region {
    /// Returns a region with one value for all channels.
    #[inline]
    pub fn scalar(offset: u32, lanes: u32) -> Self {
        Self { start: Start::At(offset), vertical: 0, width: 1, horizontal: 0, lanes }
    }

    /// Returns a region of contiguous values of `size` bytes.
    #[inline]
    pub fn contiguous(offset: u32, size: u32, lanes: u32) -> Self {
        Self { start: Start::At(offset), vertical: size, width: 1, horizontal: size, lanes }
    }

    /// Returns the distance between channels, if it is constant.
    #[inline]
    pub fn stride(&self) -> Option<u32> {
        if self.width >= self.lanes {
            Some(self.horizontal)
        } else if self.width == 1 || self.vertical == self.width * self.horizontal {
            Some(if self.width == 1 { self.vertical } else { self.horizontal })
        } else {
            None
        }
    }

    /// Returns the offset of a channel from the start of the region, or from its row's start if
    /// each row has an address.
    #[inline(always)]
    fn step(&self, lane: u32) -> u32 {
        // The width is a power of two.
        let row = lane >> self.width.trailing_zeros();
        row * self.vertical + (lane & (self.width - 1)) * self.horizontal
    }

    /// Returns the end offset of the last channel's `size` bytes, relative to the start.
    #[inline]
    pub fn extent(&self, size: u32) -> u64 {
        let last = (0..self.lanes).map(|lane| self.step(lane)).max().unwrap_or(0);
        u64::from(last) + u64::from(size)
    }

    /// Returns the part of the region for the n-th chunk of channels.
    #[inline]
    pub fn chunk(&self, n: usize) -> Self {
        let first = (n * LANES) as u32;
        let distance = self.step(first);
        // The width is a power of two, so a chunk either starts at a row or lies within one.
        let start = match self.start {
            Start::At(offset) => Start::At(offset.saturating_add(distance)),
            Start::Address { at, displacement } => {
                Start::Address { at, displacement: displacement.saturating_add_unsigned(distance) }
            }
            Start::Addresses { at, displacement } => {
                let column = first % self.width * self.horizontal;
                let displacement = displacement.saturating_add_unsigned(column);
                Start::Addresses { at: at + first / self.width * 4, displacement }
            }
        };
        Self { start, lanes: self.lanes.saturating_sub(first).min(LANES as u32), ..*self }
    }

    /// Returns the register offset of each channel, for at most [`LANES`] channels. Indirect
    /// offsets may be out of range; see [`Region::check`].
    #[inline(always)]
    pub fn offsets(&self, thread: &Thread) -> [u32; LANES] {
        let mut offsets = [0; LANES];
        let lanes = offsets.iter_mut().enumerate().take(self.lanes as usize);
        match self.start {
            Start::At(start) => lanes.for_each(|(i, offset)| *offset = start + self.step(i as u32)),
            Start::Address { at, displacement } => {
                let start = thread.registers.get::<u32>(at).wrapping_add_signed(displacement);
                lanes.for_each(|(i, offset)| *offset = start.wrapping_add(self.step(i as u32)));
            }
            Start::Addresses { at, displacement } => lanes.for_each(|(i, offset)| {
                let (row, column) = (i as u32 >> self.width.trailing_zeros(), i as u32 & (self.width - 1));
                let start = thread.registers.get::<u32>(at + row * 4).wrapping_add_signed(displacement);
                *offset = start.wrapping_add(column * self.horizontal);
            }),
        }
        offsets
    }

    /// Returns the first enabled channel whose `size` bytes are not all before `end`, the end of
    /// the variables, and its offset.
    #[inline]
    pub fn check(&self, thread: &Thread, size: u32, enabled: u32, end: u32) -> Option<(u32, u32)> {
        (0..self.lanes.div_ceil(LANES as u32)).find_map(|n| {
            let part = self.chunk(n as usize);
            let first = n * LANES as u32;
            let offsets = part.offsets(thread);
            (0..part.lanes)
                .filter(|lane| enabled >> (first + lane) & 1 == 1)
                .map(|lane| (first + lane, offsets[lane as usize]))
                .find(|&(_, offset)| offset.checked_add(size).is_none_or(|last| last > end))
        })
    }
}
