//! Samplers: selection and filtering of texels, by chapter 3, *Samplers*. Coordinates are exact
//! fixed-point numbers with a unit of 2^-160, which represents every coordinate.

use std::ops::RangeInclusive;

use ethnum::I256;
use visakit_machine::sampler::{Addressing, Compare, Sampler};
use visakit_machine::sampler_of_state;
use visakit_machine::thread::Thread;

use crate::builtins::Builtin;
use crate::execution::{Result, Run, senseless};
use crate::float::Format;
use crate::image::{self, At, Picture};
use crate::operand::Kind;
use crate::program::Node;
use crate::space::Space;
use crate::value::Value;

/// Number of fraction bits of a coordinate.
const FRACTION: u32 = 160;

/// Tolerance of a filter's sum, relative to its largest term.
const ROOM: f64 = 1.0 / (1 << 20) as f64;

/// Message to a sampler: the parts common to all four colours.
struct Message<'r> {
    sampler: &'r Sampler,
    picture: Picture<'r>,
}

/// Coordinates of a message, by axis.
struct Place {
    coordinates: [I256; 3],
    shift: [i64; 3],
}

/// Value to read from a texel.
#[derive(Clone, Copy)]
enum Wanted {
    Colour(usize),
    /// Result of comparing red with a reference, as a colour.
    Compared(f64, usize),
}

/// Range of possible levels: minimum and maximum.
type Levels = (f64, f64);

/// Two texels that a linear filter mixes along an axis, and the weight of the second.
type Pair = (i64, i64, f64);

/// Returns the index of the sampler that an element of the state variables names. The element holds
/// the index or the offset of the sampler's state.
pub(crate) fn index(space: Space, thread: &Thread) -> Option<u32> {
    let element = |at: u32| thread.surfaces.get(at as usize).copied();
    match space {
        Space::Surface(at) => element(at),
        Space::State(at) => element(at).map(sampler_of_state),
        _ => None,
    }
}

/// Returns true if a built-in uses a sampler.
pub(crate) fn is_sampled(builtin: Builtin) -> bool {
    use Builtin as B;
    matches!(
        builtin,
        B::Sampled | B::Compared | B::Gathered | B::GatheredCompared | B::GradientLod | B::PixelLod | B::ClampedLod
    )
}

/// Evaluates a built-in that uses a sampler.
pub(crate) fn call(run: &mut Run<'_>, builtin: Builtin, arguments: &[Node]) -> Result<Value> {
    let [Node::Space(named), surface, rest @ ..] = arguments else {
        return senseless("a message without a sampler");
    };
    let (Some(thread), Some(world)) = (run.thread, run.world) else { return senseless("samplers outside a launch") };
    let Some(index) = index(named.space, thread) else { return senseless("this sampler") };
    let picture = image::picture(run, surface)?;
    // Without an image there are no levels, and all colours are zero.
    let Some(picture) = picture else {
        let asks = matches!(builtin, Builtin::GradientLod | Builtin::PixelLod | Builtin::ClampedLod);
        return Ok(if asks { Value::Unknown } else { Value::integer(0_u32) });
    };
    // The result of a missing sampler is unspecified.
    let Some(sampler) = world.sampler(index) else { return Ok(Value::Unknown) };
    let message = Message { sampler, picture };
    match (builtin, rest) {
        (Builtin::Sampled, [colour, place @ ..]) => {
            let wanted = Wanted::Colour(image::colour_of(run, colour)?);
            message.filtered(run, wanted, place)
        }
        (Builtin::Compared, [colour, reference, place @ ..]) => {
            let colour = image::colour_of(run, colour)?;
            let Some(reference) = real(run, reference)? else { return Ok(Value::Unknown) };
            message.filtered(run, Wanted::Compared(reference, colour), place)
        }
        (Builtin::Gathered, [colour, nth, place @ ..]) => {
            let wanted = Wanted::Colour(image::colour_of(run, colour)?);
            message.gathered(run, wanted, nth, place)
        }
        (Builtin::GatheredCompared, [reference, nth, place @ ..]) => {
            let Some(reference) = real(run, reference)? else { return Ok(Value::Unknown) };
            message.gathered(run, Wanted::Compared(reference, 0), nth, place)
        }
        (Builtin::GradientLod, [ux, vx, rx, uy, vy, ry]) => {
            let mut gradients = [[0.0; 3]; 2];
            for (row, nodes) in gradients.iter_mut().zip([[ux, vx, rx], [uy, vy, ry]]) {
                for (gradient, node) in row.iter_mut().zip(nodes) {
                    *gradient = real(run, node)?.unwrap_or(f64::NAN);
                }
            }
            Ok(message.level_of(gradients))
        }
        (Builtin::PixelLod, [channel, coordinates @ ..]) => {
            let first = run.number(channel)? & !3;
            let mut at = |channel: i64| -> Result<[f64; 3]> {
                let mut place = [0.0; 3];
                for (place, node) in place.iter_mut().zip(coordinates) {
                    *place = match node {
                        Node::Operand(operand) => element(run, *operand, channel)?,
                        _ => 0.0,
                    };
                }
                Ok(place)
            };
            let [here, right, below] = [at(first)?, at(first + 1)?, at(first + 2)?];
            let gradient = |to: [f64; 3]| std::array::from_fn(|axis| to[axis] - here[axis]);
            Ok(message.level_of([gradient(right), gradient(below)]))
        }
        (Builtin::ClampedLod, [level]) => {
            let Some(levels) = level_range(run, level)? else { return Ok(Value::Unknown) };
            let (low, high) = message.clamped(levels);
            Ok(Value::Between { low, high })
        }
        _ => senseless("this sampler message"),
    }
}

/// Evaluates a number in a message: its bits are an F or HF, whatever its type.
fn real(run: &mut Run<'_>, node: &Node) -> Result<Option<f64>> {
    let value = run.value(node)?;
    Ok(number(&value))
}

fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Integer(integer) if integer.bits == Some(32) => {
            Some(Format::Single.to_real(crate::convert::low_bits(integer.value, 32)))
        }
        value => value.to_real(),
    }
}

/// Returns the number that an operand holds in a channel.
fn element(run: &mut Run<'_>, operand: usize, channel: i64) -> Result<f64> {
    if matches!(run.operands[operand].kind, Kind::Null) {
        return Ok(0.0);
    }
    let value = run.operands[operand].read(channel as u64, run.thread()?)?;
    Ok(number(&value).unwrap_or(f64::NAN))
}

/// Returns the range of levels that a value may mean; `None` if it may be any level.
fn level_range(run: &mut Run<'_>, node: &Node) -> Result<Option<Levels>> {
    Ok(match run.value(node)? {
        Value::Between { low, high } => Some((low, high)),
        value => number(&value).filter(|level| !level.is_nan()).map(|level| (level, level)),
    })
}

/// Converts a coordinate exactly; returns `None` for NaN and infinity.
fn exact(coordinate: f64) -> Option<I256> {
    if !coordinate.is_finite() {
        return None;
    }
    // Coordinates beyond every image are clamped; the repeated part is an integer there.
    let coordinate = coordinate.clamp(-(2.0_f64.powi(40)), 2.0_f64.powi(40));
    let bits = coordinate.to_bits();
    let exponent = (bits >> 52 & 0x7ff) as i32;
    let fraction = (bits & ((1 << 52) - 1)) | u64::from(exponent != 0) << 52;
    let shift = exponent.max(1) - 1075 + FRACTION as i32;
    let magnitude = I256::from(fraction);
    let magnitude = if shift >= 0 { magnitude << shift as u32 } else { magnitude >> (-shift).min(255) as u32 };
    Some(if coordinate < 0.0 { -magnitude } else { magnitude })
}

fn one() -> I256 {
    I256::ONE << FRACTION
}

/// Rounds down to an integer.
fn floor(place: I256) -> i64 {
    (place >> FRACTION).as_i64()
}

/// Rounds to the nearest integer, ties to even.
fn nearest(place: I256) -> i64 {
    let half = one() >> 1_u32;
    let up = floor(place + half);
    if ((place + half) & (one() - I256::ONE)) == I256::ZERO && up & 1 == 1 { up - 1 } else { up }
}

/// Returns the fractional part.
fn part(place: I256) -> f64 {
    let fraction = place & (one() - I256::ONE);
    fraction.as_f64() / 2.0_f64.powi(FRACTION as i32)
}

/// Evaluates the coordinates at the end of a message: three coordinates and three texel offsets.
/// Returns `None` if a coordinate is not finite.
fn place(run: &mut Run<'_>, arguments: &[Node]) -> Result<Option<Place>> {
    let [u, v, r, ou, ov, or] = arguments else { return senseless("these texel coordinates") };
    let mut place = Place { coordinates: [I256::ZERO; 3], shift: [0; 3] };
    let mut known = true;
    for (coordinate, node) in place.coordinates.iter_mut().zip([u, v, r]) {
        match real(run, node)?.and_then(exact) {
            Some(exact) => *coordinate = exact,
            None => known = false,
        }
    }
    for (shift, node) in place.shift.iter_mut().zip([ou, ov, or]) {
        *shift = run.number(node)?;
    }
    Ok(known.then_some(place))
}

impl Message<'_> {
    fn desc(&self) -> &visakit_machine::image::ImageDesc {
        &self.picture.image.desc
    }

    /// Returns the level for the gradients of the coordinates: the logarithm of the longer gradient
    /// in texels.
    fn level_of(&self, gradients: [[f64; 3]; 2]) -> Value {
        let length = |gradient: [f64; 3]| {
            let mut sum = 0.0;
            for (axis, gradient) in gradient.into_iter().enumerate().take(self.desc().dimensions) {
                let texels =
                    if self.sampler.normalized { gradient * self.picture.side(axis, 0) as f64 } else { gradient };
                sum += texels * texels;
            }
            sum
        };
        let used = &gradients.map(length);
        if used.iter().any(|length| !length.is_finite()) {
            return Value::Unknown;
        }
        let level = 0.5 * used[0].max(used[1]).log2();
        // The logarithm of zero is minus infinity and needs no tolerance.
        let room = if level.is_finite() { level.abs() * f64::from(f32::EPSILON) } else { 0.0 };
        Value::Between { low: level - room, high: level + room }
    }

    /// Clamps the levels to the limits of the sampler and the image.
    fn clamped(&self, (low, high): Levels) -> Levels {
        let (least, most) = self.sampler.levels;
        let last = f64::from(self.desc().levels) - 1.0;
        let clamp = |level: f64| level.max(least.into()).min(most.into()).max(0.0).min(last);
        (clamp(low), clamp(high))
    }

    /// Returns the level for unmixed levels: the nearest, or the lower of two. Returns `None` if
    /// the range allows both.
    fn level(&self, levels: Levels) -> Option<i64> {
        let (low, high) = self.clamped(levels);
        let [low, high] = [low, high].map(|level| (level + 0.5).ceil() as i64 - 1);
        (low == high).then_some(low.max(0))
    }

    fn filtered(&self, run: &mut Run<'_>, wanted: Wanted, arguments: &[Node]) -> Result<Value> {
        let [at @ .., level] = arguments else { return senseless("texel coordinates without a level") };
        let Some(place) = place(run, at)? else { return Ok(Value::Unknown) };
        if self.desc().levels <= 1 {
            return self.of_level(&place, wanted, 0);
        }
        let Some(levels) = level_range(run, level)? else { return Ok(Value::Unknown) };
        if !self.sampler.mix_levels {
            return match self.level(levels) {
                Some(level) => self.of_level(&place, wanted, level),
                None => Ok(Value::Unknown),
            };
        }
        let (low, high) = self.clamped(levels);
        let first = self.of_level(&place, wanted, low.floor() as i64)?;
        if low == high && low == low.floor() {
            return Ok(first);
        }
        if self.picture.is_integer() {
            return Ok(Value::Unknown);
        }
        // Between levels the mixture is linear, so the ends and the whole levels bound it.
        let mut ends = vec![low, high];
        ends.extend((low.ceil() as i64..=high.floor() as i64).map(|level| level as f64));
        let mut hull: Option<(f64, f64)> = None;
        for level in ends {
            let below = level.floor();
            let weight = level - below;
            let Some(a) = bounds(&self.of_level(&place, wanted, below as i64)?) else { return Ok(Value::Unknown) };
            let (a, b) = match weight {
                0.0 => (a, a),
                _ => match bounds(&self.of_level(&place, wanted, below as i64 + 1)?) {
                    Some(b) => (a, b),
                    None => return Ok(Value::Unknown),
                },
            };
            let mix = |a: f64, b: f64| if weight == 0.0 { a } else { a * (1.0 - weight) + b * weight };
            let room = room_of([a.0, a.1, b.0, b.1].into_iter().map(f64::abs).fold(0.0, f64::max));
            let (low, high) = (mix(a.0, b.0) - room, mix(a.1, b.1) + room);
            hull = Some(hull.map_or((low, high), |hull| (hull.0.min(low), hull.1.max(high))));
        }
        Ok(match hull {
            Some((low, high)) if low.is_finite() && high.is_finite() => Value::Between { low, high },
            _ => Value::Unknown,
        })
    }

    /// Reads a place in one level.
    fn of_level(&self, place: &Place, wanted: Wanted, level: i64) -> Result<Value> {
        let dimensions = self.desc().dimensions;
        let fixed = self.layer(place);
        if !self.sampler.linear {
            let mut at = fixed;
            for (axis, at) in at.iter_mut().enumerate().take(dimensions) {
                *at = self.nearest(place, axis, level);
            }
            return self.read(at, level, wanted);
        }
        // OpenCL does not define linear filtering of integers.
        if self.picture.is_integer() {
            return Ok(Value::Unknown);
        }
        let pairs: [Pair; 3] = std::array::from_fn(|axis| match axis < dimensions {
            true => self.pair(place, axis, level),
            false => (0, 0, 0.0),
        });
        let (mut sum, mut most) = ((0.0, 0.0), 0.0_f64);
        for corner in 0..1_usize << dimensions {
            let (mut at, mut weight) = (fixed, 1.0);
            for (axis, (low, high, part)) in pairs.iter().copied().enumerate().take(dimensions) {
                let upper = corner >> axis & 1 == 1;
                at[axis] = if upper { high } else { low };
                weight *= if upper { part } else { 1.0 - part };
            }
            if weight == 0.0 {
                continue;
            }
            let value = self.read(at, level, wanted)?;
            let Some((low, high)) = bounds(&value) else {
                return Ok(Value::Unknown);
            };
            most = most.max(low.abs()).max(high.abs());
            sum = (sum.0 + weight * low, sum.1 + weight * high);
        }
        // An infinity or NaN with a tiny weight may or may not affect the sum.
        if !most.is_finite() {
            return Ok(Value::Unknown);
        }
        let room = room_of(most);
        Ok(Value::Between { low: sum.0 - room, high: sum.1 + room })
    }

    fn gathered(&self, run: &mut Run<'_>, wanted: Wanted, nth: &Node, arguments: &[Node]) -> Result<Value> {
        let [at @ .., level] = arguments else { return senseless("texel coordinates without a level") };
        let nth = run.number(nth)?;
        let Some(place) = place(run, at)? else { return Ok(Value::Unknown) };
        // As in OpenGL, gather works on two-dimensional images only.
        if self.desc().dimensions != 2 {
            return Ok(Value::Unknown);
        }
        let levels = if self.desc().levels <= 1 { Some((0.0, 0.0)) } else { level_range(run, level)? };
        let Some(level) = levels.and_then(|levels| self.level(levels)) else { return Ok(Value::Unknown) };
        let (u, v) = (self.pair(&place, 0, level), self.pair(&place, 1, level));
        let (x, y) = match nth {
            0 => (u.0, v.1),
            1 => (u.1, v.1),
            2 => (u.1, v.0),
            _ => (u.0, v.0),
        };
        let mut at = self.layer(&place);
        (at[0], at[1]) = (x, y);
        self.read(at, level, wanted)
    }

    /// Returns the array index of a place, as the coordinate after the dimensions.
    fn layer(&self, place: &Place) -> [i64; 3] {
        let mut at = [0; 3];
        let desc = self.desc();
        if desc.is_array {
            at[desc.dimensions] = nearest(place.coordinates[desc.dimensions]).clamp(0, i64::from(desc.layers) - 1);
        }
        at
    }

    /// Returns a coordinate along an axis in texels, and the size of the level.
    fn along(&self, place: &Place, axis: usize, level: i64) -> (I256, i64) {
        let side = self.picture.side(axis, level) as i64;
        let coordinate = place.coordinates[axis];
        let texels = if self.sampler.normalized { coordinate * I256::from(side) } else { coordinate };
        let texels = texels + one() * I256::from(place.shift[axis]);
        if self.sampler.addressing != Addressing::Mirror {
            return (texels, side);
        }
        // The image and its mirror image repeat together; coordinates in the mirror image count
        // backwards.
        let period = one() * I256::from(2 * side);
        let inside = texels.rem_euclid(period);
        (if inside > one() * I256::from(side) { period - inside } else { inside }, side)
    }

    /// Returns the texel that contains a place along an axis.
    fn nearest(&self, place: &Place, axis: usize, level: i64) -> i64 {
        let (texels, side) = self.along(place, axis, level);
        self.texel(floor(texels), side)
    }

    /// Returns the two texels next to a place along an axis.
    fn pair(&self, place: &Place, axis: usize, level: i64) -> Pair {
        let (texels, side) = self.along(place, axis, level);
        let left = texels - (one() >> 1_u32);
        (self.texel(floor(left), side), self.texel(floor(left) + 1, side), part(left))
    }

    /// Applies the addressing mode to a texel index beyond the edge.
    fn texel(&self, n: i64, side: i64) -> i64 {
        match self.sampler.addressing {
            Addressing::Repeat => n.rem_euclid(side),
            Addressing::Mirror | Addressing::ClampToEdge => n.clamp(0, side - 1),
            Addressing::None | Addressing::Clamp => n,
        }
    }

    /// Reads a texel, or the border colour beyond the edge.
    fn read(&self, place: [i64; 3], level: i64, wanted: Wanted) -> Result<Value> {
        let read = |colour: usize| match self.picture.inside(At { place, level, sample: 0 }, colour) {
            Some(value) => value,
            None if self.sampler.addressing == Addressing::None => Ok(Value::Unknown),
            None => Ok(self.picture.border(colour)),
        };
        let (reference, colour) = match wanted {
            Wanted::Colour(colour) => return read(colour),
            Wanted::Compared(reference, colour) => (reference, colour),
        };
        if self.picture.is_integer() {
            return Ok(Value::Unknown);
        }
        let holds = match colour {
            0 => match read(0)? {
                Value::Float(red) => Some(self.compares(reference, red.format.to_real(red.bits))),
                Value::Between { low, high } => {
                    let [low, high] = [low, high].map(|red| self.compares(reference, red));
                    (low == high).then_some(low)
                }
                _ => None,
            },
            colour => Some(colour == 3),
        };
        let Some(holds) = holds else { return Ok(Value::Unknown) };
        Ok(Value::float(Format::Single, if holds { Format::Single.one() } else { 0 }))
    }

    fn compares(&self, reference: f64, red: f64) -> bool {
        use std::cmp::Ordering::{Equal, Greater, Less};
        let order = reference.partial_cmp(&red);
        match self.sampler.compare {
            Compare::Never => false,
            Compare::Less => order == Some(Less),
            Compare::Equal => order == Some(Equal),
            Compare::LessOrEqual => matches!(order, Some(Less | Equal)),
            Compare::Greater => order == Some(Greater),
            Compare::NotEqual => order != Some(Equal),
            Compare::GreaterOrEqual => matches!(order, Some(Greater | Equal)),
            Compare::Always => true,
        }
    }
}

/// Returns the tolerance of a sum whose largest term is `most`, including the fixed step of
/// subnormal numbers.
fn room_of(most: f64) -> f64 {
    most * ROOM + 2.0_f64.powi(-140)
}

/// Returns the bounds of a value; `None` if it is unbounded or not a number.
fn bounds(value: &Value) -> Option<(f64, f64)> {
    let range: RangeInclusive<f64> = match value {
        Value::Between { low, high } => *low..=*high,
        Value::Float(float) => {
            let real = float.format.to_real(float.bits);
            real..=real
        }
        _ => return None,
    };
    let (low, high) = range.into_inner();
    (!low.is_nan() && !high.is_nan()).then_some((low, high))
}

#[cfg(test)]
mod tests {
    use super::room_of;

    /// A mixture of subnormal numbers is rounded to a subnormal number, on the host and the device.
    #[test]
    fn the_smallest_numbers_have_room_for_their_steps() {
        let step = f64::from(f32::from_bits(1));
        assert!(room_of(16.0 * step) >= step);
        assert!(room_of(1.0) < 1.0 / f64::from(1 << 19));
    }
}
