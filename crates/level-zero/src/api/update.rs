//! Entry points that change the commands of mutable lists.

use std::ffi::c_void;

use visakit_runtime::base::raw::{In, Out};

use crate::api::entry::{Raw, functions};
use crate::base::chain::{each, read, write};
use crate::base::extensions::*;
use crate::base::handle::{Handle, get, get_optional};
use crate::base::result::*;
use crate::devices::device::MUTABLE_PARTS;
use crate::programs::kernel::Kernel;
use crate::queues::event::Event;
use crate::queues::list::CommandList;
use crate::queues::mutable::{Change, KERNEL, KNOWN, NewArgument};

/// Types of the structures with changes.
const ARGUMENT: u32 = 0x2_0019;
const GROUP_COUNT: u32 = 0x2_001a;
const GROUP_SIZE: u32 = 0x2_001b;
const OFFSET: u32 = 0x2_001c;
const GRAPH_ARGUMENT: u32 = 0x2_0020;

/// Returns a mutable list.
fn mutable(list: Raw) -> Result<Handle<CommandList>> {
    let list = get::<CommandList>(list)?;
    ensure(list.is_mutable, ERROR_INVALID_ARGUMENT)?;
    Ok(list)
}

/// Announces a command whose parts can change, and writes its number.
fn announce(list: Raw, desc: In<MutableCommandIdExpDesc>, kernels: &[Raw], id: Out<u64>) -> Result {
    let list = mutable(list)?;
    let flags = read(desc)?.flags;
    ensure(!id.is_null(), ERROR_INVALID_NULL_POINTER)?;
    ensure(flags & !KNOWN == 0, ERROR_INVALID_ENUMERATION)?;
    let parts = if flags == 0 { MUTABLE_PARTS & !KERNEL } else { flags & MUTABLE_PARTS };
    let kernels = kernels.iter().map(|&kernel| get(kernel)).collect::<Result<Vec<Handle<Kernel>>>>()?;
    write(id, list.announce(parts, kernels)?)
}

/// Reads a change from a structure of a chain.
///
/// # Safety
/// `place` points to a structure of this type, whose pointers are valid.
unsafe fn change(stype: u32, place: *mut c_void) -> Result<Option<(u64, Change)>> {
    // SAFETY: guaranteed by the caller; an argument has as many bytes as its size says.
    unsafe {
        Ok(Some(match stype {
            ARGUMENT => {
                let given = place.cast::<MutableKernelArgumentExpDesc>().read_unaligned();
                let (value, size) = (given.p_arg_value.cast::<u8>(), given.arg_size);
                let bytes = (!value.is_null()).then(|| std::slice::from_raw_parts(value, size).to_vec());
                let argument = NewArgument { size, bytes };
                (given.command_id, Change::Argument { index: given.arg_index, argument })
            }
            GROUP_COUNT => {
                let given = place.cast::<MutableGroupCountExpDesc>().read_unaligned();
                ensure(!given.p_group_count.is_null(), ERROR_INVALID_NULL_POINTER)?;
                (given.command_id, Change::Count(given.p_group_count.read_unaligned()))
            }
            GROUP_SIZE => {
                let given = place.cast::<MutableSizeExpDesc>().read_unaligned();
                (given.command_id, Change::Size([given.x, given.y, given.z]))
            }
            OFFSET => {
                let given = place.cast::<MutableSizeExpDesc>().read_unaligned();
                (given.command_id, Change::Offset([given.x, given.y, given.z]))
            }
            GRAPH_ARGUMENT => return Err(ERROR_UNSUPPORTED_FEATURE),
            _ => return Ok(None),
        }))
    }
}

functions! {
    fn zeCommandListGetNextCommandIdExp(list: Raw, desc: In<MutableCommandIdExpDesc>, id: Out<u64>) {
        announce(list, desc, &[], id)
    }

    fn zeCommandListGetNextCommandIdWithKernelsExp(
        list: Raw,
        desc: In<MutableCommandIdExpDesc>,
        count: u32,
        kernels: Out<Raw>,
        id: Out<u64>,
    ) {
        get::<CommandList>(list)?;
        ensure(count == 0 || !kernels.is_null(), ERROR_INVALID_NULL_POINTER)?;
        // SAFETY: the list has as many handles as its count says.
        announce(list, desc, unsafe { kernels.input().list(count as usize)? }, id)
    }

    fn zeCommandListUpdateMutableCommandsExp(list: Raw, desc: In<MutableCommandsExpDesc>) {
        let list = mutable(list)?;
        let desc = read(desc)?;
        ensure(desc.flags == 0, ERROR_INVALID_ENUMERATION)?;
        let mut changes = Vec::new();
        let mut outcome = Ok(());
        // SAFETY: the program passes a valid chain.
        unsafe {
            each(desc.p_next, |stype, place| match change(stype, place) {
                Ok(change) => changes.extend(change),
                Err(code) => outcome = Err(code),
            });
        }
        outcome?;
        list.update(&changes)
    }

    fn zeCommandListUpdateMutableCommandSignalEventExp(list: Raw, id: u64, signal: Raw) {
        let list = mutable(list)?;
        list.update_signal(id, get_optional::<Event>(signal)?.as_ref())
    }

    fn zeCommandListUpdateMutableCommandWaitEventsExp(list: Raw, id: u64, count: u32, waits: Out<Raw>) {
        let list = mutable(list)?;
        // SAFETY: the list has as many handles as its count says.
        let waits = unsafe { waits.input().list(count as usize)? };
        list.update_waits(id, &waits.iter().map(|&event| get_optional(event)).collect::<Result<Vec<_>>>()?)
    }

    fn zeCommandListUpdateMutableCommandKernelsExp(list: Raw, count: u32, ids: Out<u64>, kernels: Out<Raw>) {
        let list = mutable(list)?;
        ensure(!ids.is_null() && !kernels.is_null(), ERROR_INVALID_NULL_POINTER)?;
        // SAFETY: both lists have as many elements as the count says.
        let (ids, kernels) = unsafe { (ids.input().list(count as usize)?, kernels.input().list(count as usize)?) };
        let changes = ids.iter().zip(kernels).map(|(&id, &kernel)| {
            Ok((id, get(kernel).map_err(|_| ERROR_INVALID_KERNEL_HANDLE)?))
        });
        list.update_kernels(&changes.collect::<Result<Vec<_>>>()?)
    }
}
