//! Payload: the initial registers of a thread.
//!
//! Register 0 comes first (group ids, scratch base), then the per-thread data (local ids), then the
//! cross-thread data (arguments and sizes). `.ze_info` has offsets within the last two parts; the
//! offset of an `.input` is relative to register 0.

mod ids;
mod items;

use std::ops::Range;

use visakit_diag::Diagnostic;

use self::ids::{LocalIds, local_id, local_ids, walk};
pub use self::ids::{local_id_of, local_ids_of};
use self::items::value_of;
use super::mapped::MappedArgument;
use super::placement::{Placement, problem};
use super::range::NdRange;
use visakit::isa::{InputInfo, InputOrigin, R0Element};
use visakit_zebin::info::{ArgType, KernelInfo, PayloadArgument};
use visakit_zebin::limits::PAYLOAD_BYTES;

/// Elements of r0, in dwords, that hold the group ids.
const GROUP_ID_ELEMENTS: [usize; 3] =
    [R0Element::GroupIdX as usize, R0Element::GroupIdY as usize, R0Element::GroupIdZ as usize];

/// Platform properties that determine the payload layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Size of a register in bytes.
    pub grf_bytes: u32,
    /// True if a kernel without per-thread data has a padding register in the place of these data.
    pub pads: bool,
    /// Gap in bytes between dispatched data and data that the kernel loads, which `.ze_info` does
    /// not count.
    pub gap: u32,
}

impl Layout {
    /// Derives the gap from the positions of the kernel's `inputs`, relative to register 0. The
    /// first argument that is not dispatched starts at the next register, or later if its alignment
    /// requires; the others follow it.
    ///
    /// # Errors
    /// Index of an input that no gap explains, so that its contents are unknown.
    pub fn explained(self, kernel: &KernelInfo, inputs: &[InputInfo]) -> Result<Self, usize> {
        let grf = self.grf_bytes;
        let inline = kernel.execution_env.inline_data_payload_size;
        // Inconsistent layouts are rejected when the payload is built.
        let Ok((_, own)) = local_ids(kernel, grf as usize, kernel.execution_env.simd_size) else { return Ok(self) };
        let base = self.base(own) as u64;
        let is_explained = |input: &InputInfo, items: &[(&PayloadArgument, Range<u64>)]| {
            // Register 0 and the per-thread data precede the gap.
            let Ok(start) = u64::try_from(input.offset) else { return false };
            let end = start + u64::from(input.size);
            if matches!(input.kind.origin, InputOrigin::PseudoInput | InputOrigin::PseudoInput16) || end <= base {
                return true;
            }
            // A structure passed by value has an input for each part.
            let is_part = |(item, bytes): &(&PayloadArgument, Range<u64>)| {
                item.arg_type == ArgType::ByValue && bytes.start <= start && end <= bytes.end
            };
            // The first input of the data may cover several items and is rounded up.
            let inside = || items.iter().filter(|(_, bytes)| (start..end).contains(&bytes.start));
            let last = inside().map(|(_, bytes)| bytes.end).max().unwrap_or(0);
            let begins = start == base || inside().any(|(_, bytes)| bytes.start == start);
            begins && end <= last.next_multiple_of(HEADER) || items.iter().any(is_part)
        };
        let unexplained = |gap: u32| {
            let cross = CrossThread { base, inline, gap };
            let items = kernel.payload_arguments.iter().flat_map(|item| {
                let parts = cross.parts(item.offset, item.size.next_multiple_of(4));
                parts.map(move |bytes| (item, bytes))
            });
            let items: Vec<_> = items.collect();
            inputs.iter().position(|input| !is_explained(input, &items))
        };
        // Without inline data the kernel loads all cross-thread data.
        let (first, most) = if inline > 0 { (inline.next_multiple_of(grf) - inline, MAX_GAP) } else { (0, 0) };
        let mut gaps = (first..=most).step_by(grf as usize);
        match gaps.find(|gap| unexplained(*gap).is_none()) {
            Some(gap) => Ok(Self { gap, ..self }),
            None => Err(unexplained(first).unwrap_or(0)),
        }
    }

    /// Returns the start of the cross-thread data, for `own` bytes of per-thread data.
    pub fn base(&self, own: usize) -> usize {
        let grf = self.grf_bytes as usize;
        grf + own.next_multiple_of(grf) + if own == 0 && self.pads { grf } else { 0 }
    }
}

/// Positions of the cross-thread data, relative to register 0.
#[derive(Clone, Copy, Debug)]
struct CrossThread {
    base: u64,
    /// Number of bytes that are dispatched, before the gap.
    inline: u32,
    gap: u32,
}

impl CrossThread {
    /// Returns the positions of an item's bytes. An item with bytes on both sides of the gap has
    /// two parts: compilers merge neighboring members of a structure.
    fn parts(self, offset: u32, size: u32) -> impl Iterator<Item = Range<u64>> {
        let (offset, end) = (u64::from(offset), u64::from(offset) + u64::from(size));
        let cut = u64::from(self.inline).clamp(offset, end);
        let (first, second) = (self.base, self.base + u64::from(self.gap));
        let parts = [first + offset..first + cut, second + cut..second + end];
        parts.into_iter().filter(|part| !part.is_empty())
    }
}

/// Alignment in bytes of the size of inputs with several items.
const HEADER: u64 = 32;
/// Largest alignment in bytes, hence largest gap.
const MAX_GAP: u32 = 256;

/// Payload of a kernel for one launch.
#[derive(Clone, Debug)]
pub struct Payload {
    image: Vec<u8>,
    ids: Option<LocalIds>,
    /// Positions of the dwords of the group size, with their dimensions.
    local_sizes: Vec<(usize, usize)>,
    /// Offset of the address of the implicit-argument buffer.
    implicit: Option<u32>,
    /// Offset of the address after that structure.
    indirect: Option<u32>,
    simd: u32,
}

/// Initial state of a group's thread, independent of arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadStart {
    /// Local ids of the channels, as in the payload.
    ids: Vec<u8>,
    /// Channels with a work item.
    pub channels: u32,
}

impl Payload {
    /// Lays out the parts that are the same for all groups.
    ///
    /// # Errors
    /// An unsupported or inconsistent payload layout.
    pub fn new(
        kernel: &KernelInfo,
        layout: Layout,
        range: &NdRange,
        arguments: &[Option<MappedArgument>],
        placement: &Placement,
    ) -> Result<Self, Box<Diagnostic>> {
        let simd = kernel.execution_env.simd_size;
        let grf = layout.grf_bytes as usize;
        let (ids, own) = local_ids(kernel, grf, simd)?;
        let base = layout.base(own);
        let inline = kernel.execution_env.inline_data_payload_size;
        let cross = CrossThread { base: base as u64, inline, gap: layout.gap };
        let mut payload =
            Self { image: vec![0; base], ids, local_sizes: Vec::new(), implicit: None, indirect: None, simd };
        for item in &kernel.payload_arguments {
            let value = value_of(item, range, arguments, placement)?;
            item.offset
                .checked_add(item.size)
                .filter(|&end| end <= PAYLOAD_BYTES)
                .ok_or_else(|| problem(&format!("`{}` at offset {} is too far away", item.arg_type, item.offset)))?;
            let positions: Vec<usize> = cross.parts(item.offset, item.size).flatten().map(|at| at as usize).collect();
            if let Some(last) = positions.last() {
                payload.image.resize(payload.image.len().max(last + 1), 0);
            }
            for (&at, byte) in positions.iter().zip(&value) {
                payload.image[at] = *byte;
            }
            let address = || positions.first().filter(|_| positions.len() >= 8).map(|&at| at as u32);
            match item.arg_type {
                ArgType::ImplicitArgBuffer => payload.implicit = address().or(payload.implicit),
                ArgType::IndirectDataPointer => payload.indirect = address().or(payload.indirect),
                ArgType::LocalSize => {
                    let words = positions.chunks_exact(4).map(|word| word[0]).take(3);
                    payload.local_sizes.extend(words.enumerate().map(|(dimension, at)| (at, dimension)));
                }
                _ => {}
            }
        }
        Ok(payload)
    }

    /// Returns the offset of the address of the group's implicit-argument buffer.
    pub fn implicit(&self) -> Option<u32> {
        self.implicit
    }

    /// Returns the offset of the address after the implicit-argument structure.
    pub fn indirect(&self) -> Option<u32> {
        self.indirect
    }

    /// Returns the size in bytes.
    pub fn len(&self) -> usize {
        self.image.len()
    }

    /// Returns true for an empty payload, which never occurs because of register 0.
    pub fn is_empty(&self) -> bool {
        self.image.is_empty()
    }

    /// Returns the channels with which a full thread starts; the others start with some of them.
    pub fn all_channels(&self) -> u32 {
        self.channels(self.simd)
    }

    /// Returns the channels with which a thread of `items` work items starts.
    fn channels(&self, items: u32) -> u32 {
        // A thread that is one work item starts with all channels, because its channels are the
        // elements of vectors.
        if self.simd == 1 { u32::MAX } else { visakit_machine::thread::ones(items as usize) }
    }

    /// Returns the places of the rows of local ids, one word for each channel, by dimension. True
    /// for the dimension that `order` lists first.
    pub fn id_rows(&self, order: [u32; 3]) -> Vec<(u32, bool)> {
        let first = walk(order)[0];
        let rows = self.ids.into_iter().flat_map(LocalIds::rows).enumerate();
        rows.map(|(dimension, at)| (at as u32, dimension == first)).collect()
    }

    /// Returns the number of channels that are a line: their work items follow each other in the
    /// first dimension of `order`, and are equal in the others. The channels of each thread consist
    /// of such lines in all groups of a range. The number is a power of two.
    pub fn line(&self, range: &NdRange, order: [u32; 3]) -> u32 {
        let (first, groups) = (walk(order)[0], range.groups());
        // The last group of a dimension may be smaller.
        let lines = (0..8).map(|corner: u32| {
            let group = std::array::from_fn(|d| if corner >> d & 1 == 1 { groups[d].saturating_sub(1) } else { 0 });
            let size = range.size_of(group);
            if size[first] == size.iter().product() { self.simd } else { 1 << size[first].trailing_zeros().min(5) }
        });
        lines.fold(self.simd, u32::min)
    }

    /// Returns the threads of a group of `size` work items; `order` lists the dimensions, fastest
    /// first.
    pub fn threads(&self, size: [u32; 3], order: [u32; 3]) -> Vec<ThreadStart> {
        let items = size.iter().product::<u32>();
        let order = walk(order);
        let start = |thread| {
            let first = thread * self.simd;
            let count = self.simd.min(items - first);
            let mut ids = vec![0; self.ids.map_or(0, LocalIds::len)];
            if let Some(layout) = self.ids {
                for channel in 0..count {
                    layout.write(&mut ids, channel as usize, local_id(first + channel, size, order));
                }
            }
            ThreadStart { ids, channels: self.channels(count) }
        };
        (0..items.div_ceil(self.simd)).map(start).collect()
    }

    /// Writes the payload, except the group ids, to the start of a thread's registers.
    pub fn fill(&self, registers: &mut [u8], size: [u32; 3], start: &ThreadStart) {
        registers[..self.len()].copy_from_slice(&self.image);
        for &(at, dimension) in &self.local_sizes {
            registers[at..at + 4].copy_from_slice(&size[dimension].to_le_bytes());
        }
        if let Some(ids) = self.ids {
            registers[ids.offset..][..start.ids.len()].copy_from_slice(&start.ids);
        }
    }
}

/// Returns the words of r0 that hold a group's ids, with their byte offsets.
pub fn group_words(group: [u32; 3]) -> [(u32, u32); 3] {
    std::array::from_fn(|d| (GROUP_ID_ELEMENTS[d] as u32 * 4, group[d]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mapped::MappedBuffer;
    use crate::placement::Bound;
    use crate::placement::place;
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
        let buffer = MappedBuffer { number: 0, address: 0x1_0000_0000, offset: 0, bytes: 4 };
        let arguments = [
            Some(MappedArgument::Buffer(buffer)),
            Some(MappedArgument::Value(vec![0xfe])),
            Some(MappedArgument::Local(8)),
        ];
        let placement = place(&info.kernels[0], &arguments, 0).unwrap();
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
        // The ids follow r0: three registers from offset 128, as the compiler places them for
        // SIMD16.
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
    fn channels_in_lines_have_ids_that_follow_each_other() {
        let sizes: [([u64; 3], [u64; 3]); 9] = [
            ([64, 1, 1], [64, 1, 1]),
            ([70, 1, 1], [30, 1, 1]),
            ([64, 8, 2], [32, 4, 1]),
            ([40, 8, 1], [16, 4, 1]),
            ([40, 8, 1], [40, 2, 1]),
            ([8, 64, 1], [8, 8, 1]),
            ([3, 48, 5], [1, 16, 2]),
            ([5, 4, 1], [5, 4, 1]),
            ([5, 4, 33], [1, 1, 33]),
        ];
        let mut found = [0; 5];
        for ((global, local), order) in
            sizes.iter().flat_map(|size| [[0, 1, 2], [1, 0, 2], [2, 0, 1]].map(|order| (*size, order)))
        {
            let range = NdRange::new(&global, Some(&local), None, [0; 3]).unwrap();
            let (payload, _) = payload(INFO, Layout { grf_bytes: 32, pads: true, gap: 0 }, &range);
            let rows = payload.id_rows(order);
            let groups = range.groups_from(0).take(range.group_count() as usize).map(|group| range.size_of(group));
            let starts: Vec<_> = groups
                .flat_map(|size| payload.threads(size, order).into_iter().map(move |start| (size, start)))
                .collect();
            let are_lines = |line: u32| {
                starts.iter().all(|(size, start)| {
                    let bytes = filled(&payload, *size, start);
                    let id = |at: u32, n: u32| u32::from(bytes[(at + n * 2) as usize]);
                    let grows = |n: u32, (at, is_first): (u32, bool)| {
                        id(at, n) == id(at, n / line * line) + u32::from(is_first) * (n % line)
                    };
                    (0..start.channels.count_ones()).all(|n| rows.iter().all(|row| grows(n, *row)))
                })
            };
            let line = (0..5).rev().find(|line| are_lines(1 << line)).unwrap();
            assert_eq!(payload.line(&range, order), 1 << line, "{global:?} {local:?} {order:?}");
            found[line] += 1;
        }
        assert!(found.iter().all(|count| *count > 0), "{found:?}");
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
        // A pointer to shared memory with an alignment of two registers: its input is at 192, not
        // at 160.
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
    fn items_may_lie_on_both_sides_of_the_gap() {
        // As today's compiler merges two members of a structure: bytes 24 to 39 of the cross-thread
        // data, of which 8 are dispatched.
        let merged = INFO
            .replace("slm_size: 100", "inline_data_payload_size: 32")
            .replace("offset: 12, size: 12", "offset: 12, size: 4")
            .replace("offset: 32, size: 8", "offset: 16, size: 8")
            .replace("offset: 40, size: 4", "offset: 24, size: 16");
        let info = info::parse("k", &merged).unwrap();
        let layout = Layout { grf_bytes: 64, pads: true, gap: 0 };
        let gap_of = |inputs: &[(i16, u16)]| {
            let inputs: Vec<_> = inputs.iter().map(|&(offset, size)| input(offset, size)).collect();
            layout.explained(&info.kernels[0], &inputs).map(|layout| layout.gap)
        };
        assert_eq!(gap_of(&[(64, 96), (192, 16), (208, 8), (216, 8), (256, 8), (272, 8)]), Ok(32));
        assert_eq!(gap_of(&[(216, 8), (224, 8)]), Err(1), "no argument is inside the gap");
        assert_eq!(gap_of(&[(216, 16)]), Err(0), "an input is contiguous");
        let kernel = &info.kernels[0];
        let range = NdRange::new(&[40, 3], Some(&[20, 2]), None, [0; 3]).unwrap();
        let value: Vec<u8> = (1..=16).collect();
        let arguments = [None, Some(MappedArgument::Value(value.clone())), None];
        let payload = Payload::new(kernel, Layout { gap: 32, ..layout }, &range, &arguments, &Placement::default());
        let payload = payload.unwrap();
        let start = &payload.threads([16, 1, 1], [0, 1, 2])[0];
        let bytes = filled(&payload, [16, 1, 1], start);
        assert_eq!(([&bytes[216..224], &bytes[256..264]].concat(), word(&bytes, 224)), (value, 0));

        // A group's size on both sides follows the group.
        let sizes = INFO
            .replace("slm_size: 100", "inline_data_payload_size: 32")
            .replace("local_size, offset: 12", "local_size, offset: 24")
            .replace("offset: 32, size: 8", "offset: 64, size: 8");
        let (payload, _) = self::payload(&sizes, Layout { gap: 32, ..layout }, &range);
        let start = &payload.threads([20, 2, 1], [0, 1, 2])[0];
        let bytes = filled(&payload, [19, 3, 5], start);
        assert_eq!([word(&bytes, 216), word(&bytes, 220), word(&bytes, 256)], [19, 3, 5]);
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
            // Values that the container cannot express are rejected on reading.
            let Ok(info) = info::parse("k", &INFO.replace(from, to)) else { continue };
            let placement = Placement::default();
            assert!(Payload::new(&info.kernels[0], layout, &range, &[], &placement).is_err(), "{to}");
        }
        let info = info::parse("k", &INFO.replace("bti_value: 1", "bti_value: 999")).unwrap();
        assert!(place(&info.kernels[0], &[], 0).is_err());
    }
}
