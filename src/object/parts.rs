//! Layout of a file: the order of routines and native programs by offset.

use super::{Object, ObjectError};
use crate::isa::CommonIsaHeader;
use crate::rt::{Bytes, EncodeError};

/// Part of a file after its header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ObjectPart {
    /// A kernel, by number.
    Kernel(usize),
    /// A native program: the number of its kernel, and its number within the kernel.
    Native(usize, usize),
    /// A function, by number.
    Function(usize),
    /// Bytes that belong to no part.
    Gap(Bytes),
}

/// Returns the usual order: each kernel followed by its native programs, then the functions.
/// `natives` yields the number of native programs of each kernel.
fn usual(natives: impl Iterator<Item = usize>, functions: usize) -> Vec<ObjectPart> {
    let mut out = Vec::new();
    for (kernel, count) in natives.enumerate() {
        out.push(ObjectPart::Kernel(kernel));
        out.extend((0..count).map(|n| ObjectPart::Native(kernel, n)));
    }
    out.extend((0..functions).map(ObjectPart::Function));
    out
}

/// Returns the order in which the parts of an object are written.
///
/// # Errors
/// The object's own order omits a part, or names a part twice or one that does not exist.
pub(super) fn order(object: &Object) -> Result<Vec<ObjectPart>, EncodeError> {
    let usual = usual(object.kernels.iter().map(|k| k.binaries.len()), object.functions.len());
    if object.order.is_empty() {
        return Ok(usual);
    }
    let rank = |part: &ObjectPart| match part {
        ObjectPart::Kernel(kernel) => (*kernel, 0, 0),
        ObjectPart::Native(kernel, n) => (*kernel, 1, *n),
        ObjectPart::Function(function) => (usize::MAX, 2, *function),
        ObjectPart::Gap(_) => (usize::MAX, 3, 0),
    };
    let mut named: Vec<&ObjectPart> = object.order.iter().filter(|p| !matches!(p, ObjectPart::Gap(_))).collect();
    named.sort_by_key(|p| rank(p));
    if !named.into_iter().eq(&usual) {
        return Err(EncodeError {
            place: "Object.order".to_owned(),
            problem: "the order of the parts must name each part once".to_owned(),
        });
    }
    Ok(object.order.clone())
}

/// Returns the order that the header's offsets imply, empty for the usual order, and the end of the
/// last part.
///
/// # Errors
/// A part lies outside the file, or two parts share bytes.
pub(super) fn read(
    bytes: &[u8],
    header: &CommonIsaHeader,
    header_end: usize,
) -> Result<(Vec<ObjectPart>, usize), ObjectError> {
    let mut places = Vec::new();
    for (kernel, info) in header.kernel_info.iter().enumerate() {
        places.push((info.offset, info.size, "kernel", ObjectPart::Kernel(kernel)));
        for (n, native) in info.gen_binary_info.iter().enumerate() {
            let part = ObjectPart::Native(kernel, n);
            places.push((native.binary_offset, native.binary_size, "native program", part));
        }
    }
    for (function, info) in header.function_info.iter().enumerate() {
        places.push((info.offset, info.size, "function", ObjectPart::Function(function)));
    }
    // An empty part comes before the part that begins at the same byte.
    places.sort_by_key(|(offset, size, ..)| (*offset, *size > 0));
    let (mut out, mut end) = (Vec::new(), header_end);
    for (offset, size, what, part) in places {
        let at = offset as usize;
        slice(bytes, offset, size, what)?;
        if at < end {
            return Err(ObjectError {
                offset: at,
                message: format!("the {what} at 0x{at:x} overlaps the part that ends at 0x{end:x}"),
                help: "the header is damaged".to_owned(),
                code: "object-overlap",
            });
        }
        if at > end {
            out.push(ObjectPart::Gap(Bytes(bytes.get(end..at).unwrap_or_default().to_vec())));
        }
        out.push(part);
        end = at + size as usize;
    }
    let natives = header.kernel_info.iter().map(|k| k.gen_binary_info.len());
    if out == usual(natives, header.function_info.len()) {
        out.clear();
    }
    Ok((out, end))
}

/// Returns the bytes of a part.
///
/// # Errors
/// The part lies outside the file.
pub(super) fn slice<'a>(bytes: &'a [u8], offset: u32, size: u32, what: &str) -> Result<&'a [u8], ObjectError> {
    let range = offset as usize..(offset as usize).saturating_add(size as usize);
    bytes.get(range).ok_or_else(|| ObjectError {
        offset: (offset as usize).min(bytes.len()),
        message: format!("the {what} of {size} bytes at 0x{offset:x} lies outside the file of {} bytes", bytes.len()),
        help: "the file is truncated, or its header is damaged".to_owned(),
        code: "object-truncated",
    })
}
