//! Entry points of commands.

use std::ffi::c_void;

use opencl_sys::*;

use super::{emit, enqueue, events, status, three};
use crate::error::{Code, Result, ensure, fail, guard};
use crate::handle::{self, Handle};
use crate::memory::Mem;
use crate::queue::{self, Order, Queue};
use crate::raw;
use crate::transfer::{self, Corner, Part, Submission, Way};

/// Returns the common parameters of an enqueued command.
pub(super) fn submission<'a>(
    queue: &'a Handle<Queue>,
    list: &'a [Handle<crate::event::Event>],
    blocking: cl_bool,
) -> Submission<'a> {
    Submission { queue, list, blocking: blocking != CL_FALSE }
}

/// Returns the memory object of a handle.
pub(super) fn mem(handle: cl_mem) -> Result<Handle<Mem>> {
    handle::get(handle)
}

enqueue! {
    fn clEnqueueReadBuffer(queue, list, buffer: cl_mem, blocking: cl_bool, offset: usize, size: usize, ptr: *mut c_void) {
        transfer::buffer(&submission(&queue, &list, blocking), Way::Read, &mem(buffer)?, (offset, size), ptr as usize)
    }

    fn clEnqueueWriteBuffer(queue, list, buffer: cl_mem, blocking: cl_bool, offset: usize, size: usize, ptr: *const c_void) {
        transfer::buffer(&submission(&queue, &list, blocking), Way::Write, &mem(buffer)?, (offset, size), ptr as usize)
    }

    fn clEnqueueReadBufferRect(
        queue, list,
        buffer: cl_mem,
        blocking: cl_bool,
        buffer_origin: *const usize,
        host_origin: *const usize,
        region: *const usize,
        buffer_row_pitch: usize,
        buffer_slice_pitch: usize,
        host_row_pitch: usize,
        host_slice_pitch: usize,
        ptr: *mut c_void,
    ) {
        let own = corner(buffer_origin, buffer_row_pitch, buffer_slice_pitch)?;
        let host = corner(host_origin, host_row_pitch, host_slice_pitch)?;
        let to = submission(&queue, &list, blocking);
        transfer::buffer_box(&to, Way::Read, &mem(buffer)?, (own, host), three(region)?, ptr as usize)
    }

    fn clEnqueueWriteBufferRect(
        queue, list,
        buffer: cl_mem,
        blocking: cl_bool,
        buffer_origin: *const usize,
        host_origin: *const usize,
        region: *const usize,
        buffer_row_pitch: usize,
        buffer_slice_pitch: usize,
        host_row_pitch: usize,
        host_slice_pitch: usize,
        ptr: *const c_void,
    ) {
        let own = corner(buffer_origin, buffer_row_pitch, buffer_slice_pitch)?;
        let host = corner(host_origin, host_row_pitch, host_slice_pitch)?;
        let to = submission(&queue, &list, blocking);
        transfer::buffer_box(&to, Way::Write, &mem(buffer)?, (own, host), three(region)?, ptr as usize)
    }

    fn clEnqueueReadImage(
        queue, list,
        image: cl_mem,
        blocking: cl_bool,
        origin: *const usize,
        region: *const usize,
        row_pitch: usize,
        slice_pitch: usize,
        ptr: *mut c_void,
    ) {
        let (place, pitches) = ((three(origin)?, three(region)?), (row_pitch, slice_pitch));
        transfer::image(&submission(&queue, &list, blocking), Way::Read, &mem(image)?, place, pitches, ptr as usize)
    }

    fn clEnqueueWriteImage(
        queue, list,
        image: cl_mem,
        blocking: cl_bool,
        origin: *const usize,
        region: *const usize,
        row_pitch: usize,
        slice_pitch: usize,
        ptr: *const c_void,
    ) {
        let (place, pitches) = ((three(origin)?, three(region)?), (row_pitch, slice_pitch));
        transfer::image(&submission(&queue, &list, blocking), Way::Write, &mem(image)?, place, pitches, ptr as usize)
    }

    fn clEnqueueUnmapMemObject(queue, list, memobj: cl_mem, mapped_ptr: *mut c_void) {
        transfer::unmap(&submission(&queue, &list, CL_FALSE), &mem(memobj)?, mapped_ptr as usize)
    }

    fn clEnqueueMigrateMemObjects(queue, list, num_mem_objects: cl_uint, mem_objects: *const cl_mem, flags: cl_mem_migration_flags) {
        let mems = handle::get_all(raw::agreed(num_mem_objects as usize, mem_objects, CL_INVALID_VALUE)?)?;
        transfer::migrate(&submission(&queue, &list, CL_FALSE), &mems, flags)
    }

    fn clEnqueueNativeKernel(
        queue, list,
        user_func: Option<unsafe extern "C" fn(*mut c_void)>,
        args: *mut c_void,
        cb_args: usize,
        num_mem_objects: cl_uint,
        mem_list: *const cl_mem,
        args_mem_loc: *mut *const c_void,
    ) {
        let function = user_func.ok_or(Code(CL_INVALID_VALUE))?;
        let count = num_mem_objects as usize;
        ensure(args.is_null() == (cb_args == 0) && (!args.is_null() || count == 0), CL_INVALID_VALUE)?;
        let mems = handle::get_all::<Mem>(raw::agreed(count, mem_list, CL_INVALID_VALUE)?)?;
        let places = raw::agreed(count, args_mem_loc.cast_const(), CL_INVALID_VALUE)?;
        let mut copy = raw::list(cb_args, args.cast::<u8>().cast_const()).to_vec();
        for (mem, &place) in mems.iter().zip(places) {
            let at = (place as usize).wrapping_sub(args as usize);
            let room = at.checked_add(8).and_then(|end| copy.get_mut(at..end)).ok_or(Code(CL_INVALID_VALUE))?;
            room.copy_from_slice(&(mem.first() as u64).to_ne_bytes());
        }
        submission(&queue, &list, CL_FALSE).submit(CL_COMMAND_NATIVE_KERNEL, move || {
            let address = if copy.is_empty() { std::ptr::null_mut() } else { copy.as_mut_ptr().cast() };
            function(address);
            drop(mems);
            Ok(())
        })
    }

    fn clEnqueueMarkerWithWaitList(queue, list) {
        queue::mark(&queue, Order::Marker, &list)
    }

    fn clEnqueueBarrierWithWaitList(queue, list) {
        queue::mark(&queue, Order::Barrier, &list)
    }
}

status! {
    fn clEnqueueMarker(command_queue: cl_command_queue, event: *mut cl_event) {
        let queue = handle::get(command_queue)?;
        ensure(!event.is_null(), CL_INVALID_VALUE)?;
        emit(event, queue::mark(&queue, Order::Marker, &[])?);
        Ok(())
    }

    fn clEnqueueBarrier(command_queue: cl_command_queue) {
        queue::mark(&handle::get(command_queue)?, Order::Barrier, &[]).map(drop)
    }

    fn clEnqueueWaitForEvents(command_queue: cl_command_queue, num_events: cl_uint, event_list: *const cl_event) {
        let queue = handle::get(command_queue)?;
        ensure(num_events > 0 && !event_list.is_null(), CL_INVALID_VALUE)?;
        let list = events(num_events, event_list).or(fail(CL_INVALID_EVENT))?;
        queue::mark(&queue, Order::Barrier, &list).map(drop)
    }
}

#[allow(non_snake_case, clippy::too_many_arguments)]
pub(crate) unsafe extern "C" fn clEnqueueMapBuffer(
    command_queue: cl_command_queue,
    buffer: cl_mem,
    blocking_map: cl_bool,
    map_flags: cl_map_flags,
    offset: usize,
    size: usize,
    num_events: cl_uint,
    event_list: *const cl_event,
    event: *mut cl_event,
    errcode_ret: *mut cl_int,
) -> *mut c_void {
    // SAFETY: the list has as many events as its count says.
    let result = guard(|| unsafe {
        let (queue, mem, list) = (handle::get(command_queue)?, mem(buffer)?, events(num_events, event_list)?);
        transfer::map(&submission(&queue, &list, blocking_map), &mem, map_flags, Part::Bytes(offset, size))
    });
    // SAFETY: the pointers are null or have room for their values.
    unsafe { mapped(result, event, errcode_ret, None) }
}

#[allow(non_snake_case, clippy::too_many_arguments)]
pub(crate) unsafe extern "C" fn clEnqueueMapImage(
    command_queue: cl_command_queue,
    image: cl_mem,
    blocking_map: cl_bool,
    map_flags: cl_map_flags,
    origin: *const usize,
    region: *const usize,
    image_row_pitch: *mut usize,
    image_slice_pitch: *mut usize,
    num_events: cl_uint,
    event_list: *const cl_event,
    event: *mut cl_event,
    errcode_ret: *mut cl_int,
) -> *mut c_void {
    // SAFETY: the lists have as many elements as the specification requires.
    let result = guard(|| unsafe {
        let (queue, mem, list) = (handle::get(command_queue)?, mem(image)?, events(num_events, event_list)?);
        ensure(!image_row_pitch.is_null(), CL_INVALID_VALUE)?;
        let sliced = [CL_MEM_OBJECT_IMAGE1D_ARRAY, CL_MEM_OBJECT_IMAGE2D_ARRAY, CL_MEM_OBJECT_IMAGE3D];
        ensure(!image_slice_pitch.is_null() || !sliced.contains(&mem.kind), CL_INVALID_VALUE)?;
        let part = Part::Region(three(origin)?, three(region)?);
        transfer::map(&submission(&queue, &list, blocking_map), &mem, map_flags, part)
    });
    // SAFETY: the pointers are null or have room for their values.
    unsafe { mapped(result, event, errcode_ret, Some((image_row_pitch, image_slice_pitch))) }
}

/// Writes the results of a map to the caller's memory.
///
/// # Safety
/// All pointers are null or have room for their values.
unsafe fn mapped(
    result: Result<(Handle<crate::event::Event>, usize, (usize, usize))>,
    event: *mut cl_event,
    errcode_ret: *mut cl_int,
    pitches: Option<(*mut usize, *mut usize)>,
) -> *mut c_void {
    // SAFETY: the caller guarantees the room.
    unsafe {
        raw::put(errcode_ret, result.as_ref().map_or_else(|code| code.0, |_| CL_SUCCESS));
        let Ok((done, address, (row, slice))) = result else { return std::ptr::null_mut() };
        if let Some((row_place, slice_place)) = pitches {
            raw::put(row_place, row);
            raw::put(slice_place, slice);
        }
        emit(event, done);
        address as *mut c_void
    }
}

/// Reads the origin of a box.
///
/// # Safety
/// `origin` is null or points to three sizes.
pub(super) unsafe fn corner(origin: *const usize, row_pitch: usize, slice_pitch: usize) -> Result<Corner> {
    // SAFETY: guaranteed by the caller.
    Ok(Corner { origin: unsafe { three(origin)? }, row_pitch, slice_pitch })
}
