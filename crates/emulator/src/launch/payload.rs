//! The payload: what stands in a thread's registers when it starts.
//!
//! Register 0 comes first (group ids, scratch base), then the thread's own data (local ids), then
//! the data of all threads (arguments and sizes). `.ze_info` gives offsets within the last two; the
//! offset of an `.input` counts from register 0.

use std::ops::Range;

use visakit_diag::Diagnostic;

use super::argument::{Argument, ImageArgument};
use super::placement::{Bound, Placement, problem};
use super::range::NdRange;
use super::understood::not_understood;
use crate::machine::sampler::{Addressing, Sampler};
use crate::machine::sampler_state;
use visakit::isa::{InputInfo, InputOrigin, R0Element};
use visakit_zebin::info::{AddrMode, AddrSpace, ArgType, KernelInfo, PayloadArgument};
use visakit_zebin::limits::{PAYLOAD_BYTES, SIMD_SIZES};

/// Where the parts of r0 are: the elements, dwords, that hold the group ids.
const GROUP_ID_ELEMENTS: [usize; 3] =
    [R0Element::GroupIdX as usize, R0Element::GroupIdY as usize, R0Element::GroupIdZ as usize];

/// What of the platform matters to the layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Size of a register in bytes.
    pub grf_bytes: u32,
    /// Whether a kernel without data of its own for each thread has a register of padding there.
    pub pads: bool,
    /// Bytes between the data that come with the dispatch and those that the kernel loads, which
    /// `.ze_info` leaves out.
    pub gap: u32,
}

impl Layout {
    /// Finds the gap from where the kernel's `inputs` are, counted from register 0. The first
    /// argument that is not dispatched begins in the next register, or further on where its
    /// alignment is more than that; the others follow it.
    ///
    /// # Errors
    /// The index of an input that no gap explains: its contents are unknown.
    pub fn explained(self, kernel: &KernelInfo, inputs: &[InputInfo]) -> Result<Self, usize> {
        let grf = self.grf_bytes;
        let inline = kernel.execution_env.inline_data_payload_size;
        // What contradicts itself is refused when the payload is made.
        let Ok((_, own)) = local_ids(kernel, grf as usize, kernel.execution_env.simd_size) else { return Ok(self) };
        let base = self.base(own) as u64;
        let is_explained = |input: &InputInfo, gap: u32| {
            // Register 0 and the data of each thread have no gap in front of them.
            let Ok(start) = u64::try_from(input.offset) else { return false };
            let end = start + u64::from(input.size);
            if matches!(input.kind.origin, InputOrigin::PseudoInput | InputOrigin::PseudoInput16) || end <= base {
                return true;
            }
            let items = kernel.payload_arguments.iter().filter(|item| item.size > 0).map(|item| {
                let first = base + u64::from(item.offset) + if item.offset < inline { 0 } else { u64::from(gap) };
                (item, first..first + u64::from(item.size.next_multiple_of(4)))
            });
            // A structure that is passed by value has an input for each of its parts.
            let is_part = |(item, bytes): (&PayloadArgument, Range<u64>)| {
                item.arg_type == ArgType::ByValue && bytes.start <= start && end <= bytes.end
            };
            // One that begins the data may hold several items, and is rounded up behind them.
            let inside = || items.clone().filter(|(_, bytes)| (start..end).contains(&bytes.start));
            let last = inside().map(|(_, bytes)| bytes.end).max().unwrap_or(0);
            let begins = start == base || inside().any(|(_, bytes)| bytes.start == start);
            begins && end <= last.next_multiple_of(HEADER) || items.clone().any(is_part)
        };
        let unexplained = |gap: u32| inputs.iter().position(|input| !is_explained(input, gap));
        // Without inline data the kernel loads all of them, from the first on.
        let (first, most) = if inline > 0 { (inline.next_multiple_of(grf) - inline, MAX_GAP) } else { (0, 0) };
        let mut gaps = (first..=most).step_by(grf as usize);
        match gaps.find(|gap| unexplained(*gap).is_none()) {
            Some(gap) => Ok(Self { gap, ..self }),
            None => Err(unexplained(first).unwrap_or(0)),
        }
    }

    /// Where the data of all threads begin, when each thread has `own` bytes of its own.
    fn base(&self, own: usize) -> usize {
        let grf = self.grf_bytes as usize;
        grf + own.next_multiple_of(grf) + if own == 0 && self.pads { grf } else { 0 }
    }
}

/// Inputs that hold several items are rounded up to so many bytes.
const HEADER: u64 = 32;
/// No alignment asks for more.
const MAX_GAP: u32 = 256;

/// The payload of a kernel for one launch.
#[derive(Clone, Debug)]
pub struct Payload {
    image: Vec<u8>,
    ids: Option<LocalIds>,
    /// Where the size of the group stands, and how many dimensions of it.
    local_sizes: Vec<(usize, usize)>,
    /// Where the address of the buffer of implicit arguments goes.
    implicit: Option<u32>,
    /// Where the address behind that structure goes.
    indirect: Option<u32>,
    simd: u32,
}

/// Local ids of the channels: for each dimension, one word a channel.
#[derive(Clone, Copy, Debug)]
struct LocalIds {
    offset: usize,
    pitch: usize,
    dimensions: usize,
}

/// What a thread of a group has for itself when it starts, whatever the arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadStart {
    /// Where the local ids of its channels stand in the payload.
    ids: Vec<u8>,
    /// The channels that have a work item.
    pub channels: u32,
}

impl Payload {
    /// Lays out everything that is the same for all groups.
    ///
    /// # Errors
    /// When the kernel asks for something that is not supported yet, or its layout contradicts
    /// itself.
    pub fn new(
        kernel: &KernelInfo,
        layout: Layout,
        range: &NdRange,
        arguments: &[Option<Argument>],
        placement: &Placement,
    ) -> Result<Self, Box<Diagnostic>> {
        let simd = kernel.execution_env.simd_size;
        let grf = layout.grf_bytes as usize;
        let (ids, own) = local_ids(kernel, grf, simd)?;
        let base = layout.base(own);
        let inline = kernel.execution_env.inline_data_payload_size;
        let mut payload =
            Self { image: vec![0; base], ids, local_sizes: Vec::new(), implicit: None, indirect: None, simd };
        for item in &kernel.payload_arguments {
            let value = value_of(item, range, arguments, placement)?;
            let end = item.offset.checked_add(item.size).filter(|&end| end <= PAYLOAD_BYTES);
            let end = end
                .ok_or_else(|| problem(&format!("`{}` at offset {} is too far away", item.arg_type, item.offset)))?;
            let base = if item.offset < inline { base } else { base + layout.gap as usize };
            let (start, end) = (base + item.offset as usize, base + end as usize);
            if payload.image.len() < end {
                payload.image.resize(end, 0);
            }
            let size = value.len().min(end - start);
            payload.image[start..start + size].copy_from_slice(&value[..size]);
            if item.arg_type == ArgType::ImplicitArgBuffer && end - start >= 8 {
                payload.implicit = Some(start as u32);
            }
            if item.arg_type == ArgType::IndirectDataPointer && end - start >= 8 {
                payload.indirect = Some(start as u32);
            }
            if item.arg_type == ArgType::LocalSize {
                payload.local_sizes.push((start, size / 4));
            }
        }
        Ok(payload)
    }

    /// Offset of the address of the buffer of implicit arguments, which is the group's own.
    pub fn implicit(&self) -> Option<u32> {
        self.implicit
    }

    /// Offset of the address of what stands behind the structure of implicit arguments.
    pub fn indirect(&self) -> Option<u32> {
        self.indirect
    }

    /// Size in bytes.
    pub fn len(&self) -> usize {
        self.image.len()
    }

    /// Whether there is none; there always is register 0.
    pub fn is_empty(&self) -> bool {
        self.image.is_empty()
    }

    /// The threads of a group of `size` work items; `order` lists the dimensions, fastest first.
    pub fn threads(&self, size: [u32; 3], order: [u32; 3]) -> Vec<ThreadStart> {
        let items = size.iter().product::<u32>();
        let order = walk(order);
        let start = |thread| {
            let first = thread * self.simd;
            let count = self.simd.min(items - first);
            let mut ids = vec![0; self.ids.map_or(0, LocalIds::len)];
            for channel in 0..count {
                self.write_ids(&mut ids, channel as usize, local_id(first + channel, size, order));
            }
            ThreadStart { ids, channels: crate::machine::thread::ones(count as usize) }
        };
        (0..items.div_ceil(self.simd)).map(start).collect()
    }

    /// Fills the first bytes of a thread's registers: the payload, but for the group's ids.
    pub fn fill(&self, registers: &mut [u8], size: [u32; 3], start: &ThreadStart) {
        registers[..self.len()].copy_from_slice(&self.image);
        for &(at, dimensions) in &self.local_sizes {
            for (n, word) in size.iter().take(dimensions).zip(registers[at..].chunks_exact_mut(4)) {
                word.copy_from_slice(&n.to_le_bytes());
            }
        }
        if let Some(ids) = self.ids {
            registers[ids.offset..][..start.ids.len()].copy_from_slice(&start.ids);
        }
    }

    fn write_ids(&self, bytes: &mut [u8], channel: usize, id: [u32; 3]) {
        let Some(ids) = self.ids else { return };
        for (dimension, id) in id.iter().enumerate().take(ids.dimensions) {
            let at = dimension * ids.pitch + channel * 2;
            // A group has at most 1024 work items, so an id fits.
            bytes[at..at + 2].copy_from_slice(&(*id as u16).to_le_bytes());
        }
    }
}

impl LocalIds {
    /// Bytes of all of them.
    fn len(self) -> usize {
        self.dimensions * self.pitch
    }
}

/// The local ids of all work items of a group of `size`, in the order of their threads and
/// channels.
pub fn local_ids_of(size: [u32; 3], order: [u32; 3]) -> impl Iterator<Item = [u32; 3]> {
    let order = walk(order);
    (0..size.iter().product()).map(move |item| local_id(item, size, order))
}

/// The local id of the n-th work item of a group of `size`, in the order of threads and channels.
pub fn local_id_of(item: u32, size: [u32; 3], order: [u32; 3]) -> [u32; 3] {
    local_id(item, size, walk(order))
}

fn local_id(item: u32, size: [u32; 3], order: [usize; 3]) -> [u32; 3] {
    let mut rest = item;
    let mut id = [0; 3];
    for dimension in order {
        id[dimension] = rest % size[dimension];
        rest /= size[dimension];
    }
    id
}

/// The words of r0 that tell a group's ids: offset in bytes and value.
pub fn group_words(group: [u32; 3]) -> [(u32, u32); 3] {
    std::array::from_fn(|d| (GROUP_ID_ELEMENTS[d] as u32 * 4, group[d]))
}

/// The dimensions, fastest first. `.ze_info` lists those that the kernel uses and fills up with
/// zeros.
fn walk(order: [u32; 3]) -> [usize; 3] {
    let mut listed: Vec<usize> = Vec::with_capacity(3);
    for dimension in order.into_iter().chain(0..3).map(|d| d.min(2) as usize) {
        if !listed.contains(&dimension) {
            listed.push(dimension);
        }
    }
    [listed[0], listed[1], listed[2]]
}

/// Where the local ids are, and the bytes of all per-thread data.
fn local_ids(kernel: &KernelInfo, grf: usize, simd: u32) -> Result<(Option<LocalIds>, usize), Box<Diagnostic>> {
    if !SIMD_SIZES.contains(&simd) {
        return Err(problem(&format!("`simd_size` is {simd}, but must be 1, 8, 16 or 32")));
    }
    let mut ids = None;
    let mut own = 0;
    for item in &kernel.per_thread_payload_arguments {
        let (offset, size) = (item.offset as usize, item.size as usize);
        if offset + size > PAYLOAD_BYTES as usize {
            return Err(problem("the per-thread data are too large"));
        }
        let pitch = match item.arg_type {
            ArgType::LocalId => (simd as usize * 2).next_multiple_of(grf),
            ArgType::PackedLocalIds => 2,
            _ => return Err(unsupported(item)),
        };
        ids = Some(LocalIds { offset: grf + offset, pitch, dimensions: (size / pitch).min(3) });
        own = own.max(offset + size);
    }
    Ok((ids, own))
}

/// The bytes of an item. They may be shorter or longer than its size says: sizes are rounded up, or
/// only some dimensions.
fn value_of(
    item: &PayloadArgument,
    range: &NdRange,
    arguments: &[Option<Argument>],
    placement: &Placement,
) -> Result<Vec<u8>, Box<Diagnostic>> {
    let words = |words: [u32; 3]| words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let index = item.arg_index.map(|index| index as usize);
    let argument = || index.and_then(|index| arguments.get(index)?.as_ref());
    let address = || {
        let address = index.and_then(|index| *placement.addresses.get(index)?);
        address.unwrap_or(0).to_le_bytes().to_vec()
    };
    Ok(match item.arg_type {
        ArgType::LocalSize | ArgType::EnqueuedLocalSize => words(range.local),
        ArgType::GlobalSize => words(range.global),
        ArgType::GlobalIdOffset => words(range.offset),
        ArgType::GroupCount => words(range.groups()),
        ArgType::WorkDimensions => range.dimensions.to_le_bytes().to_vec(),
        ArgType::BufferAddress => address(),
        // Every buffer begins where its surface does.
        ArgType::BufferOffset => vec![0; 4],
        ArgType::BufferSize => {
            let size = index.and_then(|index| placement.sizes.get(index)).copied();
            size.unwrap_or(0).to_le_bytes().to_vec()
        }
        ArgType::ByValue => match argument() {
            Some(Argument::Value(bytes)) => {
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
        ArgType::SamplerAddress => of_sampler(argument(), |sampler| match sampler.addressing {
            Addressing::None => 0,
            Addressing::Clamp => 1,
            Addressing::ClampToEdge => 2,
            Addressing::Repeat => 3,
            Addressing::Mirror => 4,
        }),
        ArgType::SamplerNormalized => of_sampler(argument(), |sampler| if sampler.normalized { 8 } else { 0 }),
        ArgType::SamplerSnapWa => of_sampler(argument(), |sampler| {
            if sampler.addressing == Addressing::Clamp && !sampler.linear { u32::MAX } else { 0 }
        }),
        ArgType::ByPointer => match (&item.addrspace, &item.addrmode) {
            (_, Some(AddrMode::Bindless)) => match (argument(), item.arg_index) {
                (Some(Argument::Buffer(_) | Argument::Image(_)), Some(index)) => {
                    placement.state(Bound::Argument(index)).unwrap_or(0)
                }
                (Some(Argument::Sampler(_)), _) => match item.sampler_index {
                    Some(index) => sampler_state(index),
                    None => return Err(unsupported(item)),
                },
                _ => 0,
            }
            .to_le_bytes()
            .to_vec(),
            // They are reached through the binding table.
            (Some(AddrSpace::Image | AddrSpace::Sampler), _) => Vec::new(),
            (_, Some(AddrMode::Slm)) => {
                let offset = index
                    .and_then(|index| placement.local.get(index)?.map(|(offset, _)| placement.local_base + offset));
                u64::from(offset.unwrap_or(0)).to_le_bytes().to_vec()
            }
            _ => address(),
        },
        ArgType::PrivateBaseStateless => placement.extra.private.to_le_bytes().to_vec(),
        ArgType::PrintfBuffer => placement.extra.printf.to_le_bytes().to_vec(),
        ArgType::ConstBase => of_data(item, placement, Bound::Constants, placement.extra.constants)?,
        // A group puts its own there.
        ArgType::ImplicitArgBuffer => vec![0; 8],
        ArgType::AssertBuffer => placement.extra.asserts.to_le_bytes().to_vec(),
        ArgType::SyncBuffer => placement.extra.sync.to_le_bytes().to_vec(),
        ArgType::ScratchPointer => placement.extra.private.to_le_bytes().to_vec(),
        // What does not come with the dispatch is in the registers already. Implicit arguments
        // stand in front of it.
        ArgType::IndirectDataPointer => vec![0; 8],
        ArgType::GlobalBase => of_data(item, placement, Bound::Variables, placement.extra.variables)?,
        ArgType::InlineSampler => match (&item.addrmode, item.sampler_index) {
            (Some(AddrMode::Bindless), Some(index)) => sampler_state(index).to_le_bytes().to_vec(),
            _ => return Err(unsupported(item)),
        },
        _ => return Err(unsupported(item)),
    })
}

/// What names the program's constants or variables: the offset of their state, or their address.
fn of_data(
    item: &PayloadArgument,
    placement: &Placement,
    bound: Bound,
    address: u64,
) -> Result<Vec<u8>, Box<Diagnostic>> {
    match item.addrmode {
        Some(AddrMode::Bindless) => Ok(placement.state(bound).unwrap_or(0).to_le_bytes().to_vec()),
        // Those that have an entry of the binding table have their address too.
        None | Some(AddrMode::Stateless) if item.size >= 8 || item.size == 0 => Ok(address.to_le_bytes().to_vec()),
        _ => Err(unsupported(item)),
    }
}

/// A number that an image has.
fn of_image(argument: Option<&Argument>, number: impl Fn(&ImageArgument) -> u32) -> Vec<u8> {
    match argument {
        Some(Argument::Image(image)) => number(image).to_le_bytes().to_vec(),
        _ => vec![0; 4],
    }
}

/// A number that describes a sampler.
fn of_sampler(argument: Option<&Argument>, number: impl Fn(&Sampler) -> u32) -> Vec<u8> {
    match argument {
        Some(Argument::Sampler(sampler)) => number(sampler).to_le_bytes().to_vec(),
        _ => vec![0; 4],
    }
}

fn unsupported(item: &PayloadArgument) -> Box<Diagnostic> {
    let mut what = format!("the kernel needs `{}`", item.arg_type);
    if let Some(mode) = &item.addrmode {
        what += &format!(" ({mode})");
    }
    if let Some(entry) = item.bti_value {
        what += &format!(" in entry {entry} of the binding table");
    }
    not_understood(&item.keys.place, what + ", which is not supported yet")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launch::placement::place;
    use visakit::isa::{InputClass, InputInfoKind};
    use visakit_zebin::info;

    const INFO: &str = "
kernels:
  - name: k
    execution_env: { simd_size: 16, slm_size: 100 }
    payload_arguments:
      - { arg_type: global_id_offset, offset: 0, size: 12 }
      - { arg_type: local_size, offset: 12, size: 12 }
      - { arg_type: arg_bypointer, offset: 32, size: 8, arg_index: 0, addrmode: stateless, addrspace: global }
      - { arg_type: arg_byvalue, offset: 40, size: 4, arg_index: 1 }
      - { arg_type: arg_bypointer, offset: 48, size: 8, arg_index: 2, addrmode: slm, addrspace: local, slm_alignment: 16 }
      - { arg_type: enqueued_local_size, offset: 56, size: 8 }
    per_thread_payload_arguments:
      - { arg_type: local_id, offset: 0, size: 96 }
    binding_table_indices:
      - { bti_value: 1, arg_index: 0 }
";

    fn payload(text: &str, layout: Layout, range: &NdRange) -> (Payload, Placement) {
        let info = info::parse("k", text).unwrap();
        let arguments =
            [Some(Argument::Buffer(vec![0; 4])), Some(Argument::Value(vec![0xfe])), Some(Argument::Local(8))];
        let placement = place(&info.kernels[0], &arguments, 0, |_| Some(0x1_0000_0000)).unwrap();
        (Payload::new(&info.kernels[0], layout, range, &arguments, &placement).unwrap(), placement)
    }

    fn word(bytes: &[u8], at: usize) -> u32 {
        u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
    }

    #[test]
    fn offsets_count_from_register_0() {
        let range = NdRange::new(&[40, 3], Some(&[20, 2]), Some(&[7, 8]), [0; 3]).unwrap();
        let (payload, placement) = payload(INFO, Layout { grf_bytes: 32, pads: true, gap: 0 }, &range);
        assert_eq!(
            (placement.local_bytes, placement.local[2]),
            (108, Some((0, 8))),
            "code adds what the kernel declares"
        );
        assert_eq!(placement.bindings, [None, Some(Bound::Argument(0))]);

        let threads = payload.threads(range.size_of([0, 1, 0]), [0, 1, 2]);
        assert_eq!(threads.iter().map(|t| t.channels).collect::<Vec<_>>(), [0xffff, 0xf]);
        // r0, then three registers of ids: offset 128 as the compiler has it for SIMD16.
        let bytes = &filled(&payload, [20, 1, 1], &threads[1]);
        assert_eq!((word(bytes, 128), word(bytes, 132)), (7, 8));
        assert_eq!([word(bytes, 140), word(bytes, 144), word(bytes, 148)], [20, 1, 1], "the group is cut off");
        assert_eq!([word(bytes, 184), word(bytes, 188)], [20, 2], "the enqueued size is not");
        assert_eq!((word(bytes, 160), word(bytes, 164)), (0, 1));
        assert_eq!((word(bytes, 168), word(bytes, 176)), (0xfe, 0));
        assert_eq!(word(bytes, 32), 17 << 16 | 16, "x of the first channels");

        let threads = payload.threads(range.local, [0, 1, 2]);
        assert_eq!(threads.len(), 3);
        let second = filled(&payload, range.local, &threads[1]);
        let ids = |at: usize| word(&second, at);
        assert_eq!((ids(32 + 6) >> 16, ids(64 + 6) >> 16), (0, 1), "work item 20 is (0, 1)");
        let by_column = payload.threads(range.local, [1, 0, 0]);
        assert_eq!(word(&filled(&payload, range.local, &by_column[0]), 64), 1 << 16, "y runs first");
    }

    fn filled(payload: &Payload, size: [u32; 3], start: &ThreadStart) -> Vec<u8> {
        let mut registers = vec![0; payload.len()];
        payload.fill(&mut registers, size, start);
        registers
    }

    #[test]
    fn registers_of_64_bytes_and_padding() {
        let range = NdRange::new(&[16], None, None, [0; 3]).unwrap();
        let wide = INFO.replace("size: 96", "size: 192");
        let (wide, _) = payload(&wide, Layout { grf_bytes: 64, pads: false, gap: 0 }, &range);
        let threads = wide.threads([16, 1, 1], [0, 1, 2]);
        assert_eq!(word(&filled(&wide, [16, 1, 1], &threads[0]), 256 + 40), 0xfe);
        let none = INFO.replace("      - { arg_type: local_id, offset: 0, size: 96 }\n", "      []\n");
        for (pads, at) in [(true, 64), (false, 32)] {
            let (payload, _) = payload(&none, Layout { grf_bytes: 32, pads, gap: 0 }, &range);
            let first = filled(&payload, [16, 1, 1], &payload.threads([16, 1, 1], [0; 3])[0]);
            assert_eq!(word(&first, at + 40), 0xfe);
        }
    }

    fn input(offset: i16, size: u16) -> InputInfo {
        InputInfo {
            kind: InputInfoKind { class: InputClass::General, origin: InputOrigin::User },
            id: 32,
            offset,
            size,
        }
    }

    #[test]
    fn what_is_not_dispatched_may_begin_further_on() {
        // A pointer to shared memory whose alignment is two registers: its input is at 192, not at
        // 160.
        let text = INFO.replace("slm_size: 100", "inline_data_payload_size: 32");
        let info = info::parse("k", &text).unwrap();
        let layout = Layout { grf_bytes: 32, pads: false, gap: 0 };
        let gap_of = |inputs: &[i16]| {
            let inputs: Vec<_> = inputs.iter().map(|&offset| input(offset, 4)).collect();
            layout.explained(&info.kernels[0], &inputs).map(|layout| layout.gap)
        };
        assert_eq!(gap_of(&[32, 64, 96, 128, 160, 168]), Ok(0));
        assert_eq!(gap_of(&[32, 64, 96, 128, 192, 200, 208, 216]), Ok(32));
        assert_eq!(gap_of(&[128, 233]), Err(1), "no argument has these bytes");
        assert_eq!(gap_of(&[128, 225]), Err(1), "an argument of another kind has these bytes");
        assert_eq!(gap_of(&[128, 160, 200, 208, 216]), Err(2), "there is one gap only");
        let info = info::parse("k", &text.replace("size: 96", "size: 192")).unwrap();
        let wide = Layout { grf_bytes: 64, ..layout };
        let gap_of = |inputs: &[i16]| {
            let inputs: Vec<_> = inputs.iter().map(|&offset| input(offset, 4)).collect();
            wide.explained(&info.kernels[0], &inputs).map(|layout| layout.gap)
        };
        assert_eq!(gap_of(&[64, 256, 268, 320, 328]), Ok(32), "32 bytes of a register of 64 are dispatched");
        assert_eq!(gap_of(&[256, 384, 392]), Ok(96));
        assert_eq!(gap_of(&[256, 288]), Err(1));
        let range = NdRange::new(&[40], Some(&[20]), None, [0; 3]).unwrap();
        let (payload, _) = payload(&text, Layout { gap: 32, ..layout }, &range);
        let bytes = &filled(&payload, [20, 1, 1], &payload.threads([20, 1, 1], [0, 1, 2])[0]);
        assert_eq!((word(bytes, 140), word(bytes, 196), word(bytes, 200)), (20, 1, 0xfe));
    }

    #[test]
    fn damaged_layouts() {
        let range = NdRange::new(&[16], None, None, [0; 3]).unwrap();
        let layout = Layout { grf_bytes: 32, pads: true, gap: 0 };
        for (from, to) in [
            ("simd_size: 16", "simd_size: 7"),
            ("offset: 40, size: 4", "offset: 4294967295, size: 4"),
            ("offset: 0, size: 96", "offset: 4294967295, size: 96"),
            ("arg_type: enqueued_local_size", "arg_type: from_the_future"),
        ] {
            // What no container can say is refused where it is read.
            let Ok(info) = info::parse("k", &INFO.replace(from, to)) else { continue };
            let placement = Placement::default();
            assert!(Payload::new(&info.kernels[0], layout, &range, &[], &placement).is_err(), "{to}");
        }
        let info = info::parse("k", &INFO.replace("bti_value: 1", "bti_value: 999")).unwrap();
        assert!(place(&info.kernels[0], &[], 0, |_| None).is_err());
    }
}
