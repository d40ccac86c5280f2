//! Entry points of interprocess handles.

use std::ffi::c_void;

use visakit_runtime::base::raw::{In, Out};

use crate::api::context::pair;
use crate::api::entry::{Raw, functions};
use crate::base::chain::write;
use crate::base::extensions::IpcMemHandle;
use crate::base::handle::{self, Handle, get};
use crate::base::result::*;
use crate::devices::context::{ALLOCATIONS, Context, PhysicalMemory, with_file};
use crate::devices::ipc;

/// Creates a handle of memory: an allocation, mapped pages, or a physical memory object.
fn export(context: Raw, first: *mut c_void, place: Out<IpcMemHandle>) -> Result {
    get::<Context>(context)?;
    ensure(!first.is_null() && !place.is_null(), ERROR_INVALID_NULL_POINTER)?;
    let physical: Result<Handle<PhysicalMemory>> = handle::get(first);
    if let Ok(physical) = physical {
        return write(place, ipc::export(physical.memory.file(), physical.memory.bytes())?);
    }
    write(place, with_file(first as u64, ipc::export)?)
}

functions! {
    fn zeMemGetIpcHandle(context: Raw, first: *mut c_void, handle: Out<IpcMemHandle>) {
        export(context, first, handle)
    }

    fn zeMemGetIpcHandleWithProperties(
        context: Raw,
        first: *mut c_void,
        _next: In<c_void>,
        handle: Out<IpcMemHandle>,
    ) {
        export(context, first, handle)
    }

    fn zeMemGetIpcHandleFromFileDescriptorExp(context: Raw, descriptor: u64, handle: Out<IpcMemHandle>) {
        get::<Context>(context)?;
        ensure(!handle.is_null(), ERROR_INVALID_NULL_POINTER)?;
        write(handle, ipc::of_descriptor(descriptor)?)
    }

    fn zeMemGetFileDescriptorFromIpcHandleExp(context: Raw, handle: IpcMemHandle, descriptor: Out<u64>) {
        get::<Context>(context)?;
        ensure(!descriptor.is_null(), ERROR_INVALID_NULL_POINTER)?;
        write(descriptor, ipc::descriptor(&handle)?)
    }

    fn zeMemPutIpcHandle(context: Raw, handle: IpcMemHandle) {
        get::<Context>(context)?;
        ipc::take_back(&handle)
    }

    fn zeMemOpenIpcHandle(
        context: Raw,
        device: Raw,
        handle: IpcMemHandle,
        flags: u32,
        place: Out<*mut c_void>,
    ) {
        let (context, device) = pair(context, device)?;
        ensure(flags <= 0b11, ERROR_INVALID_ENUMERATION)?;
        ensure(!place.is_null(), ERROR_INVALID_NULL_POINTER)?;
        write(place, context.import(&device, ipc::open(&handle)?)?)
    }

    fn zeMemCloseIpcHandle(context: Raw, first: *mut c_void) {
        get::<Context>(context)?;
        ensure(!first.is_null(), ERROR_INVALID_NULL_POINTER)?;
        let found = ALLOCATIONS.lookup(first as usize).ok_or(ERROR_INVALID_ARGUMENT)?;
        ensure(found.about.is_imported, ERROR_INVALID_ARGUMENT)?;
        Ok(ALLOCATIONS.free(first)?)
    }
}
