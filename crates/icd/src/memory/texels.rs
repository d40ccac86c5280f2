//! Image properties of memory objects: sides, pitches and offsets.

use opencl_sys::*;
use visakit_emulator::machine;
use visakit_emulator::machine::buffer::Buffer;
use visakit_emulator::machine::image::{Image, ImageDesc};
use visakit_emulator::machine::memory::Memory;
use visakit_emulator::machine::observer::Witness;
use visakit_runtime::programs::layout::Layout;

use crate::base::error::{Result, ensure};

/// Image properties of a memory object.
#[derive(Clone, Copy)]
pub(crate) struct Texels {
    pub(crate) format: cl_image_format,
    pub(crate) layout: Layout,
    /// Description passed by the program, with the pitches of the object.
    pub(super) given: cl_image_desc,
}

// SAFETY: the handle in the description is never dereferenced.
unsafe impl Send for Texels {}
// SAFETY: as above.
unsafe impl Sync for Texels {}

impl Texels {
    /// Returns the slice pitch in bytes as the API defines it: in an array of one-dimensional
    /// images, each image is a slice.
    pub(crate) fn slice_pitch(&self) -> usize {
        let (row, slice) = self.layout.pitches();
        match self.given.image_type {
            CL_MEM_OBJECT_IMAGE1D_ARRAY => row,
            CL_MEM_OBJECT_IMAGE2D_ARRAY | CL_MEM_OBJECT_IMAGE3D => slice,
            _ => 0,
        }
    }

    /// Checks that a region is not empty and lies inside the image.
    pub(crate) fn check(&self, origin: [usize; 3], region: [usize; 3]) -> Result {
        ensure(!region.contains(&0) && self.layout.contains(origin, region), CL_INVALID_VALUE)
    }

    /// Converts a colour, four floats or integers, to the bytes of a texel.
    pub(crate) fn colour(&self, colour: [u32; 4]) -> Vec<u8> {
        let desc = ImageDesc { size: [1; 3], ..ImageDesc::default() };
        let image = Image { buffer: 0, format: self.layout.format, desc };
        let (memory, texel) = (Memory::default(), Buffer::zeros(self.layout.texel().max(4)));
        let texels = machine::texels::Texels::new(&memory, &texel, Witness::default(), 0);
        image.store(texels, [0; 3], colour);
        let mut bytes = texel.to_bytes();
        bytes.truncate(self.layout.texel());
        bytes
    }

    /// Returns the pitches of the program's memory, in the form of [`Texels::pitches`].
    pub(crate) fn host_pitches(&self) -> (usize, usize) {
        match self.given.image_type {
            CL_MEM_OBJECT_IMAGE1D_ARRAY => (self.given.image_slice_pitch, self.given.image_slice_pitch),
            _ => (self.given.image_row_pitch, self.given.image_slice_pitch),
        }
    }
}
