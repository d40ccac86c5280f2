//! The grammar of `--arg N=SPEC`.
//!
//! | SPEC | is |
//! | --- | --- |
//! | `file:PATH` | a buffer with the contents of a file |
//! | `zeros:BYTES` | a buffer of zeros |
//! | `bytes:HEX` | a buffer with these bytes or, where the kernel takes a value, the value's bytes |
//! | `pipe:PACKETSxBYTES` | an empty pipe |
//! | `local:BYTES` | shared local memory for a pointer to it |
//! | `same:N` | the buffer or image that is argument N |
//! | `i8 u8 i16 u16 i32 u32 i64 u64 f16 f32 f64` `:VALUE` | a number; a vector's parts separated by commas |
//! | `image:FORMAT:WxH[xD][,levels=N][,samples=N]:PATH` or `…:zeros` | an image |
//! | `sampler:ADDRESSING,FILTER[,normalized][,mix_levels][,levels=A..B][,compare=HOW]` | a sampler |
//!
//! `u64:VALUE` for a pointer is the pointer itself, so `u64:0` passes NULL.

use std::path::{Path, PathBuf};

use half::f16;

use super::{TextError, parse_number};
use crate::machine::sampler::{Addressing, COMPARISONS, Sampler};

/// What is passed for an argument.
#[derive(Clone, Debug, PartialEq)]
pub enum ArgSpec {
    /// A buffer with the contents of a file.
    File(PathBuf),
    /// A buffer of that many zero bytes.
    Zeros(u64),
    /// An empty pipe.
    Pipe {
        /// How many packets it holds.
        packets: u32,
        /// Bytes of a packet.
        bytes: u32,
    },
    /// These bytes: a buffer, or a value.
    Bytes(Vec<u8>),
    /// That many bytes of shared local memory.
    Local(u32),
    /// The buffer or image that is another argument.
    Same(u32),
    /// A number, or the numbers of a vector.
    Value {
        /// Their type.
        kind: Scalar,
        /// Their bytes.
        bytes: Vec<u8>,
    },
    /// An image.
    Image(ImageSpec),
    /// A sampler.
    Sampler(Sampler),
}

impl ArgSpec {
    /// Makes relative paths relative to a folder.
    pub fn rebase(&mut self, folder: &Path) {
        if let Self::File(path) | Self::Image(ImageSpec { pixels: Some(path), .. }) = self {
            *path = folder.join(&*path);
        }
    }
}

/// An image argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImageSpec {
    /// Format, named like OpenCL's: `rgba8unorm`, `r32f`.
    pub format: String,
    /// Width, height, depth; 1 where not given.
    pub size: [u32; 3],
    /// Levels, each half as large as the one before.
    pub levels: u32,
    /// Samples of each texel.
    pub samples: u32,
    /// The file with its pixels; none for zeros.
    pub pixels: Option<PathBuf>,
}

/// A type of number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Scalar {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F16,
    F32,
    F64,
}

const SCALARS: [(&str, Scalar); 11] = [
    ("i8", Scalar::I8),
    ("u8", Scalar::U8),
    ("i16", Scalar::I16),
    ("u16", Scalar::U16),
    ("i32", Scalar::I32),
    ("u32", Scalar::U32),
    ("i64", Scalar::I64),
    ("u64", Scalar::U64),
    ("f16", Scalar::F16),
    ("f32", Scalar::F32),
    ("f64", Scalar::F64),
];

impl Scalar {
    /// The name, as in a specification.
    pub fn name(self) -> &'static str {
        SCALARS.iter().find(|(_, kind)| *kind == self).map_or("", |(name, _)| name)
    }

    /// Whether it is a floating-point type.
    pub fn is_float(self) -> bool {
        matches!(self, Self::F16 | Self::F32 | Self::F64)
    }

    /// The bytes of a number, `None` when the text is no number of this type.
    fn bytes(self, text: &str) -> Option<Vec<u8>> {
        Some(match self {
            Self::F16 => f16::from_f64(text.parse().ok()?).to_le_bytes().to_vec(),
            Self::F32 => text.parse::<f32>().ok()?.to_le_bytes().to_vec(),
            Self::F64 => text.parse::<f64>().ok()?.to_le_bytes().to_vec(),
            Self::I8 => i8::try_from(signed(text)?).ok()?.to_le_bytes().to_vec(),
            Self::U8 => u8::try_from(parse_number(text)?).ok()?.to_le_bytes().to_vec(),
            Self::I16 => i16::try_from(signed(text)?).ok()?.to_le_bytes().to_vec(),
            Self::U16 => u16::try_from(parse_number(text)?).ok()?.to_le_bytes().to_vec(),
            Self::I32 => i32::try_from(signed(text)?).ok()?.to_le_bytes().to_vec(),
            Self::U32 => u32::try_from(parse_number(text)?).ok()?.to_le_bytes().to_vec(),
            Self::I64 => i64::try_from(signed(text)?).ok()?.to_le_bytes().to_vec(),
            Self::U64 => u64::try_from(parse_number(text)?).ok()?.to_le_bytes().to_vec(),
        })
    }
}

fn signed(text: &str) -> Option<i128> {
    match text.strip_prefix('-') {
        Some(digits) => i128::try_from(parse_number(digits)?).ok().map(|n| -n),
        None => i128::try_from(parse_number(text)?).ok(),
    }
}

const FORMS: &str = "an argument is one of file:PATH, zeros:BYTES, bytes:HEX, local:BYTES, pipe:PACKETSxBYTES, \
    i8|u8|i16|u16|i32|u32|i64|u64|f16|f32|f64:VALUE, image:FORMAT:WxH[xD][,levels=N][,samples=N]:PATH|zeros, \
    sampler:ADDRESSING,FILTER[,normalized][,mix_levels][,levels=A..B][,compare=HOW]";

/// Reads `N=SPEC`.
///
/// # Errors
/// When the text does not follow the grammar; the error says where.
pub fn parse_argument(text: &str) -> Result<(u32, ArgSpec), TextError> {
    let Some((index, spec)) = text.split_once('=') else {
        return Err(error(text, 0..text.len(), "there is no `=` behind the argument's index", FORMS));
    };
    let number = index.trim().parse().map_err(|_| {
        let help = "write N=SPEC, where N is the argument's index in the kernel, from 0";
        error(text, 0..index.len(), format!("`{index}` is no index of an argument"), help)
    })?;
    let skip = index.len() + 1;
    let spec = parse(spec).map_err(|mut e| {
        e.at = e.at.start + skip..e.at.end + skip;
        e
    })?;
    Ok((number, spec))
}

/// Reads `SPEC`.
///
/// # Errors
/// As [`parse_argument`].
pub fn parse(text: &str) -> Result<ArgSpec, TextError> {
    let Some((kind, value)) = text.split_once(':') else {
        return Err(error(text, 0..text.len(), format!("`{text}` does not say what it is"), FORMS));
    };
    let at = kind.len() + 1..text.len();
    let count =
        |help: &str| parse_number(value).ok_or_else(|| wrong(text, at.clone(), value, "number of bytes", help));
    match kind {
        "file" if value.is_empty() => Err(error(text, at, "the file's name is missing", "write file:PATH")),
        "file" => Ok(ArgSpec::File(PathBuf::from(value))),
        "zeros" => {
            let bytes = count("write zeros:BYTES, such as zeros:4096")?;
            u64::try_from(bytes)
                .map(ArgSpec::Zeros)
                .map_err(|_| wrong(text, at, value, "number of bytes", "no buffer is that large"))
        }
        "local" => {
            let bytes = count("write local:BYTES, such as local:1024")?;
            u32::try_from(bytes)
                .map(ArgSpec::Local)
                .map_err(|_| wrong(text, at, value, "number of bytes", "shared local memory is not that large"))
        }
        "same" => {
            let index = value.parse().map_err(|_| {
                wrong(text, at, value, "index of an argument", "write same:N, where N is the other argument's index")
            })?;
            Ok(ArgSpec::Same(index))
        }
        "pipe" => {
            let numbers = value.split_once('x').and_then(|(packets, bytes)| {
                let number = |text| u32::try_from(parse_number(text)?).ok().filter(|&n| n > 0 && n < u32::MAX);
                Some(ArgSpec::Pipe { packets: number(packets)?, bytes: number(bytes)? })
            });
            let help = "write pipe:PACKETSxBYTES, such as pipe:100x4 for 100 packets of an int";
            numbers.ok_or_else(|| wrong(text, at, value, "number of packets and their bytes", help))
        }
        "bytes" => parse_hex(text, at, value).map(ArgSpec::Bytes),
        "image" => parse_image(text, at, value).map(ArgSpec::Image),
        "sampler" => parse_sampler(text, at, value),
        _ => match SCALARS.iter().find(|(name, _)| *name == kind) {
            Some(&(name, kind)) => {
                let mut bytes = Vec::new();
                let mut start = at.start;
                for part in value.split(',') {
                    let number = part.trim();
                    bytes.extend(kind.bytes(number).ok_or_else(|| {
                        let help = format!("write {name}:VALUE with a number of that type");
                        wrong(text, start..start + part.len(), number, name, &help)
                    })?);
                    start += part.len() + 1;
                }
                Ok(ArgSpec::Value { kind, bytes })
            }
            None => Err(error(text, 0..kind.len(), format!("there is no kind of argument called `{kind}`"), FORMS)),
        },
    }
}

fn parse_hex(text: &str, at: std::ops::Range<usize>, value: &str) -> Result<Vec<u8>, TextError> {
    let help = "write bytes:HEX with two hexadecimal digits a byte, such as bytes:0000803f";
    let digits: Vec<u8> = value.bytes().filter(|c| !matches!(c, b'_' | b' ')).collect();
    let bytes: Option<Vec<u8>> = digits
        .chunks(2)
        .map(|pair| match pair {
            [high, low] => {
                let digit = |c: u8| char::from(c).to_digit(16);
                u8::try_from(digit(*high)? * 16 + digit(*low)?).ok()
            }
            _ => None,
        })
        .collect();
    bytes.ok_or_else(|| wrong(text, at, value, "row of bytes", help))
}

fn parse_image(text: &str, at: std::ops::Range<usize>, value: &str) -> Result<ImageSpec, TextError> {
    let help = "write image:FORMAT:WxH[xD]:PATH, or zeros in place of the path, such as image:rgba8unorm:64x64:zeros; \
        levels=N and samples=N stand behind the size, such as 64x64,levels=7";
    let mut parts = value.splitn(3, ':');
    let (Some(format), Some(size), Some(pixels)) = (parts.next(), parts.next(), parts.next()) else {
        return Err(wrong(text, at, value, "image", help));
    };
    let mut words = size.split(',');
    let size = words.next().and_then(parse_size).filter(|_| !format.is_empty() && !pixels.is_empty());
    let size = size.ok_or_else(|| wrong(text, at.clone(), value, "image", help))?;
    let pixels = (pixels != "zeros").then(|| PathBuf::from(pixels));
    let mut image = ImageSpec { format: format.to_owned(), size, levels: 1, samples: 1, pixels };
    for word in words {
        let count = |digits: &str| digits.parse().ok().filter(|n| (1..=MAX_COUNT).contains(n));
        let (place, digits) = match word.trim().split_once('=') {
            Some(("levels", digits)) => (&mut image.levels, digits),
            Some(("samples", digits)) => (&mut image.samples, digits),
            _ => return Err(wrong(text, at, value, "image", help)),
        };
        *place = count(digits).ok_or_else(|| wrong(text, at.clone(), value, "image", help))?;
    }
    Ok(image)
}

/// No image has more levels, and no texel more samples.
const MAX_COUNT: u32 = 16;

/// Reads `WxH` or `WxHxD`.
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

fn parse_sampler(text: &str, at: std::ops::Range<usize>, value: &str) -> Result<ArgSpec, TextError> {
    let help = "write sampler:ADDRESSING,FILTER[,normalized] with none, clamp, clamp_to_edge, repeat or mirror, \
        and nearest or linear; mix_levels, levels=A..B and compare=never, less, equal, less_or_equal, greater, not_equal, \
        greater_or_equal or always may follow";
    let refuse = || wrong(text, at.clone(), value, "sampler", help);
    let mut parts = value.split(',').map(str::trim);
    let addressing = match parts.next() {
        Some("none") => Addressing::None,
        Some("clamp") => Addressing::Clamp,
        Some("clamp_to_edge") => Addressing::ClampToEdge,
        Some("repeat") => Addressing::Repeat,
        Some("mirror") => Addressing::Mirror,
        _ => return Err(refuse()),
    };
    let linear = match parts.next() {
        Some("nearest") => false,
        Some("linear") => true,
        _ => return Err(refuse()),
    };
    let mut sampler = Sampler { addressing, linear, ..Sampler::default() };
    for part in parts {
        match part.split_once('=') {
            None if part == "normalized" => sampler.normalized = true,
            None if part == "mix_levels" => sampler.mix_levels = true,
            Some(("levels", range)) => {
                let number = |text: &str| text.trim().parse::<f32>().ok().filter(|n| *n >= 0.0);
                let (low, high) = range.split_once("..").ok_or_else(refuse)?;
                sampler.levels = number(low).zip(number(high)).filter(|(a, b)| a <= b).ok_or_else(refuse)?;
            }
            Some(("compare", how)) => {
                let found = COMPARISONS.iter().find(|(name, _)| *name == how);
                sampler.compare = found.ok_or_else(refuse)?.1;
            }
            _ => return Err(refuse()),
        }
    }
    Ok(ArgSpec::Sampler(sampler))
}

fn wrong(text: &str, at: std::ops::Range<usize>, value: &str, what: &str, help: &str) -> TextError {
    error(text, at, format!("`{value}` is no {what}"), help)
}

fn error(text: &str, at: std::ops::Range<usize>, message: impl Into<String>, help: &str) -> TextError {
    debug_assert!(at.end <= text.len());
    TextError { code: "argument-syntax", at, message: message.into(), help: help.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::sampler::Compare;

    #[test]
    fn every_form() {
        assert_eq!(parse_argument("0=file:a b.bin"), Ok((0, ArgSpec::File("a b.bin".into()))));
        assert_eq!(parse_argument("12=zeros:0x1_0"), Ok((12, ArgSpec::Zeros(16))));
        assert_eq!(parse("pipe:8x4"), Ok(ArgSpec::Pipe { packets: 8, bytes: 4 }));
        assert_eq!(parse("local:64"), Ok(ArgSpec::Local(64)));
        assert_eq!(parse("same:3"), Ok(ArgSpec::Same(3)));
        assert_eq!(parse("bytes:00ff_80"), Ok(ArgSpec::Bytes(vec![0, 0xff, 0x80])));
        assert_eq!(parse("i8:-128"), Ok(ArgSpec::Value { kind: Scalar::I8, bytes: vec![0x80] }));
        assert_eq!(parse("u16:0xffff"), Ok(ArgSpec::Value { kind: Scalar::U16, bytes: vec![0xff; 2] }));
        assert_eq!(parse("f16:1"), Ok(ArgSpec::Value { kind: Scalar::F16, bytes: vec![0, 0x3c] }));
        let two = [1.5_f32.to_le_bytes(), (-2.0_f32).to_le_bytes()].concat();
        assert_eq!(parse("f32:1.5,-2"), Ok(ArgSpec::Value { kind: Scalar::F32, bytes: two }));
        let image = ImageSpec { format: "r32f".into(), size: [4, 2, 1], levels: 1, samples: 1, pixels: None };
        assert_eq!(parse("image:r32f:4x2:zeros"), Ok(ArgSpec::Image(image.clone())));
        let image = ImageSpec { levels: 2, samples: 4, pixels: Some("a,b:c".into()), ..image };
        assert_eq!(parse("image:r32f:4x2,levels=2,samples=4:a,b:c"), Ok(ArgSpec::Image(image)));
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
    fn errors_point_at_what_is_wrong() {
        for (text, at) in [
            ("file:x", 0..6),
            ("x=zeros:4", 0..1),
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
            ("1=same:x", 7..8),
            ("1=pipe:8x0", 7..10),
            ("1=pipe:8", 7..8),
            ("1=image:r32f:4x0:zeros", 8..22),
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
