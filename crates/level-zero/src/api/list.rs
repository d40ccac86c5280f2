//! Entry points that create and query command lists.

use std::ffi::c_void;

use visakit_runtime::base::raw::{In, Out};

use crate::api::entry::{Raw, events, functions};
use crate::api::queue::settings;
use crate::base::chain::{each, read, write};
use crate::base::handle::{self, Handle, address, destroy, get};
use crate::base::result::*;
use crate::base::types::*;
use crate::devices::device::Device;
use crate::queues::list::{CommandList, Settings};
use crate::queues::timeline::Timeline;

/// Type of the structure that makes a list mutable.
const MUTABLE: u32 = 0x2_0016;

/// Returns an immediate list.
fn immediate(list: Raw) -> Result<Handle<CommandList>> {
    let list = get::<CommandList>(list)?;
    ensure(list.immediate.is_some(), ERROR_INVALID_COMMAND_LIST_TYPE)?;
    Ok(list)
}

/// Appends the commands of closed lists to an immediate list.
fn append_lists(list: Raw, count: u32, lists: Out<Raw>, signal: Raw, wait_count: u32, waits: Out<Raw>) -> Result {
    let list = immediate(list)?;
    list.check_executes()?;
    ensure(!lists.is_null(), ERROR_INVALID_NULL_POINTER)?;
    let events = events(signal, wait_count, waits)?;
    let mut steps = Vec::new();
    // SAFETY: the list has as many handles as its count says.
    for &other in unsafe { lists.input().list(count as usize)? } {
        steps.extend(get::<CommandList>(other)?.steps()?);
    }
    list.append_steps(events.signal.as_ref(), &events.waits, steps)
}

functions! {
    fn zeCommandListCreate(context: Raw, device: Raw, desc: In<CommandListDesc>, list: Out<Raw>) {
        let (context, device) = (get(context)?, get(device)?);
        let desc = read(desc)?;
        ensure(!list.is_null(), ERROR_INVALID_NULL_POINTER)?;
        // As in Intel's driver, unknown flags have no effect.
        let (ordinal, flags) = (desc.command_queue_group_ordinal, desc.flags);
        let settings = Settings { ordinal, flags, ..Settings::default() }.check()?;
        let mut is_mutable = false;
        // SAFETY: the program passes a valid chain.
        unsafe { each(desc.p_next, |stype, _| is_mutable |= stype == MUTABLE) };
        let new = CommandList::new(&context, &device, None, settings)?.with_mutability(is_mutable);
        write(list, handle::give(handle::create(new)))
    }

    fn zeCommandListCreateImmediate(context: Raw, device: Raw, desc: In<CommandQueueDesc>, list: Out<Raw>) {
        let (context, device): (_, Handle<Device>) = (get(context)?, get(device)?);
        let settings = settings(&read(desc)?)?;
        ensure(!list.is_null(), ERROR_INVALID_NULL_POINTER)?;
        let timeline = Timeline::new(device.description.target, settings.priority);
        let new = CommandList::new(&context, &device, Some(timeline), settings)?;
        write(list, handle::give(handle::create(new)))
    }

    fn zeCommandListDestroy(list: Raw) {
        destroy::<CommandList>(list)
    }

    fn zeCommandListClose(list: Raw) {
        get::<CommandList>(list)?.close()
    }

    fn zeCommandListReset(list: Raw) {
        get::<CommandList>(list)?.reset()
    }

    fn zeCommandListHostSynchronize(list: Raw, timeout: u64) {
        let list = get::<CommandList>(list)?;
        let timeline = list.immediate.clone().ok_or(ERROR_INVALID_ARGUMENT)?;
        list.check_executes()?;
        timeline.synchronize(timeout)
    }

    fn zeCommandListGetDeviceHandle(list: Raw, device: Out<Raw>) {
        write(device, address(&get::<CommandList>(list)?.device))
    }

    fn zeCommandListGetContextHandle(list: Raw, context: Out<Raw>) {
        write(context, address(&get::<CommandList>(list)?.context))
    }

    fn zeCommandListGetOrdinal(list: Raw, ordinal: Out<u32>) {
        write(ordinal, get::<CommandList>(list)?.settings.ordinal)
    }

    fn zeCommandListIsImmediate(list: Raw, answer: Out<u8>) {
        write(answer, u8::from(get::<CommandList>(list)?.immediate.is_some()))
    }

    fn zeCommandListGetFlags(list: Raw, flags: Out<u32>) {
        let list = get::<CommandList>(list)?;
        ensure(list.immediate.is_none(), ERROR_INVALID_COMMAND_LIST_TYPE)?;
        write(flags, list.settings.flags)
    }

    fn zeCommandListImmediateGetIndex(list: Raw, index: Out<u32>) {
        write(index, immediate(list)?.settings.index)
    }

    fn zeCommandListImmediateGetFlags(list: Raw, flags: Out<u32>) {
        write(flags, immediate(list)?.settings.flags)
    }

    fn zeCommandListImmediateGetMode(list: Raw, mode: Out<u32>) {
        write(mode, immediate(list)?.settings.mode)
    }

    fn zeCommandListImmediateGetPriority(list: Raw, priority: Out<u32>) {
        write(priority, immediate(list)?.settings.priority)
    }

    fn zeCommandListImmediateAppendCommandListsExp(
        list: Raw,
        count: u32,
        lists: Out<Raw>,
        signal: Raw,
        wait_count: u32,
        waits: Out<Raw>,
    ) {
        append_lists(list, count, lists, signal, wait_count, waits)
    }

    fn zeCommandListImmediateAppendCommandListsWithParameters(
        list: Raw,
        count: u32,
        lists: Out<Raw>,
        _next: In<c_void>,
        signal: Raw,
        wait_count: u32,
        waits: Out<Raw>,
    ) {
        append_lists(list, count, lists, signal, wait_count, waits)
    }

    /// A clone has the commands of a closed list.
    fn zeCommandListCreateCloneExp(list: Raw, clone: Out<Raw>) {
        let list = get::<CommandList>(list)?;
        ensure(!clone.is_null(), ERROR_INVALID_NULL_POINTER)?;
        write(clone, handle::give(handle::create(list.duplicate()?)))
    }

    fn zeCommandListIsMutableExp(list: Raw, answer: Out<u8>) {
        write(answer, u8::from(get::<CommandList>(list)?.is_mutable))
    }
}
