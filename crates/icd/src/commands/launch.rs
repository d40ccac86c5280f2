//! Launches: checks of sizes, and conversion of arguments.

use std::sync::Arc;

use opencl_sys::*;
use visakit_emulator::launch::argument::Argument as Given;
use visakit_emulator::launch::range::NdRange;
use visakit_runtime::commands::launch::Launch;

use crate::base::error::{Code, Result, ensure};
use crate::base::handle::Handle;
use crate::devices::device::Device;
use crate::programs::binary::{Binary, Entry};
use crate::programs::kernel::{Argument, Kernel};
use crate::queues::queue::Queue;
use crate::queues::schedule::Task;

/// Enqueued launch.
struct Enqueued {
    launch: Launch,
    /// Keeps the program and its context.
    _kernel: Handle<Kernel>,
    arguments: Vec<Option<Argument>>,
}

/// Creates the task that launches a kernel, with the current arguments and the current shared
/// memory.
pub(crate) fn task(
    queue: &Handle<Queue>,
    kernel: &Handle<Kernel>,
    kind: cl_command_type,
    global: &[usize],
    local: Option<&[usize]>,
    offset: Option<&[usize]>,
) -> Result<Task> {
    ensure(Arc::ptr_eq(&kernel.program.context, &queue.context), CL_INVALID_CONTEXT)?;
    let (binary, entry) = kernel.entry(&queue.device).ok_or(Code(CL_INVALID_PROGRAM_EXECUTABLE))?;
    let arguments = kernel.snapshot()?;
    let Some(range) = sizes(&queue.device, binary, entry, global, local, offset)? else {
        // An empty range is not an error.
        return Ok(Task::new(kind, || Ok(())));
    };
    let local_bytes = entry.local_bytes(arguments.iter().flatten().map(|argument| match argument {
        Argument::Local(bytes) => *bytes as u64,
        _ => 0,
    }));
    ensure(local_bytes <= queue.device.local_bytes, CL_OUT_OF_RESOURCES)?;
    let launch = Launch {
        name: kernel.name.clone(),
        target: queue.device.target,
        threads: queue.device.threads,
        binary: Arc::clone(binary),
        entry: Arc::clone(entry),
        range,
        regions: vec![queue.context.allocations.regions()],
    };
    let enqueued = Enqueued { launch, _kernel: Arc::clone(kernel), arguments };
    Ok(Task::new(kind, move || enqueued.run()))
}

/// Checks that the global sizes and offsets fit into 32 bits.
pub(crate) fn check_range(global: &[usize], offset: Option<&[usize]>) -> Result {
    ensure((1..=3).contains(&global.len()), CL_INVALID_WORK_DIMENSION)?;
    let most = u32::MAX as usize;
    ensure(global.iter().all(|&side| side <= most), CL_INVALID_GLOBAL_WORK_SIZE)?;
    let fits = |(side, offset): (&usize, &usize)| side.checked_add(*offset).is_some_and(|end| end <= most);
    ensure(offset.is_none_or(|offset| global.iter().zip(offset).all(fits)), CL_INVALID_GLOBAL_OFFSET)
}

/// Returns the range of a launch; `None` if a side is zero.
fn sizes(
    device: &Device,
    binary: &Binary,
    entry: &Entry,
    global: &[usize],
    local: Option<&[usize]>,
    offset: Option<&[usize]>,
) -> Result<Option<NdRange>> {
    check_range(global, offset)?;
    let long = |sizes: &[usize]| sizes.iter().map(|&side| side as u64).collect::<Vec<_>>();
    let (global, offset) = (long(global), offset.map(long));
    let required = entry.info.execution_env.required_work_group_size;
    let local = match local {
        None => None,
        Some(local) => {
            let items = local.iter().try_fold(1_usize, |items, &side| items.checked_mul(side));
            ensure(local.iter().all(|&side| side <= device.max_group), CL_INVALID_WORK_ITEM_SIZE)?;
            ensure(items.is_some_and(|items| (1..=device.max_group).contains(&items)), CL_INVALID_WORK_GROUP_SIZE)?;
            let local = long(local);
            let divides = global.iter().zip(&local).all(|(global, local)| global.is_multiple_of(*local));
            ensure(divides || !binary.is_uniform, CL_INVALID_WORK_GROUP_SIZE)?;
            let same = |(n, side): (usize, &u64)| u64::from(required[n].max(1)) == *side;
            ensure(required[0] == 0 || local.iter().enumerate().all(same), CL_INVALID_WORK_GROUP_SIZE)?;
            Some(local)
        }
    };
    if global.contains(&0) {
        return Ok(None);
    }
    let divides = global.iter().zip(required).all(|(global, side)| global.is_multiple_of(side.max(1).into()));
    ensure(required[0] == 0 || divides || !binary.is_uniform, CL_INVALID_WORK_GROUP_SIZE)?;
    let range = NdRange::new(&global, local.as_deref(), offset.as_deref(), required);
    range.map(Some).map_err(|_| Code(CL_INVALID_WORK_GROUP_SIZE))
}

impl Enqueued {
    fn run(&self) -> Result {
        Ok(self.launch.run(self.given()?)?)
    }

    /// Converts the arguments for the emulator, without copying memory.
    fn given(&self) -> Result<Vec<Option<Given>>> {
        let mut given = Vec::with_capacity(self.arguments.len());
        for (index, argument) in self.arguments.iter().enumerate() {
            given.push(Some(match argument {
                None => {
                    given.push(None);
                    continue;
                }
                Some(Argument::Value(bytes)) => Given::Value(bytes.clone()),
                Some(Argument::Local(bytes)) => {
                    Given::Local(u32::try_from(*bytes).map_err(|_| Code(CL_OUT_OF_RESOURCES))?)
                }
                Some(Argument::Sampler(sampler)) => Given::Sampler(sampler.settings()),
                Some(Argument::Mem(None)) => Given::Pointer(0),
                Some(Argument::Mem(Some(mem))) => {
                    let is_same = |other: &Option<Argument>| match other {
                        Some(Argument::Mem(Some(other))) => Arc::ptr_eq(other, mem),
                        _ => false,
                    };
                    let before = self.arguments[..index].iter().position(is_same);
                    let lent = mem.storage.lend(mem.offset, mem.bytes);
                    match (before, mem.texels) {
                        (Some(before), _) => Given::Same(before as u32),
                        (None, Some(texels)) => Given::LentImage(lent, texels.layout.argument()),
                        (None, None) if mem.parent.is_some() && mem.storage.slot().is_none() => {
                            let whole = mem.storage.lend(0, usize::MAX);
                            Given::Part { part: lent, whole, offset: mem.offset as u64 }
                        }
                        (None, None) => Given::Lent(lent, mem.storage.slot().map(|slot| slot + mem.offset as u64)),
                    }
                }
                Some(Argument::Address(address)) => Given::Pointer(*address),
            }));
        }
        Ok(given)
    }
}
