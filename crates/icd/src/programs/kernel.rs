//! Kernels and their arguments.

use std::ffi::c_void;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use opencl_sys::*;
use visakit_emulator::launch::argument::{Parameter, ParameterKind};
use visakit_emulator::launch::range::NdRange;
use visakit_runtime::programs::attributes::{attributes, required_width};
use visakit_zebin::info::ArgInfo;

use crate::base::answer::Answer;
use crate::base::error::{Code, Result, ensure, fail};
use crate::base::handle::{self, Handle, Object, kind};
use crate::devices::device::Device;
use crate::devices::platform;
use crate::memory::mem::Mem;
use crate::memory::sampler::Sampler;
use crate::programs::binary::{Binary, Entry};
use crate::programs::program::Program;

/// OpenCL kernel.
pub(crate) struct Kernel {
    pub(crate) program: Handle<Program>,
    pub(crate) name: String,
    /// Binary and kernel entry for each device of the program.
    entries: Vec<Option<(Arc<Binary>, Arc<Entry>)>>,
    /// Entry of the first device that has one: all have the same parameters.
    first: Arc<Entry>,
    arguments: Mutex<Vec<Option<Kept>>>,
}

kind!(Kernel, CL_INVALID_KERNEL);

/// Argument of a kernel.
#[derive(Clone)]
pub(crate) enum Argument {
    Value(Vec<u8>),
    Local(usize),
    /// Memory object; `None` for a null pointer.
    Mem(Option<Handle<Mem>>),
    Sampler(Handle<Sampler>),
    /// Address that kernels and the program share.
    Address(u64),
}

/// Stored form of an argument. Objects are referenced weakly, so that a kernel does not keep them
/// alive.
#[derive(Clone)]
enum Kept {
    Mem(Weak<Object<Mem>>),
    Sampler(Weak<Object<Sampler>>),
    Other(Argument),
}

impl Kept {
    fn new(argument: Argument) -> Self {
        match argument {
            Argument::Mem(Some(mem)) => Self::Mem(Arc::downgrade(&mem)),
            Argument::Sampler(sampler) => Self::Sampler(Arc::downgrade(&sampler)),
            other => Self::Other(other),
        }
    }

    /// Returns the argument if its object still exists.
    fn argument(&self) -> Option<Argument> {
        match self {
            Self::Mem(mem) => mem.upgrade().map(|mem| Argument::Mem(Some(mem))),
            Self::Sampler(sampler) => sampler.upgrade().map(Argument::Sampler),
            Self::Other(other) => Some(other.clone()),
        }
    }
}

impl Drop for Kernel {
    fn drop(&mut self) {
        self.program.let_go();
    }
}

/// Creates a kernel.
pub(crate) fn create(program: &Handle<Program>, name: &str) -> Result<Handle<Kernel>> {
    let binaries = program.binaries();
    ensure(binaries.iter().any(Option::is_some), CL_INVALID_PROGRAM_EXECUTABLE)?;
    let entry = |binary: Option<Arc<Binary>>| {
        let binary = binary?;
        let entry = binary.kernel(name)?;
        Some((binary, entry))
    };
    let entries: Vec<_> = binaries.into_iter().map(entry).collect();
    let Some((_, first)) = entries.iter().flatten().next().cloned() else { return fail(CL_INVALID_KERNEL_NAME) };
    let same = entries.iter().flatten().all(|(_, entry)| entry.parameters.len() == first.parameters.len());
    ensure(same, CL_INVALID_KERNEL_DEFINITION)?;
    let arguments = Mutex::new(vec![None; first.count()]);
    program.hold();
    let (program, name) = (Arc::clone(program), name.to_owned());
    Ok(handle::create(Kernel { program, name, entries, first, arguments }))
}

/// Creates a kernel with the same arguments.
pub(crate) fn duplicate(kernel: &Handle<Kernel>) -> Handle<Kernel> {
    kernel.program.hold();
    handle::create(Kernel {
        program: Arc::clone(&kernel.program),
        name: kernel.name.clone(),
        entries: kernel.entries.clone(),
        first: Arc::clone(&kernel.first),
        arguments: Mutex::new(kernel.arguments().clone()),
    })
}

impl Kernel {
    fn arguments(&self) -> MutexGuard<'_, Vec<Option<Kept>>> {
        self.arguments.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the number of arguments.
    pub(crate) fn count(&self) -> usize {
        self.arguments().len()
    }

    /// Returns the parameter with an index.
    pub(crate) fn parameter(&self, index: cl_uint) -> Option<&Parameter> {
        self.first.parameter(index)
    }

    /// Returns a snapshot of the current arguments.
    ///
    /// # Errors
    /// Fails if an argument is unset, or its object no longer exists.
    pub(crate) fn snapshot(&self) -> Result<Vec<Option<Argument>>> {
        let arguments = self.arguments();
        let arguments: Vec<_> = arguments.iter().map(|kept| kept.as_ref().and_then(Kept::argument)).collect();
        // An argument that the compiled kernel does not use must be set too.
        let is_set = |parameter: &Parameter| arguments[parameter.index as usize].is_some();
        ensure(self.first.parameters.iter().all(is_set), CL_INVALID_KERNEL_ARGS)?;
        Ok(arguments)
    }

    /// Returns the binary and the kernel entry for a device.
    pub(crate) fn entry(&self, device: &Handle<Device>) -> Option<&(Arc<Binary>, Arc<Entry>)> {
        let place = self.program.devices.iter().position(|own| Arc::ptr_eq(own, device))?;
        self.entries[place].as_ref()
    }

    /// Returns the kernel's entry for the device of a query. Without a device, the program must
    /// have only one.
    fn entry_of(&self, device: Option<&Handle<Device>>) -> Result<(&Entry, Handle<Device>)> {
        let device = match (device, self.program.devices.as_slice()) {
            (Some(device), _) | (None, [device]) => device,
            _ => return fail(CL_INVALID_DEVICE),
        };
        let (_, entry) = self.entry(device).ok_or(Code(CL_INVALID_DEVICE))?;
        Ok((entry, Arc::clone(device)))
    }

    /// Sets an argument.
    pub(crate) fn set(&self, index: cl_uint, argument: Argument) -> Result {
        let mut arguments = self.arguments();
        let place = arguments.get_mut(index as usize).ok_or(Code(CL_INVALID_ARG_INDEX))?;
        let before = place.replace(Kept::new(argument));
        drop(arguments);
        drop(before);
        Ok(())
    }

    /// Sets an argument from the bytes of `clSetKernelArg`; `None` for a null pointer.
    pub(crate) fn set_bytes(&self, index: cl_uint, size: usize, bytes: Option<&[u8]>) -> Result {
        let parameter = self.parameter(index);
        if parameter.is_none() && (index as usize) < self.count() {
            // The kind of the parameter is unknown, and the kernel does not use it.
            return self.set(index, Argument::Value(bytes.map(<[u8]>::to_vec).unwrap_or_default()));
        }
        let parameter = parameter.ok_or(Code(CL_INVALID_ARG_INDEX))?;
        let address = || -> Result<*mut c_void> {
            ensure(size == std::mem::size_of::<*mut c_void>(), CL_INVALID_ARG_SIZE)?;
            let bytes = bytes.and_then(|bytes| bytes.first_chunk());
            Ok(bytes.map_or(std::ptr::null_mut(), |bytes| usize::from_ne_bytes(*bytes) as *mut c_void))
        };
        let argument = match parameter.kind {
            // As in Intel's runtime, a value is ignored, and a launch refuses too large a size.
            ParameterKind::Local => {
                ensure(size > 0 || platform::is_newest(), CL_INVALID_ARG_SIZE)?;
                Argument::Local(size)
            }
            ParameterKind::Sampler => Argument::Sampler(handle::get(address()?)?),
            ParameterKind::Buffer => {
                let address = address()?;
                if address.is_null() {
                    Argument::Mem(None)
                } else {
                    let mem: Handle<Mem> = handle::get(address).map_err(|_| Code(CL_INVALID_MEM_OBJECT))?;
                    let info = self.described(index);
                    let is_pipe = info.is_some_and(|info| info.type_qualifiers.contains("pipe"));
                    let is_constant = |info: &ArgInfo| {
                        info.address_qualifier == "__constant" || info.type_qualifiers.contains("const")
                    };
                    let may_write = !info.is_none_or(is_constant);
                    let fits = mem.packets.is_some() == is_pipe && (mem.may_change() || !may_write);
                    ensure(mem.texels.is_none() && fits, CL_INVALID_ARG_VALUE)?;
                    Argument::Mem(Some(mem))
                }
            }
            ParameterKind::Image { dimensions, is_array } => {
                let mem: Handle<Mem> = handle::get(address()?).map_err(|_| Code(CL_INVALID_MEM_OBJECT))?;
                let texels = mem.texels.ok_or(Code(CL_INVALID_MEM_OBJECT))?;
                let fits = texels.layout.fits(dimensions, is_array);
                let access = self.described(index).map_or("", |info| info.access_qualifier.as_str());
                let is_denied = match access {
                    "__read_only" => mem.flags & CL_MEM_WRITE_ONLY != 0,
                    "__write_only" => mem.flags & CL_MEM_READ_ONLY != 0 || !mem.may_change(),
                    _ => !mem.may_change(),
                };
                ensure(fits && !is_denied, CL_INVALID_ARG_VALUE)?;
                Argument::Mem(Some(mem))
            }
            ParameterKind::Value(wanted) => {
                let bytes = bytes.ok_or(Code(CL_INVALID_ARG_VALUE))?;
                let name =
                    self.described(index).and_then(|info| info.type_name.split_once(';')).map(|(name, _)| name);
                // A vector of three has the size of a vector of four.
                let packed = size * 4 == wanted as usize * 3 && name.is_some_and(|name| name.ends_with('3'));
                // As Intel's runtime: a shorter value is an error only if the type is known, and a
                // longer value is truncated; oneMKL passes 8 bytes for 4.
                ensure(size >= wanted as usize || packed || name.is_none(), CL_INVALID_ARG_SIZE)?;
                let mut bytes = bytes[..size.min(wanted as usize)].to_vec();
                bytes.resize(wanted as usize, 0);
                Argument::Value(bytes)
            }
            ParameterKind::Unknown => Argument::Value(bytes.map(<[u8]>::to_vec).unwrap_or_default()),
        };
        self.set(index, argument)
    }

    fn described(&self, index: cl_uint) -> Option<&ArgInfo> {
        self.first.described(index)
    }
}

/// Answers `clGetKernelInfo`.
pub(crate) fn info(kernel: &Handle<Kernel>, answer: Answer) -> Result {
    match answer.name {
        CL_KERNEL_FUNCTION_NAME => answer.text(&kernel.name),
        CL_KERNEL_NUM_ARGS => answer.value(kernel.count() as cl_uint),
        CL_KERNEL_REFERENCE_COUNT => answer.value(handle::count(kernel)),
        CL_KERNEL_CONTEXT => answer.value(handle::address(&kernel.program.context)),
        CL_KERNEL_PROGRAM => answer.value(handle::address(&kernel.program)),
        CL_KERNEL_ATTRIBUTES => answer.text(&attributes(&kernel.first.info).join(" ")),
        _ => answer.unknown(),
    }
}

/// Answers `clGetKernelArgInfo`.
pub(crate) fn argument_info(kernel: &Handle<Kernel>, index: cl_uint, answer: Answer) -> Result {
    ensure((index as usize) < kernel.count(), CL_INVALID_ARG_INDEX)?;
    let info = kernel.described(index).ok_or(Code(CL_KERNEL_ARG_INFO_NOT_AVAILABLE))?;
    let has = |word: &str| info.type_qualifiers.split(' ').any(|other| other == word);
    match answer.name {
        CL_KERNEL_ARG_ADDRESS_QUALIFIER => answer.value(match info.address_qualifier.as_str() {
            "__global" => CL_KERNEL_ARG_ADDRESS_GLOBAL,
            "__local" => CL_KERNEL_ARG_ADDRESS_LOCAL,
            "__constant" => CL_KERNEL_ARG_ADDRESS_CONSTANT,
            _ => CL_KERNEL_ARG_ADDRESS_PRIVATE,
        }),
        CL_KERNEL_ARG_ACCESS_QUALIFIER => answer.value(match info.access_qualifier.as_str() {
            // Pipes report their access elsewhere.
            _ if has("pipe") => CL_KERNEL_ARG_ACCESS_NONE,
            "__read_only" => CL_KERNEL_ARG_ACCESS_READ_ONLY,
            "__write_only" => CL_KERNEL_ARG_ACCESS_WRITE_ONLY,
            "__read_write" => CL_KERNEL_ARG_ACCESS_READ_WRITE,
            _ => CL_KERNEL_ARG_ACCESS_NONE,
        }),
        CL_KERNEL_ARG_TYPE_NAME => {
            answer.text(info.type_name.rsplit_once(';').map_or(&*info.type_name, |(name, _)| name))
        }
        CL_KERNEL_ARG_TYPE_QUALIFIER => {
            let flags = [
                ("const", CL_KERNEL_ARG_TYPE_CONST),
                ("restrict", CL_KERNEL_ARG_TYPE_RESTRICT),
                ("volatile", CL_KERNEL_ARG_TYPE_VOLATILE),
                ("pipe", CL_KERNEL_ARG_TYPE_PIPE),
            ];
            // The headers define a 64-bit value, unlike the bindings.
            let found = flags.into_iter().filter(|(word, _)| has(word)).map(|(_, flag)| cl_bitfield::from(flag));
            answer.value(found.fold(cl_bitfield::from(CL_KERNEL_ARG_TYPE_NONE), |all, flag| all | flag))
        }
        CL_KERNEL_ARG_NAME => answer.text(&info.name),
        _ => answer.unknown(),
    }
}

/// Query for a kernel's registers per hardware thread, which the bindings lack.
const REGISTER_COUNT: cl_kernel_work_group_info = 0x425B;

/// Answers `clGetKernelWorkGroupInfo`.
pub(crate) fn group_info(kernel: &Handle<Kernel>, device: Option<&Handle<Device>>, answer: Answer) -> Result {
    let (entry, device) = kernel.entry_of(device)?;
    let env = &entry.info.execution_env;
    match answer.name {
        CL_KERNEL_GLOBAL_WORK_SIZE => fail(CL_INVALID_VALUE),
        CL_KERNEL_WORK_GROUP_SIZE => {
            let [x, y, z] = env.required_work_group_size.map(|side| side.max(1) as usize);
            answer.value(if env.required_work_group_size[0] > 0 { x * y * z } else { device.max_group })
        }
        CL_KERNEL_COMPILE_WORK_GROUP_SIZE => answer.list(&env.required_work_group_size.map(|side| side as usize)),
        CL_KERNEL_LOCAL_MEM_SIZE => {
            let arguments = kernel.arguments();
            answer.value(entry.local_bytes(arguments.iter().flatten().map(|argument| match argument {
                Kept::Other(Argument::Local(bytes)) => *bytes as u64,
                _ => 0,
            })))
        }
        CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE => answer.value(env.simd_size as usize),
        CL_KERNEL_PRIVATE_MEM_SIZE => answer.value(u64::from(env.private_size)),
        CL_KERNEL_SPILL_MEM_SIZE_INTEL => answer.value(u64::from(env.spill_size)),
        REGISTER_COUNT => answer.value::<cl_uint>(env.grf_count),
        _ => answer.unknown(),
    }
}

/// Answers `clGetKernelSubGroupInfo`; `input` is a local size or a number of sub-groups.
pub(crate) fn subgroup_info(
    kernel: &Handle<Kernel>,
    device: Option<&Handle<Device>>,
    input: &[usize],
    answer: Answer,
) -> Result {
    let (Entry { info, .. }, device) = kernel.entry_of(device)?;
    let width = info.execution_env.simd_size.max(1) as usize;
    let items =
        || input.iter().try_fold(1_usize, |items, &side| items.checked_mul(side)).ok_or(Code(CL_INVALID_VALUE));
    match answer.name {
        CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE | CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE => {
            ensure((1..=3).contains(&input.len()), CL_INVALID_VALUE)?;
            let items = items()?;
            let is_size = answer.name == CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE;
            answer.value(if is_size { width } else { items.div_ceil(width) })
        }
        CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT => {
            let &[count] = input else { return fail(CL_INVALID_VALUE) };
            let items = count.checked_mul(width).filter(|&items| items <= device.max_group).unwrap_or(0);
            let dimensions = (answer.place().1 / std::mem::size_of::<usize>()).clamp(1, 3);
            let rest = if items == 0 { 0 } else { 1 };
            answer.list(&[items, rest, rest][..dimensions])
        }
        CL_KERNEL_MAX_NUM_SUB_GROUPS => answer.value(device.max_group.div_ceil(width)),
        CL_KERNEL_COMPILE_NUM_SUB_GROUPS => answer.value(0_usize),
        CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL => answer.value(required_width(info) as usize),
        _ => answer.unknown(),
    }
}

/// Returns the local size that is chosen if the program gives none.
pub(crate) fn suggested_local_size(
    kernel: &Handle<Kernel>,
    device: &Handle<Device>,
    global: &[u64],
) -> Result<[u32; 3]> {
    let (Entry { info, .. }, _) = kernel.entry_of(Some(device)).map_err(|_| Code(CL_INVALID_PROGRAM_EXECUTABLE))?;
    let required = info.execution_env.required_work_group_size;
    let range = NdRange::new(global, None, None, required).map_err(|_| Code(CL_INVALID_GLOBAL_WORK_SIZE))?;
    Ok(range.local)
}
