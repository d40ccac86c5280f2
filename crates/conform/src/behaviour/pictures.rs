//! Images and samplers for the cases, of all shapes, formats and settings. The images are small, so
//! that random coordinates often reach an edge.

use std::sync::LazyLock;

use visakit_emulator::machine::buffer::Buffer;
use visakit_emulator::machine::float::FloatMode;
use visakit_emulator::machine::format::{ComponentOrder, ComponentType, Format};
use visakit_emulator::machine::image::{Image, ImageDesc};
use visakit_emulator::machine::sampler::{Addressing, COMPARISONS, Sampler};
use visakit_oracle::float::Format as Precision;

use super::pool::Random;

/// Number of bound images.
pub(super) const COUNT: usize = SHAPES.len();

/// Size in bytes of each image's buffer; the largest image needs all of it.
pub(super) const BYTES: usize = 1184;

/// Number of binding table entries: one per image, and one without an image.
pub(super) const ENTRIES: usize = COUNT + 1;

/// Shape with the properties that most images share.
const PLAIN: ImageDesc =
    ImageDesc { size: [1; 3], dimensions: 2, is_array: false, layers: 1, levels: 1, samples: 1, pitch: 0 };

const SHAPES: [ImageDesc; 10] = [
    ImageDesc { size: [7, 1, 1], dimensions: 1, ..PLAIN },
    ImageDesc { size: [5, 1, 1], dimensions: 1, is_array: true, layers: 3, ..PLAIN },
    ImageDesc { size: [5, 3, 1], ..PLAIN },
    ImageDesc { size: [4, 4, 1], ..PLAIN },
    ImageDesc { size: [3, 2, 1], pitch: 80, ..PLAIN },
    ImageDesc { size: [3, 2, 1], is_array: true, layers: 3, ..PLAIN },
    ImageDesc { size: [4, 3, 2], dimensions: 3, ..PLAIN },
    ImageDesc { size: [5, 4, 1], levels: 3, ..PLAIN },
    ImageDesc { size: [4, 4, 4], dimensions: 3, levels: 3, ..PLAIN },
    ImageDesc { size: [3, 2, 1], samples: 4, ..PLAIN },
];

/// All formats, and those with a single 32-bit component.
static FORMATS: LazyLock<[Vec<Format>; 2]> = LazyLock::new(|| {
    let all: Vec<Format> = Format::all().filter(|format| exists(*format)).collect();
    let plain =
        all.iter().copied().filter(|format| format.order == ComponentOrder::R && format.bytes() == 4).collect();
    [all, plain]
});

/// Returns the images of a seed. Their buffers begin at index `first_buffer`.
pub(super) fn images(seed: u64, first_buffer: usize) -> Vec<Option<Image>> {
    let mut random = Random(seed);
    let [all, plain] = &*FORMATS;
    let shapes = SHAPES.iter().enumerate().map(|(n, desc)| {
        // Use a format that atomic operations support in one of three cases.
        let formats = if random.next().is_multiple_of(3) { plain } else { all };
        Some(Image { buffer: first_buffer + n, format: formats[random.below(formats.len())], desc: *desc })
    });
    shapes.chain([None]).collect()
}

/// Returns true if a format exists: sRGB formats have 8-bit components only.
fn exists(format: Format) -> bool {
    let is_curved = matches!(format.order, ComponentOrder::Srgba | ComponentOrder::Sbgra);
    !is_curved || format.component == ComponentType::Unorm8
}

/// Returns a random binding table entry. With `levels`, half of the results have mipmaps.
pub(super) fn entry(random: &mut Random, levels: bool) -> u32 {
    let has_levels = |n: &usize| SHAPES[*n].levels > 1;
    let leveled: Vec<usize> = (0..COUNT).filter(has_levels).collect();
    let choice = if levels && random.next().is_multiple_of(2) {
        leveled[random.below(leveled.len())]
    } else {
        random.below(ENTRIES)
    };
    choice as u32
}

/// Returns an entry whose image is usually a plain 2D image.
pub(super) fn plane(random: &mut Random) -> u32 {
    let is_plane = |n: &usize| SHAPES[*n] == ImageDesc { size: SHAPES[*n].size, pitch: SHAPES[*n].pitch, ..PLAIN };
    let planes: Vec<usize> = (0..COUNT).filter(is_plane).collect();
    if random.next().is_multiple_of(4) {
        random.below(ENTRIES) as u32
    } else {
        planes[random.below(planes.len())] as u32
    }
}

/// Returns the buffers of the images.
pub(super) fn buffers() -> impl Iterator<Item = Buffer> {
    (0..COUNT).map(|_| Buffer::zeros(BYTES))
}

/// Returns samplers of all kinds.
pub(super) fn samplers() -> Vec<Option<Sampler>> {
    use Addressing as A;
    let mut all = Vec::new();
    for (n, (_, compare)) in COMPARISONS.iter().enumerate() {
        for (addressing, normalized) in [
            (A::None, true),
            (A::Clamp, true),
            (A::ClampToEdge, true),
            (A::Repeat, true),
            (A::Mirror, true),
            (A::Clamp, false),
            (A::ClampToEdge, false),
        ] {
            let levels = if n == 5 { (0.5, 1.25) } else { (0.0, f32::MAX) };
            let (linear, mix_levels) = (n % 2 == 1, n / 2 % 2 == 1);
            all.push(Some(Sampler { addressing, linear, normalized, mix_levels, levels, compare: *compare }));
        }
    }
    all
}

/// Fills a row with numbers of one kind for image messages.
pub(super) fn row(random: &mut Random, row: &mut [u8], wants: Wants) {
    let kind = random.next() % 8;
    let width = wants.width;
    for element in row.chunks_exact_mut(width) {
        let bits: u64 = match (kind, wants.floats) {
            // Zero stands for a missing coordinate or array index.
            (0 | 1, _) => 0,
            (2..=5, false) => coordinate(random) as u64,
            (6, false) => random.next() % 3,
            (2 | 3, true) => float(random.next() as u32 as f32 / u32::MAX as f32, width),
            // The low six bits are also a small texel offset, for messages that read their offset
            // from the parameter.
            (4, true) => {
                let texels = (random.below(7) as i64 - 3) as u64 & 63;
                float((random.below(80) as f32 - 20.0) / 24.0, width) & !63 | texels
            }
            (5, true) => float((random.below(48) as f32 - 8.0) / 4.0, width),
            (6, true) => float((random.below(9) as f32 - 2.0) / 2.0, width),
            // Values between two fixed-point numbers.
            _ => float((random.below(600) as f32 - 40.0) / 510.0, width),
        };
        element.copy_from_slice(&bits.to_le_bytes()[..width]);
    }
}

/// Element width and type of a message's parameters.
#[derive(Clone, Copy)]
pub(super) struct Wants {
    /// Size of an element in bytes.
    pub(super) width: usize,
    pub(super) floats: bool,
}

/// Returns a coordinate that is usually inside an image, otherwise just outside or extreme.
pub(super) fn coordinate(random: &mut Random) -> i64 {
    match random.next() % 8 {
        0 => random.below(12) as i64 - 3,
        1 => [-1, 0x7fff_ffff, -0x8000_0000, 0xffff][random.below(4)],
        _ => random.below(5) as i64,
    }
}

fn float(value: f32, width: usize) -> u64 {
    match width {
        2 => Precision::Half.of_real(value.into(), FloatMode::PLAIN),
        _ => u64::from(value.to_bits()),
    }
}
