//! Initial contents of buffers and images: file contents, zeros, the header of a pipe.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use visakit_diag::{Diagnostic, Severity};
use visakit_native::may_fail;

use super::spec::{ImageSpec, Pixels};
use crate::limits::{IMAGE_LINE, IMAGE_SIDE, STREAM_BYTES};
use visakit_machine::format::Format;
use visakit_machine::image::ImageDesc;
use visakit_machine::memory::MAX_BUFFER;

/// An image passed to a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImageArgument {
    /// Format of the texels.
    pub format: Format,
    /// Properties except the format.
    pub desc: ImageDesc,
    /// Texels, in contiguous rows.
    pub texels: Vec<u8>,
}

/// Creates an image from its specification.
pub(super) fn image(
    place: &str,
    spec: &ImageSpec,
    dimensions: usize,
    is_array: bool,
) -> Result<ImageArgument, Box<Diagnostic>> {
    let wrong = |message: String, help: String| {
        Box::new(Diagnostic::new("argument-image", Severity::Error, place, message).help(help))
    };
    let Some(format) = Format::from_name(&spec.format) else {
        let message = format!("unknown image format `{}`", spec.format);
        return Err(wrong(message, format!("formats are {}", Format::names())));
    };
    let Some(given) = spec.size else {
        let message = "the image has no size".to_owned();
        return Err(wrong(message, "write WxH after the format".to_owned()));
    };
    // The size after the dimensions is the number of array layers; any further size must be 1.
    let used = dimensions + usize::from(is_array);
    if given[used.min(3)..].iter().any(|&side| side != 1) {
        let [w, h, d] = given;
        return Err(wrong(
            format!("an image of {w}x{h}x{d} is given, but the parameter has {dimensions} dimensions"),
            "set the sizes of the dimensions that the image does not have to 1".to_owned(),
        ));
    }
    let most = if dimensions == 1 && !is_array { IMAGE_LINE } else { IMAGE_SIDE };
    if let Some(side) = given.iter().find(|&&side| side > most) {
        let help = format!("each side of this image may have at most {most} texels");
        return Err(wrong(format!("the given image has a side of {side} texels"), help));
    }
    let mut size = [1; 3];
    size[..dimensions].copy_from_slice(&given[..dimensions]);
    let layers = if is_array { given[dimensions] } else { 1 };
    let desc = ImageDesc { size, dimensions, is_array, layers, levels: spec.levels, samples: spec.samples, pitch: 0 };
    if spec.levels > desc.most_levels() || spec.levels > 1 && spec.samples > 1 {
        let [w, h, d] = size;
        return Err(wrong(
            format!("the given image has {w}x{h}x{d} texels, {} levels and {} samples", spec.levels, spec.samples),
            format!(
                "an image of this size has at most {} levels; an image with several levels has one sample",
                desc.most_levels()
            ),
        ));
    }
    let bytes = desc.texels().saturating_mul(format.bytes() as u64);
    let texels = match &spec.pixels {
        Pixels::File(path) => read_file(place, path)?,
        Pixels::Bytes(bytes) => bytes.clone(),
        Pixels::Zeros => zeros(place, bytes)?,
    };
    if texels.len() as u64 != bytes {
        return Err(wrong(
            format!("the image needs {bytes} bytes, but {} are given", texels.len()),
            "the file must contain the texels row by row without padding: all of a level before \
             the next level, all samples of a texel before the next texel"
                .to_owned(),
        ));
    }
    Ok(ImageArgument { format, desc, texels })
}

pub(super) fn read_file(place: &str, path: &Path) -> Result<Vec<u8>, Box<Diagnostic>> {
    let read = || {
        let file = File::open(path)?;
        // A file without a length, such as a device, might be endless.
        let most = if file.metadata()?.is_file() { MAX_BUFFER } else { STREAM_BYTES };
        let mut bytes = Vec::new();
        may_fail(|| file.take(most + 1).read_to_end(&mut bytes))?;
        let refused = || io::Error::other(format!("it has more than {most} bytes, which is the limit"));
        (bytes.len() as u64 <= most).then_some(bytes).ok_or_else(refused)
    };
    let bytes = read().map_err(|e| {
        let message = format!("{}: {e}", path.display());
        Diagnostic::new("io", Severity::Error, place, message).help("give a file that exists and can be read")
    })?;
    check_size(place, bytes.len() as u64)?;
    Ok(bytes)
}

/// Size in bytes of a pipe's header: its size, the positions of its first and last packet, and
/// space for locks.
const PIPE_HEADER: u64 = 128;

/// Returns an empty pipe for the compiler's built-in functions. They keep one packet free to
/// distinguish a full pipe from an empty one.
///
/// # Errors
/// Out of memory; `place` is the location for messages.
pub fn pipe(place: &str, packets: u32, bytes: u32) -> Result<Vec<u8>, Box<Diagnostic>> {
    let slots = u64::from(packets) + 1;
    let mut contents = zeros(place, PIPE_HEADER + slots * u64::from(bytes))?;
    contents[..4].copy_from_slice(&(slots as u32).to_le_bytes());
    Ok(contents)
}

pub(super) fn zeros(place: &str, size: u64) -> Result<Vec<u8>, Box<Diagnostic>> {
    let mut bytes = reserve(place, size)?;
    bytes.resize(size as usize, 0);
    Ok(bytes)
}

/// Allocates a vector with a capacity of `size` bytes.
pub(super) fn reserve(place: &str, size: u64) -> Result<Vec<u8>, Box<Diagnostic>> {
    check_size(place, size)?;
    let too_large = || {
        let message = format!("{size} bytes cannot be allocated");
        Box::new(Diagnostic::new("argument-size", Severity::Error, place, message).help("ask for a smaller buffer"))
    };
    let mut bytes = Vec::new();
    let size = usize::try_from(size).map_err(|_| too_large())?;
    may_fail(|| bytes.try_reserve_exact(size)).map_err(|_| too_large())?;
    Ok(bytes)
}

fn check_size(place: &str, size: u64) -> Result<(), Box<Diagnostic>> {
    if size <= MAX_BUFFER {
        return Ok(());
    }
    let message = format!("a buffer of {size} bytes is too large");
    Err(Diagnostic::new("argument-size", Severity::Error, place, message)
        .help(format!("the largest buffer has {MAX_BUFFER} bytes"))
        .into())
}
