//! Image formats: layout of texels, and conversion between texel components and register values.

use half::f16;

use crate::lane::from_lanes;

/// Number and meaning of a texel's components.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are OpenCL's")]
pub enum ComponentOrder {
    /// This number of components. Red, green, blue and alpha are each the component of this number,
    /// [`ComponentOrder::ZERO`] or [`ComponentOrder::ONE`].
    Swizzle(u8, [u8; 4]),
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

/// Data type of a texel component.
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

/// Format of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    /// Component order.
    pub order: ComponentOrder,
    /// Component type.
    pub component: ComponentType,
}

/// Prefixes of format names, with component order and OpenCL number.
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

/// Suffixes of format names, with component type and OpenCL number.
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

impl ComponentOrder {
    /// Source of a colour that is zero.
    pub const ZERO: u8 = 4;
    /// Source of a colour that is one.
    pub const ONE: u8 = 5;

    /// Returns the order in which texels have this number of components and colours have these
    /// sources: a named one, if there is one.
    pub fn of_sources(parts: u8, sources: [u8; 4]) -> Self {
        let is_it = |order: &Self| order.parts() == usize::from(parts) && order.sources() == sources;
        let named = ORDERS.iter().map(|(_, order, _)| *order).find(is_it);
        named.unwrap_or(Self::Swizzle(parts, sources))
    }

    /// Returns the number of components of a texel.
    #[inline]
    pub(super) fn parts(self) -> usize {
        match self {
            Self::R | Self::A | Self::Luminance | Self::Intensity | Self::Depth => 1,
            Self::Rg => 2,
            Self::Swizzle(parts, _) => parts.into(),
            _ => 4,
        }
    }

    /// Returns the source of red, green, blue and alpha: the number of a texel component,
    /// [`ComponentOrder::ZERO`] or [`ComponentOrder::ONE`].
    #[inline]
    pub(super) fn sources(self) -> [u8; 4] {
        match self {
            Self::R | Self::Depth => [0, Self::ZERO, Self::ZERO, Self::ONE],
            Self::Rg => [0, 1, Self::ZERO, Self::ONE],
            Self::Rgba | Self::Srgba => [0, 1, 2, 3],
            Self::Bgra | Self::Sbgra => [2, 1, 0, 3],
            Self::Argb => [1, 2, 3, 0],
            Self::Abgr => [3, 2, 1, 0],
            Self::A => [Self::ZERO, Self::ZERO, Self::ZERO, 0],
            Self::Luminance => [0, 0, 0, Self::ONE],
            Self::Intensity => [0; 4],
            Self::Swizzle(_, sources) => sources,
        }
    }
}

impl Format {
    /// Returns the format with this name: a component order and a component type, such as
    /// `rgba8unorm` or `r32f`.
    pub fn from_name(name: &str) -> Option<Self> {
        ORDERS.iter().find_map(|&(prefix, order, _)| {
            let rest = name.strip_prefix(prefix)?;
            let component = COMPONENTS.iter().find(|(suffix, ..)| *suffix == rest)?.1;
            Some(Self { order, component })
        })
    }

    /// Returns the name of the format.
    pub fn name(self) -> String {
        let order = ORDERS.iter().find(|(_, order, _)| *order == self.order).map_or("", |order| order.0);
        let component = COMPONENTS.iter().find(|(_, component, _)| *component == self.component);
        format!("{order}{}", component.map_or("", |component| component.0))
    }

    /// Returns all formats that have a name.
    pub fn all() -> impl Iterator<Item = Self> {
        let of = |order| COMPONENTS.iter().map(move |&(_, component, _)| Self { order, component });
        ORDERS.iter().flat_map(move |&(_, order, _)| of(order))
    }

    /// Returns a description of all format names, for messages.
    pub fn names() -> String {
        let orders: Vec<_> = ORDERS.iter().map(|order| order.0).collect();
        let parts: Vec<_> = COMPONENTS.iter().map(|component| component.0).collect();
        format!("{} followed by {}", orders.join("|"), parts.join("|"))
    }

    /// Returns OpenCL's number of the component order.
    pub fn order_number(self) -> u32 {
        ORDERS.iter().find(|(_, order, _)| *order == self.order).map_or(0, |order| order.2)
    }

    /// Returns OpenCL's number of the component type.
    pub fn component_number(self) -> u32 {
        COMPONENTS.iter().find(|(_, component, _)| *component == self.component).map_or(0, |component| component.2)
    }

    /// Returns the size of a texel in bytes.
    #[inline]
    pub fn bytes(self) -> usize {
        self.order.parts() * self.component.bytes()
    }

    /// Returns true if registers hold the components as integers; false if as F.
    #[inline]
    pub fn is_integer(self) -> bool {
        self.component.is_integer()
    }

    #[inline]
    pub(super) fn is_srgb(self) -> bool {
        matches!(self.order, ComponentOrder::Srgba | ComponentOrder::Sbgra)
    }

    /// Returns, for each texel component, the number of the colour that is stored in it.
    #[inline]
    pub(super) fn stored(self) -> [u8; 4] {
        match self.order {
            ComponentOrder::Bgra | ComponentOrder::Sbgra => [2, 1, 0, 3],
            ComponentOrder::Argb => [3, 0, 1, 2],
            ComponentOrder::Abgr => [3, 2, 1, 0],
            ComponentOrder::A => [3; 4],
            ComponentOrder::Swizzle(_, sources) => std::array::from_fn(|component| {
                sources.iter().position(|&source| usize::from(source) == component).unwrap_or(component) as u8
            }),
            _ => [0, 1, 2, 3],
        }
    }

    /// Returns the register bits of one.
    #[inline]
    pub(super) fn one(self) -> u32 {
        if self.is_integer() { 1 } else { 1.0_f32.to_bits() }
    }

    /// Returns red, green, blue and alpha in register form, for the texel components in register
    /// form.
    #[inline]
    pub(super) fn colours(self, parts: [u32; 4]) -> [u32; 4] {
        let [a, b, c, d] = parts;
        // A power of two, so that no index is out of range.
        let values = [a, b, c, d, 0, self.one(), 0, 0];
        self.order.sources().map(|source| values[usize::from(source) & 7])
    }

    /// Returns the border colour, in register form: all texel components are zero.
    pub(super) fn border(self) -> [u32; 4] {
        self.colours([0; 4])
    }
}

/// Smallest F whose neighbours differ by 1, for positive and negative numbers added to it.
const ROUNDER: f32 = 1.5 * (1 << 23) as f32;

/// Applies a conversion to components, with one choice of their type.
macro_rules! for_each {
    ($type:ident, $convert:ident, $parts:ident) => {
        for_each!($type, $convert, $parts, Unorm8 Unorm16 Snorm8 Snorm16 Uint8 Uint16 Uint32 Sint8 Sint16 Sint32 Half Float)
    };
    ($type:ident, $convert:ident, $parts:ident, $($name:ident)*) => {
        match $type {
            $(Self::$name => from_lanes(|i| Self::$name.$convert($parts[i])),)*
        }
    };
}

impl ComponentType {
    #[inline]
    pub(super) fn bytes(self) -> usize {
        match self {
            Self::Unorm8 | Self::Snorm8 | Self::Uint8 | Self::Sint8 => 1,
            Self::Unorm16 | Self::Snorm16 | Self::Uint16 | Self::Sint16 | Self::Half => 2,
            Self::Uint32 | Self::Sint32 | Self::Float => 4,
        }
    }

    /// Returns true if registers hold the component as an integer; false if as F.
    #[inline]
    pub(super) fn is_integer(self) -> bool {
        matches!(self, Self::Uint8 | Self::Uint16 | Self::Uint32 | Self::Sint8 | Self::Sint16 | Self::Sint32)
    }

    /// Converts the bits of components to register bits.
    #[inline(always)]
    pub(super) fn widen<const N: usize>(self, parts: [u32; N]) -> [u32; N] {
        if let (5.., Self::Unorm8) = (N, self) {
            // For many components, divisions of vectors are faster than the table.
            return from_lanes(|i| ((parts[i] & 0xff) as i32 as f32 / 255.0).to_bits());
        }
        for_each!(self, wide, parts)
    }

    /// Converts register bits to the bits of components; integers and normalised values saturate.
    #[inline(always)]
    pub(super) fn narrow<const N: usize>(self, parts: [u32; N]) -> [u32; N] {
        for_each!(self, short, parts)
    }

    #[inline(always)]
    fn wide(self, bits: u32) -> u32 {
        let norm = |value: f32, most: f32| (value / most).max(-1.0).to_bits();
        match self {
            Self::Unorm8 => UNORM8[bits as usize & 0xff].to_bits(),
            Self::Unorm16 => norm(bits as f32, 65535.0),
            Self::Snorm8 => norm((bits as i8).into(), 127.0),
            Self::Snorm16 => norm((bits as i16).into(), 32767.0),
            Self::Uint8 | Self::Uint16 | Self::Uint32 | Self::Sint32 | Self::Float => bits,
            Self::Sint8 => i32::from(bits as i8) as u32,
            Self::Sint16 => i32::from(bits as i16) as u32,
            Self::Half => f16::from_bits(bits as u16).to_f32().to_bits(),
        }
    }

    #[inline(always)]
    fn short(self, bits: u32) -> u32 {
        let float = f32::from_bits(bits);
        // The sum has no bits for a fraction, so it is rounded, ties to even, and its low bits are
        // the integer. A cast would not be vectorised.
        let norm = |least: f32, most: f32| {
            let float = if float.is_nan() { 0.0 } else { float };
            (float.clamp(least, 1.0) * most + ROUNDER).to_bits().wrapping_sub(ROUNDER.to_bits())
        };
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

/// Values of 8-bit normalised components. A division would take as long as the rest of a texel
/// load.
static UNORM8: [f32; 256] = {
    let mut values = [0.0; 256];
    let mut byte = 0;
    while byte < 256 {
        values[byte] = byte as f32 / 255.0;
        byte += 1;
    }
    values
};

/// Converts an sRGB-encoded value to a linear one.
pub(super) fn linear(value: f32) -> f32 {
    if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
}

/// Converts a linear value to an sRGB-encoded one.
pub(super) fn encoded(value: f32) -> f32 {
    let value = if value.is_nan() { 0.0 } else { value.clamp(0.0, 1.0) };
    if value < 0.003_130_8 { value * 12.92 } else { 1.055 * value.powf(1.0 / 2.4) - 0.055 }
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn normalised_components_are_rounded_to_even() {
        for n in -70_000..=70_000 {
            let value = n as f32 / 65_000.0;
            let narrow = |component: ComponentType| component.narrow([value.to_bits(); 4])[0];
            let rounded = |least: f32, most: f32| (value.clamp(least, 1.0) * most).round_ties_even() as i32;
            assert_eq!(narrow(ComponentType::Unorm8) as i32, rounded(0.0, 255.0), "{value}");
            assert_eq!(narrow(ComponentType::Unorm16) as i32, rounded(0.0, 65535.0), "{value}");
            assert_eq!(i32::from(narrow(ComponentType::Snorm8) as i8), rounded(-1.0, 127.0), "{value}");
            assert_eq!(i32::from(narrow(ComponentType::Snorm16) as i16), rounded(-1.0, 32767.0), "{value}");
        }
        assert_eq!(ComponentType::Snorm16.narrow([f32::NAN.to_bits(); 4]), [0; 4]);
    }
}
