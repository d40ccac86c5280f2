//! Entry points of commands.

use std::ffi::c_void;

use opencl_sys::*;

use crate::api::entry::{WaitList, emit, enqueue, status};
use crate::base::error::{Code, Result, ensure, fail, guard};
use crate::base::handle::{self, Handle};
use crate::base::raw::{Caller, In, Out, Three};
use crate::commands::transfer::{self, Corner, Part, Submission, Way};
use crate::memory::mem::Mem;
use crate::queues::queue::{self, Order, Queue};

/// Returns the common parameters of an enqueued command.
pub(super) fn submission<'a>(
    queue: &'a Handle<Queue>,
    list: &'a [Handle<crate::queues::event::Event>],
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
        buffer_origin: Three,
        host_origin: Three,
        region: Three,
        buffer_row_pitch: usize,
        buffer_slice_pitch: usize,
        host_row_pitch: usize,
        host_slice_pitch: usize,
        ptr: *mut c_void,
    ) {
        let own = corner(buffer_origin, buffer_row_pitch, buffer_slice_pitch)?;
        let host = corner(host_origin, host_row_pitch, host_slice_pitch)?;
        let to = submission(&queue, &list, blocking);
        transfer::buffer_box(&to, Way::Read, &mem(buffer)?, (own, host), region.get()?, ptr as usize)
    }

    fn clEnqueueWriteBufferRect(
        queue, list,
        buffer: cl_mem,
        blocking: cl_bool,
        buffer_origin: Three,
        host_origin: Three,
        region: Three,
        buffer_row_pitch: usize,
        buffer_slice_pitch: usize,
        host_row_pitch: usize,
        host_slice_pitch: usize,
        ptr: *const c_void,
    ) {
        let own = corner(buffer_origin, buffer_row_pitch, buffer_slice_pitch)?;
        let host = corner(host_origin, host_row_pitch, host_slice_pitch)?;
        let to = submission(&queue, &list, blocking);
        transfer::buffer_box(&to, Way::Write, &mem(buffer)?, (own, host), region.get()?, ptr as usize)
    }

    fn clEnqueueReadImage(
        queue, list,
        image: cl_mem,
        blocking: cl_bool,
        origin: Three,
        region: Three,
        row_pitch: usize,
        slice_pitch: usize,
        ptr: *mut c_void,
    ) {
        let (place, pitches) = ((origin.get()?, region.get()?), (row_pitch, slice_pitch));
        transfer::image(&submission(&queue, &list, blocking), Way::Read, &mem(image)?, place, pitches, ptr as usize)
    }

    fn clEnqueueWriteImage(
        queue, list,
        image: cl_mem,
        blocking: cl_bool,
        origin: Three,
        region: Three,
        row_pitch: usize,
        slice_pitch: usize,
        ptr: *const c_void,
    ) {
        let (place, pitches) = ((origin.get()?, region.get()?), (row_pitch, slice_pitch));
        transfer::image(&submission(&queue, &list, blocking), Way::Write, &mem(image)?, place, pitches, ptr as usize)
    }

    fn clEnqueueUnmapMemObject(queue, list, memobj: cl_mem, mapped_ptr: *mut c_void) {
        transfer::unmap(&submission(&queue, &list, CL_FALSE), &mem(memobj)?, mapped_ptr as usize)
    }

    fn clEnqueueMigrateMemObjects(queue, list, num_mem_objects: cl_uint, mem_objects: In<cl_mem>, flags: cl_mem_migration_flags) {
        // SAFETY: the list has as many objects as its count says.
        let mems = handle::get_all(unsafe { mem_objects.agreed(num_mem_objects as usize, Code(CL_INVALID_VALUE))? })?;
        transfer::migrate(&submission(&queue, &list, CL_FALSE), &mems, flags)
    }

    fn clEnqueueNativeKernel(
        queue, list,
        user_func: Option<unsafe extern "C" fn(*mut c_void)>,
        args: *mut c_void,
        cb_args: usize,
        num_mem_objects: cl_uint,
        mem_list: In<cl_mem>,
        args_mem_loc: Out<*const c_void>,
    ) {
        let function = user_func.ok_or(Code(CL_INVALID_VALUE))?;
        let count = num_mem_objects as usize;
        ensure(args.is_null() == (cb_args == 0) && (!args.is_null() || count == 0), CL_INVALID_VALUE)?;
        // SAFETY: both lists have as many elements as the count says.
        let (mems, places) = unsafe {
            (mem_list.agreed(count, Code(CL_INVALID_VALUE))?, args_mem_loc.input().agreed(count, Code(CL_INVALID_VALUE))?)
        };
        let mems = handle::get_all::<Mem>(mems)?;
        // SAFETY: the arguments have as many bytes as their size says.
        let mut copy = unsafe { In::of(args.cast_const()).bytes(cb_args) }.to_vec();
        for (mem, &place) in mems.iter().zip(places) {
            let at = (place as usize).wrapping_sub(args as usize);
            let room = at.checked_add(8).and_then(|end| copy.get_mut(at..end)).ok_or(Code(CL_INVALID_VALUE))?;
            room.copy_from_slice(&(mem.first() as u64).to_ne_bytes());
        }
        submission(&queue, &list, CL_FALSE).submit(CL_COMMAND_NATIVE_KERNEL, move || {
            let address = if copy.is_empty() { std::ptr::null_mut() } else { copy.as_mut_ptr().cast() };
            // SAFETY: the program passed the function for this call, with its arguments.
            unsafe { function(address) };
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
    fn clEnqueueMarker(command_queue: cl_command_queue, event: Out<cl_event>) {
        let queue = handle::get(command_queue)?;
        ensure(!event.is_null(), CL_INVALID_VALUE)?;
        emit(event, queue::mark(&queue, Order::Marker, &[])?);
        Ok(())
    }

    fn clEnqueueBarrier(command_queue: cl_command_queue) {
        queue::mark(&handle::get(command_queue)?, Order::Barrier, &[]).map(drop)
    }

    fn clEnqueueWaitForEvents(command_queue: cl_command_queue, num_events: cl_uint, event_list: In<cl_event>) {
        let queue = handle::get(command_queue)?;
        ensure(num_events > 0 && !event_list.is_null(), CL_INVALID_VALUE)?;
        // SAFETY: the list has as many events as its count says.
        let list = unsafe { event_list.agreed(num_events as usize, Code(CL_INVALID_EVENT))? };
        let list = handle::get_all(list).or(fail(CL_INVALID_EVENT))?;
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
    // SAFETY: the program obeys the contract of the call.
    let (waits, places) =
        unsafe { (WaitList::new(num_events, In::of(event_list)), MapPlaces::new(event, errcode_ret)) };
    let result = guard(|| {
        let (queue, mem, list) = (handle::get(command_queue)?, mem(buffer)?, waits.events()?);
        transfer::map(&submission(&queue, &list, blocking_map), &mem, map_flags, || Ok(Part::Bytes(offset, size)))
    });
    places.put(result, None)
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
    // SAFETY: the program obeys the contract of the call.
    let (origin, region, row_pitch, slice_pitch, waits, places) = unsafe {
        let (origin, region) = (Three::of(origin), Three::of(region));
        let (row_pitch, slice_pitch) = (Out::of(image_row_pitch), Out::of(image_slice_pitch));
        let waits = WaitList::new(num_events, In::of(event_list));
        (origin, region, row_pitch, slice_pitch, waits, MapPlaces::new(event, errcode_ret))
    };
    let result = guard(|| {
        let (queue, mem, list) = (handle::get(command_queue)?, mem(image)?, waits.events()?);
        let part = || {
            ensure(!row_pitch.is_null(), CL_INVALID_VALUE)?;
            let sliced = [CL_MEM_OBJECT_IMAGE1D_ARRAY, CL_MEM_OBJECT_IMAGE2D_ARRAY, CL_MEM_OBJECT_IMAGE3D];
            ensure(!slice_pitch.is_null() || !sliced.contains(&mem.kind), CL_INVALID_VALUE)?;
            Ok(Part::Region(origin.get()?, region.get()?))
        };
        transfer::map(&submission(&queue, &list, blocking_map), &mem, map_flags, part)
    });
    places.put(result, Some((row_pitch, slice_pitch)))
}

/// Destinations for the results of a map.
struct MapPlaces {
    event: Out<cl_event>,
    errcode: Out<cl_int>,
}

impl MapPlaces {
    /// # Safety
    /// Both pointers are null or have room for a value.
    unsafe fn new(event: *mut cl_event, errcode: *mut cl_int) -> Self {
        // SAFETY: guaranteed by the caller.
        unsafe { Self { event: Out::of(event), errcode: Out::of(errcode) } }
    }

    /// Writes the event, the code and the pitches of a map. Returns its address.
    fn put(
        self,
        result: Result<(Handle<crate::queues::event::Event>, usize, (usize, usize))>,
        pitches: Option<(Out<usize>, Out<usize>)>,
    ) -> *mut c_void {
        self.errcode.put(result.as_ref().map_or_else(|code| code.0, |_| CL_SUCCESS));
        let Ok((done, address, (row, slice))) = result else { return std::ptr::null_mut() };
        if let Some((row_place, slice_place)) = pitches {
            row_place.put(row);
            slice_place.put(slice);
        }
        emit(self.event, done);
        address as *mut c_void
    }
}

/// Returns the corner of a box.
pub(super) fn corner(origin: Three, row_pitch: usize, slice_pitch: usize) -> Result<Corner> {
    Ok(Corner { origin: origin.get()?, row_pitch, slice_pitch })
}
