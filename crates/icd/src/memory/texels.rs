//! Image properties of memory objects: sides, pitches and offsets.

use opencl_sys::*;
use visakit_emulator::launch::argument::ImageArgument;
use visakit_emulator::machine;
use visakit_emulator::machine::buffer::Buffer;
use visakit_emulator::machine::format::Format;
use visakit_emulator::machine::image::{Image, ImageDesc};
use visakit_emulator::machine::memory::Memory;
use visakit_emulator::machine::observer::Witness;

use crate::base::error::{Result, ensure};

/// Image properties of a memory object.
#[derive(Clone, Copy)]
pub(crate) struct Texels {
    pub(crate) format: cl_image_format,
    pub(super) kind: Format,
    pub(crate) desc: ImageDesc,
    /// Description passed by the program, with the pitches of the object.
    pub(super) given: cl_image_desc,
}

// SAFETY: the handle in the description is never dereferenced.
unsafe impl Send for Texels {}
// SAFETY: as above.
unsafe impl Sync for Texels {}

impl Texels {
    /// Returns the size of a texel in bytes.
    pub(crate) fn size(&self) -> usize {
        self.kind.bytes()
    }

    /// Returns the sides that regions count: width, height or number of one-dimensional images, and
    /// depth or number of layers.
    pub(crate) fn sides(&self) -> [usize; 3] {
        let [width, height, depth] = self.desc.size.map(|side| side as usize);
        match (self.desc.dimensions, self.desc.is_array) {
            (1, true) => [width, self.desc.layers as usize, 1],
            (2, true) => [width, height, self.desc.layers as usize],
            _ => [width, height, depth],
        }
    }

    /// Returns the row pitch and the slice pitch in bytes.
    pub(crate) fn pitches(&self) -> (usize, usize) {
        let [width, height, _] = self.sides();
        let row = (width * self.size()).max(self.desc.pitch as usize);
        (row, row * height)
    }

    /// Returns the slice pitch in bytes as the API defines it: in an array of one-dimensional
    /// images, each image is a slice.
    pub(crate) fn slice_pitch(&self) -> usize {
        let (row, slice) = self.pitches();
        match self.given.image_type {
            CL_MEM_OBJECT_IMAGE1D_ARRAY => row,
            CL_MEM_OBJECT_IMAGE2D_ARRAY | CL_MEM_OBJECT_IMAGE3D => slice,
            _ => 0,
        }
    }

    /// Returns the byte offset of a texel.
    pub(crate) fn offset(&self, origin: [usize; 3]) -> usize {
        let (row, slice) = self.pitches();
        origin[0] * self.size() + origin[1] * row + origin[2] * slice
    }

    /// Checks that a region is not empty and lies inside the image.
    pub(crate) fn check(&self, origin: [usize; 3], region: [usize; 3]) -> Result {
        let sides = self.sides();
        let inside =
            (0..3).all(|d| region[d] > 0 && origin[d].checked_add(region[d]).is_some_and(|end| end <= sides[d]));
        ensure(inside, CL_INVALID_VALUE)
    }

    /// Returns the image argument for a launch.
    pub(crate) fn argument(&self) -> ImageArgument {
        ImageArgument { format: self.kind, desc: self.desc, texels: Vec::new() }
    }

    /// Converts a colour, four floats or integers, to the bytes of a texel.
    pub(crate) fn colour(&self, colour: [u32; 4]) -> Vec<u8> {
        let desc = ImageDesc { size: [1; 3], ..ImageDesc::default() };
        let image = Image { buffer: 0, format: self.kind, desc };
        let (memory, texel) = (Memory::default(), Buffer::zeros(self.size().max(4)));
        let texels = machine::texels::Texels::new(&memory, &texel, Witness::default(), 0);
        image.store(texels, [0; 3], colour);
        let mut bytes = texel.to_bytes();
        bytes.truncate(self.size());
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
