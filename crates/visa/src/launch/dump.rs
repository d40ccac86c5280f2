//! Option `--dump KEY=FILE`: writes buffers to files after a run, as raw bytes or as pictures.

use std::io::{self, Write};
use std::path::PathBuf;

use visakit_diag::{Diagnostic, Severity};
use visakit_emulator::launch::TextError;
use visakit_emulator::launch::scalar::Scalar;
use visakit_emulator::launch::spec::{ArgKey, is_png, parse_size};

use super::key_behind;
use crate::io::{Output, Written};

/// Buffer to be written after the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Dump {
    /// Argument that holds the buffer.
    pub key: ArgKey,
    /// Output file; `-` is standard output.
    pub path: PathBuf,
    /// Picture format; `None` writes the raw bytes.
    pub picture: Option<Picture>,
}

/// Interpretation of a buffer as a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Picture {
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// Format of a pixel.
    pub format: PixelFormat,
}

/// Pixel formats, named like OpenCL's image formats. Rows are contiguous, without padding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PixelFormat {
    /// Grey, 8 bits.
    R8Unorm,
    /// Grey, 16 bits.
    R16Unorm,
    /// Red, green, blue and opacity, 8 bits each.
    Rgba8Unorm,
    /// Blue, green, red and opacity, 8 bits each.
    Bgra8Unorm,
    /// Red, green, blue and opacity as floats from 0 to 1.
    Rgba32F,
    /// Unsigned 8-bit integers, as grey from the smallest (black) to the largest (white).
    R8Uint,
    /// Unsigned 16-bit integers, as grey from the smallest to the largest.
    R16Uint,
    /// Unsigned 32-bit integers, as grey from the smallest to the largest.
    R32Uint,
    /// Signed integers, as grey from the smallest to the largest.
    R32Sint,
    /// Half floats, as grey from the smallest to the largest; NaN is black.
    R16F,
    /// Floats, as grey from the smallest to the largest; NaN is black.
    R32F,
}

const FORMATS: [(&str, PixelFormat, usize); 11] = [
    ("r8unorm", PixelFormat::R8Unorm, 1),
    ("r16unorm", PixelFormat::R16Unorm, 2),
    ("rgba8unorm", PixelFormat::Rgba8Unorm, 4),
    ("bgra8unorm", PixelFormat::Bgra8Unorm, 4),
    ("rgba32f", PixelFormat::Rgba32F, 16),
    ("r8uint", PixelFormat::R8Uint, 1),
    ("r16uint", PixelFormat::R16Uint, 2),
    ("r32uint", PixelFormat::R32Uint, 4),
    ("r32sint", PixelFormat::R32Sint, 4),
    ("r16f", PixelFormat::R16F, 2),
    ("r32f", PixelFormat::R32F, 4),
];

impl PixelFormat {
    fn bytes(self) -> usize {
        FORMATS.iter().find(|(_, format, _)| *format == self).map_or(1, |(_, _, bytes)| *bytes)
    }
}

/// Returns the names of the pixel formats, for messages.
pub(crate) fn format_names() -> String {
    FORMATS.map(|(name, ..)| name).join(", ")
}

/// Parses `KEY=FILE` or `KEY=FILE.png:WxH:FORMAT`.
///
/// # Errors
/// Fails if the text has neither form; the error has the byte range.
pub(crate) fn parse(text: &str) -> Result<Dump, TextError> {
    let error = |at, message: String, help: String| Err(TextError { code: "dump-syntax", at, message, help });
    let forms = "write --dump KEY=FILE, or --dump KEY=FILE.png:WxH:FORMAT for a picture".to_owned();
    let Some((key, file)) = text.split_once('=').filter(|(_, file)| !file.is_empty()) else {
        return error(0..text.len(), format!("`{text}` does not name a file"), forms);
    };
    let start = key.len() + 1;
    let key = key_behind("dump-syntax", key)?;
    let mut parts = file.rsplitn(3, ':');
    if let (Some(name), Some(size), Some(path)) = (parts.next(), parts.next(), parts.next())
        && is_png(path.as_ref())
    {
        let size_at = start + path.len() + 1;
        let Some([width, height, 1]) = parse_size(size).filter(|_| size.contains('x')) else {
            return error(
                size_at..size_at + size.len(),
                format!("`{size}` is not a size"),
                "write WxH, such as 640x480".to_owned(),
            );
        };
        let Some((_, format, _)) = FORMATS.iter().find(|(known, ..)| *known == name) else {
            let help = format!("the formats are {}", format_names());
            return error(text.len() - name.len()..text.len(), format!("there is no format `{name}`"), help);
        };
        let picture = Some(Picture { width, height, format: *format });
        return Ok(Dump { key, path: PathBuf::from(path), picture });
    }
    if is_png(file.as_ref()) {
        let message = "a picture needs its size and format".to_owned();
        return error(start..text.len(), message, format!("write --dump {text}:WxH:FORMAT"));
    }
    Ok(Dump { key, path: PathBuf::from(file), picture: None })
}

impl Dump {
    /// Writes a buffer to its file.
    ///
    /// # Errors
    /// Fails if the buffer is too small for the picture, or the file cannot be written.
    pub(crate) fn write(&self, output: &Output, bytes: &[u8]) -> Result<Written, Box<Diagnostic>> {
        let Some(picture) = self.picture else { return output.write(bytes) };
        picture.check(&self.key, bytes.len())?;
        output.write_with(|to| picture.encode(bytes, to))
    }
}

impl Picture {
    /// Checks that a buffer has enough bytes for the picture.
    ///
    /// # Errors
    /// Fails if the buffer is too small.
    pub(crate) fn check(&self, key: &ArgKey, size: usize) -> Result<(), Box<Diagnostic>> {
        let Self { width, height, format } = *self;
        if self.size().is_some_and(|needed| needed <= size) {
            return Ok(());
        }
        let message =
            format!("the buffer has {size} bytes, too few for {width}x{height} pixels of {}", format.bytes());
        let finding = Diagnostic::new("dump-size", Severity::Error, format!("--dump {key}"), message);
        Err(finding.help("give the size and the format that the kernel writes").into())
    }

    fn size(&self) -> Option<usize> {
        (self.width as usize).checked_mul(self.format.bytes())?.checked_mul(self.height as usize)
    }

    fn encode(&self, bytes: &[u8], to: &mut dyn Write) -> io::Result<()> {
        let mut encoder = png::Encoder::new(to, self.width, self.height);
        let (color, depth) = self.format.color();
        encoder.set_color(color);
        encoder.set_depth(depth);
        let mut writer = encoder.write_header()?;
        let mut stream = writer.stream_writer()?;
        for row in self.rows(bytes).into_iter().flatten() {
            stream.write_all(&row)?;
        }
        stream.finish()?;
        Ok(writer.finish()?)
    }

    /// Returns the rows of pixels in PNG's layout, one at a time to avoid a second copy of the
    /// picture. Returns `None` if there are too few bytes.
    fn rows<'a>(&self, bytes: &'a [u8]) -> Option<impl Iterator<Item = Vec<u8>> + use<'a>> {
        let Self { width, format, .. } = *self;
        let bytes = bytes.get(..self.size()?)?;
        let pitch = width as usize * format.bytes();
        let scale = Scale::of(format, bytes);
        Some(bytes.chunks_exact(pitch.max(1)).map(move |row| format.row(row, &scale)))
    }
}

impl PixelFormat {
    /// Returns the PNG colour type and bit depth for this format.
    fn color(self) -> (png::ColorType, png::BitDepth) {
        match self {
            Self::R16Unorm => (png::ColorType::Grayscale, png::BitDepth::Sixteen),
            Self::Rgba8Unorm | Self::Bgra8Unorm | Self::Rgba32F => (png::ColorType::Rgba, png::BitDepth::Eight),
            _ => (png::ColorType::Grayscale, png::BitDepth::Eight),
        }
    }

    fn row(self, bytes: &[u8], scale: &Scale) -> Vec<u8> {
        match self {
            Self::R8Unorm | Self::Rgba8Unorm => bytes.to_vec(),
            // PNG is big-endian.
            Self::R16Unorm => bytes.chunks_exact(2).flat_map(|pair| [pair[1], pair[0]]).collect(),
            Self::Bgra8Unorm => bytes.chunks_exact(4).flat_map(|p| [p[2], p[1], p[0], p[3]]).collect(),
            Self::Rgba32F => {
                let part = |part: [u8; 4]| (f32::from_le_bytes(part) * 255.0).round() as u8;
                bytes.as_chunks().0.iter().map(|p| part(*p)).collect()
            }
            _ => self.values(bytes).map(|value| scale.grey(value)).collect(),
        }
    }

    /// Returns the numbers to be shown as grey; empty for formats that are colours already.
    fn values(self, bytes: &[u8]) -> impl Iterator<Item = f64> {
        let scalar = match self {
            Self::R8Uint => Some(Scalar::U8),
            Self::R16Uint => Some(Scalar::U16),
            Self::R32Uint => Some(Scalar::U32),
            Self::R32Sint => Some(Scalar::I32),
            Self::R16F => Some(Scalar::F16),
            Self::R32F => Some(Scalar::F32),
            _ => None,
        };
        scalar.into_iter().flat_map(|scalar| scalar.numbers(bytes)).map(|number| number.to_f64())
    }
}

/// Linear map of values to grey, from the smallest finite value to the largest.
struct Scale {
    least: f64,
    factor: f64,
}

impl Scale {
    fn of(format: PixelFormat, bytes: &[u8]) -> Self {
        let finite = format.values(bytes).filter(|value| value.is_finite());
        let (least, most) = finite
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), value| (least.min(value), most.max(value)));
        Self { least, factor: if most > least { 255.0 / (most - least) } else { 0.0 } }
    }

    fn grey(&self, value: f64) -> u8 {
        ((value - self.least) * self.factor).round() as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms() {
        let dump = parse("2=out/a:b.bin").unwrap();
        assert_eq!((dump.key, dump.path, dump.picture), (ArgKey::Index(2), "out/a:b.bin".into(), None));
        assert_eq!(parse("out=-").unwrap().key, ArgKey::Name("out".into()));
        let dump = parse("0=set.png:64x48:r32uint").unwrap();
        assert_eq!(dump.path, PathBuf::from("set.png"));
        assert_eq!(dump.picture, Some(Picture { width: 64, height: 48, format: PixelFormat::R32Uint }));
        for (text, at) in [
            ("out.bin", 0..7),
            ("0x=out.bin", 0..2),
            ("0=", 0..2),
            ("0=out.png", 2..9),
            ("0=out.png:64:r8unorm", 10..12),
            ("0=out.png:0x4:r8unorm", 10..13),
            ("0=out.png:4x4:purple", 14..20),
        ] {
            assert_eq!(parse(text).unwrap_err().at, at, "{text}");
        }
    }

    #[test]
    fn values_become_pixels() {
        let picture = |format| Picture { width: 2, height: 1, format };
        let pixels = |format, bytes: &[u8]| Some(picture(format).rows(bytes)?.flatten().collect::<Vec<_>>());
        let words = [5_u32.to_le_bytes(), 10_u32.to_le_bytes()].concat();
        assert_eq!(pixels(PixelFormat::R32Uint, &words).unwrap(), [0, 255]);
        assert_eq!(pixels(PixelFormat::R32Uint, &words[..7]), None);
        let floats = [f32::NAN.to_le_bytes(), 2.0_f32.to_le_bytes()].concat();
        assert_eq!(pixels(PixelFormat::R32F, &floats).unwrap(), [0, 0]);
        let colours = [1, 2, 3, 4, 5, 6, 7, 8];
        assert_eq!(pixels(PixelFormat::Bgra8Unorm, &colours).unwrap(), [3, 2, 1, 4, 7, 6, 5, 8]);
        assert_eq!(pixels(PixelFormat::R16Unorm, &[1, 2, 3, 4]).unwrap(), [2, 1, 4, 3]);
    }
}
