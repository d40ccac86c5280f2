//! Samplers: selection of the mip level, addressing of texels, and filtering.
//!
//! The code implements the equations of the OpenCL specification ("Image Addressing and Filtering",
//! and for levels "cl_khr_mipmap_image") and OpenGL's comparisons, because the public documents of
//! the instruction set omit them.

use crate::image::{Image, Texel};
use crate::observer::AccessKind;
use crate::texels::Texels;

/// Treatment of coordinates outside the image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Addressing {
    /// Undefined and reported to the observer; returns the border colour.
    None,
    /// Border colour.
    Clamp,
    /// Nearest edge texel.
    ClampToEdge,
    /// Repeated image.
    Repeat,
    /// Repeated image, with every other repetition mirrored.
    Mirror,
}

/// Comparison of the reference with a texel; the result is 1 if it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are self-explanatory")]
pub enum Compare {
    Never,
    Less,
    Equal,
    LessOrEqual,
    Greater,
    NotEqual,
    GreaterOrEqual,
    Always,
}

/// Names of the comparisons.
pub const COMPARISONS: [(&str, Compare); 8] = [
    ("never", Compare::Never),
    ("less", Compare::Less),
    ("equal", Compare::Equal),
    ("less_or_equal", Compare::LessOrEqual),
    ("greater", Compare::Greater),
    ("not_equal", Compare::NotEqual),
    ("greater_or_equal", Compare::GreaterOrEqual),
    ("always", Compare::Always),
];

impl Compare {
    fn holds(self, reference: f32, texel: f32) -> bool {
        match self {
            Self::Never => false,
            Self::Less => reference < texel,
            Self::Equal => reference == texel,
            Self::LessOrEqual => reference <= texel,
            Self::Greater => reference > texel,
            Self::NotEqual => reference != texel,
            Self::GreaterOrEqual => reference >= texel,
            Self::Always => true,
        }
    }

    /// Returns the result of comparing a reference with the red component, as the bits of F.
    fn result(self, reference: f32, components: [u32; 4]) -> u32 {
        if self.holds(reference, f32::from_bits(components[0])) { 1.0_f32.to_bits() } else { 0 }
    }
}

/// Sampler state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sampler {
    /// Treatment of coordinates outside the image.
    pub addressing: Addressing,
    /// True for linear filtering within a level; false for nearest.
    pub linear: bool,
    /// True if coordinates range from 0 to 1.
    pub normalized: bool,
    /// True if neighbouring levels are interpolated; false if the nearest level is used.
    pub mix_levels: bool,
    /// Lowest and highest level of detail.
    pub levels: (f32, f32),
    /// Comparison function of comparing messages.
    pub compare: Compare,
}

impl Default for Sampler {
    fn default() -> Self {
        Self {
            addressing: Addressing::None,
            linear: false,
            normalized: false,
            mix_levels: false,
            levels: (0.0, f32::MAX),
            compare: Compare::Never,
        }
    }
}

/// Sample position of a message.
#[derive(Clone, Copy, Debug, Default)]
pub struct SamplePoint {
    /// Coordinates; the one after the dimensions is the array index.
    pub coordinates: [f32; 3],
    /// Texel offsets, added to the coordinates.
    pub shift: [i64; 3],
    /// Level of detail.
    pub lod: f32,
    /// Reference value for a comparison with red; `None` for messages that return components.
    pub reference: Option<f32>,
}

/// Sample position along one axis: lower texel, upper texel, weight of the upper texel.
type Axis = (i64, i64, f64);

impl Sampler {
    /// Returns the level of detail for coordinate gradients along two directions.
    #[inline]
    pub fn lod_of(&self, image: &Image, gradients: [[f64; 3]; 2]) -> f32 {
        let length = |gradient: [f64; 3]| {
            let sides = gradient.into_iter().zip(image.desc.size).take(image.desc.dimensions);
            let texels = sides.map(|(g, side)| if self.normalized { g * f64::from(side) } else { g });
            texels.map(|g| g * g).sum::<f64>()
        };
        // The logarithm of a square root is half the logarithm of its argument.
        (0.5 * gradients.map(length).into_iter().fold(0.0, f64::max).log2()) as f32
    }

    /// Clamps a level of detail to the range of the sampler and to the levels of the image.
    #[inline]
    pub fn clamped(&self, image: &Image, lod: f32) -> f32 {
        let last = image.desc.levels.saturating_sub(1) as f32;
        // NaN selects level 0.
        let lod = if lod.is_nan() { 0.0 } else { lod };
        lod.max(self.levels.0).min(self.levels.1).clamp(0.0, last)
    }

    /// Returns the four components at a position, or the comparison result in red.
    #[inline]
    pub fn sample(&self, image: &Image, texels: Texels<'_>, place: &SamplePoint) -> [u32; 4] {
        let is_plain = !self.linear && self.addressing != Addressing::None && place.reference.is_none();
        if is_plain && image.is_plane() {
            // Fast path for the most frequent kind of read.
            let nearest = |d: usize| {
                let size = image.desc.size[d];
                self.nearest(self.along(place.coordinates[d], place.shift[d], size), size)
            };
            return image.load_plane(texels, nearest(0), nearest(1));
        }
        if image.desc.levels <= 1 {
            return self.sample_level(image, texels, place, 0);
        }
        let lod = self.clamped(image, place.lod);
        if !self.mix_levels {
            return self.sample_level(image, texels, place, nearest_level(lod));
        }
        let (low, part) = (lod.floor(), lod - lod.floor());
        let first = self.sample_level(image, texels, place, low as u32);
        if part == 0.0 || image.format.is_integer() {
            return first;
        }
        let second = self.sample_level(image, texels, place, low as u32 + 1);
        std::array::from_fn(|c| {
            let [a, b] = [first[c], second[c]].map(f32::from_bits);
            (a * (1.0 - part) + b * part).to_bits()
        })
    }

    fn sample_level(&self, image: &Image, texels: Texels<'_>, place: &SamplePoint, level: u32) -> [u32; 4] {
        let dimensions = image.desc.dimensions;
        let mut fixed = layer(image, place);
        let size = image.desc.size_of(level);
        let read = |at: [i64; 3]| {
            let components = image.load(texels, Texel { place: at, level, sample: 0 });
            match place.reference {
                None => components,
                Some(reference) => [self.compare.result(reference, components), 0, 0, 1.0_f32.to_bits()],
            }
        };
        let along = |d: usize| self.along(place.coordinates[d], place.shift[d], size[d]);
        let is_outside = |d: usize| !(0..i64::from(size[d])).contains(&self.nearest(along(d), size[d]));
        if self.addressing == Addressing::None && (0..dimensions).any(is_outside) {
            texels.tell_outside(AccessKind::Load, image.format.bytes() as u32);
        }
        if !self.linear || image.format.is_integer() {
            for (d, at) in fixed.iter_mut().enumerate().take(dimensions) {
                *at = self.nearest(along(d), size[d]);
            }
            return read(fixed);
        }
        let mut axes: [Axis; 3] = [(0, 0, 0.0); 3];
        for (d, axis) in axes.iter_mut().enumerate().take(dimensions) {
            *axis = self.neighbours(along(d), size[d]);
        }
        // Double precision makes the filter return equal texels unchanged for any weights; kernels
        // compare such results.
        let mut sum = [0.0_f64; 4];
        for corner in 0..1_usize << dimensions {
            let mut weight = 1.0;
            let mut at = fixed;
            for (d, &(low, high, part)) in axes.iter().enumerate().take(dimensions) {
                let upper = corner >> d & 1 == 1;
                at[d] = if upper { high } else { low };
                weight *= if upper { part } else { 1.0 - part };
            }
            if weight == 0.0 {
                continue;
            }
            for (sum, colour) in sum.iter_mut().zip(read(at)) {
                *sum += weight * f64::from(f32::from_bits(colour));
            }
        }
        sum.map(|colour| (colour as f32).to_bits())
    }

    /// Returns one component of the four texels of a linear filter: lower left, lower right, upper
    /// right, upper left.
    pub fn gather(&self, image: &Image, texels: Texels<'_>, place: &SamplePoint, colour: usize) -> [u32; 4] {
        let level = nearest_level(self.clamped(image, place.lod));
        let size = image.desc.size_of(level);
        let fixed = layer(image, place);
        let [u, v] = [0, 1].map(|d| {
            if d < image.desc.dimensions {
                self.neighbours(self.along(place.coordinates[d], place.shift[d], size[d]), size[d])
            } else {
                (fixed[d], fixed[d], 0.0)
            }
        });
        [(u.0, v.1), (u.1, v.1), (u.1, v.0), (u.0, v.0)].map(|(x, y)| {
            let components = image.load(texels, Texel { place: [x, y, fixed[2]], level, sample: 0 });
            match place.reference {
                None => components[colour],
                Some(reference) => self.compare.result(reference, components),
            }
        })
    }

    /// Maps NaN to zero and clamps far coordinates; the bounds are outside every image.
    #[inline]
    fn bounded(coordinate: f32) -> f64 {
        if coordinate.is_nan() { 0.0 } else { f64::from(coordinate).clamp(-1.0e9, 1.0e9) }
    }

    /// Returns a position in texels along an axis of `size` texels.
    #[inline]
    fn along(&self, coordinate: f32, shift: i64, size: u32) -> Along {
        let s = Self::bounded(coordinate);
        let (texels, size) = (if self.normalized { s * f64::from(size) } else { s }, i64::from(size));
        if self.addressing != Addressing::Mirror {
            return Along { texels, added: shift };
        }
        // Measure the position from the start of the nearest unmirrored image, and mirror it if it
        // is negative.
        let period = 2 * size;
        let images = ((texels + shift as f64) / period as f64).round_ties_even() as i64;
        let added = shift - images * period;
        if floor(texels) + added >= 0 { Along { texels, added } } else { Along { texels: -texels, added: -added } }
    }

    /// Returns the texel that contains a position along an axis of `size` texels.
    #[inline]
    fn nearest(&self, along: Along, size: u32) -> i64 {
        self.fixed(floor(along.texels) + along.added, size)
    }

    /// Returns the texels to the left and right of a position along an axis of `size` texels, and
    /// the weight of the right one.
    #[inline]
    fn neighbours(&self, along: Along, size: u32) -> Axis {
        let left = along.texels - 0.5;
        let low = floor(left);
        let (weight, low) = (left - low as f64, low + along.added);
        (self.fixed(low, size), self.fixed(low.saturating_add(1), size), weight)
    }

    /// Applies the addressing mode to a texel index.
    #[inline]
    fn fixed(&self, texel: i64, size: u32) -> i64 {
        let size = i64::from(size);
        match self.addressing {
            Addressing::Repeat if !(0..size).contains(&texel) => texel.rem_euclid(size),
            Addressing::Mirror | Addressing::ClampToEdge => texel.clamp(0, size - 1),
            _ => texel,
        }
    }
}

/// Rounds a bounded number down. x86-64 baseline processors have no instruction for it; this code
/// needs none.
#[inline]
fn floor(number: f64) -> i64 {
    let towards_zero = number as i64;
    towards_zero - i64::from(number < towards_zero as f64)
}

/// Position along an axis: a coordinate in texels, and a separate integer offset to avoid rounding.
#[derive(Clone, Copy)]
struct Along {
    texels: f64,
    added: i64,
}

/// Returns the nearest level of a level of detail; ties go to the lower level.
fn nearest_level(lod: f32) -> u32 {
    ((f64::from(lod) + 0.5).ceil() - 1.0).max(0.0) as u32
}

/// Returns coordinates with the array index of a position after the dimensions, and zeros
/// elsewhere.
fn layer(image: &Image, place: &SamplePoint) -> [i64; 3] {
    let dimensions = image.desc.dimensions;
    let mut at = [0; 3];
    if image.desc.is_array {
        let last = i64::from(image.desc.layers) - 1;
        at[dimensions] = (place.coordinates[dimensions].round_ties_even() as i64).clamp(0, last);
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::buffer::Buffer;
    use crate::format::Format;
    use crate::image::ImageDesc;

    fn row(levels: u32, values: &[f32]) -> (Image, Buffer) {
        let desc = ImageDesc { size: [4, 1, 1], dimensions: 1, levels, ..ImageDesc::default() };
        let image = Image { buffer: 0, format: Format::from_name("r32f").unwrap(), desc };
        (image, Buffer::from_bytes(&values.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<_>>()))
    }

    #[test]
    fn samplers_address_and_mix() {
        let (image, texels) = row(1, &[1.0, 2.0, 3.0, 4.0]);
        let at = |addressing, linear, normalized, u: f32| {
            let sampler = Sampler { addressing, linear, normalized, ..Sampler::default() };
            let place = SamplePoint { coordinates: [u, 0.0, 0.0], ..SamplePoint::default() };
            f32::from_bits(sampler.sample(&image, (&texels).into(), &place)[0])
        };
        assert_eq!(at(Addressing::ClampToEdge, false, false, 9.5), 4.0);
        assert_eq!(at(Addressing::Clamp, false, false, -0.1), 0.0);
        assert_eq!(at(Addressing::Clamp, true, false, 4.0), 2.0);
        assert_eq!(at(Addressing::ClampToEdge, true, true, 0.25), 1.5);
        assert_eq!(at(Addressing::Repeat, false, true, 1.3), 2.0);
        assert_eq!(at(Addressing::Repeat, true, true, 0.0), 2.5);
        assert_eq!(at(Addressing::Mirror, false, true, 1.1), 4.0);
        assert_eq!(at(Addressing::Mirror, false, true, -0.3), 2.0);
        assert_eq!(at(Addressing::ClampToEdge, true, false, f32::NAN), 1.0);
    }

    #[test]
    fn texels_are_added_exactly() {
        let desc = ImageDesc { size: [49, 1, 1], dimensions: 1, ..ImageDesc::default() };
        let image = Image { buffer: 0, format: Format::from_name("r8uint").unwrap(), desc };
        let texels = Buffer::from_bytes(&(0..49).collect::<Vec<_>>());
        let at = |addressing, u: f32, shift: i64| {
            let sampler = Sampler { addressing, normalized: true, ..Sampler::default() };
            let place = SamplePoint { coordinates: [u, 0.0, 0.0], shift: [shift, 0, 0], ..SamplePoint::default() };
            i64::from(sampler.sample(&image, (&texels).into(), &place)[0])
        };
        // 1/49 is not exact in F, but the texel offset is an exact integer.
        for shift in 0..49 {
            for addressing in [Addressing::Clamp, Addressing::ClampToEdge, Addressing::Repeat, Addressing::Mirror] {
                assert_eq!(at(addressing, 0.0, shift), shift, "{addressing:?}");
                assert_eq!(at(addressing, 0.5, shift - 24), shift, "{addressing:?}");
            }
        }
        assert_eq!([at(Addressing::Repeat, 0.0, 49), at(Addressing::Repeat, -1.0e-30, 0)], [0, 48]);
        assert_eq!([at(Addressing::Mirror, 0.0, -1), at(Addressing::Mirror, 0.25, 49)], [1, 36]);
    }

    #[test]
    fn levels_are_chosen_and_mixed() {
        // Levels of 4, 2 and 1 texels.
        let (image, texels) = row(3, &[1.0, 2.0, 3.0, 4.0, 10.0, 20.0, 100.0]);
        let at = |mix_levels, levels, lod: f32| {
            let sampler = Sampler {
                addressing: Addressing::ClampToEdge,
                normalized: true,
                mix_levels,
                levels,
                ..Sampler::default()
            };
            let place = SamplePoint { coordinates: [0.8, 0.0, 0.0], lod, ..SamplePoint::default() };
            f32::from_bits(sampler.sample(&image, (&texels).into(), &place)[0])
        };
        let all = (0.0, f32::MAX);
        assert_eq!(
            [-3.0, 0.5, 0.51, 1.5, 7.0, f32::NAN].map(|lod| at(false, all, lod)),
            [4.0, 4.0, 20.0, 20.0, 100.0, 4.0]
        );
        assert_eq!([0.0, 0.25, 1.5, 2.5].map(|lod| at(true, all, lod)), [4.0, 8.0, 60.0, 100.0]);
        assert_eq!([-1.0, 9.0].map(|lod| at(false, (1.0, 1.2), lod)), [20.0, 20.0]);
        let sampler = Sampler { normalized: true, ..Sampler::default() };
        assert_eq!(sampler.lod_of(&image, [[0.5, 9.0, 9.0], [0.25, 0.0, 0.0]]), 1.0);
        assert_eq!(sampler.clamped(&image, sampler.lod_of(&image, [[0.0; 3]; 2])), 0.0);
    }

    #[test]
    fn comparisons_come_before_the_filter() {
        let (image, texels) = row(1, &[1.0, 2.0, 3.0, 4.0]);
        let at = |compare, linear, reference| {
            let sampler = Sampler { addressing: Addressing::ClampToEdge, linear, compare, ..Sampler::default() };
            let place =
                SamplePoint { coordinates: [1.75, 0.0, 0.0], reference: Some(reference), ..SamplePoint::default() };
            f32::from_bits(sampler.sample(&image, (&texels).into(), &place)[0])
        };
        let all = COMPARISONS.map(|(_, compare)| [1.5, 2.0, 3.0].map(|reference| at(compare, false, reference)));
        let passes = |holds: [u8; 3]| holds.map(f32::from);
        let expected = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0], [0, 0, 1], [1, 0, 1], [0, 1, 1], [1, 1, 1]];
        assert_eq!(all, expected.map(passes));
        assert_eq!(at(Compare::Greater, true, 2.5), 0.75, "the left texel has three quarters of the weight");
    }

    #[test]
    fn equal_texels_give_themselves() {
        let desc = ImageDesc { size: [64, 64, 1], dimensions: 2, ..ImageDesc::default() };
        let image = Image { buffer: 0, format: Format::from_name("r8unorm").unwrap(), desc };
        let texels = Buffer::from_bytes(&[77; 64 * 64]);
        let sampler = Sampler { addressing: Addressing::ClampToEdge, linear: true, ..Sampler::default() };
        for n in 0..500 {
            let coordinates = [0.1237 * n as f32, 63.9 - 0.1119 * n as f32, 0.0];
            let place = SamplePoint { coordinates, ..SamplePoint::default() };
            assert_eq!(f32::from_bits(sampler.sample(&image, (&texels).into(), &place)[0]), 77.0 / 255.0, "{n}");
        }
    }

    #[test]
    fn four_texels_of_one_colour() {
        let desc = ImageDesc { size: [3, 2, 1], dimensions: 2, ..ImageDesc::default() };
        let image = Image { buffer: 0, format: Format::from_name("rg8uint").unwrap(), desc };
        let texels = Buffer::from_bytes(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
        let sampler = Sampler { addressing: Addressing::ClampToEdge, ..Sampler::default() };
        let place = SamplePoint { coordinates: [1.0, 1.0, 0.0], ..SamplePoint::default() };
        assert_eq!(sampler.gather(&image, (&texels).into(), &place, 1), [7, 9, 3, 1]);
        let place = SamplePoint { shift: [1, -1, 0], ..place };
        assert_eq!(sampler.gather(&image, (&texels).into(), &place, 0), [2, 4, 4, 2]);
    }
}
