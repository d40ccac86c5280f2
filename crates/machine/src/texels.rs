//! The texels of an image as messages reach them: each access is told and noted as any other
//! ([`crate::access`]).

use crate::access::{Target, View};
use crate::buffer::{Buffer, Sharing};
use crate::memory::Memory;
use crate::observer::{AccessKind, Witness};

/// The texels of an image as a channel of a thread reaches them. Offsets are in bytes; the image
/// knows which of them are inside.
#[derive(Clone, Copy, Debug)]
pub struct Texels<'a> {
    buffer: &'a Buffer,
    view: View<'a>,
    lane: u32,
}

impl<'a> Texels<'a> {
    /// Those in a buffer of a memory.
    #[inline]
    pub fn new(memory: &'a Memory, buffer: &'a Buffer, witness: Witness<'a>, thread: u32) -> Self {
        Self { buffer, view: View::new(Target::Surface(memory, buffer), witness, thread), lane: 0 }
    }

    /// The same for a channel.
    #[inline]
    pub fn of_lane(self, lane: usize) -> Self {
        Self { lane: lane as u32, ..self }
    }

    /// Reads `size` bytes (1, 2, 4 or 8) at a multiple of it. `None` outside the buffer.
    #[inline]
    pub fn load(&self, offset: u64, size: u32) -> Option<u64> {
        self.view.access(self.buffer, AccessKind::Load, self.lane, (offset, size), None);
        self.buffer.load(offset, size)
    }

    /// Tells those who watch that a place is outside of the image: as an access behind the end.
    #[inline]
    pub fn tell_outside(&self, kind: AccessKind, size: u32) {
        self.view.access(self.buffer, kind, self.lane, (self.buffer.len() as u64, size), None);
    }

    /// Replaces `size` bytes as [`Texels::load`] reads them.
    #[inline]
    pub fn store(&self, offset: u64, size: u32, value: u64) -> Option<()> {
        self.view.access(self.buffer, AccessKind::Store, self.lane, (offset, size), Some(value));
        self.buffer.store(offset, size, value, Sharing::Shared)
    }
}

#[cfg(test)]
impl<'a> From<&'a Buffer> for Texels<'a> {
    fn from(buffer: &'a Buffer) -> Self {
        Self { buffer, view: View::new(Target::Nothing, Witness::default(), 0), lane: 0 }
    }
}
