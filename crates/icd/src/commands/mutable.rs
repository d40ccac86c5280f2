//! Mutable commands: recorded launches whose arguments and sizes can change between runs.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use opencl_sys::*;

use crate::base::answer::Answer;
use crate::base::error::{Code, Result, ensure, fail};
use crate::base::handle::{self, Handle, kind};
use crate::commands::launch;
use crate::devices::device::UPDATABLE;
use crate::programs::kernel::{self, Kernel};
use crate::queues::queue::Queue;
use crate::queues::schedule::Task;

/// Recorded launch that the program can change.
pub(crate) struct Mutable {
    /// Handle of the command buffer, which owns the command.
    pub(crate) buffer: usize,
    /// Position among the tasks of the command buffer.
    pub(crate) place: usize,
    queue: Handle<Queue>,
    /// Kernel that the program recorded.
    kernel: Handle<Kernel>,
    /// Properties passed by the program, with the final zero.
    properties: Vec<cl_command_properties_khr>,
    /// Parts that can change.
    updatable: cl_mutable_dispatch_fields_khr,
    dispatch: Mutex<Dispatch>,
}

kind!(Mutable, CL_INVALID_MUTABLE_COMMAND_KHR);

/// Kernel with its own arguments, and the sizes of a launch.
#[derive(Clone)]
pub(crate) struct Dispatch {
    kernel: Handle<Kernel>,
    pub(crate) sizes: Sizes,
}

/// Sizes of a launch, one element per dimension.
#[derive(Clone)]
pub(crate) struct Sizes {
    pub(crate) global: Vec<usize>,
    pub(crate) local: Option<Vec<usize>>,
    pub(crate) offset: Option<Vec<usize>>,
}

/// Properties of a recorded launch.
pub(crate) struct Settings {
    /// Parts that can change.
    pub(crate) updatable: cl_mutable_dispatch_fields_khr,
    /// True if the number of groups never grows.
    pub(crate) is_bounded: bool,
}

/// Changes to a command. Absent sizes stay as they are.
pub(crate) struct Change<'a> {
    pub(crate) command: Handle<Mutable>,
    pub(crate) dimensions: usize,
    /// Index, size and value of arguments.
    pub(crate) arguments: Vec<(cl_uint, usize, Option<&'a [u8]>)>,
    /// Index and address of arguments in shared memory.
    pub(crate) addresses: Vec<(cl_uint, u64)>,
    /// True if the memory that the kernel accesses indirectly changes, which needs no action.
    pub(crate) has_infos: bool,
    pub(crate) global: Option<Vec<usize>>,
    pub(crate) local: Option<Vec<usize>>,
    pub(crate) offset: Option<Vec<usize>>,
}

impl Settings {
    /// Reads the properties of a launch.
    pub(crate) fn of(properties: &[cl_command_properties_khr]) -> Result<Self> {
        let mut settings = Self { updatable: UPDATABLE, is_bounded: false };
        for pair in properties.chunks_exact(2) {
            match pair[0] {
                CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR => {
                    ensure(pair[1] & !UPDATABLE == 0, CL_INVALID_VALUE)?;
                    settings.updatable = pair[1];
                }
                CL_MUTABLE_DISPATCH_ASSERTS_KHR => settings.is_bounded = is_bounded(pair[1])?,
                _ => return fail(CL_INVALID_VALUE),
            }
        }
        Ok(settings)
    }

    /// Returns true if arguments can change.
    pub(crate) fn has_arguments(&self) -> bool {
        self.updatable & CL_MUTABLE_DISPATCH_ARGUMENTS_KHR != 0
    }
}

/// Reads a set of assertions about launches.
pub(crate) fn is_bounded(asserts: cl_mutable_dispatch_asserts_khr) -> Result<bool> {
    ensure(asserts & !CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR == 0, CL_INVALID_VALUE)?;
    Ok(asserts != 0)
}

impl Dispatch {
    /// Creates a launch with the kernel's arguments.
    pub(crate) fn new(kernel: &Handle<Kernel>, sizes: Sizes) -> Self {
        Self { kernel: Arc::clone(kernel), sizes }
    }

    /// Returns the launch with a copy of the kernel's current arguments.
    pub(crate) fn kept(self) -> Self {
        Self { kernel: kernel::duplicate(&self.kernel), ..self }
    }

    /// Creates the task of the launch; `None` while arguments are missing.
    pub(crate) fn task(&self, queue: &Handle<Queue>) -> Result<Option<Task>> {
        let Sizes { global, local, offset } = &self.sizes;
        let kind = CL_COMMAND_NDRANGE_KERNEL;
        match launch::task(queue, &self.kernel, kind, global, local.as_deref(), offset.as_deref()) {
            Err(Code(CL_INVALID_KERNEL_ARGS)) => Ok(None),
            task => task.map(Some),
        }
    }

    /// Returns true if all groups have the same size.
    fn is_uniform(&self) -> bool {
        let divides = |local: &Vec<usize>| {
            self.sizes.global.iter().zip(local).all(|(global, local)| global.is_multiple_of(*local.max(&1)))
        };
        self.sizes.local.as_ref().is_none_or(divides)
    }
}

impl Mutable {
    /// Creates the command of a launch at a position of a command buffer.
    pub(crate) fn new(
        (buffer, place): (usize, usize),
        queue: &Handle<Queue>,
        kernel: &Handle<Kernel>,
        (properties, updatable): (Vec<cl_command_properties_khr>, cl_mutable_dispatch_fields_khr),
        dispatch: Dispatch,
    ) -> Handle<Self> {
        let (queue, kernel, dispatch) = (Arc::clone(queue), Arc::clone(kernel), Mutex::new(dispatch));
        handle::create(Self { buffer, place, queue, kernel, properties, updatable, dispatch })
    }

    /// Returns the current launch.
    pub(crate) fn dispatch(&self) -> MutexGuard<'_, Dispatch> {
        self.dispatch.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Applies a change to a copy of the launch, which another change may have made.
    pub(crate) fn changed(&self, before: &Dispatch, change: &Change<'_>) -> Result<Dispatch> {
        let dimensions = before.sizes.global.len();
        ensure(change.dimensions == 0 || change.dimensions == dimensions, CL_INVALID_OPERATION)?;
        let has_arguments = !change.arguments.is_empty() || !change.addresses.is_empty();
        let changes = [
            (change.offset.is_some(), CL_MUTABLE_DISPATCH_GLOBAL_OFFSET_KHR),
            (change.global.is_some(), CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR),
            (change.local.is_some(), CL_MUTABLE_DISPATCH_LOCAL_SIZE_KHR),
            (has_arguments, CL_MUTABLE_DISPATCH_ARGUMENTS_KHR),
            (change.has_infos, CL_MUTABLE_DISPATCH_EXEC_INFO_KHR),
        ];
        ensure(changes.iter().all(|(is, part)| !is || self.updatable & part != 0), CL_INVALID_OPERATION)?;
        let mut sizes = before.sizes.clone();
        if let Some(global) = &change.global {
            sizes.global.clone_from(global);
        }
        sizes.local = change.local.clone().or(sizes.local);
        sizes.offset = change.offset.clone().or(sizes.offset);
        let after = Dispatch::new(&before.kernel, sizes).kept();
        ensure(before.is_uniform() == after.is_uniform(), CL_INVALID_OPERATION)?;
        for &(index, size, bytes) in &change.arguments {
            after.kernel.set_bytes(index, size, bytes)?;
        }
        for &(index, address) in &change.addresses {
            after.kernel.set_address(index, address)?;
        }
        Ok(after)
    }

    /// Creates the task of a launch of this command.
    pub(crate) fn task(&self, dispatch: &Dispatch) -> Result<Option<Task>> {
        dispatch.task(&self.queue)
    }
}

/// Answers `clGetMutableCommandInfoKHR`.
pub(crate) fn info(command: &Handle<Mutable>, answer: Answer) -> Result {
    let sizes = command.dispatch().sizes.clone();
    let or_zero = |sides: Option<Vec<usize>>| sides.unwrap_or_else(|| vec![0; sizes.global.len()]);
    match answer.name {
        CL_MUTABLE_COMMAND_COMMAND_QUEUE_KHR => answer.value(handle::address(&command.queue)),
        CL_MUTABLE_COMMAND_COMMAND_BUFFER_KHR => answer.value(command.buffer),
        CL_MUTABLE_COMMAND_COMMAND_TYPE_KHR => answer.value(CL_COMMAND_NDRANGE_KERNEL),
        CL_MUTABLE_COMMAND_PROPERTIES_ARRAY_KHR => answer.list(&command.properties),
        CL_MUTABLE_DISPATCH_KERNEL_KHR => answer.value(handle::address(&command.kernel)),
        CL_MUTABLE_DISPATCH_DIMENSIONS_KHR => answer.value(sizes.global.len() as cl_uint),
        CL_MUTABLE_DISPATCH_GLOBAL_WORK_OFFSET_KHR => answer.list(&or_zero(sizes.offset)),
        CL_MUTABLE_DISPATCH_GLOBAL_WORK_SIZE_KHR => answer.list(&sizes.global),
        CL_MUTABLE_DISPATCH_LOCAL_WORK_SIZE_KHR => answer.list(&or_zero(sizes.local)),
        _ => fail(CL_INVALID_VALUE),
    }
}
