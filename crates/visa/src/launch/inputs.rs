//! Inputs that the emulator does not read itself: standard input, and pictures for images.

use std::io::Cursor;
use std::path::Path;

use visakit_diag::{Diagnostic, Severity};
use visakit_emulator::launch::spec::{ArgSpec, ImageSpec, Pixels, is_png};
use visakit_emulator::machine::format::{ComponentOrder, ComponentType, Format};

use crate::io::{is_stream, read};
use crate::limits::{PICTURE_BYTES, PICTURE_GROWTH};

/// Reads the standard input, pipe or picture that a specification names. `option` is its place for
/// messages. The result is kept, so that a second run can use it again.
///
/// # Errors
/// Fails if it cannot be read, is not a picture, or has pixels that the image's format cannot hold.
pub(crate) fn fetch(spec: &mut ArgSpec, option: &str) -> Result<(), Box<Diagnostic>> {
    match spec {
        ArgSpec::File(path) if is_read_once(path) => *spec = ArgSpec::Bytes(read(path)?),
        ArgSpec::Image(image) => match &image.pixels {
            Pixels::File(path) if is_png(path) => {
                let path = path.clone();
                picture(image, &path, option)?;
            }
            Pixels::File(path) if is_read_once(path) => image.pixels = Pixels::Bytes(read(path)?),
            _ => {}
        },
        _ => {}
    }
    Ok(())
}

/// Returns true for standard input, a pipe or a device, which can be read only once.
fn is_read_once(path: &Path) -> bool {
    is_stream(path) || path.metadata().is_ok_and(|about| !about.is_file() && !about.is_dir())
}

/// Fills an image with the pixels of a picture. An image without a size gets the picture's size.
fn picture(image: &mut ImageSpec, path: &Path, option: &str) -> Result<(), Box<Diagnostic>> {
    let wrong = |message: String, help: &str| {
        let message = format!("{}: {message}", path.display());
        Box::new(Diagnostic::new("argument-image", Severity::Error, option, message).help(help))
    };
    // An unknown format is reported when the image is created, together with the known names.
    let Some(format) = Format::from_name(&image.format) else {
        image.size = image.size.or(Some([1; 3]));
        image.pixels = Pixels::Zeros;
        return Ok(());
    };
    let file = read(path)?;
    let decoded = decode(&file).map_err(|message| wrong(message, "give a picture in PNG format"))?;
    let bytes = decoded.pixels().len() * format.bytes();
    if bytes.max(decoded.raw.len()) > most_bytes(&file) {
        return Err(wrong(format!("the decoded picture takes {bytes} bytes"), &too_large()));
    }
    let texels = texels(decoded.pixels(), format).ok_or_else(|| {
        let message = format!("a picture cannot be converted to an image of format {}", image.format);
        wrong(
            message,
            "use a format of r, rg, rgba, bgra, srgba or sbgra with 8unorm, 8uint, \
         16unorm, 16uint, 16f or 32f",
        )
    })?;
    let [width, height] = decoded.size;
    if image.size.is_some_and(|size| size != [width, height, 1]) {
        return Err(wrong(
            format!("the picture has {width}x{height} pixels"),
            "leave out the size to use the picture's size",
        ));
    }
    (image.size, image.pixels) = (Some([width, height, 1]), Pixels::Bytes(texels));
    Ok(())
}

/// Decoded picture in the sample layout of its file.
struct Decoded {
    size: [u32; 2],
    raw: Vec<u8>,
    /// Number of samples per pixel, and bytes per sample.
    parts: usize,
    part: usize,
}

impl Decoded {
    /// Returns red, green, blue and opacity of each pixel, row by row, from 0 to 65535.
    fn pixels(&self) -> impl ExactSizeIterator<Item = [u16; 4]> {
        let sample = |bytes: &[u8]| match *bytes {
            [high, low] => u16::from_be_bytes([high, low]),
            [byte] => u16::from(byte) * 257,
            _ => 0,
        };
        self.raw.chunks_exact(self.parts * self.part).map(move |bytes| {
            let mut samples = bytes.chunks_exact(self.part).map(sample);
            let mut next = || samples.next().unwrap_or(u16::MAX);
            match self.parts {
                1 | 2 => {
                    let grey = next();
                    [grey, grey, grey, next()]
                }
                _ => [next(), next(), next(), next()],
            }
        })
    }
}

/// Returns the maximum size of the decoded picture in bytes.
fn most_bytes(file: &[u8]) -> usize {
    PICTURE_BYTES.max(file.len().saturating_mul(PICTURE_GROWTH))
}

fn too_large() -> String {
    format!("the limit is {PICTURE_BYTES} bytes, or {PICTURE_GROWTH} times the file")
}

fn decode(bytes: &[u8]) -> Result<Decoded, String> {
    let mut decoder = png::Decoder::new(Cursor::new(bytes));
    decoder.set_transformations(png::Transformations::EXPAND | png::Transformations::ALPHA);
    let mut reader = decoder.read_info().map_err(|e| e.to_string())?;
    let size = reader.output_buffer_size().filter(|&size| size <= most_bytes(bytes));
    let mut raw = vec![0; size.ok_or_else(|| format!("the picture is damaged, or too large: {}", too_large()))?];
    let info = reader.next_frame(&mut raw).map_err(|e| e.to_string())?;
    raw.truncate(info.buffer_size());
    let part = if info.bit_depth == png::BitDepth::Sixteen { 2 } else { 1 };
    Ok(Decoded { size: [info.width, info.height], raw, parts: info.color_type.samples(), part })
}

/// Converts pixels to the format of an image. Returns `None` if the format cannot hold them.
fn texels(pixels: impl ExactSizeIterator<Item = [u16; 4]>, format: Format) -> Option<Vec<u8>> {
    let order: &[usize] = match format.order {
        ComponentOrder::R => &[0],
        ComponentOrder::Rg => &[0, 1],
        ComponentOrder::Rgba | ComponentOrder::Srgba => &[0, 1, 2, 3],
        ComponentOrder::Bgra | ComponentOrder::Sbgra => &[2, 1, 0, 3],
        _ => return None,
    };
    let mut out = Vec::with_capacity(pixels.len() * format.bytes());
    let samples = pixels.flat_map(|pixel| order.iter().map(move |&part| pixel[part]));
    let share = |sample: u16| f32::from(sample) / f32::from(u16::MAX);
    match format.component {
        // An 8-bit sample was widened by repeating its byte, so division by 257 restores it.
        ComponentType::Unorm8 | ComponentType::Uint8 => {
            out.extend(samples.map(|sample| ((u32::from(sample) + 128) / 257) as u8))
        }
        ComponentType::Unorm16 | ComponentType::Uint16 => samples.for_each(|sample| out.extend(sample.to_le_bytes())),
        ComponentType::Half => {
            samples.for_each(|sample| out.extend(half::f16::from_f32(share(sample)).to_le_bytes()))
        }
        ComponentType::Float => samples.for_each(|sample| out.extend(share(sample).to_le_bytes())),
        _ => return None,
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Encodes a picture of one row.
    fn encoded(color: png::ColorType, depth: png::BitDepth, width: u32, bytes: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        let mut encoder = png::Encoder::new(&mut out, width, 1);
        encoder.set_color(color);
        encoder.set_depth(depth);
        encoder.write_header().unwrap().write_image_data(bytes).unwrap();
        out
    }

    #[test]
    fn pixels_become_texels() {
        let made =
            |png: &[u8], format: &str| texels(decode(png).unwrap().pixels(), Format::from_name(format).unwrap());
        let rgb = encoded(png::ColorType::Rgb, png::BitDepth::Eight, 2, &[1, 2, 3, 4, 5, 255]);
        assert_eq!(decode(&rgb).unwrap().size, [2, 1]);
        assert_eq!(made(&rgb, "rgba8unorm").unwrap(), [1, 2, 3, 255, 4, 5, 255, 255]);
        assert_eq!(made(&rgb, "bgra8unorm").unwrap(), [3, 2, 1, 255, 255, 5, 4, 255]);
        assert_eq!(made(&rgb, "rg8uint").unwrap(), [1, 2, 4, 5]);
        let grey = encoded(png::ColorType::Grayscale, png::BitDepth::Sixteen, 1, &[0x12, 0x34]);
        assert_eq!(made(&grey, "r16unorm").unwrap(), [0x34, 0x12]);
        assert_eq!(made(&grey, "rgba8unorm").unwrap(), [0x12, 0x12, 0x12, 255]);
        let white = encoded(png::ColorType::GrayscaleAlpha, png::BitDepth::Eight, 1, &[255, 0]);
        assert_eq!(made(&white, "rgba32f").unwrap(), [1.0_f32, 1.0, 1.0, 0.0].map(f32::to_le_bytes).concat());
        assert_eq!(made(&white, "argb8unorm"), None);
    }

    #[test]
    fn damaged_pictures_are_refused() {
        let whole = encoded(png::ColorType::Rgb, png::BitDepth::Eight, 2, &[1, 2, 3, 4, 5, 6]);
        for length in 0..whole.len() - 16 {
            assert!(decode(&whole[..length]).is_err(), "{length}");
        }
        // A size of 4,000,000,000 x 1 in a file of a few bytes.
        let mut large = whole.clone();
        large[16..20].copy_from_slice(&4_000_000_000_u32.to_be_bytes());
        assert!(decode(&large).is_err());
    }

    /// A small file may declare a huge number of pixels.
    #[test]
    fn pictures_have_a_limit() {
        let side = PICTURE_BYTES as u32 / 4096;
        let zeros = |height: u32| {
            let mut out = Vec::new();
            let mut encoder = png::Encoder::new(&mut out, side, height);
            encoder.set_depth(png::BitDepth::One);
            encoder.set_color(png::ColorType::Grayscale);
            encoder.write_header().unwrap().write_image_data(&vec![0; (side.div_ceil(8) * height) as usize]).unwrap();
            out
        };
        // Grey and opacity, one byte each.
        assert!(decode(&zeros(2048)).is_ok());
        let found = decode(&zeros(2049)).err().unwrap();
        assert!(found.contains(&PICTURE_BYTES.to_string()), "{found}");
    }
}
