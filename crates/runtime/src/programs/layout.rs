//! Layout of images in memory: places of rows and texels.

use visakit_emulator::launch::argument::ImageArgument;
use visakit_emulator::machine::format::Format;
use visakit_emulator::machine::image::ImageDesc;

/// Format and sides of an image in memory.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// Format of the texels.
    pub format: Format,
    /// Sides, and the pitch of a row if it is larger than the row.
    pub desc: ImageDesc,
}

impl Layout {
    /// Returns the size of a texel in bytes.
    pub fn texel(&self) -> usize {
        self.format.bytes()
    }

    /// Returns the sides that regions count: width, height or number of one-dimensional images, and
    /// depth or number of layers.
    pub fn sides(&self) -> [usize; 3] {
        let [width, height, depth] = self.desc.size.map(|side| side as usize);
        match (self.desc.dimensions, self.desc.is_array) {
            (1, true) => [width, self.desc.layers as usize, 1],
            (2, true) => [width, height, self.desc.layers as usize],
            _ => [width, height, depth],
        }
    }

    /// Returns the row pitch and the slice pitch in bytes.
    pub fn pitches(&self) -> (usize, usize) {
        let [width, height, _] = self.sides();
        let row = (width * self.texel()).max(self.desc.pitch as usize);
        (row, row * height)
    }

    /// Returns the byte offset of a texel.
    pub fn offset(&self, origin: [usize; 3]) -> usize {
        let (row, slice) = self.pitches();
        origin[0] * self.texel() + origin[1] * row + origin[2] * slice
    }

    /// Returns true for a region that lies inside the image.
    pub fn contains(&self, origin: [usize; 3], size: [usize; 3]) -> bool {
        let sides = self.sides();
        (0..3).all(|d| origin[d].checked_add(size[d]).is_some_and(|end| end <= sides[d]))
    }

    /// Returns true for an image of a parameter's kind.
    pub fn fits(&self, dimensions: usize, is_array: bool) -> bool {
        (self.desc.dimensions, self.desc.is_array) == (dimensions, is_array)
    }

    /// Returns the image argument for a launch.
    pub fn argument(&self) -> ImageArgument {
        ImageArgument { format: self.format, desc: self.desc, texels: Vec::new() }
    }
}
