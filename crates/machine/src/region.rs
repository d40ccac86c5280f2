//! Regions of the register file: where the channels of an operand stand.

use crate::lane::LANES;
use crate::thread::Thread;

/// Where the channels of an operand stand. Distances are in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// Where the first row begins.
    pub start: Start,
    /// From one row to the next.
    pub vertical: u32,
    /// Channels in a row; a power of two.
    pub width: u32,
    /// From one channel of a row to the next.
    pub horizontal: u32,
    /// Channels of the instruction.
    pub lanes: u32,
}

/// Where a region begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// At a fixed offset in the registers.
    At(u32),
    /// Where an address element points.
    Address {
        /// Index of the element.
        element: u32,
        /// Added to it.
        displacement: i32,
    },
    /// Each row where an address element of its own points.
    Addresses {
        /// Index of the first row's element.
        element: u32,
        /// Added to each.
        displacement: i32,
    },
}

impl Region {
    /// A single value for all channels.
    #[inline]
    pub fn scalar(offset: u32, lanes: u32) -> Self {
        Self { start: Start::At(offset), vertical: 0, width: 1, horizontal: 0, lanes }
    }

    /// Values of `size` bytes in a row.
    #[inline]
    pub fn contiguous(offset: u32, size: u32, lanes: u32) -> Self {
        Self { start: Start::At(offset), vertical: size, width: 1, horizontal: size, lanes }
    }

    /// The distance between channels, when it is the same for all of them.
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

    /// Offset of a channel from the start of the region, or of its row when every row has an
    /// address.
    #[inline(always)]
    fn step(&self, lane: u32) -> u32 {
        // Widths are powers of two.
        let row = lane >> self.width.trailing_zeros();
        row * self.vertical + (lane & (self.width - 1)) * self.horizontal
    }

    /// Offset behind the last byte that any channel of `size` bytes has, counted from the start.
    #[inline]
    pub fn extent(&self, size: u32) -> u64 {
        let last = (0..self.lanes).map(|lane| self.step(lane)).max().unwrap_or(0);
        u64::from(last) + u64::from(size)
    }

    /// The part of the region that the n-th chunk of channels has.
    #[inline]
    pub fn chunk(&self, n: usize) -> Self {
        let first = (n * LANES) as u32;
        let distance = self.step(first);
        // Widths are powers of two, so a chunk begins where a row does, or lies within one row.
        let start = match self.start {
            Start::At(offset) => Start::At(offset.saturating_add(distance)),
            Start::Address { element, displacement } => {
                Start::Address { element, displacement: displacement.saturating_add_unsigned(distance) }
            }
            Start::Addresses { element, displacement } => {
                let column = first % self.width * self.horizontal;
                let displacement = displacement.saturating_add_unsigned(column);
                Start::Addresses { element: element + first / self.width, displacement }
            }
        };
        Self { start, lanes: self.lanes.saturating_sub(first).min(LANES as u32), ..*self }
    }

    /// Offset of each channel in the registers, of at most [`LANES`]. Addresses may point anywhere:
    /// see [`Region::check`].
    #[inline(always)]
    pub fn offsets(&self, thread: &Thread) -> [u32; LANES] {
        let mut offsets = [0; LANES];
        let lanes = offsets.iter_mut().enumerate().take(self.lanes as usize);
        match self.start {
            Start::At(start) => lanes.for_each(|(i, offset)| *offset = start + self.step(i as u32)),
            Start::Address { element, displacement } => {
                let start = thread.addresses[element as usize].wrapping_add_signed(displacement);
                lanes.for_each(|(i, offset)| *offset = start.wrapping_add(self.step(i as u32)));
            }
            Start::Addresses { element, displacement } => lanes.for_each(|(i, offset)| {
                let (row, column) = (i as u32 >> self.width.trailing_zeros(), i as u32 & (self.width - 1));
                let start = thread.addresses[(element + row) as usize].wrapping_add_signed(displacement);
                *offset = start.wrapping_add(column * self.horizontal);
            }),
        }
        offsets
    }

    /// The first enabled channel whose `size` bytes are not in the registers, with its offset.
    #[inline]
    pub fn check(&self, thread: &Thread, size: usize, enabled: u32) -> Option<(u32, u32)> {
        (0..self.lanes.div_ceil(LANES as u32)).find_map(|n| {
            let part = self.chunk(n as usize);
            let first = n * LANES as u32;
            let offsets = part.offsets(thread);
            (0..part.lanes)
                .filter(|lane| enabled >> (first + lane) & 1 == 1)
                .map(|lane| (first + lane, offsets[lane as usize]))
                .find(|&(_, offset)| !thread.registers.holds(offset, size))
        })
    }
}
