//! Local ids: their order, and their layout in a thread's payload.

use visakit_diag::Diagnostic;

use super::items::unsupported;
use crate::placement::problem;
use visakit_zebin::info::{ArgType, KernelInfo};
use visakit_zebin::limits::{PAYLOAD_BYTES, SIMD_SIZES};

/// Layout of local ids: one word per channel for each dimension.
#[derive(Clone, Copy, Debug)]
pub(super) struct LocalIds {
    /// Place in the payload.
    pub(super) offset: usize,
    /// Distance from one dimension to the next, in bytes.
    pitch: usize,
    dimensions: usize,
}

impl LocalIds {
    /// Returns the size of all local ids in bytes.
    pub(super) fn len(self) -> usize {
        self.dimensions * self.pitch
    }

    /// Returns the places of the rows, if there is one for each dimension.
    pub(super) fn rows(self) -> impl Iterator<Item = usize> {
        // Packed ids are those of a single channel.
        let dimensions = if self.pitch > 2 { self.dimensions } else { 0 };
        (0..dimensions).map(move |dimension| self.offset + dimension * self.pitch)
    }

    /// Writes the local id of a channel.
    pub(super) fn write(self, bytes: &mut [u8], channel: usize, id: [u32; 3]) {
        for (dimension, id) in id.iter().enumerate().take(self.dimensions) {
            let at = dimension * self.pitch + channel * 2;
            // A group has at most 1024 work items, so an id fits.
            bytes[at..at + 2].copy_from_slice(&(*id as u16).to_le_bytes());
        }
    }
}

/// Iterates over the local ids of a group of `size`, in order of threads and channels.
pub fn local_ids_of(size: [u32; 3], order: [u32; 3]) -> impl Iterator<Item = [u32; 3]> {
    let order = walk(order);
    (0..size.iter().product()).map(move |item| local_id(item, size, order))
}

/// Returns the local id of the n-th work item of a group of `size`, in order of threads and
/// channels.
pub fn local_id_of(item: u32, size: [u32; 3], order: [u32; 3]) -> [u32; 3] {
    local_id(item, size, walk(order))
}

/// Returns a local id, with the dimensions in an order from [`walk`].
pub(super) fn local_id(item: u32, size: [u32; 3], order: [usize; 3]) -> [u32; 3] {
    let mut rest = item;
    let mut id = [0; 3];
    for dimension in order {
        id[dimension] = rest % size[dimension];
        rest /= size[dimension];
    }
    id
}

/// Returns the dimensions, fastest first. `.ze_info` lists the used dimensions, padded with zeros.
pub(super) fn walk(order: [u32; 3]) -> [usize; 3] {
    // Each launch asks, so this allocates nothing.
    let (mut listed, mut count) = ([0; 3], 0);
    for dimension in order.into_iter().chain(0..3).map(|d| d.min(2) as usize) {
        if !listed[..count].contains(&dimension) {
            listed[count] = dimension;
            count += 1;
        }
    }
    listed
}

/// Returns the layout of local ids and the size of all per-thread data in bytes.
pub(super) fn local_ids(
    kernel: &KernelInfo,
    grf: usize,
    simd: u32,
) -> Result<(Option<LocalIds>, usize), Box<Diagnostic>> {
    if !SIMD_SIZES.contains(&simd) {
        return Err(problem(&format!("`simd_size` is {simd}, but must be 1, 8, 16 or 32")));
    }
    let mut ids = None;
    let mut own = 0;
    for item in &kernel.per_thread_payload_arguments {
        let (offset, size) = (item.offset as usize, item.size as usize);
        if offset + size > PAYLOAD_BYTES as usize {
            return Err(problem("the per-thread data are too large"));
        }
        let pitch = match item.arg_type {
            ArgType::LocalId => (simd as usize * 2).next_multiple_of(grf),
            ArgType::PackedLocalIds => 2,
            _ => return Err(unsupported(item)),
        };
        ids = Some(LocalIds { offset: grf + offset, pitch, dimensions: (size / pitch).min(3) });
        own = own.max(offset + size);
    }
    Ok((ids, own))
}
