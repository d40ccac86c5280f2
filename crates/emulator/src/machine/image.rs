//! Images: texels of many formats in a buffer. How samplers read them is in [`crate::machine::sampler`].

use half::f16;

use crate::machine::observer::AccessKind;
use crate::machine::texels::Texels;

/// How many components a texel has and what they mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are OpenCL's")]
pub enum ComponentOrder {
    R,
    Rg,
    Rgba,
    Bgra,
    Argb,
    Abgr,
    A,
    Luminance,
    Intensity,
    Depth,
    Srgba,
    Sbgra,
}

/// What a component of a texel is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are OpenCL's")]
pub enum ComponentType {
    Unorm8,
    Unorm16,
    Snorm8,
    Snorm16,
    Uint8,
    Uint16,
    Uint32,
    Sint8,
    Sint16,
    Sint32,
    Half,
    Float,
}

/// The format of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    /// The order of the parts.
    pub order: ComponentOrder,
    /// Their type.
    pub component: ComponentType,
}

/// Names of orders as formats begin with, and their OpenCL numbers.
const ORDERS: [(&str, ComponentOrder, u32); 12] = [
    ("rgba", ComponentOrder::Rgba, 0x10b5),
    ("bgra", ComponentOrder::Bgra, 0x10b6),
    ("argb", ComponentOrder::Argb, 0x10b7),
    ("abgr", ComponentOrder::Abgr, 0x10c3),
    ("srgba", ComponentOrder::Srgba, 0x10c1),
    ("sbgra", ComponentOrder::Sbgra, 0x10c2),
    ("rg", ComponentOrder::Rg, 0x10b2),
    ("r", ComponentOrder::R, 0x10b0),
    ("a", ComponentOrder::A, 0x10b1),
    ("luminance", ComponentOrder::Luminance, 0x10b9),
    ("intensity", ComponentOrder::Intensity, 0x10b8),
    ("depth", ComponentOrder::Depth, 0x10bd),
];

/// Names of parts as formats end with, and their OpenCL numbers.
const COMPONENTS: [(&str, ComponentType, u32); 12] = [
    ("8unorm", ComponentType::Unorm8, 0x10d2),
    ("16unorm", ComponentType::Unorm16, 0x10d3),
    ("8snorm", ComponentType::Snorm8, 0x10d0),
    ("16snorm", ComponentType::Snorm16, 0x10d1),
    ("8uint", ComponentType::Uint8, 0x10da),
    ("16uint", ComponentType::Uint16, 0x10db),
    ("32uint", ComponentType::Uint32, 0x10dc),
    ("8sint", ComponentType::Sint8, 0x10d7),
    ("16sint", ComponentType::Sint16, 0x10d8),
    ("32sint", ComponentType::Sint32, 0x10d9),
    ("16f", ComponentType::Half, 0x10dd),
    ("32f", ComponentType::Float, 0x10de),
];

impl Format {
    /// A format by its name: an order and a component's type, such as `rgba8unorm` or `r32f`.
    pub fn from_name(name: &str) -> Option<Self> {
        ORDERS.iter().find_map(|&(prefix, order, _)| {
            let rest = name.strip_prefix(prefix)?;
            let component = COMPONENTS.iter().find(|(suffix, ..)| *suffix == rest)?.1;
            Some(Self { order, component })
        })
    }

    /// Its name.
    pub fn name(self) -> String {
        let order = ORDERS.iter().find(|(_, order, _)| *order == self.order).map_or("", |order| order.0);
        let component = COMPONENTS.iter().find(|(_, component, _)| *component == self.component);
        format!("{order}{}", component.map_or("", |component| component.0))
    }

    /// All formats that have a name.
    pub fn all() -> impl Iterator<Item = Self> {
        let of = |order| COMPONENTS.iter().map(move |&(_, component, _)| Self { order, component });
        ORDERS.iter().flat_map(move |&(_, order, _)| of(order))
    }

    /// What formats are called, for messages.
    pub fn names() -> String {
        let orders: Vec<_> = ORDERS.iter().map(|order| order.0).collect();
        let parts: Vec<_> = COMPONENTS.iter().map(|component| component.0).collect();
        format!("{} followed by {}", orders.join("|"), parts.join("|"))
    }

    /// OpenCL's number of the order.
    pub fn order_number(self) -> u32 {
        ORDERS.iter().find(|(_, order, _)| *order == self.order).map_or(0, |order| order.2)
    }

    /// OpenCL's number of the parts' type.
    pub fn component_number(self) -> u32 {
        COMPONENTS.iter().find(|(_, component, _)| *component == self.component).map_or(0, |component| component.2)
    }

    /// Bytes of a texel.
    pub fn bytes(self) -> usize {
        self.parts() * self.component.bytes()
    }

    /// Whether registers hold its parts as integers rather than as F.
    pub fn is_integer(self) -> bool {
        self.component.is_integer()
    }

    fn parts(self) -> usize {
        match self.order {
            ComponentOrder::R
            | ComponentOrder::A
            | ComponentOrder::Luminance
            | ComponentOrder::Intensity
            | ComponentOrder::Depth => 1,
            ComponentOrder::Rg => 2,
            _ => 4,
        }
    }

    fn is_srgb(self) -> bool {
        matches!(self.order, ComponentOrder::Srgba | ComponentOrder::Sbgra)
    }

    /// For red, green, blue and alpha, the component of the texel that it comes from.
    fn sources(self) -> [Source; 4] {
        use Source::{Component, One, Zero};
        match self.order {
            ComponentOrder::R | ComponentOrder::Depth => [Component(0), Zero, Zero, One],
            ComponentOrder::Rg => [Component(0), Component(1), Zero, One],
            ComponentOrder::Rgba | ComponentOrder::Srgba => [Component(0), Component(1), Component(2), Component(3)],
            ComponentOrder::Bgra | ComponentOrder::Sbgra => [Component(2), Component(1), Component(0), Component(3)],
            ComponentOrder::Argb => [Component(1), Component(2), Component(3), Component(0)],
            ComponentOrder::Abgr => [Component(3), Component(2), Component(1), Component(0)],
            ComponentOrder::A => [Zero, Zero, Zero, Component(0)],
            ComponentOrder::Luminance => [Component(0), Component(0), Component(0), One],
            ComponentOrder::Intensity => [Component(0); 4],
        }
    }

    /// A texel whose parts are all zero: what is beyond the edge.
    fn border(self) -> [u32; 4] {
        let one = if self.component.is_integer() { 1 } else { 1.0_f32.to_bits() };
        self.sources().map(|source| if source == Source::One { one } else { 0 })
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Source {
    Component(usize),
    Zero,
    One,
}

impl ComponentType {
    fn bytes(self) -> usize {
        match self {
            Self::Unorm8 | Self::Snorm8 | Self::Uint8 | Self::Sint8 => 1,
            Self::Unorm16 | Self::Snorm16 | Self::Uint16 | Self::Sint16 | Self::Half => 2,
            Self::Uint32 | Self::Sint32 | Self::Float => 4,
        }
    }

    /// Whether registers hold it as an integer rather than as F.
    fn is_integer(self) -> bool {
        matches!(self, Self::Uint8 | Self::Uint16 | Self::Uint32 | Self::Sint8 | Self::Sint16 | Self::Sint32)
    }

    /// The register's bits for a component's bits.
    fn widen(self, bits: u32) -> u32 {
        let norm = |value: f32, most: f32| (value / most).max(-1.0).to_bits();
        match self {
            Self::Unorm8 => norm(bits as f32, 255.0),
            Self::Unorm16 => norm(bits as f32, 65535.0),
            Self::Snorm8 => norm((bits as i8).into(), 127.0),
            Self::Snorm16 => norm((bits as i16).into(), 32767.0),
            Self::Uint8 | Self::Uint16 | Self::Uint32 | Self::Sint32 | Self::Float => bits,
            Self::Sint8 => i32::from(bits as i8) as u32,
            Self::Sint16 => i32::from(bits as i16) as u32,
            Self::Half => f16::from_bits(bits as u16).to_f32().to_bits(),
        }
    }

    /// A component's bits for what a register holds; integers and normalised numbers saturate.
    fn narrow(self, bits: u32) -> u32 {
        let float = f32::from_bits(bits);
        // The conversion to an integer cuts NaN to zero and saturates.
        let norm = |least: f32, most: f32| (float.clamp(least, 1.0) * most).round_ties_even() as i32 as u32;
        match self {
            Self::Unorm8 => norm(0.0, 255.0) & 0xff,
            Self::Unorm16 => norm(0.0, 65535.0) & 0xffff,
            Self::Snorm8 => norm(-1.0, 127.0) & 0xff,
            Self::Snorm16 => norm(-1.0, 32767.0) & 0xffff,
            Self::Uint8 => bits.min(0xff),
            Self::Uint16 => bits.min(0xffff),
            Self::Uint32 | Self::Sint32 | Self::Float => bits,
            Self::Sint8 => (bits as i32).clamp(-0x80, 0x7f) as u32 & 0xff,
            Self::Sint16 => (bits as i32).clamp(-0x8000, 0x7fff) as u32 & 0xffff,
            Self::Half => f16::from_f32(float).to_bits().into(),
        }
    }
}

/// What an image is made of, its format apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageDesc {
    /// Width, height and depth; 1 for dimensions that it has not.
    pub size: [u32; 3],
    /// How many of the coordinates are dimensions; the next one is the index in an array.
    pub dimensions: usize,
    /// Whether it is an array of images.
    pub is_array: bool,
    /// Number of images in the array; 1 for other images.
    pub layers: u32,
    /// Number of levels, each half as large as the one before; they follow each other.
    pub levels: u32,
    /// Number of samples of a texel, which stand side by side.
    pub samples: u32,
    /// Bytes from a row to the next of an image of two dimensions and one level; 0 where nothing stands between rows.
    pub pitch: u32,
}

impl Default for ImageDesc {
    fn default() -> Self {
        Self { size: [1; 3], dimensions: 2, is_array: false, layers: 1, levels: 1, samples: 1, pitch: 0 }
    }
}

impl ImageDesc {
    /// Number of texels, or of samples where there are several of each, of all levels.
    pub fn texels(&self) -> u64 {
        (0..self.levels.min(MAX_LEVELS)).fold(0, |sum: u64, level| sum.saturating_add(self.texels_of(level)))
    }

    /// Width, height and depth of a level.
    pub fn size_of(&self, level: u32) -> [u32; 3] {
        self.size.map(|side| side.checked_shr(level).unwrap_or(0).max(1))
    }

    /// The most levels that an image of this size can have: the last one is a single texel.
    pub fn most_levels(&self) -> u32 {
        self.size.iter().max().map_or(1, |side| side.max(&1).ilog2() + 1)
    }

    fn texels_of(&self, level: u32) -> u64 {
        let size = self.size_of(level);
        let sides = size.iter().chain([&self.layers, &self.samples]);
        sides.fold(1, |texels, &side| texels.saturating_mul(side.into()))
    }
}

/// A side has 32 bits.
const MAX_LEVELS: u32 = 32;

/// Which texel of an image.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Texel {
    /// Column, row and slice; what is behind the dimensions is the index in an array.
    pub place: [i64; 3],
    /// Level.
    pub level: u32,
    /// Number of the sample.
    pub sample: u32,
}

impl From<[i64; 3]> for Texel {
    fn from(place: [i64; 3]) -> Self {
        Self { place, ..Self::default() }
    }
}

/// An image that a launch has bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Image {
    /// Index of the buffer with its texels.
    pub buffer: usize,
    /// Format of the texels.
    pub format: Format,
    /// Size.
    pub desc: ImageDesc,
}

impl Image {
    /// The texel's index when nothing stands between rows; `None` outside of the image.
    fn index(&self, texel: Texel) -> Option<u64> {
        let ImageDesc { dimensions, is_array, layers, levels, samples, .. } = self.desc;
        let Texel { place, level, sample } = texel;
        if level >= levels || sample >= samples {
            return None;
        }
        let size = self.desc.size_of(level);
        let mut sides = [1; 3];
        sides[..dimensions].copy_from_slice(&size[..dimensions]);
        if is_array {
            sides[dimensions] = layers;
        }
        let used = dimensions + usize::from(is_array);
        let mut index = 0;
        for d in (0..used).rev() {
            let at = u64::try_from(place[d]).ok().filter(|&at| at < u64::from(sides[d]))?;
            index = index * u64::from(sides[d]) + at;
        }
        let before: u64 = (0..level).map(|level| self.desc.texels_of(level)).sum();
        Some(before + index * u64::from(samples) + u64::from(sample))
    }

    /// The same of a place that has to be in the image: those who watch learn of one that is not.
    pub fn load_inside(&self, texels: Texels<'_>, texel: Texel) -> [u32; 4] {
        if self.offset(texel).is_none() {
            texels.tell_outside(AccessKind::Load, self.format.bytes() as u32);
        }
        self.load(texels, texel)
    }

    /// The four components of a texel, as registers hold them. Outside of the image all parts are zero.
    pub fn load(&self, texels: Texels<'_>, texel: impl Into<Texel>) -> [u32; 4] {
        let Some(start) = self.offset(texel) else { return self.format.border() };
        let bytes = self.format.component.bytes() as u32;
        let part = |n: usize| {
            let bits = texels.load(start + (n as u64) * u64::from(bytes), bytes).unwrap_or(0) as u32;
            self.format.component.widen(bits)
        };
        let one = if self.format.component.is_integer() { 1 } else { 1.0_f32.to_bits() };
        let mut components = self.format.sources().map(|source| match source {
            Source::Component(n) => part(n),
            Source::Zero => 0,
            Source::One => one,
        });
        if self.format.is_srgb() {
            for colour in &mut components[..3] {
                *colour = linear(f32::from_bits(*colour)).to_bits();
            }
        }
        components
    }

    /// Whether there is such a texel; writes its four components, and else tells those who watch.
    pub fn store(&self, texels: Texels<'_>, texel: impl Into<Texel>, mut components: [u32; 4]) -> bool {
        let Some(start) = self.offset(texel) else {
            // Kernels write all levels of an image as if they were as large as the first.
            if self.desc.levels <= 1 {
                texels.tell_outside(AccessKind::Store, self.format.bytes() as u32);
            }
            return false;
        };
        if self.format.is_srgb() {
            for colour in &mut components[..3] {
                *colour = encoded(f32::from_bits(*colour)).to_bits();
            }
        }
        let bytes = self.format.component.bytes() as u32;
        let mut written = [false; 4];
        for (source, colour) in self.format.sources().into_iter().zip(components) {
            if let Source::Component(n) = source
                && !std::mem::replace(&mut written[n], true)
            {
                let bits = self.format.component.narrow(colour);
                texels.store(start + n as u64 * u64::from(bytes), bytes, bits.into());
            }
        }
        true
    }

    /// Offset of a byte of a row of a two-dimensional image. `None` outside of it.
    pub fn byte(&self, x: u32, y: u32) -> Option<u64> {
        let row = u64::from(self.desc.size[0]) * self.format.bytes() as u64;
        let inside = u64::from(x) < row && y < self.desc.size[1];
        inside.then(|| u64::from(y) * (row + self.gap()) + u64::from(x))
    }

    /// Offset of a texel in the buffer. `None` outside of the image.
    pub fn offset(&self, texel: impl Into<Texel>) -> Option<u64> {
        let texel = texel.into();
        let dense = self.index(texel)? * self.format.bytes() as u64;
        Some(dense + self.gap() * texel.place[1] as u64)
    }

    /// Bytes between the end of a row and the next one.
    fn gap(&self) -> u64 {
        let ImageDesc { size, dimensions, is_array, levels, pitch, .. } = self.desc;
        let is_plane = dimensions == 2 && !is_array && levels == 1;
        if is_plane { u64::from(pitch).saturating_sub(u64::from(size[0]) * self.format.bytes() as u64) } else { 0 }
    }
}

/// From the curve of sRGB to intensity.
fn linear(value: f32) -> f32 {
    if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
}

/// From intensity to the curve of sRGB.
fn encoded(value: f32) -> f32 {
    let value = if value.is_nan() { 0.0 } else { value.clamp(0.0, 1.0) };
    if value < 0.003_130_8 { value * 12.92 } else { 1.055 * value.powf(1.0 / 2.4) - 0.055 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::buffer::Buffer;

    fn image(name: &str, size: [u32; 3], dimensions: usize, layers: Option<u32>) -> Image {
        let is_array = layers.is_some();
        let desc = ImageDesc { size, dimensions, is_array, layers: layers.unwrap_or(1), ..ImageDesc::default() };
        Image { buffer: 0, format: Format::from_name(name).unwrap(), desc }
    }

    #[test]
    fn formats_have_names() {
        for (name, bytes) in [("r8unorm", 1), ("rg16f", 4), ("rgba32f", 16), ("bgra8unorm", 4), ("a8unorm", 1)] {
            assert_eq!(Format::from_name(name).map(Format::bytes), Some(bytes), "{name}");
        }
        assert!(Format::all().all(|format| Format::from_name(&format.name()) == Some(format)));
        assert_eq!(Format::from_name("rgb8unorm"), None);
        assert_eq!(Format::from_name("r"), None);
        let format = Format::from_name("srgba8unorm").unwrap();
        assert_eq!((format.order_number(), format.component_number()), (0x10c1, 0x10d2));
    }

    #[test]
    fn texels_are_converted() {
        let image = image("bgra8unorm", [2, 1, 1], 2, None);
        let texels = Buffer::from_bytes(&[0, 51, 255, 102, 1, 2, 3, 4]);
        assert_eq!(image.load((&texels).into(), [0, 0, 9]).map(f32::from_bits), [1.0, 0.2, 0.0, 0.4]);
        assert_eq!(image.load((&texels).into(), [2, 0, 0]), [0; 4]);
        assert!(image.store((&texels).into(), [1, 0, 0], [2.0_f32, 0.5, -1.0, f32::NAN].map(f32::to_bits)));
        assert!(!image.store((&texels).into(), [0, 1, 0], [0; 4]));
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
        // 30 texels, then two layers of 2x1, then two of 1x1.
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
