//! Entry points of interprocess handles.

use std::ffi::c_void;
use std::fs::File;

use visakit_runtime::base::raw::{In, Out};

use crate::api::context::pair;
use crate::api::entry::{Raw, functions};
use crate::base::chain::write;
use crate::base::extensions::{IpcEventPoolHandle, IpcMemHandle};
use crate::base::handle::{self, Handle, destroy, get};
use crate::base::result::*;
use crate::devices::context::{ALLOCATIONS, Context, PhysicalMemory, with_file};
use crate::devices::ipc::{self, Kind};
use crate::queues::event::EventPool;

/// Creates a handle of memory: an allocation, mapped pages, or a physical memory object.
fn export(context: Raw, first: *mut c_void, place: Out<IpcMemHandle>) -> Result {
    get::<Context>(context)?;
    ensure(!first.is_null() && !place.is_null(), ERROR_INVALID_NULL_POINTER)?;
    let create = |file: &File, bytes| ipc::export(Kind::Memory, file, bytes);
    let physical: Result<Handle<PhysicalMemory>> = handle::get(first);
    let data = match physical {
        Ok(physical) => create(physical.memory.file(), physical.memory.bytes())?,
        Err(_) => with_file(first as u64, create)?,
    };
    write(place, IpcMemHandle { data })
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
        write(handle, IpcMemHandle { data: ipc::of_descriptor(descriptor)? })
    }

    fn zeMemGetFileDescriptorFromIpcHandleExp(context: Raw, handle: IpcMemHandle, descriptor: Out<u64>) {
        get::<Context>(context)?;
        ensure(!descriptor.is_null(), ERROR_INVALID_NULL_POINTER)?;
        write(descriptor, ipc::descriptor(&handle.data)?)
    }

    fn zeMemPutIpcHandle(context: Raw, handle: IpcMemHandle) {
        get::<Context>(context)?;
        ipc::take_back(Kind::Memory, &handle.data)
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
        write(place, context.import(&device, ipc::open(Kind::Memory, &handle.data)?)?)
    }

    fn zeMemCloseIpcHandle(context: Raw, first: *mut c_void) {
        get::<Context>(context)?;
        ensure(!first.is_null(), ERROR_INVALID_NULL_POINTER)?;
        let found = ALLOCATIONS.lookup(first as usize).ok_or(ERROR_INVALID_ARGUMENT)?;
        ensure(found.about.is_imported, ERROR_INVALID_ARGUMENT)?;
        Ok(ALLOCATIONS.free(first)?)
    }

    fn zeEventPoolGetIpcHandle(pool: Raw, handle: Out<IpcEventPoolHandle>) {
        let pool = get::<EventPool>(pool)?;
        ensure(!handle.is_null(), ERROR_INVALID_NULL_POINTER)?;
        let (file, bytes) = pool.shared.as_ref().ok_or(ERROR_UNSUPPORTED_FEATURE)?.file()?;
        write(handle, IpcEventPoolHandle { data: ipc::export(Kind::Events, file, bytes)? })
    }

    fn zeEventPoolPutIpcHandle(context: Raw, handle: IpcEventPoolHandle) {
        get::<Context>(context)?;
        ipc::take_back(Kind::Events, &handle.data)
    }

    fn zeEventPoolOpenIpcHandle(context: Raw, handle: IpcEventPoolHandle, pool: Out<Raw>) {
        let context: Handle<Context> = get(context)?;
        ensure(!pool.is_null(), ERROR_INVALID_NULL_POINTER)?;
        let (file, bytes) = ipc::open(Kind::Events, &handle.data)?;
        write(pool, handle::give(handle::create(EventPool::open(context, file, bytes)?)))
    }

    fn zeEventPoolCloseIpcHandle(pool: Raw) {
        ensure(get::<EventPool>(pool)?.is_imported, ERROR_INVALID_ARGUMENT)?;
        destroy::<EventPool>(pool)
    }
}
