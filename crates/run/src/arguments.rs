//! Maps the arguments of a launch: the caller's contents become buffers in its memory.

use std::sync::Arc;

use visakit_diag::{Diagnostic, Severity};

use visakit_launch::argument::{Argument, ImageArgument};
use visakit_launch::mapped::{MappedArgument, MappedBuffer, MappedImage};
use visakit_machine::buffer::{Buffer, Lent};
use visakit_machine::memory::{MAX_BUFFER, Memory, Regions};
use visakit_zebin::info::{ArgType, KernelInfo};

/// Mapped arguments of a launch.
pub(super) struct Mapped {
    /// Arguments by index; `None` where the kernel has no argument.
    pub(super) arguments: Vec<Option<MappedArgument>>,
    /// Indices of the buffers with undefined contents.
    pub(super) undefined: Vec<usize>,
}

/// Maps the arguments of a kernel in order. Pointers may point into `regions`.
///
/// # Errors
/// A buffer is too large, or an argument is the same as one without contents.
pub(super) fn map(
    info: &KernelInfo,
    arguments: Vec<Option<Argument>>,
    regions: &[Arc<Regions>],
    memory: &mut Memory,
) -> Result<Mapped, Box<Diagnostic>> {
    let (mut undefined, mut same, mut wholes) = (Vec::new(), Vec::new(), Vec::new());
    let mut mapped = Vec::with_capacity(arguments.len());
    for (index, argument) in arguments.into_iter().enumerate() {
        let mut buffer = |buffer, given| add(memory, buffer, index, given);
        mapped.push(match argument {
            None => None,
            Some(Argument::Same(other)) => {
                same.push((index, other));
                None
            }
            Some(Argument::Local(bytes)) => Some(MappedArgument::Local(bytes)),
            Some(Argument::Value(bytes)) => Some(MappedArgument::Value(bytes)),
            Some(Argument::Sampler(sampler)) => Some(MappedArgument::Sampler(sampler)),
            Some(Argument::Buffer(bytes)) => Some(MappedArgument::Buffer(buffer(own(bytes, index)?, None)?)),
            Some(Argument::Undefined(bytes)) => {
                let buffer = buffer(own(bytes, index)?, None)?;
                undefined.push(buffer.number);
                Some(MappedArgument::Buffer(buffer))
            }
            Some(Argument::Lent(lent, address)) => Some(MappedArgument::Buffer(buffer(Buffer::lent(lent), address)?)),
            Some(Argument::Part { part, whole, offset }) => {
                let known = wholes.iter().find(|(words, _)| *words == whole.words.as_ptr());
                let start = match known {
                    Some((_, start)) => *start,
                    None => {
                        let words = whole.words.as_ptr();
                        let start = buffer(Buffer::lent(whole), None)?.address;
                        wholes.push((words, start));
                        start
                    }
                };
                Some(MappedArgument::Buffer(buffer(Buffer::lent(part), Some(start + offset))?))
            }
            // A surface of the argument also needs the memory at the pointer.
            Some(Argument::Pointer(address)) => {
                let adds_offset = info.payload_arguments.iter().any(|item| {
                    item.arg_type == ArgType::BufferOffset && item.arg_index == u32::try_from(index).ok()
                });
                Some(match behind(regions, address, adds_offset) {
                    Some((start, lent)) => {
                        let mapped = buffer(Buffer::lent(lent), Some(address))?;
                        MappedArgument::Buffer(mapped.at((address - start) as u32))
                    }
                    None => MappedArgument::Pointer(address),
                })
            }
            Some(Argument::Image(ImageArgument { format, desc, texels })) => {
                let texels = buffer(own(texels, index)?, None)?;
                Some(MappedArgument::Image(MappedImage { texels, format, desc }))
            }
            Some(Argument::LentImage(lent, ImageArgument { format, desc, .. })) => {
                let texels = buffer(Buffer::lent(lent), None)?;
                Some(MappedArgument::Image(MappedImage { texels, format, desc }))
            }
        });
    }
    for (index, other) in same {
        mapped[index] = match mapped.get(other as usize) {
            Some(Some(shared @ (MappedArgument::Buffer(_) | MappedArgument::Image(_)))) => Some(shared.clone()),
            _ => return Err(not_same(index, other)),
        };
    }
    Ok(Mapped { arguments: mapped, undefined })
}

/// Moves the contents of an argument into a buffer.
fn own(bytes: Vec<u8>, index: usize) -> Result<Buffer, Box<Diagnostic>> {
    let size = bytes.len() as u64;
    Buffer::from_vec(bytes).ok_or_else(|| no_memory(&format!("argument {index}"), size))
}

/// Adds the buffer of an argument to the memory. The kernel receives the address `given`, or by
/// default that of the buffer's slot.
fn add(
    memory: &mut Memory,
    buffer: Buffer,
    index: usize,
    given: Option<u64>,
) -> Result<MappedBuffer, Box<Diagnostic>> {
    let bytes = buffer.len() as u64;
    let address = map_buffer(memory, buffer, || format!("argument {index} has {bytes} bytes"))?;
    Ok(MappedBuffer { number: memory.buffers().len() - 1, address: given.unwrap_or(address), offset: 0, bytes })
}

fn not_same(index: usize, other: u32) -> Box<Diagnostic> {
    let message = format!(
        "argument {index} shares memory with argument {other}, which is not a \
     buffer or image with its own contents"
    );
    let finding = Diagnostic::new("argument-same", Severity::Error, "launch", message);
    Box::new(finding.help("give same:N the index of an argument with its own contents"))
}

/// Returns the memory of a surface through which a kernel accesses an address in a region, and the
/// address of its first byte. A kernel that adds the address's offset in the surface gets the whole
/// region, because it may subtract from the address, and the address may lie between words. For
/// other kernels, the surface starts at the address, which must be that of a word.
pub(super) fn behind(regions: &[Arc<Regions>], address: u64, adds_offset: bool) -> Option<(u64, Lent)> {
    let (first, lent) = regions.iter().rev().find_map(|regions| regions.containing(address))?;
    let offset = address - first;
    if adds_offset && u32::try_from(offset).is_ok() {
        return Some((*first, lent.clone()));
    }
    offset.is_multiple_of(4).then(|| (address, lent.behind((offset / 4) as usize)))
}

pub(super) fn map_buffer(
    memory: &mut Memory,
    buffer: Buffer,
    what: impl Fn() -> String,
) -> Result<u64, Box<Diagnostic>> {
    memory.map(buffer).ok_or_else(|| too_large(what()))
}

/// Returns the error for a failed allocation.
pub(super) fn no_memory(what: &str, bytes: u64) -> Box<Diagnostic> {
    let message = format!("{what} cannot be allocated: {bytes} bytes");
    let finding = Diagnostic::new("out-of-memory", Severity::Error, "launch", message);
    Box::new(
        finding.help("use smaller buffers or fewer host threads, or raise the limit of the process (`ulimit -v`)"),
    )
}

pub(super) fn too_large(what: String) -> Box<Diagnostic> {
    let finding = Diagnostic::new("argument-size", Severity::Error, "launch", what);
    Box::new(finding.help(format!("the largest buffer has {MAX_BUFFER} bytes")))
}
