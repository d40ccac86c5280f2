//! Fast path of sampler messages: the samples of a chunk of channels together. Other samples are
//! taken one by one ([`Sampler::sample`]).

use crate::image::Image;
use crate::lane::{LANES, from_lanes};
use crate::sampler::{Addressing, Sampler};
use crate::texel_chunk::{Places, Reader, Rows};
use visakit_native::host::in_vectors;

/// Positions beyond this number of texels are outside every image.
const FAR: f64 = (1 << 29) as f64;

/// A number whose sum with an integer has this integer in its low bits. Casts are not vectorised.
const INTEGER: f64 = 1.5 * (1_u64 << 52) as f64;

impl Sampler {
    /// Puts the components at positions to `rows`, as [`Sampler::sample`]. `along` returns the
    /// coordinates along an axis. `None` if the components have to be sampled one by one.
    #[inline(always)]
    pub fn sample_chunk(
        &self,
        reader: &Reader<'_>,
        along: impl Fn(usize) -> Option<[f32; LANES]>,
        shift: [i64; 3],
        rows: &mut Rows,
    ) -> Option<()> {
        let Reader { image, enabled, .. } = *reader;
        let is_filtered = self.linear && !image.format.is_integer();
        if image.is_plane() && !is_filtered && self.addressing != Addressing::Mirror {
            let mut places = [[0; LANES]; 2];
            for (d, place) in places.iter_mut().enumerate() {
                let (size, shift) = axis(image, shift, d)?;
                let texels = self.along_chunk(&along(d)?, size);
                *place = self.fixed_chunk(from_lanes(|i| floor(texels[i]).1 + shift), size, enabled)?;
            }
            return reader.load_at(image.plane_offsets(&places, enabled)?, rows);
        }
        let coordinates = [along(0)?, along(1)?, along(2)?];
        if is_filtered {
            self.filter_chunk(reader, coordinates, shift, rows)
        } else {
            self.nearest_other(reader, coordinates, shift, rows)
        }
    }

    /// Puts the components of other images and addressing modes, out of line as
    /// [`Self::filter_chunk`].
    #[inline(never)]
    fn nearest_other(
        &self,
        reader: &Reader<'_>,
        coordinates: [[f32; LANES]; 3],
        shift: [i64; 3],
        rows: &mut Rows,
    ) -> Option<()> {
        let Reader { image, enabled, .. } = *reader;
        in_vectors(
            reader.vectors,
            #[inline(always)]
            || {
                let mut places = layers(image, &coordinates)?;
                for d in 0..image.desc.dimensions {
                    let (size, shift) = axis(image, shift, d)?;
                    let (texels, added) = self.placed_chunk(&coordinates[d], size, shift)?;
                    places[d] = self.fixed_chunk(from_lanes(|i| floor(texels[i]).1 + added[i]), size, enabled)?;
                }
                reader.load(&places, rows)
            },
        )
    }

    /// Returns positions in texels along an axis, and the offsets to add to their integers.
    #[inline(always)]
    fn placed_chunk(
        &self,
        coordinates: &[f32; LANES],
        size: i32,
        shift: i32,
    ) -> Option<([f64; LANES], [i32; LANES])> {
        let texels = self.along_chunk(coordinates, size);
        if self.addressing == Addressing::Mirror {
            mirrored(&texels, size, shift)
        } else {
            Some((texels, [shift; LANES]))
        }
    }

    /// Puts the components at positions with a linear filter to `rows`, as
    /// [`Sampler::sample_chunk`]. Out of line: inlined, it would slow down reads without a filter.
    #[inline(never)]
    fn filter_chunk(
        &self,
        reader: &Reader<'_>,
        coordinates: [[f32; LANES]; 3],
        shift: [i64; 3],
        rows: &mut Rows,
    ) -> Option<()> {
        let (places, dimensions) = (layers(reader.image, &coordinates)?, reader.image.desc.dimensions);
        in_vectors(
            reader.vectors,
            #[inline(always)]
            || {
                let (mut low, mut high, mut parts) = (places, places, [[0.0; LANES]; 3]);
                for d in 0..dimensions {
                    let (size, shift) = axis(reader.image, shift, d)?;
                    let (texels, added) = self.placed_chunk(&coordinates[d], size, shift)?;
                    let left = texels.map(|texel| texel - 0.5);
                    parts[d] = from_lanes(|i| left[i] - floor(left[i]).0);
                    let first: [i32; LANES] = from_lanes(|i| floor(left[i]).1 + added[i]);
                    low[d] = self.fixed_chunk(first, size, reader.enabled)?;
                    high[d] = self.fixed_chunk(first.map(|texel| texel + 1), size, reader.enabled)?;
                }
                let mut sums = [[0.0_f64; LANES]; 4];
                for corner in 0..1_usize << dimensions {
                    let mut weights = [1.0; LANES];
                    let mut place = low;
                    for d in 0..dimensions {
                        let is_upper = corner >> d & 1 == 1;
                        if is_upper {
                            place[d] = high[d];
                        }
                        let side = |i: usize| if is_upper { parts[d][i] } else { 1.0 - parts[d][i] };
                        weights = from_lanes(|i| weights[i] * side(i));
                    }
                    reader.load(&place, rows)?;
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
            Addressing::ClampToEdge | Addressing::Mirror => Some(from_lanes(|i| texels[i].clamp(0, size - 1))),
            Addressing::Repeat | Addressing::None => {
                let is_inside = |i: usize| enabled >> i & 1 == 0 || (texels[i] as u32) < size as u32;
                if (0..LANES).all(is_inside) { Some(texels) } else { self.repeated(texels, size) }
            }
        }
    }

    /// Applies the addressing mode to texel indices of which some are outside. Out of line, because
    /// this is rare.
    #[inline(never)]
    fn repeated(&self, texels: [i32; LANES], size: i32) -> Option<[i32; LANES]> {
        let is_near = texels.iter().all(|texel| texel.unsigned_abs() < FAR as u32 / 2);
        let repeats = self.addressing == Addressing::Repeat && is_near;
        repeats.then(|| texels.map(|texel| texel.rem_euclid(size)))
    }
}

/// Returns positions in texels from the start of the nearest unmirrored image, mirrored if they are
/// negative, and the offsets to add to their integers. Out of line, because this is rare.
#[inline(never)]
fn mirrored(texels: &[f64; LANES], size: i32, shift: i32) -> Option<([f64; LANES], [i32; LANES])> {
    let is_near = size < 1 << 28 && texels.iter().all(|texel| texel.abs() < FAR / 2.0);
    is_near.then_some(())?;
    let period = 2 * size;
    let added: [i32; LANES] = from_lanes(|i| {
        let images = ((texels[i] + f64::from(shift)) / f64::from(period)).round_ties_even();
        shift - images as i32 * period
    });
    let is_mirrored = |i: usize| floor(texels[i]).1 + added[i] < 0;
    let sign = |i: usize| if is_mirrored(i) { -1 } else { 1 };
    Some((from_lanes(|i| texels[i] * f64::from(sign(i))), from_lanes(|i| added[i] * sign(i))))
}

/// Returns places with the array indices of a chunk, and zeros elsewhere. `None` for images whose
/// texels have to be read one by one.
#[inline(always)]
fn layers(image: &Image, coordinates: &[[f32; LANES]; 3]) -> Option<Places> {
    let mut places = [[0; LANES]; 3];
    let (sides, dimensions) = (image.sides()?, image.desc.dimensions);
    if image.desc.is_array {
        let last = i32::try_from(sides[dimensions]).ok()? - 1;
        places[dimensions] = coordinates[dimensions].map(|layer| (layer.round_ties_even().max(0.0) as i32).min(last));
    }
    Some(places)
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
