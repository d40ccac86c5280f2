//! Mutable commands: recorded commands whose kernel, arguments, sizes and events can change between
//! executions.

use std::ops::Range;
use std::sync::Arc;

use visakit_emulator::launch::argument::Argument;
use visakit_runtime::base::failure::Failure;
use visakit_runtime::base::say::say;

use crate::base::handle::Handle;
use crate::base::result::*;
use crate::base::types::GroupCount;
use crate::programs::kernel::Kernel;
use crate::queues::launch::{Dispatch, Groups};
use crate::queues::timeline::Work;

/// Parts of a command that can change, as flags.
pub(crate) const ARGUMENTS: u32 = 1;
pub(crate) const GROUP_COUNT: u32 = 1 << 1;
pub(crate) const GROUP_SIZE: u32 = 1 << 2;
pub(crate) const OFFSET: u32 = 1 << 3;
pub(crate) const SIGNAL: u32 = 1 << 4;
pub(crate) const WAITS: u32 = 1 << 5;
pub(crate) const KERNEL: u32 = 1 << 6;
/// All flags of the API.
pub(crate) const KNOWN: u32 = (1 << 8) - 1;

/// Number that the program got for its next command.
#[derive(Clone)]
pub(crate) struct Announced {
    pub(crate) id: u64,
    pub(crate) parts: u32,
    /// Kernels between which the command can switch.
    pub(crate) kernels: Vec<Handle<Kernel>>,
}

/// Recorded command that can change.
#[derive(Clone)]
pub(crate) struct Command {
    pub(crate) announced: Announced,
    /// Positions of its waits among the steps.
    pub(crate) waits: Range<usize>,
    /// Position of its work.
    pub(crate) run: usize,
    /// Launch; `None` for other commands.
    pub(crate) dispatch: Option<Dispatch>,
}

/// Change of a command.
pub(crate) enum Change {
    Argument { index: u32, argument: NewArgument },
    Count(GroupCount),
    Size([u32; 3]),
    Offset([u32; 3]),
}

/// Size and bytes of an argument; `None` for a null pointer.
pub(crate) struct NewArgument {
    pub(crate) size: usize,
    pub(crate) bytes: Option<Vec<u8>>,
}

impl Change {
    /// Returns the flag of the part that changes.
    fn part(&self) -> u32 {
        match self {
            Self::Argument { .. } => ARGUMENTS,
            Self::Count(_) => GROUP_COUNT,
            Self::Size(_) => GROUP_SIZE,
            Self::Offset(_) => OFFSET,
        }
    }
}

impl Command {
    /// Fails unless a part can change.
    pub(crate) fn check(&self, part: u32) -> Result {
        ensure(self.announced.parts & part != 0, ERROR_INVALID_ARGUMENT)
    }

    /// Applies a change to a launch of this command.
    ///
    /// # Errors
    /// Fails for a part that cannot change, and an invalid value.
    pub(crate) fn apply(&self, dispatch: &mut Dispatch, change: &Change) -> Result {
        self.check(change.part())?;
        match change {
            Change::Argument { index, argument: NewArgument { size, bytes } } => {
                let argument: Argument = dispatch.kernel.argument(*index, *size, bytes.as_deref())?;
                let place = dispatch.state.arguments.get_mut(*index as usize);
                *place.ok_or(ERROR_INVALID_KERNEL_ARGUMENT_INDEX)? = Some(argument);
            }
            Change::Count(count) => match &mut dispatch.groups {
                Groups::Direct(before) => *before = *count,
                Groups::Indirect(_) => return Err(ERROR_INVALID_ARGUMENT),
            },
            Change::Size(size) => {
                dispatch.kernel.check_group(*size)?;
                dispatch.state.group = *size;
            }
            Change::Offset(offset) => dispatch.state.offset = *offset,
        }
        Ok(())
    }

    /// Returns the launch with another kernel, which has its current arguments and group size.
    ///
    /// # Errors
    /// Fails for a kernel that was not announced.
    pub(crate) fn with_kernel(&self, kernel: &Handle<Kernel>) -> Result<Dispatch> {
        self.check(KERNEL)?;
        let is_announced = self.announced.kernels.iter().any(|known| Arc::ptr_eq(known, kernel));
        ensure(is_announced, ERROR_INVALID_KERNEL_HANDLE)?;
        let before = self.dispatch.as_ref().ok_or(ERROR_INVALID_ARGUMENT)?;
        Ok(Dispatch::new(kernel, before.groups.clone()))
    }
}

/// Returns the work of a launch. A launch whose arguments are not set, which another change may
/// set, fails when it runs.
///
/// # Errors
/// Fails as [`Dispatch::work`], except for unset arguments.
pub(crate) fn work(dispatch: &Dispatch) -> Result<Work> {
    if dispatch.kernel.is_complete(&dispatch.state) {
        return dispatch.clone().work();
    }
    let name = dispatch.kernel.name.clone();
    Ok(Arc::new(move || {
        say(&format!("kernel `{name}`: arguments are not set after the kernel of the command changed"));
        Err(Failure::OutOfResources)
    }))
}
