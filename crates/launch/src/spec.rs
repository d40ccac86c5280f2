//! Argument specifications of the command line: `KEY=SPEC`, as in `n=u32:100`.
//! [`super::forms::FORMS`] is the grammar of SPEC.

use std::ops::Range;
use std::path::{Path, PathBuf};

use super::TextError;
use super::forms::{any_usage, usage};
use super::pattern::{Pattern, Rule};
use super::scalar::{Number, Scalar, parse_integer};
use visakit_machine::sampler::{Addressing, COMPARISONS, Sampler};
use visakit_machine::scalar::parse_number;

/// Identification of an argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArgKey {
    /// Index in the kernel, from 0.
    Index(u32),
    /// Name in the source.
    Name(String),
}

impl ArgKey {
    /// Parses an index or a name.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let is_letter = |c: char| c.is_alphabetic() || c == '_';
        if text.starts_with(is_letter) && text.chars().all(|c| is_letter(c) || c.is_numeric()) {
            return Some(Self::Name(text.to_owned()));
        }
        text.bytes().all(|c| c.is_ascii_digit()).then(|| text.parse().ok().map(Self::Index))?
    }

    /// Returns true for the argument with this index and this name.
    pub fn is(&self, index: u32, name: &str) -> bool {
        match self {
            Self::Index(own) => *own == index,
            Self::Name(own) => own == name,
        }
    }
}

impl From<u32> for ArgKey {
    fn from(index: u32) -> Self {
        Self::Index(index)
    }
}

impl std::fmt::Display for ArgKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Index(index) => index.fmt(f),
            Self::Name(name) => name.fmt(f),
        }
    }
}

/// Specification of an argument's value.
#[derive(Clone, Debug, PartialEq)]
pub enum ArgSpec {
    /// A buffer with the contents of a file.
    File(PathBuf),
    /// A buffer of this many zero bytes.
    Zeros(u64),
    /// A buffer of this many bytes with undefined contents: zeros, on which no result may depend.
    Undefined(u64),
    /// A buffer of numbers from a rule.
    Pattern(Pattern),
    /// An empty pipe.
    Pipe {
        /// Capacity in packets.
        packets: u32,
        /// Size of a packet in bytes.
        bytes: u32,
    },
    /// A buffer or value with these bytes.
    Bytes(Vec<u8>),
    /// Shared local memory of this size in bytes.
    Local(u32),
    /// The buffer or image of another argument.
    Same(ArgKey),
    /// A number, or the numbers of a vector.
    Value {
        /// Type of the numbers.
        kind: Scalar,
        /// Bytes of the numbers.
        bytes: Vec<u8>,
    },
    /// A number, or the numbers of a vector, in the parameter's type.
    Untyped(String),
    /// An image.
    Image(ImageSpec),
    /// A sampler.
    Sampler(Sampler),
}

impl ArgSpec {
    /// Returns the path of the specification's file.
    pub fn path_mut(&mut self) -> Option<&mut PathBuf> {
        match self {
            Self::File(path) | Self::Image(ImageSpec { pixels: Pixels::File(path), .. }) => Some(path),
            _ => None,
        }
    }
}

/// An image argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImageSpec {
    /// Format, named after OpenCL's: `rgba8unorm`, `r32f`.
    pub format: String,
    /// Width, height, depth; 1 by default. `None` for the size of a picture file that has not been
    /// read; this crate reads no pictures.
    pub size: Option<[u32; 3]>,
    /// Number of mip levels, each with half the size of the previous one.
    pub levels: u32,
    /// Samples per texel.
    pub samples: u32,
    /// Source of the pixels.
    pub pixels: Pixels,
}

/// Source of an image's pixels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pixels {
    /// All zeros.
    Zeros,
    /// Contents of a file.
    File(PathBuf),
    /// Given bytes.
    Bytes(Vec<u8>),
}

/// Parses `KEY=SPEC`.
///
/// # Errors
/// A syntax error with its position.
pub fn parse_argument(text: &str) -> Result<(ArgKey, ArgSpec), TextError> {
    let Some((key, spec)) = text.split_once('=') else {
        return Err(error(text, 0..text.len(), "`=` is missing after the argument's index or name", &any_usage()));
    };
    let parsed = ArgKey::parse(key).ok_or_else(|| {
        let help =
            "write KEY=SPEC; KEY is the argument's index in the kernel, counted from 0, or its name in the source";
        error(text, 0..key.len(), format!("`{key}` is not the index or name of an argument"), help)
    })?;
    let skip = key.len() + 1;
    let spec = parse(spec).map_err(|mut e| {
        e.at = e.at.start + skip..e.at.end + skip;
        e
    })?;
    Ok((parsed, spec))
}

/// Parses `SPEC`.
///
/// # Errors
/// As [`parse_argument`].
pub fn parse(text: &str) -> Result<ArgSpec, TextError> {
    let Some((kind, value)) = text.split_once(':') else {
        let is_number = |part: &str| part.trim().starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c));
        if text.split(',').all(is_number) {
            return Ok(ArgSpec::Untyped(text.to_owned()));
        }
        return Err(error(text, 0..text.len(), format!("`{text}` does not give a value"), &any_usage()));
    };
    let at = kind.len() + 1..text.len();
    let refuse = |what: &str| wrong(text, at.clone(), value, what, &usage(kind));
    match kind {
        "file" if value.is_empty() => Err(error(text, at, "the file's name is missing", &usage(kind))),
        "file" => Ok(ArgSpec::File(PathBuf::from(value))),
        "zeros" => {
            let bytes = parse_number(value).and_then(|bytes| u64::try_from(bytes).ok());
            bytes.map(ArgSpec::Zeros).ok_or_else(|| refuse("number of bytes"))
        }
        "undef" => {
            let bytes = parse_number(value).and_then(|bytes| u64::try_from(bytes).ok());
            bytes.map(ArgSpec::Undefined).ok_or_else(|| refuse("number of bytes"))
        }
        "local" => {
            let bytes = parse_number(value).and_then(|bytes| u32::try_from(bytes).ok());
            bytes.map(ArgSpec::Local).ok_or_else(|| refuse("number of bytes of shared local memory"))
        }
        "same" => ArgKey::parse(value).map(ArgSpec::Same).ok_or_else(|| refuse("index or name of an argument")),
        "pipe" => {
            let numbers = value.split_once('x').and_then(|(packets, bytes)| {
                let number = |text| u32::try_from(parse_number(text)?).ok().filter(|&n| n > 0 && n < u32::MAX);
                Some(ArgSpec::Pipe { packets: number(packets)?, bytes: number(bytes)? })
            });
            numbers.ok_or_else(|| refuse("number of packets and their bytes"))
        }
        "bytes" => parse_hex(value).map(ArgSpec::Bytes).ok_or_else(|| refuse("row of bytes")),
        "fill" | "range" | "random" => parse_pattern(text, kind).map(ArgSpec::Pattern),
        "image" => parse_image(value).map(ArgSpec::Image).ok_or_else(|| refuse("image")),
        "sampler" => parse_sampler(value).map(ArgSpec::Sampler).ok_or_else(|| refuse("sampler")),
        _ => match Scalar::from_name(kind) {
            Some(scalar) => {
                let mut bytes = Vec::new();
                parse_numbers(text, at, scalar)?.iter().for_each(|number| number.put(scalar, &mut bytes));
                Ok(ArgSpec::Value { kind: scalar, bytes })
            }
            None => {
                let message = format!("unknown kind of argument `{kind}`");
                Err(error(text, 0..kind.len(), message, &any_usage()))
            }
        },
    }
}

/// Parses comma-separated numbers at `at` in the text.
fn parse_numbers(text: &str, at: Range<usize>, scalar: Scalar) -> Result<Vec<Number>, TextError> {
    let mut start = at.start;
    let mut numbers = Vec::new();
    for part in text[at].split(',') {
        let number = part.trim();
        numbers.push(scalar.parse(number).ok_or_else(|| {
            let name = scalar.name();
            let help = format!("write {name}:VALUE with a number of that type");
            wrong(text, start..start + part.len(), number, name, &help)
        })?);
        start += part.len() + 1;
    }
    Ok(numbers)
}

/// Parses `KIND:TYPE:COUNT` and the parameters of each kind of pattern.
fn parse_pattern(text: &str, kind: &str) -> Result<Pattern, TextError> {
    let help = usage(kind);
    let mut start = kind.len() + 1;
    let mut parts = text[start..].split(':').map(|part| {
        let at = start..start + part.len();
        start = at.end + 1;
        at
    });
    let all = kind.len() + 1..text.len();
    let mut take = || parts.next();
    let missing = |what: &str| error(text, all.clone(), format!("the {what} is missing"), &help);
    let refuse = |at: Range<usize>, what: &str| wrong(text, at.clone(), &text[at], what, &help);

    let at = take().filter(|at| !at.is_empty()).ok_or_else(|| missing("type"))?;
    let scalar = Scalar::from_name(&text[at.clone()]).ok_or_else(|| refuse(at, "type of number"))?;
    let at = take().ok_or_else(|| missing("count"))?;
    let count = parse_number(&text[at.clone()]).and_then(|count| u64::try_from(count).ok());
    let count = count.ok_or_else(|| refuse(at, "count"))?;
    let one = |at: Range<usize>| scalar.parse(&text[at.clone()]).ok_or_else(|| refuse(at, scalar.name()));
    let whole = |value: i128| scalar.integer(value).unwrap_or_else(|| scalar.round(value as f64));
    let rule = match kind {
        "fill" => Rule::Fill(parse_numbers(text, take().ok_or_else(|| missing("value"))?, scalar)?),
        "range" => {
            let start = take().map_or(Ok(whole(0)), one)?;
            let step = match take() {
                None => whole(1),
                Some(at) if scalar.is_float() => one(at)?,
                Some(at) => Number::Integer(parse_integer(&text[at.clone()]).ok_or_else(|| refuse(at, "step"))?),
            };
            if let (Number::Integer(start), Number::Integer(step)) = (start, step) {
                let steps = i128::from(count.max(1) - 1).checked_mul(step);
                let last = steps.and_then(|steps| start.checked_add(steps));
                if last.and_then(|last| scalar.integer(last)).is_none() {
                    let message = format!("the last of {count} numbers does not fit into type {}", scalar.name());
                    return Err(error(text, all, message, &help));
                }
            }
            Rule::Range { start, step }
        }
        _ => {
            let seed = take().map(|at| {
                let seed = parse_number(&text[at.clone()]).and_then(|seed| u64::try_from(seed).ok());
                seed.ok_or_else(|| refuse(at, "seed"))
            });
            let (least, most) = if scalar.is_float() { (0, 1) } else { scalar.bounds() };
            let low = take();
            let ends_at = low.clone();
            let (low, high) = match low {
                None => (whole(least), whole(most)),
                Some(at) => (one(at)?, one(take().ok_or_else(|| missing("largest number"))?)?),
            };
            if low.to_f64() > high.to_f64() || !(high.to_f64() - low.to_f64()).is_finite() {
                let at = ends_at.map_or(all, |at| at.start..text.len());
                return Err(refuse(at, "range from the smallest to the largest number"));
            }
            Rule::Random { seed: seed.transpose()?.unwrap_or(0), low, high }
        }
    };
    match take() {
        Some(at) => Err(error(text, at.start..text.len(), "there is extra text at the end", &help)),
        None => Ok(Pattern { scalar, count, rule }),
    }
}

fn parse_hex(value: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> = value.bytes().filter(|c| !matches!(c, b'_' | b' ')).collect();
    let digit = |c: u8| char::from(c).to_digit(16);
    let byte = |pair: &[u8]| match pair {
        [high, low] => u8::try_from(digit(*high)? * 16 + digit(*low)?).ok(),
        _ => None,
    };
    digits.chunks(2).map(byte).collect()
}

fn parse_image(value: &str) -> Option<ImageSpec> {
    let (format, rest) = value.split_once(':').filter(|(format, _)| !format.is_empty())?;
    let mut image = ImageSpec {
        format: format.to_owned(),
        size: None,
        levels: 1,
        samples: 1,
        pixels: Pixels::File(PathBuf::from(rest)),
    };
    let Some((size, pixels)) =
        rest.split_once(':').filter(|(size, _)| size.starts_with(|c: char| c.is_ascii_digit()))
    else {
        return is_png(Path::new(rest)).then_some(image);
    };
    let mut words = size.split(',');
    image.size = Some(words.next().and_then(parse_size).filter(|_| !pixels.is_empty())?);
    image.pixels = match pixels.strip_prefix("bytes:") {
        Some(digits) => Pixels::Bytes(parse_hex(digits)?),
        None if pixels == "zeros" => Pixels::Zeros,
        None => Pixels::File(PathBuf::from(pixels)),
    };
    for word in words {
        let (place, digits) = match word.trim().split_once('=')? {
            ("levels", digits) => (&mut image.levels, digits),
            ("samples", digits) => (&mut image.samples, digits),
            _ => return None,
        };
        *place = digits.parse().ok().filter(|n| (1..=MAX_COUNT).contains(n))?;
    }
    Some(image)
}

/// Returns true if the file name is that of a picture.
pub fn is_png(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("png"))
}

/// Largest number of levels of an image, and of samples of a texel.
const MAX_COUNT: u32 = 16;

/// Parses `WxH` or `WxHxD`.
pub fn parse_size(text: &str) -> Option<[u32; 3]> {
    let mut size = [1; 3];
    let parts: Vec<_> = text.split('x').collect();
    if !(1..=3).contains(&parts.len()) {
        return None;
    }
    for (side, part) in size.iter_mut().zip(parts) {
        *side = part.parse().ok().filter(|&n| n > 0)?;
    }
    Some(size)
}

fn parse_sampler(value: &str) -> Option<Sampler> {
    let mut parts = value.split(',').map(str::trim);
    let addressing = match parts.next()? {
        "none" => Addressing::None,
        "clamp" => Addressing::Clamp,
        "clamp_to_edge" => Addressing::ClampToEdge,
        "repeat" => Addressing::Repeat,
        "mirror" => Addressing::Mirror,
        _ => return None,
    };
    let linear = match parts.next()? {
        "nearest" => false,
        "linear" => true,
        _ => return None,
    };
    let mut sampler = Sampler { addressing, linear, ..Sampler::default() };
    for part in parts {
        match part.split_once('=') {
            None if part == "normalized" => sampler.normalized = true,
            None if part == "mix_levels" => sampler.mix_levels = true,
            Some(("levels", range)) => {
                let number = |text: &str| text.trim().parse::<f32>().ok().filter(|n| *n >= 0.0);
                let (low, high) = range.split_once("..")?;
                sampler.levels = number(low).zip(number(high)).filter(|(a, b)| a <= b)?;
            }
            Some(("compare", how)) => sampler.compare = COMPARISONS.iter().find(|(name, _)| *name == how)?.1,
            _ => return None,
        }
    }
    Some(sampler)
}

fn wrong(text: &str, at: Range<usize>, value: &str, what: &str, help: &str) -> TextError {
    error(text, at, format!("`{value}` is not a valid {what}"), help)
}

fn error(text: &str, at: Range<usize>, message: impl Into<String>, help: &str) -> TextError {
    debug_assert!(at.end <= text.len());
    TextError { code: "argument-syntax", at, message: message.into(), help: help.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::forms::FORMS;
    use visakit_machine::sampler::Compare;

    #[test]
    fn every_form() {
        assert_eq!(parse_argument("0=file:a b.bin"), Ok((ArgKey::Index(0), ArgSpec::File("a b.bin".into()))));
        assert_eq!(parse_argument("12=zeros:0x1_0"), Ok((ArgKey::Index(12), ArgSpec::Zeros(16))));
        assert_eq!(parse_argument("n_1=zeros:4"), Ok((ArgKey::Name("n_1".into()), ArgSpec::Zeros(4))));
        assert_eq!(parse("undef:8"), Ok(ArgSpec::Undefined(8)));
        assert_eq!(parse("pipe:8x4"), Ok(ArgSpec::Pipe { packets: 8, bytes: 4 }));
        assert_eq!(parse("local:64"), Ok(ArgSpec::Local(64)));
        assert_eq!(parse("same:3"), Ok(ArgSpec::Same(ArgKey::Index(3))));
        assert_eq!(parse("bytes:00ff_80"), Ok(ArgSpec::Bytes(vec![0, 0xff, 0x80])));
        assert_eq!(parse("i8:-128"), Ok(ArgSpec::Value { kind: Scalar::I8, bytes: vec![0x80] }));
        assert_eq!(parse("u16:0xffff"), Ok(ArgSpec::Value { kind: Scalar::U16, bytes: vec![0xff; 2] }));
        assert_eq!(parse("f16:1"), Ok(ArgSpec::Value { kind: Scalar::F16, bytes: vec![0, 0x3c] }));
        let two = [1.5_f32.to_le_bytes(), (-2.0_f32).to_le_bytes()].concat();
        assert_eq!(parse("f32:1.5,-2"), Ok(ArgSpec::Value { kind: Scalar::F32, bytes: two }));
        let size = Some([4, 2, 1]);
        let image = ImageSpec { format: "r32f".into(), size, levels: 1, samples: 1, pixels: Pixels::Zeros };
        assert_eq!(parse("image:r32f:4x2:zeros"), Ok(ArgSpec::Image(image.clone())));
        let image = ImageSpec { levels: 2, samples: 4, pixels: Pixels::File("a,b:c".into()), ..image };
        assert_eq!(parse("image:r32f:4x2,levels=2,samples=4:a,b:c"), Ok(ArgSpec::Image(image.clone())));
        let image = ImageSpec { size: None, levels: 1, samples: 1, pixels: Pixels::File("d/p.PNG".into()), ..image };
        assert_eq!(parse("image:r32f:d/p.PNG"), Ok(ArgSpec::Image(image)));
        let sampler = ArgSpec::Sampler(Sampler {
            addressing: Addressing::Mirror,
            linear: true,
            normalized: true,
            ..Sampler::default()
        });
        assert_eq!(parse("sampler:mirror,linear,normalized"), Ok(sampler));
        let sampler = ArgSpec::Sampler(Sampler {
            addressing: Addressing::Clamp,
            mix_levels: true,
            levels: (0.5, 2.0),
            compare: Compare::Less,
            ..Sampler::default()
        });
        assert_eq!(parse("sampler:clamp,nearest,mix_levels,levels=0.5..2,compare=less"), Ok(sampler));
    }

    #[test]
    fn every_pattern() {
        let pattern = |scalar, count, rule| Ok(ArgSpec::Pattern(Pattern { scalar, count, rule }));
        let integer = Number::Integer;
        let fill = Rule::Fill([0.5, -1.0].map(Number::Single).to_vec());
        assert_eq!(parse("fill:f32:8:0.5,-1"), pattern(Scalar::F32, 8, fill));
        let range = Rule::Range { start: integer(0), step: integer(1) };
        assert_eq!(parse("range:u8:256"), pattern(Scalar::U8, 256, range));
        let range = Rule::Range { start: integer(9), step: integer(-3) };
        assert_eq!(parse("range:u32:4:9:-3"), pattern(Scalar::U32, 4, range));
        let random = Rule::Random { seed: 0, low: Number::Double(0.0), high: Number::Double(1.0) };
        assert_eq!(parse("random:f64:3"), pattern(Scalar::F64, 3, random));
        let random = Rule::Random { seed: 7, low: integer(-5), high: integer(5) };
        assert_eq!(parse("random:i16:3:7:-5:5"), pattern(Scalar::I16, 3, random));
    }

    /// The parser accepts the examples in the help.
    #[test]
    fn examples_of_the_forms_are_read() {
        for form in FORMS {
            assert!(parse(form.example).is_ok(), "{}", form.example);
            let kind = if form.kind == "TYPE" { "f32" } else { form.kind };
            assert!(form.example.starts_with(&format!("{kind}:")), "{}", form.example);
            assert!(
                form.kind == "TYPE" || parse("x").unwrap_err().help.contains(&format!("{}:{}", form.kind, form.rest))
            );
        }
    }

    #[test]
    fn errors_point_at_what_is_wrong() {
        for (text, at) in [
            ("file:x", 0..6),
            ("-1=zeros:4", 0..2),
            ("1n=zeros:4", 0..2),
            ("0=seros:4", 2..7),
            ("0=zeros", 2..7),
            ("0=zeros:4k", 8..10),
            ("0=zeros:+4", 8..10),
            ("1=u8:256", 5..8),
            ("1=i8:-129", 5..9),
            ("1=u32:-1", 6..8),
            ("1=f32:1,x,3", 8..9),
            ("1=bytes:abc", 8..11),
            ("1=bytes:+1", 8..10),
            ("1=local:99999999999", 8..19),
            ("1=same:-", 7..8),
            ("1=pipe:8x0", 7..10),
            ("1=pipe:8", 7..8),
            ("1=image:r32f:4x0:zeros", 8..22),
            ("1=image:r32f:p.jpg", 8..18),
            ("1=fill:f32", 7..10),
            ("1=fill:f33:4:1", 7..10),
            ("1=fill:f32:4", 7..12),
            ("1=fill:f32:x:1", 11..12),
            ("1=fill:f32:4:1,x", 15..16),
            ("1=fill:f32:4:1:2", 15..16),
            ("1=range:u8:257", 8..14),
            ("1=range:u8:3:1:-1", 8..17),
            ("1=range:u8:3:-1", 13..15),
            ("1=random:u8:3:x", 14..15),
            ("1=random:u8:3:0:4", 9..17),
            ("1=random:u8:3:0:4:3", 16..19),
            ("1=image:r32f:4x4,levels=0:zeros", 8..31),
            ("1=image:r32f:4x4,planes=1:zeros", 8..31),
            ("1=sampler:clamp", 10..15),
            ("1=sampler:clamp,linear,levels=2..1", 10..34),
            ("1=sampler:clamp,linear,compare=lower", 10..36),
        ] {
            let error = parse_argument(text).unwrap_err();
            assert_eq!(error.at, at, "{text}: {error:?}");
            assert!(!error.help.is_empty());
        }
    }
}
