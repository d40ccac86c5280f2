//! Kernels: their arguments and sizes.

use std::ffi::{CString, c_void};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use visakit_emulator::launch::argument::{Argument, Parameter, ParameterKind};
use visakit_emulator::launch::range::dividing_local;
use visakit_runtime::programs::attributes::{attributes, required_width};
use visakit_runtime::programs::binary::{Binary, Entry};

use crate::base::handle::{Handle, get, kind};
use crate::base::result::*;
use crate::base::types::KernelProperties;
use crate::programs::image::Image;
use crate::programs::module::Module;
use crate::programs::sampler::Sampler;

/// Kernel of the API.
pub(crate) struct Kernel {
    pub(crate) module: Handle<Module>,
    /// Program of the module, with its imports.
    pub(crate) binary: Arc<Binary>,
    pub(crate) name: String,
    pub(crate) entry: Arc<Entry>,
    /// Attributes of the source.
    pub(crate) attributes: CString,
    state: Mutex<State>,
}

kind!(Kernel);

/// Arguments and sizes of later launches.
#[derive(Clone)]
pub(crate) struct State {
    pub(crate) arguments: Vec<Option<Argument>>,
    pub(crate) group: [u32; 3],
    pub(crate) offset: [u32; 3],
    pub(crate) indirect: u32,
}

impl State {
    /// Returns the arguments that are addresses, with their indices.
    pub(crate) fn addresses(&self) -> impl Iterator<Item = (u32, u64)> {
        self.arguments.iter().zip(0..).filter_map(|(argument, n)| match argument {
            Some(Argument::Pointer(address)) => Some((n, *address)),
            _ => None,
        })
    }
}

impl Kernel {
    /// Creates a kernel of a module.
    pub(crate) fn new(module: &Handle<Module>, name: &str) -> Result<Self> {
        let binary = Arc::clone(module.program()?);
        let entry = binary.kernel(name).ok_or(ERROR_INVALID_KERNEL_NAME)?;
        let required = entry.info.execution_env.required_work_group_size;
        let group = required.map(|side| side.max(1));
        let state = State { arguments: vec![None; entry.count()], group, offset: [0; 3], indirect: 0 };
        let (module, name) = (Arc::clone(module), name.to_owned());
        let attributes = CString::new(attributes(&entry.info).join(" ")).unwrap_or_default();
        Ok(Self { module, binary, name, entry, attributes, state: Mutex::new(state) })
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the number of arguments.
    pub(crate) fn count(&self) -> usize {
        self.entry.count()
    }

    /// Returns true if all used arguments are set.
    pub(crate) fn is_complete(&self, state: &State) -> bool {
        let is_set = |parameter: &Parameter| !parameter.used || state.arguments[parameter.index as usize].is_some();
        self.entry.parameters.iter().all(is_set)
    }

    /// Sets an argument; `bytes` is `None` for a null pointer.
    pub(crate) fn set(&self, index: u32, size: usize, bytes: Option<&[u8]>) -> Result {
        let argument = self.argument(index, size, bytes)?;
        self.state().arguments[index as usize] = Some(argument);
        Ok(())
    }

    /// Returns the value of an argument; `bytes` is `None` for a null pointer.
    pub(crate) fn argument(&self, index: u32, size: usize, bytes: Option<&[u8]>) -> Result<Argument> {
        ensure((index as usize) < self.count(), ERROR_INVALID_KERNEL_ARGUMENT_INDEX)?;
        let kind = self.entry.parameter(index).map(|parameter| parameter.kind);
        let address = || -> Result<u64> {
            ensure(size == size_of::<*mut c_void>(), ERROR_INVALID_KERNEL_ARGUMENT_SIZE)?;
            let bytes = bytes.and_then(|bytes| bytes.first_chunk());
            Ok(bytes.map_or(0, |bytes| u64::from_ne_bytes(*bytes)))
        };
        Ok(match kind {
            Some(ParameterKind::Buffer) => Argument::Pointer(address()?),
            Some(ParameterKind::Local) => {
                let bytes = u32::try_from(size).ok().filter(|&size| size > 0);
                Argument::Local(bytes.ok_or(ERROR_INVALID_KERNEL_ARGUMENT_SIZE)?)
            }
            Some(ParameterKind::Sampler) => {
                let sampler: Handle<Sampler> = get(address()? as *mut c_void)?;
                Argument::Sampler(sampler.settings)
            }
            Some(ParameterKind::Image { dimensions, is_array }) => {
                let image: Handle<Image> = get(address()? as *mut c_void)?;
                ensure(image.fits(dimensions, is_array), ERROR_INVALID_ARGUMENT)?;
                image.argument()
            }
            Some(ParameterKind::Value(wanted)) => {
                let wanted = wanted as usize;
                // A null pointer stands for a value of zeros.
                let zeros = vec![0; size.min(wanted)];
                let bytes = bytes.unwrap_or(&zeros);
                ensure(size > 0, ERROR_INVALID_KERNEL_ARGUMENT_SIZE)?;
                // As in Intel's driver, a smaller value is extended by zeros.
                let mut bytes = bytes[..size.min(wanted)].to_vec();
                bytes.resize(wanted, 0);
                Argument::Value(bytes)
            }
            // The kernel does not use the parameter.
            Some(ParameterKind::Unknown) | None => Argument::Value(bytes.map(<[u8]>::to_vec).unwrap_or_default()),
        })
    }

    /// Returns the size of an argument's value in bytes.
    pub(crate) fn argument_size(&self, index: usize) -> usize {
        match self.entry.parameter(index as u32).map(|parameter| parameter.kind) {
            Some(ParameterKind::Value(bytes)) => bytes as usize,
            Some(ParameterKind::Unknown) | None => 0,
            _ => size_of::<*mut c_void>(),
        }
    }

    /// Sets the group size of later launches.
    pub(crate) fn set_group(&self, group: [u32; 3]) -> Result {
        self.check_group(group)?;
        self.state().group = group;
        Ok(())
    }

    /// Checks a group size.
    pub(crate) fn check_group(&self, group: [u32; 3]) -> Result {
        let required = self.entry.info.execution_env.required_work_group_size;
        let items = group.iter().try_fold(1_u32, |items, &side| items.checked_mul(side));
        let most = self.module.device.description.max_group as u32;
        let fits = items.is_some_and(|items| (1..=most).contains(&items));
        let is_required = required[0] == 0 || group == required.map(|side| side.max(1));
        ensure(fits && is_required, ERROR_INVALID_GROUP_SIZE_DIMENSION)
    }

    /// Returns a group size that divides a global size, because launches count whole groups.
    pub(crate) fn suggest(&self, global: [u32; 3]) -> [u32; 3] {
        let required = self.entry.info.execution_env.required_work_group_size;
        if required[0] > 0 {
            return required.map(|side| side.max(1));
        }
        dividing_local(global, self.module.device.description.max_group as u32)
    }

    /// Answers `zeKernelGetProperties`.
    pub(crate) fn properties(&self, out: &mut KernelProperties) {
        let env = &self.entry.info.execution_env;
        let most = self.module.device.description.max_group as u32;
        out.num_kernel_args = self.count() as u32;
        [out.required_group_size_x, out.required_group_size_y, out.required_group_size_z] =
            env.required_work_group_size;
        out.required_num_sub_groups = 0;
        out.required_subgroup_size = required_width(&self.entry.info);
        out.max_subgroup_size = env.simd_size.max(1);
        out.max_num_subgroups = most.div_ceil(env.simd_size.max(1));
        out.local_mem_size = env.slm_size;
        out.private_mem_size = env.private_size;
        out.spill_mem_size = env.spill_size;
        out.uuid = Default::default();
        out.uuid.kid.iter_mut().zip(self.name.bytes()).for_each(|(to, from)| *to = from);
    }
}
