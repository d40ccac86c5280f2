//! Texel access for messages: every access is reported and recorded like other accesses
//! ([`crate::access`]).

use crate::access::{Target, View};
use crate::buffer::{Buffer, Sharing};
use crate::in_bounds::{Extent, InBounds};
use crate::lane::LANES;
use crate::memory::Memory;
use crate::observer::{AccessKind, Witness};

/// Texels of an image as seen by a channel of a thread. Offsets are in bytes; the image does the
/// bounds check.
#[derive(Clone, Copy, Debug)]
pub struct Texels<'a> {
    buffer: &'a Buffer,
    view: View<'a>,
    lane: u32,
}

impl<'a> Texels<'a> {
    /// Returns the texels in a buffer of a memory.
    #[inline]
    pub fn new(memory: &'a Memory, buffer: &'a Buffer, witness: Witness<'a>, thread: u32) -> Self {
        Self { buffer, view: View::new(Target::Surface(memory, buffer), witness, thread), lane: 0 }
    }

    /// Returns the texels as seen by another channel.
    #[inline]
    pub fn of_lane(self, lane: usize) -> Self {
        Self { lane: lane as u32, ..self }
    }

    /// Loads `size` bytes (1, 2, 4 or 8) at a multiple of `size`. `None` outside the buffer.
    #[inline]
    pub fn load(&self, offset: u64, size: u32) -> Option<u64> {
        self.view.access(self.buffer, AccessKind::Load, self.lane, (offset, size), None);
        self.buffer.load(offset, size)
    }

    /// How stores share memory with other threads.
    pub(crate) const SHARING: Sharing = Sharing::Shared;

    /// Returns the places of the enabled channels' texels for accesses of this kind. `None` if they
    /// are not all in the buffer, or if an observer has to see each access.
    #[inline(always)]
    pub(crate) fn chunk(
        &self,
        kind: AccessKind,
        offsets: [u32; LANES],
        enabled: u32,
        extent: Extent,
    ) -> Option<InBounds<'a>> {
        (!self.view.is_watched()).then_some(())?;
        let in_bounds = InBounds::new(self.buffer, offsets, enabled, extent)?;
        in_bounds.note(&self.view, kind, 0, extent.bytes, enabled);
        Some(in_bounds)
    }

    /// Reports an access outside the image to the observer, as an access at the end of the buffer.
    #[inline]
    pub fn tell_outside(&self, kind: AccessKind, size: u32) {
        self.view.access(self.buffer, kind, self.lane, (self.buffer.len() as u64, size), None);
    }

    /// Stores `size` bytes (1, 2, 4 or 8) at a multiple of `size`. `None` outside the buffer.
    #[inline]
    pub fn store(&self, offset: u64, size: u32, value: u64) -> Option<()> {
        self.view.access(self.buffer, AccessKind::Store, self.lane, (offset, size), Some(value));
        self.buffer.store(offset, size, value, Self::SHARING)
    }
}

#[cfg(test)]
impl<'a> From<&'a Buffer> for Texels<'a> {
    fn from(buffer: &'a Buffer) -> Self {
        Self { buffer, view: View::new(Target::Nothing, Witness::default(), 0), lane: 0 }
    }
}
