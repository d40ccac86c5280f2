//! Values of the items of a payload: arguments, their properties, sizes and addresses.

use visakit_diag::Diagnostic;

use crate::mapped::{MappedArgument, MappedImage};
use crate::placement::{Bound, Placement};
use crate::range::NdRange;
use crate::understood::not_understood;
use visakit_machine::sampler::{Addressing, Sampler};
use visakit_machine::sampler_state;
use visakit_zebin::info::{AddrMode, AddrSpace, ArgType, PayloadArgument};

/// Returns the bytes of an item. Their number may differ from the item's size, which may be rounded
/// up or cover only some dimensions.
pub(super) fn value_of(
    item: &PayloadArgument,
    range: &NdRange,
    arguments: &[Option<MappedArgument>],
    placement: &Placement,
) -> Result<Vec<u8>, Box<Diagnostic>> {
    let words = |words: [u32; 3]| words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let index = item.arg_index.map(|index| index as usize);
    let argument = || index.and_then(|index| arguments.get(index)?.as_ref());
    Ok(match item.arg_type {
        ArgType::LocalSize | ArgType::EnqueuedLocalSize => words(range.local),
        ArgType::GlobalSize => words(range.global),
        ArgType::GlobalIdOffset => words(range.offset),
        ArgType::GroupCount => words(range.groups()),
        ArgType::WorkDimensions => range.dimensions.to_le_bytes().to_vec(),
        ArgType::BufferAddress => address(argument()),
        // The offset of the address in its surface.
        ArgType::BufferOffset => {
            let offset = argument().and_then(MappedArgument::buffer).map_or(0, |buffer| buffer.offset);
            offset.to_le_bytes().to_vec()
        }
        ArgType::BufferSize => {
            let size = argument().and_then(MappedArgument::buffer).map_or(0, |buffer| buffer.bytes);
            size.to_le_bytes().to_vec()
        }
        ArgType::ByValue => match argument() {
            Some(MappedArgument::Value(bytes)) => {
                let start = item.source_offset.map_or(0, |offset| offset as usize);
                bytes.get(start..).unwrap_or_default().to_vec()
            }
            _ => Vec::new(),
        },
        ArgType::ImageWidth => of_image(argument(), |image| image.desc.size[0]),
        ArgType::ImageHeight => of_image(argument(), |image| image.desc.size[1]),
        ArgType::ImageDepth => of_image(argument(), |image| image.desc.size[2]),
        ArgType::ImageArraySize => of_image(argument(), |image| image.desc.layers),
        ArgType::ImageChannelOrder => of_image(argument(), |image| image.format.order_number()),
        ArgType::ImageChannelDataType => of_image(argument(), |image| image.format.component_number()),
        ArgType::ImageNumMipLevels => of_image(argument(), |image| image.desc.levels),
        ArgType::ImageNumSamples => of_image(argument(), |image| image.desc.samples),
        ArgType::SamplerAddress => of_sampler(argument(), addressing_number),
        ArgType::SamplerNormalized => of_sampler(argument(), |sampler| if sampler.normalized { 8 } else { 0 }),
        ArgType::SamplerSnapWa => of_sampler(argument(), |sampler| {
            if sampler.addressing == Addressing::Clamp && !sampler.linear { u32::MAX } else { 0 }
        }),
        ArgType::ByPointer => return by_pointer(item, argument(), placement),
        ArgType::PrivateBaseStateless => placement.extra.private.to_le_bytes().to_vec(),
        ArgType::PrintfBuffer => placement.extra.printf.to_le_bytes().to_vec(),
        ArgType::ConstBase => of_data(item, placement, Bound::Constants, placement.extra.constants)?,
        // Each group sets its own address.
        ArgType::ImplicitArgBuffer => vec![0; 8],
        ArgType::AssertBuffer => placement.extra.asserts.to_le_bytes().to_vec(),
        ArgType::SyncBuffer => placement.extra.sync.to_le_bytes().to_vec(),
        ArgType::ScratchPointer => placement.extra.private.to_le_bytes().to_vec(),
        // Data that are not dispatched are preloaded into registers. Implicit arguments precede
        // them.
        ArgType::IndirectDataPointer => vec![0; 8],
        ArgType::GlobalBase => of_data(item, placement, Bound::Variables, placement.extra.variables)?,
        ArgType::InlineSampler => match (&item.addrmode, item.sampler_index) {
            (Some(AddrMode::Bindless), Some(index)) => sampler_state(index).to_le_bytes().to_vec(),
            _ => return Err(unsupported(item)),
        },
        _ => return Err(unsupported(item)),
    })
}

/// Returns the number of an addressing mode in the payload.
fn addressing_number(sampler: &Sampler) -> u32 {
    match sampler.addressing {
        Addressing::None => 0,
        Addressing::Clamp => 1,
        Addressing::ClampToEdge => 2,
        Addressing::Repeat => 3,
        Addressing::Mirror => 4,
    }
}

/// Returns the address of an argument, zero without one.
fn address(argument: Option<&MappedArgument>) -> Vec<u8> {
    argument.and_then(MappedArgument::address).unwrap_or(0).to_le_bytes().to_vec()
}

/// Returns the bytes of an argument that is passed by pointer: an address, the offset of a state,
/// or an offset in shared local memory.
fn by_pointer(
    item: &PayloadArgument,
    argument: Option<&MappedArgument>,
    placement: &Placement,
) -> Result<Vec<u8>, Box<Diagnostic>> {
    Ok(match (&item.addrspace, &item.addrmode) {
        (_, Some(AddrMode::Bindless)) => match (argument, item.arg_index) {
            (Some(MappedArgument::Buffer(_) | MappedArgument::Image(_)), Some(index)) => {
                placement.state(Bound::Argument(index)).unwrap_or(0)
            }
            (Some(MappedArgument::Sampler(_)), _) => match item.sampler_index {
                Some(index) => sampler_state(index),
                None => return Err(unsupported(item)),
            },
            _ => 0,
        }
        .to_le_bytes()
        .to_vec(),
        // Images and samplers are accessed through the binding table.
        (Some(AddrSpace::Image | AddrSpace::Sampler), _) => Vec::new(),
        (_, Some(AddrMode::Slm)) => {
            let offset = item.arg_index.and_then(|index| {
                placement.local.get(index as usize)?.map(|(offset, _)| placement.local_base + offset)
            });
            u64::from(offset.unwrap_or(0)).to_le_bytes().to_vec()
        }
        _ => address(argument),
    })
}

/// Returns the reference to the program's constants or variables: their state offset or address.
fn of_data(
    item: &PayloadArgument,
    placement: &Placement,
    bound: Bound,
    address: u64,
) -> Result<Vec<u8>, Box<Diagnostic>> {
    match item.addrmode {
        Some(AddrMode::Bindless) => Ok(placement.state(bound).unwrap_or(0).to_le_bytes().to_vec()),
        // Data with a binding-table entry also have an address.
        None | Some(AddrMode::Stateless) if item.size >= 8 || item.size == 0 => Ok(address.to_le_bytes().to_vec()),
        _ => Err(unsupported(item)),
    }
}

/// Returns a property of an image argument.
fn of_image(argument: Option<&MappedArgument>, number: impl Fn(&MappedImage) -> u32) -> Vec<u8> {
    match argument {
        Some(MappedArgument::Image(image)) => number(image).to_le_bytes().to_vec(),
        _ => vec![0; 4],
    }
}

/// Returns a property of a sampler argument.
fn of_sampler(argument: Option<&MappedArgument>, number: impl Fn(&Sampler) -> u32) -> Vec<u8> {
    match argument {
        Some(MappedArgument::Sampler(sampler)) => number(sampler).to_le_bytes().to_vec(),
        _ => vec![0; 4],
    }
}

pub(super) fn unsupported(item: &PayloadArgument) -> Box<Diagnostic> {
    let mut what = format!("the kernel needs `{}`", item.arg_type);
    if let Some(mode) = &item.addrmode {
        what += &format!(" ({mode})");
    }
    if let Some(entry) = item.bti_value {
        what += &format!(" in entry {entry} of the binding table");
    }
    not_understood(&item.keys.place, what + ", which is not supported yet")
}
