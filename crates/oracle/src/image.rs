//! Images in Semantics sections: texels, rectangles of bytes and sizes, by chapter 3, *Images*. The
//! machine provides an image's description and the bytes of its buffer. This module computes texel
//! positions and interprets their bits.

use rustc_apfloat::Round;
use visakit_machine::access::View;
use visakit_machine::float::FloatMode;
use visakit_machine::format::{ComponentOrder, ComponentType};
use visakit_machine::image::Image;
use visakit_machine::texels::Texels;

use crate::convert::{low_bits, ones};
use crate::execution::{Result, Run, senseless};
use crate::float::{Format, Join};
use crate::program::Node;
use crate::surface;
use crate::value::{Integer, Value};

/// Image of a surface.
#[derive(Clone, Copy)]
pub(crate) struct Picture<'r> {
    pub(crate) image: &'r Image,
    texels: Texels<'r>,
}

/// Position of a texel. `place` holds the coordinates of the image's dimensions, followed by the
/// array index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct At {
    pub(crate) place: [i64; 3],
    pub(crate) level: i64,
    pub(crate) sample: i64,
}

/// Source of a colour component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// Stored component, by its index in the texel.
    Stored(u64),
    Zero,
    One,
}

/// Interpretation of a component's bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Fraction of the largest unsigned number of this width.
    Unorm(u32),
    /// Signed fraction of this width.
    Snorm(u32),
    Uint(u32),
    Sint(u32),
    Float(Format),
}

/// Returns the image that an argument names; `None` if the binding table entry is not an image.
pub(crate) fn picture<'r>(run: &mut Run<'r>, node: &Node) -> Result<Option<Picture<'r>>> {
    let Node::Space(reach) = node else { return senseless("an image with these arguments") };
    let entry = surface::entry(run, reach.space)?;
    let (Some(thread), Some(world)) = (run.thread, run.world) else { return senseless("images outside a launch") };
    let found = entry.and_then(|entry| world.image(entry, thread.index));
    Ok(found.map(|(image, texels)| Picture { image, texels }))
}

/// Evaluates `texel` and `sample_of`: one colour component of a texel.
pub(crate) fn load(run: &mut Run<'_>, arguments: &[Node]) -> Result<Value> {
    let [surface, Node::Value(Value::Truth(opaque)), colour, place @ ..] = arguments else {
        return senseless("a texel with these arguments");
    };
    let picture = picture(run, surface)?;
    let (colour, at) = (colour_of(run, colour)?, at(run, place)?);
    let Some(picture) = picture else { return Ok(Value::integer(0_u32)) };
    match picture.offset(at) {
        Some(_) => picture.colour(at, colour),
        None if *opaque && colour == 3 => Ok(picture.one()),
        None => Ok(picture.border(colour)),
    }
}

/// Writes one colour component of a texel.
pub(crate) fn store(run: &mut Run<'_>, arguments: &[Node], value: &Value) -> Result<()> {
    let [surface, _, colour, place @ ..] = arguments else { return senseless("a texel with these arguments") };
    let picture = picture(run, surface)?;
    let (colour, at) = (colour_of(run, colour)?, at(run, place)?);
    let bits = match value {
        Value::Float(float) if float.format == Format::Single => float.bits,
        Value::Integer(Integer { value, .. }) => low_bits(*value, 32),
        value => return senseless(format!("a colour of {value:?}")),
    };
    let Some(picture) = picture else { return Ok(()) };
    let Part::Stored(part) = picture.parts()[colour] else { return Ok(()) };
    // Of colours that share a component, only the first is stored.
    if picture.parts()[..colour].contains(&Part::Stored(part)) {
        return Ok(());
    }
    let Some(offset) = picture.offset(at) else { return Ok(()) };
    let bits = if picture.is_curved(colour) { curved(bits) } else { bits };
    let kind = picture.kind();
    picture.write(run, offset + part * kind.bytes(), kind.bytes(), kind.narrowed(bits));
    Ok(())
}

/// Returns the memory of a texel, for atomic operations; `None` outside the image.
pub(crate) fn memory<'r>(run: &mut Run<'r>, arguments: &[Node], bytes: u32) -> Result<Option<(View<'r>, u64)>> {
    let [surface @ Node::Space(reach), _, colour, place @ ..] = arguments else {
        return senseless("a texel with these arguments");
    };
    // The format has one component, which is the first colour.
    if colour_of(run, colour)? != 0 {
        return Err(run.undefined());
    }
    let picture = picture(run, surface)?;
    let (at, entry) = (at(run, place)?, surface::entry(run, reach.space)?);
    let (Some(thread), Some(world), Some(entry)) = (run.thread, run.world, entry) else { return Ok(None) };
    let Some(picture) = picture else { return Ok(None) };
    // The texel must be a single number of this size.
    if picture.texel_bytes() != u64::from(bytes) {
        return Err(run.undefined());
    }
    let view = world.view(world.surface(entry), thread.index);
    Ok(picture.offset(at).map(|offset| (view, offset)))
}

/// Evaluates `block`: a byte of a rectangle.
pub(crate) fn load_byte(run: &mut Run<'_>, arguments: &[Node]) -> Result<Value> {
    let (picture, offset, unsaid) = byte(run, arguments)?;
    match (picture, offset) {
        (Some(picture), Some(offset)) => Ok(Value::sized(picture.read(offset, 1), 8)),
        // The byte is unspecified; zero is an arbitrary choice.
        _ if unsaid => Ok(Value::Loose { bits: 0, known: 0 }),
        _ => Ok(Value::sized(0_u32, 8)),
    }
}

/// Writes a byte of a rectangle.
pub(crate) fn store_byte(run: &mut Run<'_>, arguments: &[Node], value: &Value) -> Result<()> {
    let (picture, offset, _) = byte(run, arguments)?;
    let Value::Integer(Integer { value, .. }) = value else {
        return senseless("a byte value that is not an integer");
    };
    if let (Some(picture), Some(offset)) = (picture, offset) {
        picture.write(run, offset, 1, low_bits(*value, 8));
    }
    Ok(())
}

/// Returns the image, the offset of a byte if it is inside, and whether reads outside are
/// unspecified.
fn byte<'r>(run: &mut Run<'r>, arguments: &[Node]) -> Result<(Option<Picture<'r>>, Option<u64>, bool)> {
    let [surface, distance, first, Node::Value(Value::Truth(unsaid)), plane, x, y] = arguments else {
        return senseless("a rectangle with these arguments");
    };
    let picture = picture(run, surface)?;
    let number = |run: &mut Run<'_>, node| run.number(node);
    let (distance, first) = (number(run, distance)?, number(run, first)?);
    let (x, y) = (number(run, x)?, number(run, y)? * distance + first);
    if number(run, plane)? != 0 {
        return senseless("a plane other than the first");
    }
    let Some(picture) = picture else { return Ok((None, None, *unsaid)) };
    let desc = &picture.image.desc;
    // The pages require a two-dimensional surface; a one-dimensional one counts as a single row.
    if desc.dimensions > 2 || desc.is_array || desc.levels > 1 || desc.samples > 1 {
        return Err(run.undefined());
    }
    let (width, height) = (u64::from(desc.size[0]) * picture.texel_bytes(), u64::from(desc.size[1]));
    let inside = |n: i64, end: u64| u64::try_from(n).ok().filter(|n| *n < end);
    let offset = inside(x, width).zip(inside(y, height)).map(|(x, y)| y * picture.row_bytes(0) + x);
    Ok((Some(picture), offset, *unsaid))
}

/// Evaluates `resinfo`: the size at a level, or the number of levels.
pub(crate) fn size(run: &mut Run<'_>, arguments: &[Node]) -> Result<Value> {
    let [surface, colour, level] = arguments else { return senseless("an image with these arguments") };
    let picture = picture(run, surface)?;
    let (colour, level) = (colour_of(run, colour)?, run.number(level)?);
    let Some(picture) = picture else { return Ok(Value::integer(0_u32)) };
    let desc = &picture.image.desc;
    let number = match colour {
        3 => desc.levels.into(),
        side if side < desc.dimensions && (0..i64::from(desc.levels)).contains(&level) => picture.side(side, level),
        layers if layers == desc.dimensions && desc.is_array => desc.layers.into(),
        _ => 0,
    };
    Ok(Value::integer(number))
}

/// Evaluates `sampleinfo`: the number of samples; their positions are unspecified.
pub(crate) fn samples(run: &mut Run<'_>, arguments: &[Node]) -> Result<Value> {
    let [surface, colour] = arguments else { return senseless("an image with these arguments") };
    let picture = picture(run, surface)?;
    match (colour_of(run, colour)?, picture) {
        (0, Some(picture)) => Ok(Value::integer(picture.image.desc.samples)),
        (0, None) => Ok(Value::integer(0_u32)),
        _ => Ok(Value::Unknown),
    }
}

pub(crate) fn colour_of(run: &mut Run<'_>, node: &Node) -> Result<usize> {
    match run.number(node)? {
        colour @ 0..4 => Ok(colour as usize),
        _ => Err(run.undefined()),
    }
}

/// Returns the texel that coordinates name; the sample index comes first, if present.
fn at(run: &mut Run<'_>, arguments: &[Node]) -> Result<At> {
    let (sample, [u, v, r, level]) = match arguments {
        [sample, u, v, r, level] => (run.number(sample)?, [u, v, r, level]),
        [u, v, r, level] => (0, [u, v, r, level]),
        _ => return senseless("a texel with these arguments"),
    };
    let mut number = |node| match run.value(node)? {
        // Coordinates beyond these limits are outside every image.
        Value::Integer(Integer { value, .. }) => {
            Ok(value.clamp((-1_i64 << 48).into(), (1_i64 << 48).into()).as_i64())
        }
        value => senseless(format!("a coordinate of {value:?}")),
    };
    Ok(At { place: [number(u)?, number(v)?, number(r)?], level: number(level)?, sample })
}

impl Picture<'_> {
    fn kind(&self) -> Kind {
        match self.image.format.component {
            ComponentType::Unorm8 => Kind::Unorm(8),
            ComponentType::Unorm16 => Kind::Unorm(16),
            ComponentType::Snorm8 => Kind::Snorm(8),
            ComponentType::Snorm16 => Kind::Snorm(16),
            ComponentType::Uint8 => Kind::Uint(8),
            ComponentType::Uint16 => Kind::Uint(16),
            ComponentType::Uint32 => Kind::Uint(32),
            ComponentType::Sint8 => Kind::Sint(8),
            ComponentType::Sint16 => Kind::Sint(16),
            ComponentType::Sint32 => Kind::Sint(32),
            ComponentType::Half => Kind::Float(Format::Half),
            ComponentType::Float => Kind::Float(Format::Single),
        }
    }

    /// Returns true if texels hold integers.
    pub(crate) fn is_integer(&self) -> bool {
        matches!(self.kind(), Kind::Uint(_) | Kind::Sint(_))
    }

    /// Returns the sources of red, green, blue and alpha.
    fn parts(&self) -> [Part; 4] {
        use ComponentOrder as O;
        use Part::{One, Stored, Zero};
        let places = |letters: [u64; 4]| letters.map(Stored);
        match self.image.format.order {
            O::R | O::Depth => [Stored(0), Zero, Zero, One],
            O::Rg => [Stored(0), Stored(1), Zero, One],
            O::Rgba | O::Srgba => places([0, 1, 2, 3]),
            O::Bgra | O::Sbgra => places([2, 1, 0, 3]),
            O::Argb => places([1, 2, 3, 0]),
            O::Abgr => places([3, 2, 1, 0]),
            O::A => [Zero, Zero, Zero, Stored(0)],
            O::Luminance => [Stored(0), Stored(0), Stored(0), One],
            O::Intensity => places([0; 4]),
            O::Swizzle(_, sources) => sources.map(|source| match source {
                O::ZERO => Zero,
                O::ONE => One,
                place => Stored(place.into()),
            }),
        }
    }

    /// Returns true if a colour is stored with the sRGB transfer function.
    fn is_curved(&self, colour: usize) -> bool {
        matches!(self.image.format.order, ComponentOrder::Srgba | ComponentOrder::Sbgra) && colour < 3
    }

    fn texel_bytes(&self) -> u64 {
        let places = self.parts().map(|part| if let Part::Stored(place) = part { place + 1 } else { 0 });
        places.into_iter().max().unwrap_or(0) * self.kind().bytes()
    }

    /// Returns the size of a level along an axis: half of the level before, and at least 1.
    pub(crate) fn side(&self, axis: usize, level: i64) -> u64 {
        (u64::from(self.image.desc.size[axis]) >> level.clamp(0, 63)).max(1)
    }

    /// Returns the distance between rows in bytes.
    fn row_bytes(&self, level: i64) -> u64 {
        let desc = &self.image.desc;
        let dense = self.side(0, level) * u64::from(desc.samples) * self.texel_bytes();
        let is_plane = desc.dimensions == 2 && !desc.is_array && desc.levels == 1;
        if is_plane { dense.max(u64::from(desc.pitch)) } else { dense }
    }

    /// Returns the byte offset of a texel in the buffer; `None` outside the image.
    fn offset(&self, at: At) -> Option<u64> {
        let desc = &self.image.desc;
        let inside = |n: i64, end: u64| u64::try_from(n).ok().filter(|n| *n < end);
        let level = inside(at.level, desc.levels.into())? as i64;
        let sample = inside(at.sample, desc.samples.into())?;
        let axis = |n: usize| if n < desc.dimensions { inside(at.place[n], self.side(n, level)) } else { Some(0) };
        let (x, y, z) = (axis(0)?, axis(1)?, axis(2)?);
        let layer = if desc.is_array { inside(at.place[desc.dimensions], desc.layers.into())? } else { 0 };
        let plane = |level| self.side(1, level) * self.row_bytes(level);
        let volume = |level| self.side(2, level) * plane(level);
        let before: u64 = (0..level).map(|level| u64::from(desc.layers) * volume(level)).sum();
        let texel = (x * u64::from(desc.samples) + sample) * self.texel_bytes();
        Some(before + layer * volume(level) + z * plane(level) + y * self.row_bytes(level) + texel)
    }

    /// Returns a colour of a texel; `None` outside the image.
    pub(crate) fn inside(&self, at: At, colour: usize) -> Option<Result<Value>> {
        self.offset(at).map(|_| self.colour(at, colour))
    }

    fn colour(&self, at: At, colour: usize) -> Result<Value> {
        let kind = self.kind();
        let part = match (self.parts()[colour], self.offset(at)) {
            (Part::Stored(part), Some(offset)) => offset + part * kind.bytes(),
            _ => return Ok(self.border(colour)),
        };
        let value = kind.widened(self.read(part, kind.bytes()));
        match value {
            Value::Float(float) if self.is_curved(colour) => Ok(straight(float.format.to_real(float.bits))),
            value => Ok(value),
        }
    }

    /// Returns the border colour: zero, or one for an alpha that the format lacks.
    pub(crate) fn border(&self, colour: usize) -> Value {
        match self.parts()[colour] {
            Part::One => self.one(),
            _ if self.is_integer() => Value::sized(0_u32, 32),
            _ => Value::float(Format::Single, 0),
        }
    }

    fn one(&self) -> Value {
        if self.is_integer() { Value::sized(1_u32, 32) } else { Value::float(Format::Single, Format::Single.one()) }
    }

    fn read(&self, offset: u64, bytes: u64) -> u64 {
        self.texels.load(offset, bytes as u32).unwrap_or(0)
    }

    fn write(&self, run: &mut Run<'_>, offset: u64, bytes: u64, bits: u64) {
        for (n, byte) in (0..bytes).zip(bits.to_le_bytes()) {
            // The map of stored bytes covers all buffers; the upper address bits hold the buffer
            // index.
            let address = (self.image.buffer as u64) << 48 | (offset + n);
            run.clashes |= run.stored.insert(address, byte).is_some_and(|before| before != byte);
        }
        self.texels.store(offset, bytes as u32, bits);
    }
}

impl Kind {
    fn bytes(self) -> u64 {
        match self {
            Self::Unorm(bits) | Self::Snorm(bits) | Self::Uint(bits) | Self::Sint(bits) => u64::from(bits / 8),
            Self::Float(format) => u64::from(format.bits() / 8),
        }
    }

    /// Converts stored bits to the 32-bit value that messages return.
    fn widened(self, bits: u64) -> Value {
        let mode = FloatMode::PLAIN;
        let fraction = |n: i128, most: i128| {
            let [n, most] = [n, most].map(|n| Format::Single.of_integer(n < 0, n.unsigned_abs(), mode));
            Value::float(Format::Single, Format::Single.join(Join::Quotient, [n, most, 0], mode))
        };
        let signed = |width: u32| (bits << (64 - width)) as i64 >> (64 - width);
        match self {
            Self::Unorm(width) => fraction(bits.into(), ones(width).into()),
            // The most negative number has no positive counterpart; it also means -1.
            Self::Snorm(width) => {
                let most = ones(width - 1);
                fraction(signed(width).max(-(most as i64)).into(), most.into())
            }
            Self::Uint(_) => Value::sized(bits, 32),
            Self::Sint(width) => Value::sized(signed(width), 32),
            Self::Float(Format::Single) => Value::float(Format::Single, bits),
            Self::Float(format) => Value::computed(Format::Single, format.convert(bits, Format::Single, mode)),
        }
    }

    /// Converts 32 bits of a message to the stored bits.
    fn narrowed(self, bits: u64) -> u64 {
        let mode = FloatMode::PLAIN;
        let norm = |least: f64, most: u64, width: u32| {
            let float = Format::Single;
            if float.is_nan(bits) {
                return 0;
            }
            let clamped = float.of_real(float.to_real(bits).clamp(least, 1.0), mode);
            let product = float.join(Join::Product, [clamped, float.of_integer(false, most.into(), mode), 0], mode);
            let whole = float.integral(product, Round::NearestTiesToEven, mode);
            low_bits(float.to_integer(whole, 32, true).into(), width)
        };
        let signed = i64::from(bits as u32 as i32);
        match self {
            Self::Unorm(width) => norm(0.0, ones(width), width),
            Self::Snorm(width) => norm(-1.0, ones(width - 1), width),
            Self::Uint(width) => bits.min(ones(width)),
            Self::Sint(width) => {
                let most = ones(width - 1) as i64;
                signed.clamp(-most - 1, most) as u64 & ones(width)
            }
            Self::Float(format) => Format::Single.convert(bits, format, mode),
        }
    }
}

/// Converts an sRGB value to linear intensity.
fn straight(value: f64) -> Value {
    let value = if value <= 0.04045 { value / 12.92 } else { pxfm::f_pow((value + 0.055) / 1.055, 2.4) };
    // OpenCL allows a tolerance, which chapter 3 states.
    let room = value * 2.0_f64.powi(-20);
    Value::Between { low: value - room, high: value + room }
}

/// Converts a linear intensity to sRGB, as the bits of an F.
fn curved(bits: u64) -> u64 {
    let value = Format::Single.to_real(bits);
    let value = if value.is_nan() { 0.0 } else { value.clamp(0.0, 1.0) };
    let value = if value < 0.0031308 { value * 12.92 } else { 1.055 * pxfm::f_pow(value, 1.0 / 2.4) - 0.055 };
    Format::Single.of_real(value, FloatMode::PLAIN)
}
