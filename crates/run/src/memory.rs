//! Memory of a launch: buffers and images of arguments, the program's data, private memory, the
//! `printf` buffer.

use std::sync::{Mutex, PoisonError};

use visakit_diag::{Diagnostic, Severity};

use crate::arguments::{self, Mapped, behind, map_buffer, no_memory, too_large};
use crate::options::Surroundings;
use crate::program::Program;
use visakit_launch::argument::Argument;
use visakit_launch::asserts;
use visakit_launch::data::{self, DataPlaces};
use visakit_launch::implicit;
use visakit_launch::mapped::{MappedArgument, MappedImage};
use visakit_launch::placement::{self, Bound, Extra, Placement};
use visakit_launch::printf;
use visakit_launch::range::NdRange;
use visakit_machine::buffer::Buffer;
use visakit_machine::image::Image;
use visakit_machine::memory::{MAX_BUFFER, Memory};
use visakit_machine::sampler::{Addressing, Sampler};
use visakit_zebin::info::{AddrMode, ArgType, InlineSampler, KernelInfo, PayloadArgument, PerThreadMemoryBuffer};

/// Granularity of a thread's scratch base in r0, in bytes.
const SCRATCH_STEP: u64 = 1024;
/// Number of arguments from which buffers are not scattered, because the address space has too few
/// slots.
const MOST_SCATTERED: usize = 100;
/// Gap in bytes between shared-local-memory arguments in a checked launch.
const LOCAL_GAP: u32 = 1024;

/// Mapped memory of a launch.
pub(super) struct LaunchMemory {
    pub(super) memory: Memory,
    /// Arguments by index.
    pub(super) arguments: Vec<Option<MappedArgument>>,
    /// Indices of the buffers with undefined contents.
    pub(super) undefined: Vec<usize>,
    pub(super) placement: Placement,
    /// Buffer bound to each entry of the binding table.
    pub(super) bindings: Vec<Option<usize>>,
    /// Image bound to each entry of the binding table.
    pub(super) images: Vec<Option<Image>>,
    /// Samplers by index.
    pub(super) samplers: Vec<Option<Sampler>>,
    pub(super) data: DataPlaces,
    printf: Option<usize>,
    asserts: Option<usize>,
    pub(super) scratch: Scratch,
    /// Sizes of a group's private buffers, which follow the others in the address space.
    pub(super) private: Vec<usize>,
    /// Implicit-argument buffer.
    pub(super) implicit: Option<Implicit>,
    /// An empty buffer.
    pub(super) nothing: Buffer,
}

/// Scratch memory of a group: one buffer with a part for each hardware thread.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Scratch {
    /// Index among the group's private buffers.
    pub(super) buffer: Option<usize>,
    /// Size of a hardware thread's part in bytes.
    pub(super) pitch: u64,
    /// Address of the first hardware thread's stack in flat memory, and the size of each stack in
    /// bytes; zeros without stacks.
    pub(super) stack: (u64, u64),
}

/// Implicit-argument buffer of a group, located after the scratch memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Implicit {
    /// Offset in the scratch memory.
    pub(super) offset: u64,
    /// Address in flat memory.
    pub(super) address: u64,
}

impl LaunchMemory {
    /// Moves the contents of buffer arguments out of the memory. A shared buffer goes to the first
    /// argument that uses it.
    ///
    /// # Errors
    /// Out of memory.
    pub(super) fn into_contents(self) -> Result<Vec<Option<Vec<u8>>>, Box<Diagnostic>> {
        let mut buffers: Vec<_> = self.memory.into_buffers().into_iter().map(Some).collect();
        if let Some(buffer) = self.printf.and_then(|number| buffers.get_mut(number)?.take()) {
            keep_printf_buffer(buffer);
        }
        let mut take = |(argument, mapped): (usize, &Option<MappedArgument>)| {
            let place = mapped.as_ref().and_then(MappedArgument::buffer);
            let Some(buffer) = place.and_then(|place| buffers.get_mut(place.number)?.take()) else { return Ok(None) };
            let (is_lent, bytes) = (buffer.is_lent(), buffer.len());
            let contents = buffer.into_vec();
            let is_lost = contents.is_none() && !is_lent;
            if is_lost { Err(no_memory(&format!("argument {argument}"), bytes as u64)) } else { Ok(contents) }
        };
        self.arguments.iter().enumerate().map(&mut take).collect()
    }

    /// Returns the kernel's printed output.
    pub(super) fn printed(&self) -> Vec<u8> {
        let buffer = self.printf.and_then(|buffer| self.memory.buffers().get(buffer));
        buffer.map(|buffer| printf::printed(buffer, 0, &self.memory)).unwrap_or_default()
    }

    /// Returns the kernel's message for a failed assertion, if any.
    pub(super) fn failed(&self) -> Option<Vec<u8>> {
        let buffer = self.asserts.and_then(|buffer| self.memory.buffers().get(buffer))?;
        asserts::failed(buffer, &self.memory)
    }
}

/// Maps the memory of a launch.
///
/// # Errors
/// A buffer is too large, or the layout is inconsistent.
pub(super) fn map(
    program: &Program,
    range: &NdRange,
    arguments: Vec<Option<Argument>>,
    surroundings: &Surroundings<'_>,
) -> Result<LaunchMemory, Box<Diagnostic>> {
    let info = &program.info;
    let mut memory = Memory::default();
    if surroundings.scattered != 0 && arguments.len() < MOST_SCATTERED {
        memory.scatter(surroundings.scattered);
    }
    for regions in surroundings.regions {
        if let Some((address, lent)) = regions.misfit() {
            return Err(too_large(format!("the memory at 0x{address:x} has {} bytes", lent.bytes)));
        }
        memory.map_fixed(regions);
    }
    let Mapped { arguments, undefined } = arguments::map(info, arguments, surroundings.regions, &mut memory)?;
    let data = match surroundings.data {
        Some(data) => data.clone(),
        None => data::map(&program.data, &mut memory)?,
    };
    let mut extra = Extra { constants: data.constants, variables: data.variables, ..Extra::default() };
    let printf = printf_buffer(info, &mut memory, &mut extra)?;
    let asserts = assert_buffer(info, &mut memory, &mut extra)?;
    map_sync_buffer(info, range, &mut memory, &mut extra)?;
    let surfaces = DataSurfaces {
        constants: data_surface(info, &ArgType::ConstBase, data.constants, surroundings, &mut memory)?,
        variables: data_surface(info, &ArgType::GlobalBase, data.variables, surroundings, &mut memory)?,
    };
    let (scratch, implicit, private) = private(info, range, &memory, &mut extra)?;
    let gap = if surroundings.scattered == 0 { 0 } else { LOCAL_GAP };
    let placement = Placement { extra, ..placement::place(info, &arguments, gap)? };
    let bound = placement.bindings.iter();
    let bindings = bound.clone().map(|bound| surfaces.buffer((*bound)?, &arguments)).collect();
    let images = bound.map(|bound| image((*bound)?, &arguments)).collect();
    Ok(LaunchMemory {
        memory,
        undefined,
        placement,
        bindings,
        images,
        samplers: samplers(info, &arguments),
        arguments,
        data,
        printf,
        asserts,
        scratch,
        private,
        implicit,
        nothing: Buffer::default(),
    })
}

/// A `printf` buffer of an earlier launch, filled with zeros: to zero all of it takes several times
/// as long as a small launch.
static PRINTF_BUFFER: Mutex<Option<Buffer>> = Mutex::new(None);

/// Keeps a `printf` buffer for the next launch.
fn keep_printf_buffer(buffer: Buffer) {
    let printed = buffer.load_u32(0).unwrap_or(0);
    *PRINTF_BUFFER.lock().unwrap_or_else(PoisonError::into_inner) = Some(buffer.renewed(printed as usize));
}

/// Maps the `printf` buffer if the kernel may print. Returns its index.
fn printf_buffer(
    info: &KernelInfo,
    memory: &mut Memory,
    extra: &mut Extra,
) -> Result<Option<usize>, Box<Diagnostic>> {
    if !info.has_implicit_arguments() && !has(info, &ArgType::PrintfBuffer) {
        return Ok(None);
    }
    let bytes = printf::BUFFER_BYTES;
    let kept = PRINTF_BUFFER.lock().unwrap_or_else(PoisonError::into_inner).take();
    let buffer = kept.or_else(|| Buffer::try_zeros(bytes));
    let buffer = buffer.ok_or_else(|| no_memory("the buffer of printf", bytes as u64))?;
    buffer.store_u32(0, printf::FIRST_RECORD);
    extra.printf = map_buffer(memory, buffer, || "the buffer of printf".to_owned())?;
    Ok(Some(memory.buffers().len() - 1))
}

/// Maps the `assert` buffer if the kernel may have assertions. Returns its index.
fn assert_buffer(
    info: &KernelInfo,
    memory: &mut Memory,
    extra: &mut Extra,
) -> Result<Option<usize>, Box<Diagnostic>> {
    if !info.has_implicit_arguments() && !has(info, &ArgType::AssertBuffer) {
        return Ok(None);
    }
    let buffer = Buffer::zeros(asserts::BUFFER_BYTES);
    for (at, word) in (0..).step_by(4).zip(asserts::header()) {
        buffer.store_u32(at, word);
    }
    extra.asserts = map_buffer(memory, buffer, || "the buffer for failed assertions".to_owned())?;
    Ok(Some(memory.buffers().len() - 1))
}

/// Maps the buffer for synchronisation of groups, one byte per group, if the kernel has one.
fn map_sync_buffer(
    info: &KernelInfo,
    range: &NdRange,
    memory: &mut Memory,
    extra: &mut Extra,
) -> Result<(), Box<Diagnostic>> {
    if !has(info, &ArgType::SyncBuffer) {
        return Ok(());
    }
    let groups = u64::try_from(range.group_count()).unwrap_or(u64::MAX).next_multiple_of(8);
    let too_many = || too_large(format!("a buffer with one byte for each of {groups} groups is needed"));
    let bytes = usize::try_from(groups).ok().filter(|_| groups <= MAX_BUFFER).ok_or_else(too_many)?;
    extra.sync = map_buffer(memory, Buffer::zeros(bytes), || "the buffer for groups".to_owned())?;
    Ok(())
}

/// Returns true if the kernel has a payload argument of a kind.
fn has(info: &KernelInfo, kind: &ArgType) -> bool {
    info.payload_arguments.iter().any(|item| item.arg_type == *kind)
}

/// Buffers of the program's data that are accessed as surfaces.
struct DataSurfaces {
    constants: Option<usize>,
    variables: Option<usize>,
}

impl DataSurfaces {
    /// Returns the index of the buffer bound to an entry of the binding table.
    fn buffer(&self, bound: Bound, arguments: &[Option<MappedArgument>]) -> Option<usize> {
        match bound {
            Bound::Argument(index) => Some(arguments.get(index as usize)?.as_ref()?.buffer()?.number),
            Bound::Constants => self.constants,
            Bound::Variables => self.variables,
        }
    }
}

/// Returns the image bound to an entry of the binding table.
fn image(bound: Bound, arguments: &[Option<MappedArgument>]) -> Option<Image> {
    let Bound::Argument(index) = bound else { return None };
    match arguments.get(index as usize)? {
        Some(MappedArgument::Image(MappedImage { texels, format, desc })) => {
            Some(Image { buffer: texels.number, format: *format, desc: *desc })
        }
        _ => None,
    }
}

/// Returns the buffer for the surface of the program's constants or variables, if the kernel has
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
    let Some((_, lent)) = behind(surroundings.regions, address, false) else { return Ok(None) };
    map_buffer(memory, Buffer::lent(lent), || "the program's data".to_owned())?;
    Ok(Some(memory.buffers().len() - 1))
}

/// Private memory of a kernel: number of hardware threads of a full group, and bytes per thread of
/// scratch and global memory.
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
            // Spilled registers are an artefact of the compiler's later stages.
            let buffers = info.per_thread_memory_buffers.iter();
            let buffers = buffers.filter(|buffer| buffer.kind == kind && buffer.usage != "spill_fill_space");
            buffers.map(size).fold(0, u64::saturating_add)
        };
        let scratch = of_kind("scratch").checked_next_multiple_of(SCRATCH_STEP).unwrap_or(u64::MAX);
        Self { threads, scratch, global: of_kind("global") }
    }
}

/// Returns the size of a full group's private memory in bytes.
pub(super) fn private_bytes(info: &KernelInfo, range: &NdRange) -> u64 {
    let Private { threads, scratch, global } = Private::of(info, range);
    scratch.saturating_add(global).saturating_mul(threads.into())
}

/// Plans the private memory of a group: one buffer of each kind, with a part per hardware thread,
/// and the implicit arguments after the scratch memory. Returns the sizes of these buffers.
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
        // Padding after the last stack lets a stack overflow be reported as such.
        let behind = if info.execution_env.has_stack_calls { pitch } else { 0 };
        extra.private = map(pitch, behind)?.0;
        scratch.stack = (extra.private, pitch);
    }
    Ok((scratch, implicit, sizes))
}

/// Returns the samplers of the arguments and of the source, by index.
fn samplers(info: &KernelInfo, arguments: &[Option<MappedArgument>]) -> Vec<Option<Sampler>> {
    let given = info.payload_arguments.iter().filter(|item| item.arg_type == ArgType::ByPointer).filter_map(|item| {
        match arguments.get(item.arg_index? as usize)? {
            Some(MappedArgument::Sampler(sampler)) => Some((item.sampler_index?, *sampler)),
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
