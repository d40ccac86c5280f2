//! Images: texels in a buffer, in one of many formats. [`crate::sampler`] reads them
//! through samplers.

use crate::format::{Format, encoded, linear};
use crate::observer::AccessKind;
use crate::texels::Texels;

/// Properties of an image except its format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageDesc {
    /// Width, height and depth; 1 for unused dimensions.
    pub size: [u32; 3],
    /// Number of dimensions. The coordinate after them is the array index.
    pub dimensions: usize,
    /// True for an image array.
    pub is_array: bool,
    /// Number of layers of an image array; 1 for other images.
    pub layers: u32,
    /// Number of mip levels, stored consecutively. Each level has half the size of the previous
    /// one.
    pub levels: u32,
    /// Samples per texel, stored contiguously.
    pub samples: u32,
    /// Bytes from the start of a row to the next, for a two-dimensional image with one level; 0 for
    /// contiguous rows.
    pub pitch: u32,
}

impl Default for ImageDesc {
    fn default() -> Self {
        Self { size: [1; 3], dimensions: 2, is_array: false, layers: 1, levels: 1, samples: 1, pitch: 0 }
    }
}

impl ImageDesc {
    /// Returns the number of texels of all levels; the samples of a texel count separately.
    #[inline]
    pub fn texels(&self) -> u64 {
        (0..self.levels.min(MAX_LEVELS)).fold(0, |sum: u64, level| sum.saturating_add(self.texels_of(level)))
    }

    /// Returns width, height and depth of a level.
    #[inline]
    pub fn size_of(&self, level: u32) -> [u32; 3] {
        self.size.map(|side| side.checked_shr(level).unwrap_or(0).max(1))
    }

    /// Returns the largest possible number of levels for this size, down to a single texel.
    #[inline]
    pub fn most_levels(&self) -> u32 {
        self.size.iter().max().map_or(1, |side| side.max(&1).ilog2() + 1)
    }

    fn texels_of(&self, level: u32) -> u64 {
        let size = self.size_of(level);
        let sides = size.iter().chain([&self.layers, &self.samples]);
        sides.fold(1, |texels, &side| texels.saturating_mul(side.into()))
    }
}

/// Largest number of levels: the width of a side in bits.
const MAX_LEVELS: u32 = 32;

/// Coordinates of a texel in an image.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Texel {
    /// Column, row and slice; the coordinate after the dimensions is the array index.
    pub place: [i64; 3],
    /// Mip level.
    pub level: u32,
    /// Sample number.
    pub sample: u32,
}

impl From<[i64; 3]> for Texel {
    fn from(place: [i64; 3]) -> Self {
        Self { place, ..Self::default() }
    }
}

/// An image bound by a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Image {
    /// Index of the buffer that holds the texels.
    pub buffer: usize,
    /// Format of the texels.
    pub format: Format,
    /// Properties except the format.
    pub desc: ImageDesc,
}

impl Image {
    /// Returns the texel's index under contiguous rows; `None` outside the image.
    fn index(&self, texel: Texel) -> Option<u64> {
        let ImageDesc { levels, samples, .. } = self.desc;
        let Texel { place, level, sample } = texel;
        if level >= levels || sample >= samples {
            return None;
        }
        let sides = self.sides_of(level);
        let mut index = 0;
        for d in (0..self.coordinates()).rev() {
            let at = u64::try_from(place[d]).ok().filter(|&at| at < u64::from(sides[d]))?;
            index = index * u64::from(sides[d]) + at;
        }
        let before: u64 = (0..level).map(|level| self.desc.texels_of(level)).sum();
        Some(before + index * u64::from(samples) + u64::from(sample))
    }

    /// Loads a texel that must be inside the image. Outside, reports the access to the observer and
    /// returns zeros with alpha one.
    #[inline]
    pub fn load_inside(&self, texels: Texels<'_>, texel: Texel) -> [u32; 4] {
        if self.offset(texel).is_none() {
            texels.tell_outside(AccessKind::Load, self.format.bytes() as u32);
            return [0, 0, 0, self.format.one()];
        }
        self.load(texels, texel)
    }

    /// Loads the four components of a texel in register form. Outside the image, returns the border
    /// colour.
    #[inline]
    pub fn load(&self, texels: Texels<'_>, texel: impl Into<Texel>) -> [u32; 4] {
        self.offset(texel).map_or_else(|| self.format.border(), |start| self.components(texels, start))
    }

    /// Loads a texel of a plane, as [`Image::load`].
    #[inline(always)]
    pub(super) fn load_plane(&self, texels: Texels<'_>, x: i64, y: i64) -> [u32; 4] {
        self.plane_offset(x, y).map_or_else(|| self.format.border(), |start| self.components(texels, start))
    }

    /// Loads the components of the texel at byte offset `start`.
    #[inline]
    fn components(&self, texels: Texels<'_>, start: u64) -> [u32; 4] {
        let Format { component, .. } = self.format;
        let size = self.format.bytes() as u32;
        let load = |n: u32| texels.load(start + u64::from(8 * n), size.min(8)).unwrap_or(0);
        let (low, high) = (load(0), if size > 8 { load(1) } else { 0 });
        let parts = match component.bytes() {
            1 => (low as u32).to_le_bytes().map(u32::from),
            2 => [low, low >> 16, low >> 32, low >> 48].map(|bits| u32::from(bits as u16)),
            _ => [low, low >> 32, high, high >> 32].map(|bits| bits as u32),
        };
        let mut colours = self.format.colours(component.widen(parts));
        if self.format.is_srgb() {
            for colour in &mut colours[..3] {
                *colour = linear(f32::from_bits(*colour)).to_bits();
            }
        }
        colours
    }

    /// Stores the four components of a texel. Outside the image, reports the access to the observer
    /// and returns false.
    #[inline]
    pub fn store(&self, texels: Texels<'_>, texel: impl Into<Texel>, components: [u32; 4]) -> bool {
        self.store_some(texels, texel, (components, 0b1111))
    }

    /// Stores some components of a texel, as [`Image::store`]: those whose bits are set.
    pub fn store_some(&self, texels: Texels<'_>, texel: impl Into<Texel>, components: ([u32; 4], u32)) -> bool {
        let Some(start) = self.offset(texel) else {
            // Kernels store to every level of an image as if it had the size of level 0.
            if self.desc.levels <= 1 {
                texels.tell_outside(AccessKind::Store, self.format.bytes() as u32);
            }
            return false;
        };
        let (mut colours, given) = components;
        if self.format.is_srgb() {
            for colour in &mut colours[..3] {
                *colour = encoded(f32::from_bits(*colour)).to_bits();
            }
        }
        let (stored, count) = (self.format.stored(), self.format.order.parts());
        let parts = self.format.component.narrow(stored.map(|colour| colours[usize::from(colour) & 3]));
        let is_given = |n: &usize| given >> stored[*n] & 1 == 1;
        let bytes = self.format.component.bytes() as u32;
        if bytes < 4 && (0..count).all(|n| is_given(&n)) {
            let whole = parts[..count].iter().rev().fold(0, |whole, part| whole << (8 * bytes) | u64::from(*part));
            texels.store(start, self.format.bytes() as u32, whole);
            return true;
        }
        for n in (0..count).filter(is_given) {
            texels.store(start + n as u64 * u64::from(bytes), bytes, parts[n].into());
        }
        true
    }

    /// Returns the offset of byte `x` in row `y` of a two-dimensional image; `None` outside the
    /// image.
    #[inline]
    pub fn byte(&self, x: u32, y: u32) -> Option<u64> {
        let row = u64::from(self.desc.size[0]) * self.format.bytes() as u64;
        let inside = u64::from(x) < row && y < self.desc.size[1];
        inside.then(|| u64::from(y) * (row + self.gap()) + u64::from(x))
    }

    /// Returns the offset of a texel in the buffer; `None` outside the image.
    #[inline]
    pub fn offset(&self, texel: impl Into<Texel>) -> Option<u64> {
        let texel = texel.into();
        if self.is_plane() {
            let [x, y, _] = texel.place;
            return self.plane_offset(x, y).filter(|_| texel.level == 0 && texel.sample == 0);
        }
        let dense = self.index(texel)? * self.format.bytes() as u64;
        Some(dense + self.gap() * texel.place[1] as u64)
    }

    /// Returns true for a two-dimensional image without array, levels or samples, the most frequent
    /// kind.
    #[inline]
    pub(super) fn is_plane(&self) -> bool {
        let ImageDesc { dimensions, is_array, levels, samples, .. } = self.desc;
        dimensions == 2 && !is_array && levels == 1 && samples == 1
    }

    /// Returns the number of columns, rows and slices of an image with one level and one sample.
    /// The layers of an array stand after the dimensions, and unused ones are 1. Other images have
    /// none.
    #[inline]
    pub fn sides(&self) -> Option<[u32; 3]> {
        let ImageDesc { levels, samples, .. } = self.desc;
        (levels == 1 && samples == 1 && self.coordinates() <= 3).then(|| self.sides_of(0))
    }

    /// Returns the number of columns, rows and slices of a level, as [`Image::sides`].
    #[inline]
    fn sides_of(&self, level: u32) -> [u32; 3] {
        let ImageDesc { dimensions, is_array, layers, .. } = self.desc;
        let mut sides = [1; 3];
        sides[..dimensions].copy_from_slice(&self.desc.size_of(level)[..dimensions]);
        if is_array {
            sides[dimensions] = layers;
        }
        sides
    }

    /// Returns the number of coordinates of a texel: the dimensions, and one for an array.
    #[inline]
    pub fn coordinates(&self) -> usize {
        self.desc.dimensions + usize::from(self.desc.is_array)
    }

    /// Returns the offset of a texel of a plane.
    #[inline]
    fn plane_offset(&self, x: i64, y: i64) -> Option<u64> {
        let ImageDesc { size: [width, height, _], pitch, .. } = self.desc;
        // As unsigned numbers, negative coordinates are also out of range.
        let inside = (x as u64) < width.into() && (y as u64) < height.into();
        let bytes = self.format.bytes() as u64;
        inside.then(|| y as u64 * u64::from(pitch).max(u64::from(width) * bytes) + x as u64 * bytes)
    }

    /// Returns the padding in bytes between rows.
    fn gap(&self) -> u64 {
        let ImageDesc { size, dimensions, is_array, levels, pitch, .. } = self.desc;
        let is_plane = dimensions == 2 && !is_array && levels == 1;
        if is_plane { u64::from(pitch).saturating_sub(u64::from(size[0]) * self.format.bytes() as u64) } else { 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::buffer::Buffer;

    fn image(name: &str, size: [u32; 3], dimensions: usize, layers: Option<u32>) -> Image {
        let is_array = layers.is_some();
        let desc = ImageDesc { size, dimensions, is_array, layers: layers.unwrap_or(1), ..ImageDesc::default() };
        Image { buffer: 0, format: Format::from_name(name).unwrap(), desc }
    }

    #[test]
    fn texels_are_converted() {
        let image = image("bgra8unorm", [2, 1, 1], 2, None);
        let texels = Buffer::from_bytes(&[0, 51, 255, 102, 1, 2, 3, 4]);
        assert_eq!(image.load((&texels).into(), [0, 0, 9]).map(f32::from_bits), [1.0, 0.2, 0.0, 0.4]);
        assert_eq!(image.load((&texels).into(), [2, 0, 0]), [0; 4]);
        assert!(image.store((&texels).into(), [1, 0, 0], [2.0_f32, 0.5, -1.0, f32::NAN].map(f32::to_bits)));
        assert!(!image.store((&texels).into(), [0, 1, 0], [0; 4]));
        // The omitted components keep their values.
        assert!(image.store_some((&texels).into(), [0, 0, 0], ([0; 4], 0b0010)));
        assert_eq!(texels.to_bytes()[..4], [0, 0, 255, 102]);
        let outside = Texel { place: [2, 0, 0], ..Texel::default() };
        assert_eq!(image.load_inside((&texels).into(), outside), [0, 0, 0, 1.0_f32.to_bits()]);
        assert_eq!(texels.to_bytes()[4..], [0, 128, 255, 0]);
    }

    #[test]
    fn integers_saturate_and_missing_colours_are_constant() {
        let image = image("r8sint", [4, 1, 1], 1, Some(2));
        let texels = Buffer::zeros(8);
        assert!(image.store((&texels).into(), [3, 1, 0], [-1000_i32 as u32, 5, 5, 5]));
        assert_eq!(texels.to_bytes()[7], 0x80);
        assert_eq!(image.load((&texels).into(), [3, 1, 0]), [-128_i32 as u32, 0, 0, 1]);
        assert_eq!(image.load((&texels).into(), [0, 2, 0]), [0, 0, 0, 1]);
    }

    #[test]
    fn levels_follow_each_other_and_samples_stand_side_by_side() {
        let mut image = image("r8uint", [5, 3, 1], 2, Some(2));
        image.desc.levels = 3;
        // 30 texels, then two layers of 2x1, then two layers of 1x1.
        assert_eq!((image.desc.texels(), image.desc.most_levels(), image.desc.size_of(1)), (36, 3, [2, 1, 1]));
        let texels = Buffer::from_bytes(&(0..36).collect::<Vec<_>>());
        let at = |place, level| image.load((&texels).into(), Texel { place, level, sample: 0 })[0];
        assert_eq!([at([4, 2, 1], 0), at([1, 0, 1], 1), at([0, 0, 1], 2), at([2, 0, 0], 1)], [29, 33, 35, 0]);
        assert_eq!(at([0; 3], 3), 0);
        image.desc = ImageDesc { size: [3, 2, 1], samples: 4, ..ImageDesc::default() };
        assert_eq!(image.desc.texels(), 24);
        let texel = |sample| Texel { place: [2, 1, 0], level: 0, sample };
        assert_eq!([0, 3, 4].map(|sample| image.load((&texels).into(), texel(sample))[0]), [20, 23, 0]);
        assert!(
            image.store((&texels).into(), texel(1), [77, 0, 0, 0])
                && !image.store((&texels).into(), texel(4), [0; 4])
        );
        assert_eq!(texels.to_bytes()[21], 77);
    }

    #[test]
    fn rows_have_a_pitch() {
        let mut image = image("r8uint", [2, 2, 1], 2, None);
        image.desc.pitch = 5;
        let texels = Buffer::from_bytes(&[1, 2, 90, 91, 92, 3, 4]);
        let at = |x, y| image.load((&texels).into(), [x, y, 0])[0];
        assert_eq!([at(0, 0), at(1, 0), at(0, 1), at(1, 1), at(2, 0)], [1, 2, 3, 4, 0]);
        assert!(image.store((&texels).into(), [1, 1, 0], [7; 4]));
        assert_eq!((texels.to_bytes()[6], image.byte(1, 1), image.byte(2, 0)), (7, Some(6), None));
    }

    #[test]
    fn srgb_goes_both_ways() {
        let image = image("srgba8unorm", [1, 1, 1], 2, None);
        let texels = Buffer::from_bytes(&[188, 10, 255, 7]);
        let components = image.load((&texels).into(), [0; 3]);
        assert!((f32::from_bits(components[0]) - 0.5029).abs() < 1e-3);
        assert!(image.store((&texels).into(), [0; 3], components));
        assert_eq!(texels.to_bytes(), [188, 10, 255, 7]);
    }
}
