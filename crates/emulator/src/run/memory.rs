//! The memory of a launch: buffers and images of the arguments, the program's data, private memory,
//! the buffer of `printf`.

use visakit_diag::{Diagnostic, Severity};

use crate::launch::argument::Argument;
use crate::launch::asserts;
use crate::launch::data::{self, DataPlaces};
use crate::launch::implicit;
use crate::launch::placement::{self, Bound, Extra, Placement};
use crate::launch::printf;
use crate::launch::range::NdRange;
use crate::machine::buffer::{Buffer, Lent};
use crate::machine::image::Image;
use crate::machine::memory::{MAX_BUFFER, Memory};
use crate::machine::sampler::{Addressing, Sampler};
use crate::run::{Program, Surroundings};
use visakit_zebin::info::{AddrMode, ArgType, InlineSampler, KernelInfo, PayloadArgument, PerThreadMemoryBuffer};

/// Steps of the scratch base that a thread finds in r0.
const SCRATCH_STEP: u64 = 1024;
/// Bytes between arguments that are shared local memory, in a launch that is checked.
const LOCAL_GAP: u32 = 1024;

/// Everything that a launch has mapped.
pub(super) struct LaunchMemory {
    pub(super) memory: Memory,
    /// For each argument, its buffer.
    pub(super) buffers: Vec<Option<usize>>,
    /// Buffers that nobody has written.
    pub(super) undefined: Vec<usize>,
    pub(super) placement: Placement,
    /// For each entry of the binding table, the buffer that it stands for.
    pub(super) bindings: Vec<Option<usize>>,
    /// For each entry of the binding table, the image that it stands for.
    pub(super) images: Vec<Option<Image>>,
    /// The samplers by index.
    pub(super) samplers: Vec<Option<Sampler>>,
    pub(super) data: DataPlaces,
    printf: Option<usize>,
    asserts: Option<usize>,
    pub(super) scratch: Scratch,
    /// Sizes of the buffers that a group has for itself, behind the others in the address space.
    pub(super) private: Vec<usize>,
    /// The buffer of implicit arguments.
    pub(super) implicit: Option<Implicit>,
    /// No memory at all.
    pub(super) nothing: Buffer,
}

/// Scratch memory of a group: a part of one buffer for each hardware thread.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Scratch {
    /// Its index among the group's private buffers.
    pub(super) buffer: Option<usize>,
    /// Bytes of a hardware thread.
    pub(super) pitch: u64,
    /// Where the stack of the first hardware thread begins in flat memory, and the bytes of each;
    /// zeros when there is none.
    pub(super) stack: (u64, u64),
}

/// The buffer of a group's implicit arguments, behind the scratch memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Implicit {
    /// Offset in the scratch memory.
    pub(super) offset: u64,
    /// Address.
    pub(super) address: u64,
}

impl LaunchMemory {
    /// Moves the contents of the arguments that are buffers out of the memory, each to the first
    /// argument that it is.
    ///
    /// # Errors
    /// When there is no memory for them.
    pub(super) fn into_contents(self) -> Result<Vec<Option<Vec<u8>>>, Box<Diagnostic>> {
        let mut buffers: Vec<_> = self.memory.into_buffers().into_iter().map(Some).collect();
        let mut take = |(argument, index): (usize, &Option<usize>)| {
            let Some(buffer) = index.and_then(|index| buffers.get_mut(index)?.take()) else { return Ok(None) };
            let (is_lent, bytes) = (buffer.is_lent(), buffer.len());
            let contents = buffer.into_vec();
            let is_lost = contents.is_none() && !is_lent;
            if is_lost { Err(no_memory(&format!("argument {argument}"), bytes as u64)) } else { Ok(contents) }
        };
        self.buffers.iter().enumerate().map(&mut take).collect()
    }

    /// What the kernel has printed.
    pub(super) fn printed(&self) -> Vec<u8> {
        let buffer = self.printf.and_then(|buffer| self.memory.buffers().get(buffer));
        buffer.map(|buffer| printf::decode(&buffer.to_bytes(), &self.memory)).unwrap_or_default()
    }

    /// What the kernel says of an assertion that failed.
    pub(super) fn failed(&self) -> Option<Vec<u8>> {
        let buffer = self.asserts.and_then(|buffer| self.memory.buffers().get(buffer))?;
        asserts::failed(&buffer.to_bytes(), &self.memory)
    }
}

/// Maps everything; the bytes of buffers and images are taken out of the arguments.
///
/// # Errors
/// When something is too large, or the layout contradicts itself.
pub(super) fn map(
    program: &Program,
    range: &NdRange,
    arguments: &mut [Option<Argument>],
    surroundings: &Surroundings<'_>,
) -> Result<LaunchMemory, Box<Diagnostic>> {
    let info = &program.info;
    let mut memory = Memory::default();
    // So many have room.
    if surroundings.scattered != 0 && arguments.len() < 100 {
        memory.scatter(surroundings.scattered);
    }
    for (address, lent) in surroundings.regions {
        let what = || format!("the memory at 0x{address:x} has {} bytes", lent.bytes);
        memory.map_at(*address, Buffer::lent(lent.clone())).ok_or_else(|| too_large(what()))?;
    }
    let mut undefined = Vec::new();
    let mut addresses = vec![None; arguments.len()];
    let mut buffers = vec![None; arguments.len()];
    let mut sizes = vec![0; arguments.len()];
    for (index, argument) in arguments.iter_mut().enumerate() {
        // The bytes go as soon as they are mapped, so that there are not two of every buffer.
        let own = |bytes: &mut Vec<u8>| {
            let size = bytes.len() as u64;
            Buffer::from_vec(std::mem::take(bytes)).ok_or_else(|| no_memory(&format!("argument {index}"), size))
        };
        let buffer = match argument {
            Some(Argument::Buffer(bytes)) => own(bytes)?,
            Some(Argument::Image(image)) => own(&mut image.texels)?,
            Some(Argument::Undefined(bytes)) => {
                let buffer = own(bytes)?;
                *argument = Some(Argument::Buffer(Vec::new()));
                undefined.push(memory.buffers().len());
                buffer
            }
            // To the payload it looks like one with contents of its own.
            Some(Argument::Lent(lent, address)) => {
                let buffer = Buffer::lent(lent.clone());
                addresses[index] = *address;
                *argument = Some(Argument::Buffer(Vec::new()));
                buffer
            }
            Some(Argument::LentImage(lent, image)) => {
                let buffer = Buffer::lent(lent.clone());
                *argument = Some(Argument::Image(image.clone()));
                buffer
            }
            // The kernel may reach what is there by a surface, too.
            Some(Argument::Pointer(address)) => {
                let Some(lent) = behind(surroundings.regions, *address) else { continue };
                addresses[index] = Some(*address);
                *argument = Some(Argument::Buffer(Vec::new()));
                Buffer::lent(lent)
            }
            _ => continue,
        };
        sizes[index] = buffer.len() as u64;
        let what = || format!("argument {index} has {} bytes", sizes[index]);
        let address = map_buffer(&mut memory, buffer, what)?;
        addresses[index].get_or_insert(address);
        buffers[index] = Some(memory.buffers().len() - 1);
    }
    // What is the same as another argument shares its buffer, and looks to the payload like one of
    // its kind.
    for index in 0..arguments.len() {
        let Some(Argument::Same(other)) = arguments[index] else { continue };
        let of = other as usize;
        arguments[index] = match arguments.get(of) {
            Some(Some(Argument::Buffer(_))) => Some(Argument::Buffer(Vec::new())),
            Some(Some(Argument::Image(image))) => Some(Argument::Image(image.clone())),
            _ => return Err(not_same(index, other)),
        };
        (buffers[index], sizes[index], addresses[index]) = (buffers[of], sizes[of], addresses[of]);
    }
    let data = match surroundings.data {
        Some(data) => data.clone(),
        None => data::map(&program.data, &mut memory)?,
    };
    let mut extra = Extra { constants: data.constants, variables: data.variables, ..Extra::default() };
    let has_printf = |item: &PayloadArgument| item.arg_type == ArgType::PrintfBuffer;
    let printf = if info.has_implicit_arguments() || info.payload_arguments.iter().any(has_printf) {
        let bytes = printf::BUFFER_BYTES;
        let buffer = Buffer::try_zeros(bytes).ok_or_else(|| no_memory("the buffer of printf", bytes as u64))?;
        buffer.store_u32(0, printf::FIRST_RECORD);
        extra.printf = map_buffer(&mut memory, buffer, || "the buffer of printf".to_owned())?;
        Some(memory.buffers().len() - 1)
    } else {
        None
    };
    let has = |kind: ArgType| info.payload_arguments.iter().any(|item| item.arg_type == kind);
    let asserts = if info.has_implicit_arguments() || has(ArgType::AssertBuffer) {
        let buffer = Buffer::zeros(asserts::BUFFER_BYTES);
        for (at, word) in (0..).step_by(4).zip(asserts::header()) {
            buffer.store_u32(at, word);
        }
        extra.asserts = map_buffer(&mut memory, buffer, || "the buffer of assert".to_owned())?;
        Some(memory.buffers().len() - 1)
    } else {
        None
    };
    if has(ArgType::SyncBuffer) {
        // A byte for each group.
        let groups = u64::try_from(range.group_count()).unwrap_or(u64::MAX).next_multiple_of(8);
        let too_many = || too_large(format!("a buffer with one byte for each of {groups} groups is needed"));
        let bytes = usize::try_from(groups).ok().filter(|_| groups <= MAX_BUFFER).ok_or_else(too_many)?;
        extra.sync = map_buffer(&mut memory, Buffer::zeros(bytes), || "the buffer for groups".to_owned())?;
    }
    let constants = data_surface(info, &ArgType::ConstBase, data.constants, surroundings, &mut memory)?;
    let variables = data_surface(info, &ArgType::GlobalBase, data.variables, surroundings, &mut memory)?;
    let surfaces = [constants, variables];
    let (scratch, implicit, private) = private(info, range, &memory, &mut extra)?;
    let gap = if surroundings.scattered == 0 { 0 } else { LOCAL_GAP };
    let mut placement = placement::place(info, arguments, gap, |index| *addresses.get(index as usize)?)?;
    placement.extra = extra;
    placement.sizes = sizes;
    let buffer = |bound: &Option<Bound>| match (*bound)? {
        Bound::Argument(argument) => buffers.get(argument as usize).copied().flatten(),
        Bound::Constants => surfaces[0],
        Bound::Variables => surfaces[1],
    };
    let bindings = placement.bindings.iter().map(buffer).collect();
    let images = placement.bindings.iter().map(|bound| {
        let Some(Bound::Argument(argument)) = *bound else { return None };
        let image = match arguments.get(argument as usize)? {
            Some(Argument::Image(image)) => image,
            _ => return None,
        };
        Some(Image { buffer: buffer(bound)?, format: image.format, desc: image.desc })
    });
    let (images, samplers) = (images.collect(), samplers(info, arguments));
    Ok(LaunchMemory {
        memory,
        buffers,
        undefined,
        placement,
        bindings,
        images,
        samplers,
        data,
        printf,
        asserts,
        scratch,
        private,
        implicit,
        nothing: Buffer::default(),
    })
}

/// The buffer that a surface of the program's constants or variables reaches, where the kernel has
/// one.
fn data_surface(
    info: &KernelInfo,
    kind: &ArgType,
    address: u64,
    surroundings: &Surroundings<'_>,
    memory: &mut Memory,
) -> Result<Option<usize>, Box<Diagnostic>> {
    let has_surface = |item: &PayloadArgument| {
        item.arg_type == *kind && (item.bti_value.is_some() || item.addrmode == Some(AddrMode::Bindless))
    };
    if address == 0 || !info.payload_arguments.iter().any(has_surface) {
        return Ok(None);
    }
    if let Some(number) = (0..memory.buffers().len()).find(|number| memory.address(*number) == address) {
        return Ok(Some(number));
    }
    let Some(lent) = behind(surroundings.regions, address) else { return Ok(None) };
    map_buffer(memory, Buffer::lent(lent), || "the program's data".to_owned())?;
    Ok(Some(memory.buffers().len() - 1))
}

fn not_same(index: usize, other: u32) -> Box<Diagnostic> {
    let message = format!(
        "argument {index} shares memory with argument {other}, which is not a \
     buffer or image of its own"
    );
    let finding = Diagnostic::new("argument-same", Severity::Error, "launch", message);
    Box::new(finding.help("give same:N the index of an argument with contents of its own"))
}

/// What is at an address and behind it, where memory is there; surfaces begin at words.
fn behind(regions: &[(u64, Lent)], address: u64) -> Option<Lent> {
    let is_inside = |(first, lent): &&(u64, Lent)| address >= *first && address - first < lent.bytes as u64;
    let (first, lent) = regions.iter().find(is_inside)?;
    let offset = address - first;
    offset.is_multiple_of(4).then(|| lent.behind((offset / 4) as usize))
}

fn map_buffer(memory: &mut Memory, buffer: Buffer, what: impl Fn() -> String) -> Result<u64, Box<Diagnostic>> {
    memory.map(buffer).ok_or_else(|| too_large(what()))
}

/// Returns the error for memory that cannot be had.
pub(super) fn no_memory(what: &str, bytes: u64) -> Box<Diagnostic> {
    let message = format!("{what} cannot be allocated: {bytes} bytes");
    let finding = Diagnostic::new("out-of-memory", Severity::Error, "launch", message);
    Box::new(
        finding.help("use smaller buffers or fewer host threads, or raise the limit of the process (`ulimit -v`)"),
    )
}

fn too_large(what: String) -> Box<Diagnostic> {
    let finding = Diagnostic::new("argument-size", Severity::Error, "launch", what);
    Box::new(finding.help(format!("the largest buffer has {MAX_BUFFER} bytes")))
}

/// What the kernel says of its private memory: hardware threads of a full group, and bytes of each
/// of them, of scratch and of global memory.
struct Private {
    threads: u32,
    scratch: u64,
    global: u64,
}

impl Private {
    fn of(info: &KernelInfo, range: &NdRange) -> Self {
        let simd = info.execution_env.simd_size.max(1);
        let threads = range.local.iter().product::<u32>().div_ceil(simd).max(1);
        let size = |buffer: &PerThreadMemoryBuffer| {
            u64::from(buffer.size) * if buffer.is_simt_thread { u64::from(simd) } else { 1 }
        };
        let of_kind = |kind: &str| {
            // Registers are spilled by what comes after vISA.
            let buffers = info.per_thread_memory_buffers.iter();
            let buffers = buffers.filter(|buffer| buffer.kind == kind && buffer.usage != "spill_fill_space");
            buffers.map(size).fold(0, u64::saturating_add)
        };
        let scratch = of_kind("scratch").checked_next_multiple_of(SCRATCH_STEP).unwrap_or(u64::MAX);
        Self { threads, scratch, global: of_kind("global") }
    }
}

/// Bytes of private memory that a full group has.
pub(super) fn private_bytes(info: &KernelInfo, range: &NdRange) -> u64 {
    let Private { threads, scratch, global } = Private::of(info, range);
    scratch.saturating_add(global).saturating_mul(threads.into())
}

/// Private memory of a group: a part for every hardware thread, in one buffer of each kind;
/// implicit arguments behind it. Gives the sizes of these buffers.
fn private(
    info: &KernelInfo,
    range: &NdRange,
    memory: &Memory,
    extra: &mut Extra,
) -> Result<(Scratch, Option<Implicit>, Vec<usize>), Box<Diagnostic>> {
    let simd = info.execution_env.simd_size.max(1);
    let Private { threads, scratch: pitch, global } = Private::of(info, range);
    let mut sizes = Vec::new();
    let mut map = |pitch: u64, behind: u64| {
        let bytes = pitch.checked_mul(threads.into()).and_then(|bytes| bytes.checked_add(behind));
        let bytes = bytes.filter(|&bytes| bytes <= MAX_BUFFER).and_then(|bytes| usize::try_from(bytes).ok());
        sizes.push(bytes.ok_or_else(|| {
            let message =
                format!("the kernel needs {pitch} bytes of private memory for each of {threads} hardware threads");
            let finding = Diagnostic::new("launch-private", Severity::Error, "launch", message);
            Box::new(finding.help("use smaller private arrays or smaller groups"))
        })?);
        let index = sizes.len() - 1;
        Ok::<_, Box<Diagnostic>>((memory.address(memory.buffers().len() + index), index))
    };
    let mut scratch = Scratch::default();
    let implicit_bytes = if info.has_implicit_arguments() { implicit::bytes(range.local, simd) as u64 } else { 0 };
    let mut implicit = None;
    if pitch > 0 || implicit_bytes > 0 {
        let (base, buffer) = map(pitch, implicit_bytes)?;
        scratch.buffer = Some(buffer);
        if pitch > 0 {
            (extra.private, scratch.pitch) = (base, pitch);
        }
        if implicit_bytes > 0 {
            let offset = pitch * u64::from(threads);
            implicit = Some(Implicit { offset, address: base + offset });
        }
    }
    let pitch = global;
    if pitch > 0 {
        // Behind the last stack is room for the next frame, so that it is the stack that is found
        // full.
        let behind = if info.execution_env.has_stack_calls { pitch } else { 0 };
        extra.private = map(pitch, behind)?.0;
        scratch.stack = (extra.private, pitch);
    }
    Ok((scratch, implicit, sizes))
}

/// The samplers that the arguments and the source give, by index.
fn samplers(info: &KernelInfo, arguments: &[Option<Argument>]) -> Vec<Option<Sampler>> {
    let given = info.payload_arguments.iter().filter(|item| item.arg_type == ArgType::ByPointer).filter_map(|item| {
        match arguments.get(item.arg_index? as usize)? {
            Some(Argument::Sampler(sampler)) => Some((item.sampler_index?, *sampler)),
            _ => None,
        }
    });
    let inline = info.inline_samplers.iter().map(|sampler| (sampler.sampler_index, inline_sampler(sampler)));
    let mut samplers = Vec::new();
    for (index, sampler) in given.chain(inline) {
        let index = index as usize;
        if samplers.len() <= index {
            samplers.resize(index + 1, None);
        }
        samplers[index] = Some(sampler);
    }
    samplers
}

fn inline_sampler(sampler: &InlineSampler) -> Sampler {
    let addressing = match sampler.addrmode.as_str() {
        "repeat" => Addressing::Repeat,
        "mirror" => Addressing::Mirror,
        "clamp_edge" => Addressing::ClampToEdge,
        "clamp_border" => Addressing::Clamp,
        _ => Addressing::None,
    };
    Sampler {
        addressing,
        linear: sampler.filtermode == "linear",
        normalized: sampler.normalized,
        ..Sampler::default()
    }
}
