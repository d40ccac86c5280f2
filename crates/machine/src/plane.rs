//! Fast path of image messages: the texels of a chunk of channels together, in two-dimensional
//! images without levels, layers and samples. Other texels are loaded and stored one by one
//! ([`Image::load`], [`Image::store_some`]).

use crate::format::ComponentOrder;
use crate::image::Image;
use crate::in_bounds::Extent;
use crate::lane::{LANES, MAX_LANES, from_lanes};
use crate::observer::AccessKind;
use crate::sampler::{Addressing, Sampler};
use crate::texels::Texels;
use visakit_native::host::{Vectors, in_vectors};

/// Columns and rows of the texels of a chunk.
pub type Places = [[i32; LANES]; 2];

/// Components of a chunk.
pub type Colours = [[u32; LANES]; 4];

/// Components of all channels of a message.
pub type Rows = [[u32; MAX_LANES]; 4];

/// Texels that a chunk of channels reads.
pub struct Reader<'a> {
    /// The image.
    pub image: &'a Image,
    /// The image's texels.
    pub texels: Texels<'a>,
    /// Number of the chunk.
    pub n: usize,
    /// The chunk's channels that read.
    pub enabled: u32,
    /// Numbers of the components that they read.
    pub wanted: &'a [usize],
    /// Vector instructions of the host.
    pub vectors: Option<Vectors>,
}

/// Positions beyond this number of texels are outside every image.
const FAR: f64 = (1 << 29) as f64;

/// A number whose sum with an integer has this integer in its low bits. Casts are not vectorised.
const INTEGER: f64 = 1.5 * (1_u64 << 52) as f64;

impl Sampler {
    /// Puts the components at positions to `rows`, as [`Sampler::sample`]. `None` if they have to
    /// be sampled one by one.
    #[inline(always)]
    pub fn sample_chunk(
        &self,
        reader: &Reader<'_>,
        coordinates: [[f32; LANES]; 2],
        shift: [i64; 3],
        rows: &mut Rows,
    ) -> Option<()> {
        reader.image.is_plane().then_some(())?;
        if self.linear && !reader.image.format.is_integer() {
            return self.filter_chunk(reader, coordinates, shift, rows);
        }
        let mut places = [[0; LANES]; 2];
        for d in 0..2 {
            let (size, shift) = axis(reader.image, shift, d)?;
            let texels = self.along_chunk(&coordinates[d], size);
            places[d] = self.fixed_chunk(from_lanes(|i| floor(texels[i]).1 + shift), size, reader.enabled)?;
        }
        reader.load(&places, rows)
    }

    /// Puts the components at positions with a linear filter to `rows`, as
    /// [`Sampler::sample_chunk`]. Out of line: inlined, it would slow down reads without a filter.
    #[inline(never)]
    fn filter_chunk(
        &self,
        reader: &Reader<'_>,
        coordinates: [[f32; LANES]; 2],
        shift: [i64; 3],
        rows: &mut Rows,
    ) -> Option<()> {
        in_vectors(
            reader.vectors,
            #[inline(always)]
            || {
                let (mut low, mut high, mut parts) = ([[0; LANES]; 2], [[0; LANES]; 2], [[0.0; LANES]; 2]);
                for d in 0..2 {
                    let (size, shift) = axis(reader.image, shift, d)?;
                    let texels = self.along_chunk(&coordinates[d], size).map(|texel| texel - 0.5);
                    parts[d] = from_lanes(|i| texels[i] - floor(texels[i]).0);
                    let first: [i32; LANES] = from_lanes(|i| floor(texels[i]).1 + shift);
                    low[d] = self.fixed_chunk(first, size, reader.enabled)?;
                    high[d] = self.fixed_chunk(first.map(|texel| texel + 1), size, reader.enabled)?;
                }
                let mut sums = [[0.0_f64; LANES]; 4];
                for corner in 0..4 {
                    let is_upper = [corner & 1 == 1, corner & 2 == 2];
                    let side = |d: usize, i: usize| if is_upper[d] { parts[d][i] } else { 1.0 - parts[d][i] };
                    let place = |d: usize| if is_upper[d] { high[d] } else { low[d] };
                    reader.load(&[place(0), place(1)], rows)?;
                    let weights: [f64; LANES] = from_lanes(|i| side(0, i) * side(1, i));
                    for &c in reader.wanted {
                        let (sum, colour) = (&mut sums[c & 3], reader.chunk(rows, c));
                        *sum = from_lanes(|i| {
                            let added = weights[i] * f64::from(f32::from_bits(colour[i]));
                            // The texel of such a corner may be infinite.
                            sum[i] + if weights[i] == 0.0 { 0.0 } else { added }
                        });
                    }
                }
                for &c in reader.wanted {
                    *reader.chunk(rows, c) = from_lanes(|i| (sums[c & 3][i] as f32).to_bits());
                }
                Some(())
            },
        )
    }

    /// Returns positions in texels along an axis of `size` texels.
    #[inline(always)]
    fn along_chunk(&self, coordinates: &[f32; LANES], size: i32) -> [f64; LANES] {
        let factor = if self.normalized { f64::from(size) } else { 1.0 };
        from_lanes(|i| {
            let coordinate = if coordinates[i].is_nan() { 0.0 } else { coordinates[i] };
            (f64::from(coordinate) * factor).clamp(-FAR, FAR)
        })
    }

    /// Applies the addressing mode to texel indices. `None` if that has to be done one by one.
    #[inline(always)]
    fn fixed_chunk(&self, texels: [i32; LANES], size: i32, enabled: u32) -> Option<[i32; LANES]> {
        match self.addressing {
            Addressing::Clamp => Some(texels),
            Addressing::ClampToEdge => Some(from_lanes(|i| texels[i].clamp(0, size - 1))),
            Addressing::Repeat => {
                let is_inside = |i: usize| enabled >> i & 1 == 0 || (texels[i] as u32) < size as u32;
                (0..LANES).all(is_inside).then_some(texels)
            }
            Addressing::Mirror | Addressing::None => None,
        }
    }
}

/// Returns the size and the texel offset along an axis.
#[inline(always)]
fn axis(image: &Image, shift: [i64; 3], d: usize) -> Option<(i32, i32)> {
    Some((i32::try_from(image.desc.size[d]).ok()?, i32::try_from(shift[d]).ok()?))
}

/// Returns a position rounded down, as a number and as an integer.
#[inline(always)]
fn floor(texels: f64) -> (f64, i32) {
    let floor = texels.floor();
    (floor, (floor + INTEGER).to_bits() as i32)
}

impl Reader<'_> {
    /// Loads the components of texels to `rows`, as [`Image::load`]. `None` if the texels have to
    /// be loaded one by one.
    #[inline(always)]
    pub fn load(&self, places: &Places, rows: &mut Rows) -> Option<()> {
        let Self { image, texels, enabled, wanted, .. } = *self;
        let (offsets, inside) = image.plane_offsets(places, enabled)?;
        let mut words = [[0; LANES]; 4];
        if inside != 0 {
            let extent = image.extent()?;
            let in_bounds = texels.chunk(AccessKind::Load, offsets, inside, extent)?;
            if extent.bytes < 4 {
                words[0] = in_bounds.parts(extent.bytes)?;
            } else {
                for (n, words) in (0..extent.bytes / 4).zip(&mut words) {
                    *words = in_bounds.words(n * 4)?;
                }
            }
            if inside != enabled {
                // The components of the border are zero.
                let border = |i: usize| if inside >> i & 1 == 1 { u32::MAX } else { 0 };
                words = words.map(|words| from_lanes(|i| words[i] & border(i)));
            }
        }
        let sources = image.format.order.sources();
        for &colour in wanted {
            *self.chunk(rows, colour) = match sources[colour & 3] {
                ComponentOrder::ZERO => [0; LANES],
                ComponentOrder::ONE => [image.format.one(); LANES],
                source => image.format.component.widen(image.part(&words, source.into())),
            };
        }
        Some(())
    }

    /// Returns the chunk's values of a component.
    #[inline(always)]
    fn chunk<'r>(&self, rows: &'r mut Rows, component: usize) -> &'r mut [u32; LANES] {
        &mut rows[component & 3].as_chunks_mut().0[self.n]
    }
}

impl Image {
    /// Stores texels, as [`Image::store_some`]. `None`, with nothing stored, if they have to be
    /// stored one by one.
    #[inline(always)]
    pub fn store_chunk(
        &self,
        texels: Texels<'_>,
        places: &Places,
        enabled: u32,
        (colours, given): (&Colours, u32),
    ) -> Option<()> {
        let (offsets, inside) = self.plane_offsets(places, enabled)?;
        let (stored, count) = (self.format.stored(), self.format.order.parts());
        let is_whole = stored[..count].iter().all(|colour| given >> colour & 1 == 1);
        (inside == enabled && is_whole).then_some(())?;
        let extent = self.extent()?;
        let bits = self.format.component.bytes() * 8;
        let mut words = [[0; LANES]; 4];
        for (n, colour) in stored.iter().enumerate().take(count) {
            let part: [u32; LANES] = self.format.component.narrow(colours[usize::from(*colour) & 3]);
            let (word, shift) = (&mut words[n * bits / 32], n * bits % 32);
            *word = from_lanes(|i| word[i] | part[i] << shift);
        }
        let in_bounds = texels.chunk(AccessKind::Store, offsets, enabled, extent)?;
        if extent.bytes < 4 {
            return in_bounds.put_parts(extent.bytes, &words[0], enabled, Texels::SHARING);
        }
        (0..extent.bytes / 4).zip(&words).try_for_each(|(n, words)| in_bounds.put_words(n * 4, words, enabled))
    }

    /// Returns the offsets of texels, and the enabled channels whose texels are inside the image.
    #[inline(always)]
    fn plane_offsets(&self, places: &Places, enabled: u32) -> Option<([u32; LANES], u32)> {
        (self.is_plane() && !self.format.is_srgb()).then_some(())?;
        let ([width, height, _], bytes) = (self.desc.size, self.format.bytes() as u32);
        let pitch = self.desc.pitch.max(width.checked_mul(bytes)?);
        pitch.checked_mul(height)?;
        let [columns, rows] = places;
        let offsets = from_lanes(|i| {
            (rows[i] as u32).wrapping_mul(pitch).wrapping_add((columns[i] as u32).wrapping_mul(bytes))
        });
        let is_inside: [u32; LANES] =
            from_lanes(|i| u32::from((columns[i] as u32) < width) & u32::from((rows[i] as u32) < height));
        let inside = (0..LANES).fold(0, |bits, i| bits | is_inside[i] << i);
        Some((offsets, inside & enabled))
    }

    /// Returns the size and the alignment of texels that are parts of a word, or whole words.
    #[inline(always)]
    fn extent(&self) -> Option<Extent> {
        let bytes = self.format.bytes() as u32;
        (matches!(bytes, 1 | 2) || bytes.is_multiple_of(4)).then_some(Extent { bytes, alignment: bytes.min(4) })
    }

    /// Returns a component of texels, as its bits.
    #[inline(always)]
    fn part(&self, words: &[[u32; LANES]; 4], n: usize) -> [u32; LANES] {
        let bits = self.format.component.bytes() * 8;
        let (word, shift) = (&words[(n * bits / 32) & 3], n * bits % 32);
        let mask = u32::MAX >> (32 - bits);
        from_lanes(|i| word[i] >> shift & mask)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::buffer::Buffer;
    use crate::format::Format;
    use crate::image::ImageDesc;
    use crate::sampler::SamplePoint;

    /// Size of the texture.
    const SIZE: [u32; 2] = [13, 7];

    fn image(format: Format, pitch: u32) -> (Image, Vec<u8>) {
        let desc = ImageDesc { size: [SIZE[0], SIZE[1], 1], pitch, ..ImageDesc::default() };
        let bytes = SIZE[1] * pitch.max(SIZE[0] * format.bytes() as u32);
        let bytes = (0..bytes.next_multiple_of(4)).map(|n| (n.wrapping_mul(0x9e37_79b9) >> 24) as u8).collect();
        (Image { buffer: 0, format, desc }, bytes)
    }

    #[test]
    fn chunks_load_what_single_texels_load() {
        let mut supported = 0;
        for (format, pitch) in Format::all().flat_map(|format| [0, 256, 53].map(|pitch| (format, pitch))) {
            let (image, bytes) = image(format, pitch);
            let texels = Buffer::from_bytes(&bytes);
            for n in 0..12 {
                let addressing = [Addressing::Clamp, Addressing::ClampToEdge, Addressing::Repeat][n / 4];
                let [normalized, linear] = [n & 1 == 1, n & 2 == 2];
                let sampler = Sampler { addressing, normalized, linear, ..Sampler::default() };
                for (step, shift, enabled) in [(0.93, 0, 0xffff), (-1.7, -3, 0x5af3), (3.0e8, 2, 0xffff), (0.4, 0, 1)]
                {
                    let along = |size: u32, first: f32| -> [f32; LANES] {
                        from_lanes(|i| match i {
                            11 if step < 0.0 => f32::NAN,
                            12 if step < 0.0 => f32::INFINITY,
                            _ => (first + step * i as f32) / if normalized { size as f32 } else { 1.0 },
                        })
                    };
                    let coordinates = [along(SIZE[0], 0.5), along(SIZE[1], 2.0)];
                    let (texels, wanted) = ((&texels).into(), &[0, 1, 3, 2]);
                    let vectors = Vectors::of_host().filter(|_| shift == 0);
                    let reader = Reader { image: &image, texels, n: 1, enabled, wanted, vectors };
                    let mut rows = [[0; MAX_LANES]; 4];
                    if sampler.sample_chunk(&reader, coordinates, [shift, -shift, 0], &mut rows).is_none() {
                        continue;
                    }
                    supported += 1;
                    for lane in (0..LANES).filter(|lane| enabled >> lane & 1 == 1) {
                        let at = coordinates.map(|row| row[lane]);
                        let place = SamplePoint {
                            coordinates: [at[0], at[1], 0.0],
                            shift: [shift, -shift, 0],
                            ..SamplePoint::default()
                        };
                        let one = sampler.sample(&image, texels, &place);
                        // Which of several NaNs a sum keeps is undefined.
                        let value = |bits: u32| if f32::from_bits(bits).is_nan() && linear { u32::MAX } else { bits };
                        let name = format.name();
                        assert_eq!(
                            rows.map(|row| value(row[LANES + lane])),
                            one.map(value),
                            "{name} {sampler:?} {at:?}"
                        );
                    }
                }
            }
        }
        assert!(supported > 2000, "{supported}");
    }

    #[test]
    fn chunks_store_what_single_texels_store() {
        let mut supported = 0;
        for (format, pitch) in Format::all().flat_map(|format| [0, 256, 53].map(|pitch| (format, pitch))) {
            let (image, bytes) = image(format, pitch);
            for (enabled, given) in [(0xffff, 0b1111), (0x8a41, 0b1111), (0xffff, 0b0101), (0x00ff, 0b0001)] {
                let (chunk, single) = (Buffer::from_bytes(&bytes), Buffer::from_bytes(&bytes));
                // The last two channels store to one texel.
                let places: Places =
                    [from_lanes(|i| (i as i32 * 5).min(70) % 13), from_lanes(|i| (i as i32).min(14) % 7)];
                let colours: [[u32; LANES]; 4] = std::array::from_fn(|c| {
                    from_lanes(|i| match (format.is_integer(), i) {
                        (true, _) => (i as u32 * 37 + c as u32 * 1000).wrapping_sub(200),
                        (false, 3) => f32::NAN.to_bits(),
                        (false, _) => (i as f32 * 0.11 - c as f32 * 0.3).to_bits(),
                    })
                });
                if image.store_chunk((&chunk).into(), &places, enabled, (&colours, given)).is_none() {
                    assert_eq!(chunk.to_bytes(), bytes);
                    continue;
                }
                supported += 1;
                for lane in (0..LANES).filter(|lane| enabled >> lane & 1 == 1) {
                    let place = [places[0][lane].into(), places[1][lane].into(), 0];
                    assert!(image.store_some((&single).into(), place, (colours.map(|row| row[lane]), given)));
                }
                assert_eq!(chunk.to_bytes(), single.to_bytes(), "{} {enabled:x}", format.name());
            }
        }
        assert!(supported > 400, "{supported}");
        let (image, bytes) = image(Format::from_name("rgba8unorm").unwrap(), 0);
        let texels = Buffer::from_bytes(&bytes);
        let outside = [[13; LANES], [0; LANES]];
        assert_eq!(image.store_chunk((&texels).into(), &outside, 0xffff, (&[[0; LANES]; 4], 0b1111)), None);
    }
}
