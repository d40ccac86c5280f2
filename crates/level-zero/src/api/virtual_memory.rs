//! Entry points of virtual and physical memory.

use std::ffi::c_void;

use visakit_runtime::base::raw::{In, Out};
use visakit_runtime::base::storage::PAGE;
use visakit_runtime::devices::reservations::Access;

use crate::api::context::pair;
use crate::api::entry::{Raw, functions};
use crate::base::chain::{read, update, write};
use crate::base::extensions::*;
use crate::base::handle::{self, Handle, destroy, get, get_optional};
use crate::base::result::*;
use crate::devices::context::{Context, DEVICE, HOST, PhysicalMemory, RESERVATIONS};

/// Flag of physical memory of the host.
const ON_HOST: u32 = 1 << 1;

/// Checks a range of whole pages of a context.
fn range(context: Raw, first: *mut c_void, size: usize) -> Result<(Handle<Context>, u64)> {
    let context = get(context)?;
    ensure(!first.is_null(), ERROR_INVALID_NULL_POINTER)?;
    ensure(size > 0 && size.is_multiple_of(PAGE), ERROR_UNSUPPORTED_SIZE)?;
    ensure((first as usize).is_multiple_of(PAGE), ERROR_UNSUPPORTED_ALIGNMENT)?;
    Ok((context, first as u64))
}

/// Returns the access with a number.
fn access_of(number: u32) -> Result<Access> {
    let all = [Access::None, Access::Write, Access::Read];
    all.get(number as usize).copied().ok_or(ERROR_INVALID_ENUMERATION)
}

functions! {
    /// All sizes have the same pages; programs also ask with a size of zero.
    fn zeVirtualMemQueryPageSize(context: Raw, device: Raw, _size: usize, page: Out<usize>) {
        pair(context, device)?;
        write(page, PAGE)
    }

    /// The start is a wish, which reservations for kernels cannot fulfil.
    fn zeVirtualMemReserve(context: Raw, _start: In<c_void>, size: usize, place: Out<*mut c_void>) {
        let context = get::<Context>(context)?;
        ensure(!place.is_null(), ERROR_INVALID_NULL_POINTER)?;
        ensure(size > 0 && size.is_multiple_of(PAGE), ERROR_UNSUPPORTED_SIZE)?;
        write(place, context.reserve(size)? as *mut c_void)
    }

    fn zeVirtualMemFree(context: Raw, first: *mut c_void, size: usize) {
        let (_, first) = range(context, first, size)?;
        Ok(RESERVATIONS.free(first, size)?)
    }

    fn zePhysicalMemCreate(context: Raw, device: Raw, desc: In<PhysicalMemDesc>, physical: Out<Raw>) {
        let context: Handle<Context> = get(context)?;
        let desc = read(desc)?;
        ensure(!physical.is_null(), ERROR_INVALID_NULL_POINTER)?;
        ensure(desc.flags <= 0b11, ERROR_INVALID_ENUMERATION)?;
        let device = if desc.flags & ON_HOST == 0 { Some(get(device)?) } else { get_optional(device)? };
        ensure(desc.size > 0, ERROR_UNSUPPORTED_SIZE)?;
        ensure(desc.size.is_multiple_of(PAGE), ERROR_UNSUPPORTED_ALIGNMENT)?;
        let kind = if desc.flags & ON_HOST == 0 { DEVICE } else { HOST };
        write(physical, handle::give(handle::create(context.physical(kind, device, desc.size)?)))
    }

    /// Mapped pages keep their memory.
    fn zePhysicalMemDestroy(context: Raw, physical: Raw) {
        let context = get::<Context>(context)?;
        ensure(context.owns(&*get::<PhysicalMemory>(physical)?), ERROR_INVALID_ARGUMENT)?;
        destroy::<PhysicalMemory>(physical)
    }

    fn zePhysicalMemGetProperties(context: Raw, physical: Raw, properties: Out<PhysicalMemProperties>) {
        let context = get::<Context>(context)?;
        let physical: Handle<PhysicalMemory> = get(physical)?;
        ensure(context.owns(&physical), ERROR_INVALID_ARGUMENT)?;
        update(properties, |out| (out.id, out.size) = (physical.about.id, physical.memory.bytes() as u64))
    }

    fn zeVirtualMemMap(
        context: Raw,
        first: *mut c_void,
        size: usize,
        physical: Raw,
        offset: usize,
        access: u32,
    ) {
        get::<Context>(context)?;
        let physical: Handle<PhysicalMemory> = get(physical)?;
        let (context, first) = range(context, first, size)?;
        ensure(context.owns(&physical), ERROR_INVALID_ARGUMENT)?;
        ensure(offset.is_multiple_of(PAGE), ERROR_UNSUPPORTED_ALIGNMENT)?;
        let access = access_of(access)?;
        let about = physical.about.clone();
        Ok(RESERVATIONS.map((first, size), (&physical.memory, offset), access, about)?)
    }

    fn zeVirtualMemUnmap(context: Raw, first: *mut c_void, size: usize) {
        let (_, first) = range(context, first, size)?;
        Ok(RESERVATIONS.unmap(first, size)?)
    }

    fn zeVirtualMemSetAccessAttribute(context: Raw, first: *mut c_void, size: usize, access: u32) {
        let (_, first) = range(context, first, size)?;
        Ok(RESERVATIONS.set_access(first, size, access_of(access)?)?)
    }

    fn zeVirtualMemGetAccessAttribute(
        context: Raw,
        first: *mut c_void,
        size: usize,
        access: Out<u32>,
        same: Out<usize>,
    ) {
        get::<Context>(context)?;
        ensure(!access.is_null() && !same.is_null(), ERROR_INVALID_NULL_POINTER)?;
        let (_, first) = range(context, first, size)?;
        let (found, bytes) = RESERVATIONS.access(first, size)?;
        access.put(match found {
            Access::None => 0,
            Access::Write => 1,
            Access::Read => 2,
        });
        write(same, bytes)
    }
}
