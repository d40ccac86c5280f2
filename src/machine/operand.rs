//! Operands whose places are known: what lowering makes of a `vec_operand`, and what kernels read and write through.
//!
//! Values in a row and single values are read in place. Everything else (strides, two-dimensional regions, indirect
//! addresses, another type than the kernel computes with) goes through a function that was chosen once.

use crate::machine::convert::{Compute, Fetch, Put};
use crate::machine::lane::{Change, Lane, MAX_LANES, change_all, each};
use crate::machine::thread::{Thread, ones};

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
    pub fn scalar(offset: u32, lanes: u32) -> Self {
        Self { start: Start::At(offset), vertical: 0, width: 1, horizontal: 0, lanes }
    }

    /// Values of `size` bytes in a row.
    pub fn contiguous(offset: u32, size: u32, lanes: u32) -> Self {
        Self { start: Start::At(offset), vertical: size, width: 1, horizontal: size, lanes }
    }

    /// The distance between channels, when it is the same for all of them.
    pub fn stride(&self) -> Option<u32> {
        if self.width >= self.lanes {
            Some(self.horizontal)
        } else if self.width == 1 || self.vertical == self.width * self.horizontal {
            Some(if self.width == 1 { self.vertical } else { self.horizontal })
        } else {
            None
        }
    }

    /// Offset of a channel from the start of the region, or of its row when every row has an address.
    #[inline(always)]
    fn step(&self, lane: u32) -> u32 {
        lane / self.width * self.vertical + lane % self.width * self.horizontal
    }

    /// Offset behind the last byte that any channel of `size` bytes has, counted from the start.
    pub fn extent(&self, size: u32) -> u64 {
        let last = (0..self.lanes).map(|lane| self.step(lane)).max().unwrap_or(0);
        u64::from(last) + u64::from(size)
    }

    /// Offset of each channel in the registers. Addresses may point anywhere: see [`Region::check`].
    #[inline(always)]
    pub(crate) fn offsets(&self, thread: &Thread) -> [u32; MAX_LANES] {
        let mut offsets = [0; MAX_LANES];
        let lanes = offsets.iter_mut().enumerate().take(self.lanes as usize);
        match self.start {
            Start::At(start) => lanes.for_each(|(i, offset)| *offset = start + self.step(i as u32)),
            Start::Address { element, displacement } => {
                let start = thread.addresses[element as usize].wrapping_add_signed(displacement);
                lanes.for_each(|(i, offset)| *offset = start.wrapping_add(self.step(i as u32)));
            }
            Start::Addresses { element, displacement } => lanes.for_each(|(i, offset)| {
                let (row, column) = (i as u32 / self.width, i as u32 % self.width);
                let start = thread.addresses[(element + row) as usize].wrapping_add_signed(displacement);
                *offset = start.wrapping_add(column * self.horizontal);
            }),
        }
        offsets
    }

    /// The first enabled channel whose `size` bytes are not in the registers, with its offset.
    pub fn check(&self, thread: &Thread, size: usize, enabled: u32) -> Option<(u32, u32)> {
        let offsets = self.offsets(thread);
        (0..self.lanes)
            .filter(|lane| enabled >> lane & 1 == 1)
            .map(|lane| (lane, offsets[lane as usize]))
            .find(|&(_, offset)| !thread.registers.holds(offset, size))
    }
}

/// How an operand is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    /// Values of the kernel's type, one behind the other.
    Contiguous(u32),
    /// One value of the kernel's type.
    Scalar(u32),
    /// Anything else.
    Region,
    /// The null register: nothing is written.
    Nowhere,
}

/// A source operand of a kernel that computes with `T`.
#[derive(Clone, Copy, Debug)]
pub struct Source<T: Compute> {
    shape: Shape,
    region: Region,
    fetch: Fetch<T>,
    change: Change,
}

impl<T: Compute> Source<T> {
    /// A source whose values stand in `region` and are read by `fetch`; `native` says that they are of type `T` there.
    pub fn new(region: Region, fetch: Fetch<T>, native: bool, change: Change) -> Self {
        let shape = match region.start {
            Start::At(offset) if native => match region.stride() {
                Some(0) => Shape::Scalar(offset),
                Some(stride) if stride as usize == T::SIZE => Shape::Contiguous(offset),
                _ if region.lanes == 1 => Shape::Scalar(offset),
                _ => Shape::Region,
            },
            _ => Shape::Region,
        };
        Self { shape, region, fetch, change }
    }

    /// The values of the first `N` channels. Those beyond the instruction's are unspecified.
    #[inline(always)]
    pub fn load<const N: usize>(&self, thread: &Thread) -> [T; N] {
        let mut lanes = match self.shape {
            Shape::Contiguous(offset) => thread.registers.load(offset),
            Shape::Scalar(offset) => [thread.registers.get(offset); N],
            Shape::Region | Shape::Nowhere => {
                let all = (self.fetch)(thread, &self.region);
                each(|i| all[i])
            }
        };
        if self.change != Change::None {
            change_all(&mut lanes, self.change);
        }
        lanes
    }
}

/// A destination operand of a kernel that computes with `T`.
#[derive(Clone, Copy, Debug)]
pub struct Destination<T: Compute> {
    shape: Shape,
    region: Region,
    put: Put<T>,
}

impl<T: Compute> Destination<T> {
    /// A destination in `region`, written by `put`; `native` says that the values there are of type `T` and not saturated.
    pub fn new(region: Region, put: Put<T>, native: bool) -> Self {
        let shape = match (region.start, region.stride()) {
            (Start::At(offset), Some(stride)) if native && (stride as usize == T::SIZE || region.lanes == 1) => {
                Shape::Contiguous(offset)
            }
            _ => Shape::Region,
        };
        Self { shape, region, put }
    }

    /// The same destination at another place.
    pub fn moved_to(self, region: Region) -> Self {
        match self.shape {
            Shape::Nowhere => self,
            _ => Self { shape: Shape::Region, region, put: self.put },
        }
    }

    /// The null register.
    pub fn nowhere(put: Put<T>) -> Self {
        Self { shape: Shape::Nowhere, region: Region::scalar(0, 0), put }
    }

    /// Writes the values of the enabled channels.
    #[inline(always)]
    pub fn store<const N: usize>(&self, thread: &mut Thread, lanes: &[T; N], enabled: u32) {
        match self.shape {
            Shape::Contiguous(offset) => blend(thread.registers.bytes_mut(offset), lanes, enabled),
            Shape::Region => {
                let mut all = [T::default(); MAX_LANES];
                all[..N].copy_from_slice(lanes);
                (self.put)(thread, &self.region, &all, enabled);
            }
            Shape::Scalar(_) | Shape::Nowhere => {}
        }
    }
}

/// Writes the enabled ones of `lanes` to the beginning of `bytes`.
#[inline(always)]
pub(crate) fn blend<T: Lane, const N: usize>(bytes: &mut [u8], lanes: &[T; N], enabled: u32) {
    if enabled == ones(N) {
        T::store(bytes, lanes);
    } else {
        let old: [T; N] = T::load(bytes);
        T::store(bytes, &each::<T, N>(|i| if enabled & 1 << i != 0 { lanes[i] } else { old[i] }));
    }
}
