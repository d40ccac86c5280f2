//! Fast path of image messages: the texels of a chunk of channels together, in images with one
//! level and one sample. Other texels are loaded and stored one by one ([`Image::load`],
//! [`Image::store_some`]).

use crate::format::ComponentOrder;
use crate::image::Image;
use crate::in_bounds::Extent;
use crate::lane::{LANES, MAX_LANES, from_lanes};
use crate::observer::AccessKind;
use crate::texels::Texels;
use visakit_native::host::{Vectors, in_vectors};

/// Columns, rows and slices of the texels of a chunk; the coordinate after the dimensions is the
/// array index. Unused ones are zero.
pub type Places = [[i32; LANES]; 3];

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

impl Reader<'_> {
    /// Loads the components of texels to `rows`, as [`Image::load`]. `None` if the texels have to
    /// be loaded one by one.
    #[inline(always)]
    pub fn load(&self, places: &Places, rows: &mut Rows) -> Option<()> {
        let [columns, lines, _] = *places;
        if self.image.is_plane() {
            return self.load_at(self.image.plane_offsets(&[columns, lines], self.enabled)?, rows);
        }
        self.load_other(places, rows)
    }

    /// Loads texels of an image that is not a plane. Out of line: inlined, it slows down planes.
    #[inline(never)]
    fn load_other(&self, places: &Places, rows: &mut Rows) -> Option<()> {
        in_vectors(
            self.vectors,
            #[inline(always)]
            || self.load_at(self.image.solid_offsets(places, self.enabled)?, rows),
        )
    }

    /// Loads the components of texels at offsets, of which those `inside` the image are valid.
    #[inline(always)]
    pub(crate) fn load_at(&self, (offsets, inside): ([u32; LANES], u32), rows: &mut Rows) -> Option<()> {
        let Self { image, texels, enabled, wanted, .. } = *self;
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
    pub(crate) fn chunk<'r>(&self, rows: &'r mut Rows, component: usize) -> &'r mut [u32; LANES] {
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
        let (offsets, inside) = if self.is_plane() {
            let [columns, rows, _] = *places;
            self.plane_offsets(&[columns, rows], enabled)?
        } else {
            self.solid_offsets(places, enabled)?
        };
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

    /// Returns the offsets of texels of a plane, and the enabled channels whose texels are inside.
    #[inline(always)]
    pub(crate) fn plane_offsets(
        &self,
        [columns, rows]: &[[i32; LANES]; 2],
        enabled: u32,
    ) -> Option<([u32; LANES], u32)> {
        (!self.format.is_srgb()).then_some(())?;
        let ([width, height, _], bytes) = (self.desc.size, self.format.bytes() as u32);
        let pitch = self.desc.pitch.max(width.checked_mul(bytes)?);
        pitch.checked_mul(height)?;
        let offsets = from_lanes(|i| {
            (rows[i] as u32).wrapping_mul(pitch).wrapping_add((columns[i] as u32).wrapping_mul(bytes))
        });
        let is_inside: [u32; LANES] =
            from_lanes(|i| u32::from((columns[i] as u32) < width) & u32::from((rows[i] as u32) < height));
        let inside = (0..LANES).fold(0, |bits, i| bits | is_inside[i] << i);
        Some((offsets, inside & enabled))
    }

    /// Returns the same for another image.
    #[inline(always)]
    fn solid_offsets(&self, places: &Places, enabled: u32) -> Option<([u32; LANES], u32)> {
        let sides = self.sides().filter(|_| !self.format.is_srgb())?;
        let (mut offsets, mut is_inside) = ([0_u32; LANES], [1; LANES]);
        let mut step = self.format.bytes() as u32;
        for (place, side) in places.iter().zip(sides) {
            offsets = from_lanes(|i| offsets[i].wrapping_add((place[i] as u32).wrapping_mul(step)));
            is_inside = from_lanes(|i| is_inside[i] & u32::from((place[i] as u32) < side));
            step = step.checked_mul(side)?;
        }
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
    use crate::sampler::{Addressing, SamplePoint, Sampler};

    /// Size of the images.
    const SIZE: [u32; 3] = [13, 7, 5];

    /// Returns images of all formats and kinds, with random texels.
    fn images() -> impl Iterator<Item = (Image, Vec<u8>)> {
        let planes = [0, 256, 53].map(|pitch| (2, false, pitch));
        let others = [(1, false, 0), (1, true, 0), (2, true, 0), (3, false, 0)];
        let kinds = planes.into_iter().chain(others);
        Format::all().flat_map(move |format| kinds.clone().map(move |kind| (format, kind))).map(|(format, kind)| {
            let (dimensions, is_array, pitch) = kind;
            let size = std::array::from_fn(|d| if d < dimensions { SIZE[d] } else { 1 });
            let layers = if is_array { 6 } else { 1 };
            let desc = ImageDesc { size, dimensions, is_array, layers, pitch, ..ImageDesc::default() };
            let bytes = size[1] * size[2] * layers * pitch.max(SIZE[0] * format.bytes() as u32);
            let bytes = (0..bytes.next_multiple_of(4)).map(|n| (n.wrapping_mul(0x9e37_79b9) >> 24) as u8).collect();
            (Image { buffer: 0, format, desc }, bytes)
        })
    }

    #[test]
    fn chunks_load_what_single_texels_load() {
        let mut supported = [0; 4];
        for (image, bytes) in images() {
            let texels = Buffer::from_bytes(&bytes);
            let all = [Addressing::Clamp, Addressing::ClampToEdge, Addressing::Repeat, Addressing::None];
            for n in 0..20 {
                let addressing = *all.get(n / 4).unwrap_or(&Addressing::Mirror);
                let [normalized, linear] = [n & 1 == 1, n & 2 == 2];
                let sampler = Sampler { addressing, normalized, linear, ..Sampler::default() };
                for (step, shift, enabled) in
                    [(0.93, 0, 0xffff), (-1.7, -3, 0x5af3), (3.0e8, 2, 0xffff), (0.4, 0, 1), (0.2, 0, 0xffff)]
                {
                    let along = |size: u32, first: f32| -> [f32; LANES] {
                        from_lanes(|i| match i {
                            11 if step < 0.0 => f32::NAN,
                            12 if step < 0.0 => f32::INFINITY,
                            _ => (first + step * i as f32) / if normalized { size as f32 } else { 1.0 },
                        })
                    };
                    let mut coordinates = [along(SIZE[0], 0.5), along(SIZE[1], 2.0), along(SIZE[2], 0.8)];
                    if image.desc.is_array {
                        coordinates[image.desc.dimensions] = along(1, -0.7);
                    }
                    let (texels, wanted) = ((&texels).into(), &[0, 1, 3, 2]);
                    let vectors = Vectors::of_host().filter(|_| shift == 0);
                    let reader = Reader { image: &image, texels, n: 1, enabled, wanted, vectors };
                    let mut rows = [[0; MAX_LANES]; 4];
                    if sampler
                        .sample_chunk(&reader, |d| Some(coordinates[d]), [shift, -shift, 1], &mut rows)
                        .is_none()
                    {
                        continue;
                    }
                    supported[image.coordinates()] += 1;
                    for lane in (0..LANES).filter(|lane| enabled >> lane & 1 == 1) {
                        let at = coordinates.map(|row| row[lane]);
                        let place =
                            SamplePoint { coordinates: at, shift: [shift, -shift, 1], ..SamplePoint::default() };
                        let one = sampler.sample(&image, texels, &place);
                        // Which of several NaNs a sum keeps is undefined.
                        let value = |bits: u32| if f32::from_bits(bits).is_nan() && linear { u32::MAX } else { bits };
                        assert_eq!(
                            rows.map(|row| value(row[LANES + lane])),
                            one.map(value),
                            "{image:?} {sampler:?} {at:?}"
                        );
                    }
                }
            }
        }
        assert!(supported[1..].iter().all(|count| *count > 700), "{supported:?}");
    }

    #[test]
    fn chunks_store_what_single_texels_store() {
        let mut supported = 0;
        for (image, bytes) in images() {
            let format = image.format;
            for (enabled, given) in [(0xffff, 0b1111), (0x8a41, 0b1111), (0xffff, 0b0101), (0x00ff, 0b0001)] {
                let (chunk, single) = (Buffer::from_bytes(&bytes), Buffer::from_bytes(&bytes));
                // The last two channels store to one texel.
                let sides = image.sides().unwrap_or_default().map(|side| side as i32);
                let places: Places = [
                    from_lanes(|i| (i as i32 * 5).min(70) % sides[0]),
                    from_lanes(|i| (i as i32).min(14) % sides[1]),
                    from_lanes(|i| (i as i32 * 3).min(42) % sides[2]),
                ];
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
                    let place: [i64; 3] = places.map(|row| row[lane].into());
                    assert!(image.store_some((&single).into(), place, (colours.map(|row| row[lane]), given)));
                }
                assert_eq!(chunk.to_bytes(), single.to_bytes(), "{image:?} {enabled:x}");
            }
        }
        assert!(supported > 1000, "{supported}");
    }

    #[test]
    fn texels_outside_are_stored_one_by_one() {
        let rgba = Format::from_name("rgba8unorm");
        for (image, bytes) in images().filter(|(image, _)| Some(image.format) == rgba) {
            let texels = Buffer::from_bytes(&bytes);
            for d in 0..image.coordinates() {
                let mut places = [[0; LANES]; 3];
                places[d][9] = image.sides().unwrap_or_default()[d] as i32;
                let stored = image.store_chunk((&texels).into(), &places, 0xffff, (&[[0; LANES]; 4], 0b1111));
                assert_eq!(stored, None, "{image:?} {d}");
            }
        }
    }
}
