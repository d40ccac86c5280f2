//! Images: formats, sizes, and positions of texels.

use std::sync::Arc;

use visakit_emulator::launch::argument::Argument;
use visakit_emulator::limits::{IMAGE_LINE, IMAGE_SIDE};
use visakit_emulator::machine::format::{ComponentOrder, ComponentType, Format};
use visakit_emulator::machine::image::ImageDesc as Shape;
use visakit_runtime::base::storage::Storage;
use visakit_runtime::devices::description::max_allocation;
use visakit_runtime::programs::layout::Layout;

use crate::base::handle::kind;
use crate::base::result::*;
use crate::base::types::{ImageDesc, ImageFormat, ImageRegion};

/// Maximum depth and number of layers.
pub(crate) const MOST_LAYERS: u32 = 2048;

/// Image of the API.
pub(crate) struct Image {
    pub(crate) storage: Arc<Storage>,
    /// Number of the memory, which views share.
    pub(crate) id: u64,
    /// Offset of the first texel in the memory, in bytes.
    offset: usize,
    pub(crate) layout: Layout,
    /// True for two planes, brightness and colors, which kernels use through views.
    is_planar: bool,
}

kind!(Image);

/// Layout with a plane of brightness, and one of colors with half the sides, rounded up.
const NV12: u32 = 15;
/// Swizzles that are no color: zero, one, whatever suits, and the depth, which is the first
/// component.
const SWIZZLE_ZERO: u32 = 4;
const SWIZZLE_ONE: u32 = 5;
const SWIZZLE_ANY: u32 = 6;
const SWIZZLE_DEPTH: u32 = 7;
/// Format of a plane of brightness.
const BRIGHTNESS: Format = Format { order: ComponentOrder::R, component: ComponentType::Unorm8 };
/// Bytes of a texel of the plane of colors, which has two components.
const COLOR_BYTES: usize = 2;

/// Fails for a format of no image.
pub(crate) fn check_format(given: &ImageFormat) -> Result {
    if given.layout == NV12 { Ok(()) } else { format(given).map(drop) }
}

/// Returns the emulator's format.
///
/// # Errors
/// Fails for packed and planar layouts.
fn format(given: &ImageFormat) -> Result<Format> {
    use ComponentType::*;
    // Components, and types of each width, by the number of the type.
    let bytes = [Some(Uint8), Some(Sint8), Some(Unorm8), Some(Snorm8), None];
    let words = [Some(Uint16), Some(Sint16), Some(Unorm16), Some(Snorm16), Some(Half)];
    let longs = [Some(Uint32), Some(Sint32), None, None, Some(Float)];
    let (count, types) = match given.layout {
        0 => (1, bytes),
        1 => (1, words),
        2 => (1, longs),
        3 => (2, bytes),
        4 => (4, bytes),
        5 => (2, words),
        6 => (4, words),
        7 => (2, longs),
        8 => (4, longs),
        _ => return Err(ERROR_UNSUPPORTED_IMAGE_FORMAT),
    };
    let component = types.get(given.kind as usize).ok_or(ERROR_INVALID_ENUMERATION)?;
    let swizzle = [given.x, given.y, given.z, given.w];
    ensure(swizzle.iter().all(|&word| word <= SWIZZLE_DEPTH), ERROR_INVALID_ENUMERATION)?;
    let source = |colour: usize| match swizzle[colour] {
        SWIZZLE_ZERO => ComponentOrder::ZERO,
        SWIZZLE_ONE => ComponentOrder::ONE,
        word => {
            let component = match word {
                SWIZZLE_ANY => colour as u8,
                SWIZZLE_DEPTH => 0,
                _ => word as u8,
            };
            // Missing colours are zero, and missing alpha is one.
            let missing = if component == 3 { ComponentOrder::ONE } else { ComponentOrder::ZERO };
            if component < count { component } else { missing }
        }
    };
    let order = ComponentOrder::of_sources(count, std::array::from_fn(source));
    Ok(Format { order, component: component.ok_or(ERROR_UNSUPPORTED_IMAGE_FORMAT)? })
}

/// Returns the emulator's description of the sides.
fn shape(desc: &ImageDesc) -> Result<Shape> {
    let side = |given: u64, most: u32| {
        u32::try_from(given).ok().filter(|side| (1..=most).contains(side)).ok_or(ERROR_UNSUPPORTED_SIZE)
    };
    let width = |most| side(desc.width, most);
    let height = || side(desc.height.into(), IMAGE_SIDE);
    let (dimensions, size, is_array) = match desc.kind {
        0 => (1, [width(IMAGE_SIDE)?, 1, 1], false),
        1 => (1, [width(IMAGE_SIDE)?, 1, 1], true),
        2 => (2, [width(IMAGE_SIDE)?, height()?, 1], false),
        3 => (2, [width(IMAGE_SIDE)?, height()?, 1], true),
        4 => (3, [width(IMAGE_SIDE)?, height()?, side(desc.depth.into(), MOST_LAYERS)?], false),
        5 => (1, [width(IMAGE_LINE)?, 1, 1], false),
        _ => return Err(ERROR_INVALID_ENUMERATION),
    };
    ensure(desc.miplevels <= 1, ERROR_UNSUPPORTED_FEATURE)?;
    let layers = if is_array { side(desc.arraylevels.into(), MOST_LAYERS)? } else { 1 };
    Ok(Shape { size, dimensions, is_array, layers, ..Shape::default() })
}

/// Returns the sides of the plane of colors. It follows that of brightness, with all its layers.
fn color_plane(brightness: &Shape) -> Shape {
    let [width, height, depth] = brightness.size;
    Shape { size: [width.div_ceil(2), height.div_ceil(2), depth], ..*brightness }
}

impl Image {
    /// Creates an image whose texels are zero.
    pub(crate) fn new(desc: &ImageDesc, id: u64) -> Result<Self> {
        let (shape, is_planar) = (shape(desc)?, desc.format.layout == NV12);
        let format = if is_planar { BRIGHTNESS } else { format(&desc.format)? };
        let mut bytes = shape.texels().saturating_mul(format.bytes() as u64);
        if is_planar {
            bytes = bytes.saturating_add(color_plane(&shape).texels().saturating_mul(COLOR_BYTES as u64));
        }
        ensure(bytes <= max_allocation(), ERROR_UNSUPPORTED_SIZE)?;
        let storage = Storage::new(bytes as usize).ok_or(ERROR_OUT_OF_DEVICE_MEMORY)?;
        Ok(Self { storage, id, offset: 0, layout: Layout { format, desc: shape }, is_planar })
    }

    /// Creates an image on the memory of this one: with another format of the same size, or a
    /// plane.
    pub(crate) fn view(&self, desc: &ImageDesc, plane: Option<u32>) -> Result<Self> {
        let (format, shape) = (format(&desc.format)?, shape(desc)?);
        let mut wanted = self.layout.desc;
        let mut offset = self.offset;
        let mut bytes = self.layout.texel();
        if self.is_planar {
            match plane.ok_or(ERROR_INVALID_ARGUMENT)? {
                0 => {}
                1 => {
                    offset += wanted.texels() as usize;
                    (wanted, bytes) = (color_plane(&wanted), COLOR_BYTES);
                }
                _ => return Err(ERROR_INVALID_ARGUMENT),
            }
        } else {
            ensure(plane.unwrap_or(0) == 0, ERROR_INVALID_ARGUMENT)?;
        }
        ensure(format.bytes() == bytes, ERROR_UNSUPPORTED_IMAGE_FORMAT)?;
        let is_same = (shape.size, shape.dimensions, shape.is_array, shape.layers)
            == (wanted.size, wanted.dimensions, wanted.is_array, wanted.layers);
        ensure(is_same, ERROR_INVALID_ARGUMENT)?;
        let layout = Layout { format, desc: shape };
        Ok(Self { storage: Arc::clone(&self.storage), id: self.id, offset, layout, is_planar: false })
    }

    /// Returns true for an image of a parameter's kind.
    pub(crate) fn fits(&self, dimensions: usize, is_array: bool) -> bool {
        self.layout.fits(dimensions, is_array) && !self.is_planar
    }

    /// Returns the argument of a launch.
    pub(crate) fn argument(&self) -> Argument {
        Argument::LentImage(self.storage.lend(self.offset, usize::MAX), self.layout.argument())
    }

    /// Returns the offset of a region in bytes, and its bytes per row, rows and slices; the whole
    /// image for `None`. Origins and sides beyond the image's dimensions are ignored.
    ///
    /// # Errors
    /// Fails for a region outside of the image, and an image with planes.
    pub(crate) fn region(&self, region: Option<ImageRegion>) -> Result<(usize, [usize; 3])> {
        ensure(!self.is_planar, ERROR_UNSUPPORTED_IMAGE_FORMAT)?;
        let desc = &self.layout.desc;
        let count = desc.dimensions + usize::from(desc.is_array);
        let (origin, size) = region.map_or(([0; 3], self.layout.sides()), |region| {
            let ImageRegion { origin_x, origin_y, origin_z, width, height, depth } = region;
            let mut origin = [origin_x, origin_y, origin_z].map(|at| at as usize);
            let mut size = [width, height.max(1), depth.max(1)].map(|side| side as usize);
            origin.iter_mut().skip(count).for_each(|at| *at = 0);
            size.iter_mut().skip(count).for_each(|side| *side = 1);
            (origin, size)
        });
        ensure(self.layout.contains(origin, size), ERROR_INVALID_SIZE)?;
        let [width, height, depth] = size;
        Ok((self.offset + self.layout.offset(origin), [width * self.layout.texel(), height, depth]))
    }
}
