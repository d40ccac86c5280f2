//! A message to untyped memory: its addresses, elements and registers.

use crate::memory::address::{AddressSpace, Addressing};
use crate::memory::transfer::Transfer;
use visakit_machine::access::{Miss, Request};
use visakit_machine::fault::Trap;
use visakit_machine::lane::{LANES, MAX_LANES};
use visakit_machine::thread::{ExecMask, Thread, ones};

/// A message that transfers elements between memory and registers.
#[derive(Clone)]
pub(crate) struct Message {
    /// Enable mask.
    pub enable: ExecMask,
    /// Address space.
    pub space: AddressSpace,
    /// Computation of the addresses.
    pub addressing: Addressing,
    /// Element size in memory and layout in registers.
    pub transfer: Transfer,
    /// Distance of each element from the channel's address, in bytes.
    pub elements: Vec<u32>,
    /// True if addresses need not be multiples of the element size.
    pub unaligned: bool,
    /// Loaded elements that are unused, as bits.
    pub unread: u32,
}

/// A chunk of the channels of an executing message.
#[derive(Clone, Copy)]
pub(super) struct Chunk {
    /// Register offset of the data of all channels.
    pub(super) at: u32,
    /// Number of the chunk.
    pub(super) n: u32,
    /// Enabled channels of the chunk; at least one.
    pub(super) enabled: u32,
}

impl Chunk {
    /// Returns the number of the first channel, and the enabled channels.
    pub(super) fn who(self) -> (u32, u32) {
        (self.n * LANES as u32, self.enabled)
    }
}

impl Message {
    /// Returns true for a single channel with the same element layout in registers and memory.
    pub(super) fn is_vector(&self) -> bool {
        self.enable.lanes == 1
            && self.transfer.element_step == self.transfer.size
            && self.transfer.slot == self.transfer.size
    }

    /// Returns the size of all channels' data in registers, in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.transfer.extent(self.enable.lanes.count_ones() as usize, self.elements.len())
    }

    /// Returns the addresses of all chunks. They are computed before the first result is written,
    /// because results may overwrite address registers.
    #[inline(always)]
    pub(super) fn all_addresses(&self, thread: &Thread) -> [[u64; LANES]; MAX_LANES / LANES] {
        let lanes = self.enable.lanes.count_ones() as usize;
        let mut all = [[0; LANES]; MAX_LANES / LANES];
        for (n, chunk) in all.iter_mut().enumerate().take(lanes.div_ceil(LANES)) {
            *chunk = self.addressing.resolve(thread, n);
        }
        all
    }

    /// Returns true if the result of the first chunk overlaps the address registers of later
    /// chunks.
    pub(super) fn replaces_addresses(&self, at: u32) -> bool {
        let lanes = self.enable.lanes.count_ones();
        let loaded = at..at + self.bytes() as u32;
        let mut places = self.addressing.places(lanes).chain(self.space.place());
        lanes > LANES as u32 && places.any(|place| place.start < loaded.end && loaded.start < place.end)
    }

    /// Returns the request for one element of each channel in the n-th chunk.
    pub(super) fn request<'a>(&self, addresses: &'a [u64; LANES], n: usize, enabled: u32) -> Request<'a> {
        let (first_lane, size) = ((n * LANES) as u32, self.transfer.size);
        Request { addresses, enabled, first_lane, size, unread: false, unaligned: self.unaligned }
    }

    /// Returns the register offset of a chunk of an element's channels.
    #[inline(always)]
    pub(super) fn place(&self, chunk: Chunk, element: usize) -> u32 {
        self.transfer.place(chunk.at, element, chunk.n as usize)
    }
}

/// Calls `access` for each chunk with an enabled channel.
#[inline(always)]
pub(crate) fn for_chunks(
    enabled: u32,
    mut access: impl FnMut(usize, u32) -> Result<(), Miss>,
) -> Result<(), Box<Trap>> {
    for n in 0..MAX_LANES / LANES {
        let enabled = enabled >> (n * LANES) & ones(LANES);
        if enabled != 0
            && let Err(miss) = access(n, enabled)
        {
            return Err(miss.into());
        }
    }
    Ok(())
}
