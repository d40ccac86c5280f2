//! Entry points of queues and fences.

use std::sync::Arc;

use visakit_runtime::base::raw::{In, Out};

use crate::api::entry::{Raw, functions};
use crate::base::chain::{read, write};
use crate::base::handle::{self, Handle, destroy, get, get_optional};
use crate::base::result::*;
use crate::base::types::*;
use crate::devices::context::Context;
use crate::devices::device::Device;
use crate::queues::completion::Completion;
use crate::queues::list::{CommandList, Settings};
use crate::queues::queue::{Fence, Queue};
use crate::queues::timeline::{Timeline, synchronize};

/// Returns the checked settings of a queue.
pub(super) fn settings(desc: &CommandQueueDesc) -> Result<Settings> {
    let CommandQueueDesc { ordinal, index, flags, mode, priority, .. } = *desc;
    ensure(flags <= 0b111, ERROR_INVALID_ENUMERATION)?;
    Settings { ordinal, index, flags, mode, priority }.check()
}

functions! {
    fn zeCommandQueueCreate(context: Raw, device: Raw, desc: In<CommandQueueDesc>, queue: Out<Raw>) {
        let (context, device): (Handle<Context>, Handle<Device>) = (get(context)?, get(device)?);
        ensure(context.has(&device), ERROR_INVALID_ARGUMENT)?;
        let settings = settings(&read(desc)?)?;
        ensure(!queue.is_null(), ERROR_INVALID_NULL_POINTER)?;
        let timeline = Timeline::new(device.description.target, settings.priority);
        write(queue, handle::give(handle::create(Queue { timeline, settings })))
    }

    fn zeCommandQueueDestroy(queue: Raw) {
        destroy::<Queue>(queue)
    }

    fn zeCommandQueueExecuteCommandLists(queue: Raw, count: u32, lists: Out<Raw>, fence: Raw) {
        let queue = get::<Queue>(queue)?;
        ensure(!lists.is_null(), ERROR_INVALID_NULL_POINTER)?;
        // SAFETY: the list has as many handles as its count says.
        let lists = unsafe { lists.input().list(count as usize)? };
        let lists = lists.iter().map(|&list| get(list)).collect::<Result<Vec<Handle<CommandList>>>>()?;
        queue.execute(&lists, get_optional::<Fence>(fence)?.as_ref())
    }

    fn zeCommandQueueSynchronize(queue: Raw, timeout: u64) {
        let timeline = Arc::clone(&get::<Queue>(queue)?.timeline);
        timeline.synchronize(timeout)
    }

    fn zeCommandQueueGetOrdinal(queue: Raw, ordinal: Out<u32>) {
        write(ordinal, get::<Queue>(queue)?.settings.ordinal)
    }

    fn zeCommandQueueGetIndex(queue: Raw, index: Out<u32>) {
        write(index, get::<Queue>(queue)?.settings.index)
    }

    fn zeCommandQueueGetFlags(queue: Raw, flags: Out<u32>) {
        write(flags, get::<Queue>(queue)?.settings.flags)
    }

    fn zeCommandQueueGetMode(queue: Raw, mode: Out<u32>) {
        write(mode, get::<Queue>(queue)?.settings.mode)
    }

    fn zeCommandQueueGetPriority(queue: Raw, priority: Out<u32>) {
        write(priority, get::<Queue>(queue)?.settings.priority)
    }

    fn zeFenceCreate(queue: Raw, desc: In<FenceDesc>, fence: Out<Raw>) {
        get::<Queue>(queue)?;
        let flags = read(desc)?.flags;
        ensure(flags <= 1, ERROR_INVALID_ENUMERATION)?;
        ensure(!fence.is_null(), ERROR_INVALID_NULL_POINTER)?;
        let completion = Arc::new(if flags == 1 { Completion::signaled() } else { Completion::default() });
        write(fence, handle::give(handle::create(Fence { completion })))
    }

    fn zeFenceDestroy(fence: Raw) {
        destroy::<Fence>(fence)
    }

    fn zeFenceHostSynchronize(fence: Raw, timeout: u64) {
        let completion = Arc::clone(&get::<Fence>(fence)?.completion);
        completion.wait(timeout)
    }

    fn zeFenceQueryStatus(fence: Raw) {
        get::<Fence>(fence)?.completion.query()
    }

    fn zeFenceReset(fence: Raw) {
        get::<Fence>(fence)?.completion.reset();
        Ok(())
    }

    fn zeDeviceSynchronize(device: Raw) {
        let target = get::<Device>(device)?.description.target;
        synchronize(target)
    }
}
