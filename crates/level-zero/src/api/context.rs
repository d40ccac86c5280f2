//! Entry points of contexts and their memory.

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use visakit_runtime::base::environment::ENVIRONMENT;
use visakit_runtime::base::raw::{In, Out};
use visakit_runtime::base::storage::PAGE;

use crate::api::entry::{Raw, functions};
use crate::base::chain::{each, fill, find, read, update, write};
use crate::base::extensions::ExternalMemoryFd;
use crate::base::handle::{self, Handle, address_of, destroy, get, get_optional};
use crate::base::result::*;
use crate::base::types::*;
use crate::devices::context::{
    ALLOCATIONS, AtomicFlags, Context, DEVICE, HOST, SHARED, find_range, lookup, with_file,
};
use crate::devices::device::Device;
use crate::devices::driver::Driver;
use crate::devices::ipc::{self, OPAQUE_FD};

/// Types of the structures with descriptors of files.
const IMPORT_FD: u32 = 0x19;
const EXPORT_FD: u32 = 0x1a;

/// Flag of atomic accesses to the same words by host and device, which have different locks.
const SYSTEM_ATOMICS: u32 = 1 << 6;

/// Creates a context of a driver's devices, or of some of them.
fn create(driver: Raw, desc: In<ContextDesc>, devices: &[Raw], context: Out<Raw>) -> Result {
    let driver = get::<Driver>(driver)?;
    ensure(read(desc)?.flags <= 1, ERROR_INVALID_ENUMERATION)?;
    ensure(!context.is_null(), ERROR_INVALID_NULL_POINTER)?;
    let devices = match devices {
        [] => driver.devices.clone(),
        some => some.iter().map(|&device| get(device)).collect::<Result<_>>()?,
    };
    write(context, handle::give(handle::create(Context::new(devices))))
}

/// Checks a context and one of its devices.
pub(super) fn pair(context: Raw, device: Raw) -> Result<(Handle<Context>, Handle<Device>)> {
    let (context, device): (Handle<Context>, _) = (get(context)?, get(device)?);
    ensure(context.has(&device), ERROR_INVALID_ARGUMENT)?;
    Ok((context, device))
}

/// Flags of memory of the process, by address.
static OF_SYSTEM: LazyLock<Mutex<BTreeMap<usize, AtomicFlags>>> = LazyLock::new(Mutex::default);

/// Returns the atomic accesses of the shared memory that contains a range, for one of its devices.
fn shared(context: Raw, device: Raw, first: *mut c_void, size: usize) -> Result<AtomicFlags> {
    pair(context, device)?;
    ensure(!first.is_null(), ERROR_INVALID_NULL_POINTER)?;
    ensure(size > 0, ERROR_UNSUPPORTED_SIZE)?;
    let Some(found) = lookup(first as u64) else {
        ensure(ENVIRONMENT.system_memory, ERROR_INVALID_ARGUMENT)?;
        let mut of_system = OF_SYSTEM.lock().unwrap_or_else(PoisonError::into_inner);
        return Ok(Arc::clone(of_system.entry(first as usize).or_default()));
    };
    find_range(first as usize, size)?;
    ensure(found.about.kind == SHARED, ERROR_INVALID_ARGUMENT)?;
    Ok(found.about.atomics)
}

/// Allocates memory of the host or of a device: new, or the file in the chain of the description.
fn allocate(
    context: &Context,
    (kind, device): (u32, Option<Handle<Device>>),
    (size, alignment): (usize, usize),
    next: *mut c_void,
) -> Result<*mut c_void> {
    // SAFETY: the program passes a valid chain; the structure has this type.
    let import = unsafe { find::<ExternalMemoryFd>(next, &[IMPORT_FD]) };
    let Some(import) = import else { return context.allocate(kind, device, size, alignment) };
    ensure(import.flags == OPAQUE_FD, ERROR_UNSUPPORTED_ENUMERATION)?;
    context.allocate_file(kind, device, (ipc::open_descriptor(import.fd)?, size))
}

/// Writes a descriptor of the memory at an address, if the chain asks for it.
fn export(first: *mut c_void, next: *mut c_void) -> Result {
    let mut outcome = Ok(());
    let fill_in = |out: &mut ExternalMemoryFd| -> Result {
        ensure(out.flags & OPAQUE_FD != 0, ERROR_UNSUPPORTED_ENUMERATION)?;
        out.fd = with_file(first as u64, |file, _| ipc::give_descriptor(file))?;
        Ok(())
    };
    // SAFETY: the program passes a valid chain; the structure has this type.
    unsafe {
        each(next, |stype, place| {
            if stype == EXPORT_FD {
                fill(place, |out| outcome = fill_in(out));
            }
        });
    }
    outcome
}

functions! {
    fn zeContextCreate(driver: Raw, desc: In<ContextDesc>, context: Out<Raw>) {
        create(driver, desc, &[], context)
    }

    fn zeContextCreateEx(driver: Raw, desc: In<ContextDesc>, count: u32, devices: Out<Raw>, context: Out<Raw>) {
        ensure(count == 0 || !devices.is_null(), ERROR_INVALID_SIZE)?;
        // SAFETY: the list has as many handles as its count says.
        create(driver, desc, unsafe { devices.input().list(count as usize)? }, context)
    }

    fn zeContextDestroy(context: Raw) {
        destroy::<Context>(context)
    }

    fn zeContextGetStatus(context: Raw) {
        get::<Context>(context).map(drop)
    }

    fn zeContextSystemBarrier(context: Raw, device: Raw) {
        pair(context, device).map(drop)
    }

    fn zeContextMakeMemoryResident(context: Raw, device: Raw, first: *mut c_void, size: usize) {
        pair(context, device)?;
        ensure(!first.is_null(), ERROR_INVALID_NULL_POINTER)?;
        find_range(first as usize, size).map(drop)
    }

    fn zeContextEvictMemory(context: Raw, device: Raw, first: *mut c_void, size: usize) {
        pair(context, device)?;
        ensure(!first.is_null(), ERROR_INVALID_NULL_POINTER)?;
        find_range(first as usize, size).map(drop)
    }

    fn zeMemAllocHost(
        context: Raw,
        desc: In<HostMemAllocDesc>,
        size: usize,
        alignment: usize,
        place: Out<*mut c_void>,
    ) {
        let context = get::<Context>(context)?;
        let next = read(desc)?.p_next;
        ensure(!place.is_null(), ERROR_INVALID_NULL_POINTER)?;
        write(place, allocate(&context, (HOST, None), (size, alignment), next)?)
    }

    /// As in Intel's driver, the number of the memory has no effect.
    fn zeMemAllocDevice(
        context: Raw,
        desc: In<DeviceMemAllocDesc>,
        size: usize,
        alignment: usize,
        device: Raw,
        place: Out<*mut c_void>,
    ) {
        let (context, device) = (get::<Context>(context)?, get(device)?);
        let desc = read(desc)?;
        ensure(!place.is_null(), ERROR_INVALID_NULL_POINTER)?;
        write(place, allocate(&context, (DEVICE, Some(device)), (size, alignment), desc.p_next)?)
    }

    fn zeMemAllocShared(
        context: Raw,
        device_desc: In<DeviceMemAllocDesc>,
        host_desc: In<HostMemAllocDesc>,
        size: usize,
        alignment: usize,
        device: Raw,
        place: Out<*mut c_void>,
    ) {
        let (context, device) = (get::<Context>(context)?, get_optional(device)?);
        read(device_desc)?;
        read(host_desc)?;
        ensure(!place.is_null(), ERROR_INVALID_NULL_POINTER)?;
        write(place, context.allocate(SHARED, device, size, alignment)?)
    }

    fn zeMemFree(context: Raw, first: *mut c_void) {
        get::<Context>(context)?;
        ensure(!first.is_null(), ERROR_INVALID_NULL_POINTER)?;
        Ok(ALLOCATIONS.free(first)?)
    }

    /// Commands hold the memory that they use, so that every free is a deferred one.
    fn zeMemFreeExt(context: Raw, desc: In<MemoryFreeExtDesc>, first: *mut c_void) {
        get::<Context>(context)?;
        ensure(read(desc)?.free_policy <= 0b11, ERROR_INVALID_ENUMERATION)?;
        ensure(!first.is_null(), ERROR_INVALID_NULL_POINTER)?;
        Ok(ALLOCATIONS.free(first)?)
    }

    fn zeMemGetAllocProperties(
        context: Raw,
        first: *mut c_void,
        properties: Out<MemoryAllocationProperties>,
        device: Out<Raw>,
    ) {
        get::<Context>(context)?;
        ensure(!first.is_null(), ERROR_INVALID_NULL_POINTER)?;
        let found = lookup(first as u64).map(|found| found.about);
        update(properties, |out| {
            out.kind = found.as_ref().map_or(0, |usm| usm.kind);
            out.id = found.as_ref().map_or(0, |usm| usm.id);
            out.page_size = if found.is_some() { PAGE as u64 } else { 0 };
        })?;
        export(first, read(properties.input())?.p_next)?;
        device.put(address_of(found.as_ref().and_then(|usm| usm.device.as_ref())));
        Ok(())
    }

    fn zeMemGetAddressRange(context: Raw, first: *mut c_void, base: Out<*mut c_void>, size: Out<usize>) {
        get::<Context>(context)?;
        ensure(!first.is_null(), ERROR_INVALID_NULL_POINTER)?;
        let found = lookup(first as u64).ok_or(ERROR_INVALID_ARGUMENT)?;
        base.put(found.first as *mut c_void);
        size.put(found.bytes);
        Ok(())
    }

    fn zeMemSetAtomicAccessAttributeExp(context: Raw, device: Raw, first: *mut c_void, size: usize, flags: u32) {
        let given = shared(context, device, first, size)?;
        ensure(flags < SYSTEM_ATOMICS << 1, ERROR_INVALID_ENUMERATION)?;
        ensure(flags & SYSTEM_ATOMICS == 0, ERROR_INVALID_ARGUMENT)?;
        given.lock().unwrap_or_else(PoisonError::into_inner).insert(device as usize, flags);
        Ok(())
    }

    fn zeMemGetAtomicAccessAttributeExp(
        context: Raw,
        device: Raw,
        first: *mut c_void,
        size: usize,
        flags: Out<u32>,
    ) {
        let given = shared(context, device, first, size)?;
        let given = given.lock().unwrap_or_else(PoisonError::into_inner).get(&(device as usize)).copied();
        write(flags, given.unwrap_or(0))
    }

    fn zeMemGetPitchFor2dImage(
        context: Raw,
        device: Raw,
        width: usize,
        height: usize,
        element: u32,
        pitch: Out<usize>,
    ) {
        pair(context, device)?;
        ensure(width > 0 && height > 0 && element > 0, ERROR_INVALID_SIZE)?;
        write(pitch, width.checked_mul(element as usize).ok_or(ERROR_UNSUPPORTED_SIZE)?)
    }
}
