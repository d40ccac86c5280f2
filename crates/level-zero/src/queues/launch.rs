//! Launches of kernels.

use std::fmt;
use std::sync::Arc;

use visakit_emulator::launch::argument::Argument;
use visakit_emulator::launch::range::NdRange;
use visakit_runtime::base::failure::Failure;
use visakit_runtime::base::say::say;
use visakit_runtime::commands::launch::Launch;

use crate::base::handle::Handle;
use crate::base::result::*;
use crate::base::types::GroupCount;
use crate::devices::context::regions;
use crate::programs::kernel::{Kernel, State};
use crate::queues::timeline::Work;

/// Number of groups of a launch.
#[derive(Clone)]
pub(crate) enum Groups {
    /// Known when the launch is appended.
    Direct(GroupCount),
    /// At an address that the launch reads.
    Indirect(usize),
}

/// Launch of a kernel with a copy of the arguments and sizes.
#[derive(Clone)]
pub(crate) struct Dispatch {
    pub(crate) kernel: Handle<Kernel>,
    pub(crate) state: State,
    pub(crate) groups: Groups,
}

impl fmt::Display for Dispatch {
    /// Writes the name of the kernel, and the arguments with their types.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let arguments = self.state.arguments.iter().map(|argument| match argument {
            None => "unset".to_owned(),
            Some(Argument::Pointer(address)) => format!("pointer {address:#x}"),
            Some(Argument::Local(bytes)) => format!("local {bytes} bytes"),
            Some(Argument::Value(bytes)) => {
                let digits: String = bytes.iter().rev().map(|byte| format!("{byte:02x}")).collect();
                format!("value 0x{digits}")
            }
            Some(Argument::Sampler(_)) => "a sampler".to_owned(),
            Some(_) => "an image".to_owned(),
        });
        write!(out, "{}({})", self.kernel.name, arguments.collect::<Vec<_>>().join(", "))
    }
}

impl Dispatch {
    /// Creates a launch with the current arguments.
    pub(crate) fn new(kernel: &Handle<Kernel>, groups: Groups) -> Self {
        Self { kernel: Arc::clone(kernel), state: kernel.state().clone(), groups }
    }

    /// Creates the work of the launch.
    ///
    /// # Errors
    /// Unset arguments, too many groups, too much shared local memory.
    pub(crate) fn work(self) -> Result<Work> {
        let Self { kernel, state, groups } = self;
        ensure(kernel.is_complete(&state), ERROR_INVALID_ARGUMENT)?;
        let local = kernel.entry.local_bytes(state.arguments.iter().flatten().map(|argument| match argument {
            Argument::Local(bytes) => u64::from(*bytes),
            _ => 0,
        }));
        ensure(local <= kernel.module.device.description.local_bytes, ERROR_OUT_OF_DEVICE_MEMORY)?;
        if let Groups::Direct(count) = &groups {
            range(&state, *count)?;
        }
        Ok(Arc::new(move || {
            let count = match groups {
                Groups::Direct(count) => count,
                // SAFETY: the program guarantees the counts at the address until the launch.
                Groups::Indirect(address) => unsafe { (address as *const GroupCount).read_unaligned() },
            };
            run(&kernel, &state, count)
        }))
    }
}

/// Runs a launch.
fn run(kernel: &Handle<Kernel>, state: &State, count: GroupCount) -> std::result::Result<(), Failure> {
    let Some(range) = range(state, count).map_err(|_| {
        say(&format!("kernel `{}`: the number of groups is too large", kernel.name));
        Failure::OutOfResources
    })?
    else {
        return Ok(());
    };
    let description = &kernel.module.device.description;
    let launch = Launch {
        name: kernel.name.clone(),
        target: description.target,
        threads: description.threads,
        binary: Arc::clone(&kernel.binary),
        entry: Arc::clone(&kernel.entry),
        range,
        regions: regions(state.addresses().map(|(_, address)| address)),
    };
    launch.run(state.arguments.clone())
}

/// Returns the range of a launch; `None` without groups.
fn range(state: &State, count: GroupCount) -> Result<Option<NdRange>> {
    let counts = [count.group_count_x, count.group_count_y, count.group_count_z];
    if counts.contains(&0) {
        return Ok(None);
    }
    let local = state.group.map(u64::from);
    let global: [u64; 3] = std::array::from_fn(|d| u64::from(counts[d]) * local[d]);
    let offset = state.offset.map(u64::from);
    // `get_work_dim` counts the dimensions up to the last one with more than one item.
    let used = (0..3).rev().find(|&d| global[d] > 1 || offset[d] > 0).map_or(1, |d| d + 1);
    let range = NdRange::new(&global[..used], Some(&local[..used]), Some(&offset[..used]), [0; 3]);
    range.map(Some).map_err(|_| ERROR_INVALID_GROUP_SIZE_DIMENSION)
}
