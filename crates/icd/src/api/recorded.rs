//! Entry points of commands that can be enqueued or recorded in a command buffer. Each command has
//! one entry point for each way.

use std::ffi::c_void;

use opencl_sys::*;

use super::commands::{corner, mem, submission};
use super::{enqueue, object, status, three};
use crate::error::{Code, Result, ensure};
use crate::handle::{self, Handle};
use crate::kernel::Kernel;
use crate::launch;
use crate::queue::Queue;
use crate::raw::{self, Answer};
use crate::recording::{self, CommandBuffer};
use crate::schedule::Task;
use crate::transfer;

/// Defines functions that record a command. The first parameters are the command buffer and a null
/// queue. The last ones are the sync points to wait for, the place for the own sync point, and a
/// mutable handle, which is not supported.
macro_rules! record {
    ($($(#[$meta:meta])* fn $name:ident($queue:ident $(, $arg:ident: $ty:ty)* $(,)?) $body:block)*) => {$(
        $(#[$meta])*
        #[allow(unused_unsafe, non_snake_case, clippy::too_many_arguments)]
        pub(crate) unsafe extern "C" fn $name(
            command_buffer: cl_command_buffer_khr,
            command_queue: cl_command_queue,
            $($arg: $ty,)*
            num_sync_points_in_wait_list: cl_uint,
            sync_point_wait_list: *const cl_sync_point_khr,
            sync_point: *mut cl_sync_point_khr,
            mutable_handle: *mut cl_mutable_command_khr,
        ) -> cl_int {
            // SAFETY: as for functions that return a status code.
            $crate::error::status($crate::error::guard(|| unsafe {
                let buffer = handle::get::<CommandBuffer>(command_buffer)?;
                ensure(command_queue.is_null(), CL_INVALID_COMMAND_QUEUE)?;
                ensure(mutable_handle.is_null(), CL_INVALID_VALUE)?;
                let points = num_sync_points_in_wait_list as usize;
                let points = raw::agreed(points, sync_point_wait_list, CL_INVALID_SYNC_POINT_WAIT_LIST_KHR)?;
                let $queue = &buffer.queue;
                let task: Task = $body?;
                raw::put(sync_point, buffer.record(task, points)?);
                Ok(())
            }))
        }
    )*};
}

/// Defines both functions of a command from the same parameters.
macro_rules! task {
    ($(fn $enqueue:ident, $record:ident($queue:ident $(, $arg:ident: $ty:ty)* $(,)?) $body:block)*) => {$(
        enqueue! {
            fn $enqueue($queue, list $(, $arg: $ty)*) {
                let $queue = &$queue;
                let task: Task = $body?;
                submission($queue, &list, CL_FALSE).put(task)
            }
        }

        record! { fn $record($queue $(, $arg: $ty)*) $body }
    )*};
}

task! {
    fn clEnqueueCopyBuffer, clCommandCopyBufferKHR(
        queue,
        src: cl_mem,
        dst: cl_mem,
        src_offset: usize,
        dst_offset: usize,
        size: usize,
    ) {
        transfer::copy_buffer(queue, (&mem(src)?, &mem(dst)?), (src_offset, dst_offset, size))
    }

    fn clEnqueueCopyBufferRect, clCommandCopyBufferRectKHR(
        queue,
        src: cl_mem,
        dst: cl_mem,
        src_origin: *const usize,
        dst_origin: *const usize,
        region: *const usize,
        src_row_pitch: usize,
        src_slice_pitch: usize,
        dst_row_pitch: usize,
        dst_slice_pitch: usize,
    ) {
        let from = corner(src_origin, src_row_pitch, src_slice_pitch)?;
        let to = corner(dst_origin, dst_row_pitch, dst_slice_pitch)?;
        transfer::copy_buffer_box(queue, (&mem(src)?, &mem(dst)?), (from, to), three(region)?)
    }

    fn clEnqueueFillBuffer, clCommandFillBufferKHR(
        queue,
        buffer: cl_mem,
        pattern: *const c_void,
        pattern_size: usize,
        offset: usize,
        size: usize,
    ) {
        ensure(!pattern.is_null() && (1..=128).contains(&pattern_size), CL_INVALID_VALUE)?;
        let pattern = raw::list(pattern_size, pattern.cast::<u8>());
        transfer::fill_buffer(queue, &mem(buffer)?, pattern, (offset, size))
    }

    fn clEnqueueFillImage, clCommandFillImageKHR(
        queue,
        image: cl_mem,
        fill_color: *const c_void,
        origin: *const usize,
        region: *const usize,
    ) {
        let colour = raw::get::<[u32; 4]>(fill_color.cast()).ok_or(Code(CL_INVALID_VALUE))?;
        transfer::fill_image(queue, &mem(image)?, colour, (three(origin)?, three(region)?))
    }

    fn clEnqueueCopyImage, clCommandCopyImageKHR(
        queue,
        src: cl_mem,
        dst: cl_mem,
        src_origin: *const usize,
        dst_origin: *const usize,
        region: *const usize,
    ) {
        let origins = (three(src_origin)?, three(dst_origin)?);
        transfer::copy_image(queue, CL_COMMAND_COPY_IMAGE, (&mem(src)?, &mem(dst)?), origins, three(region)?)
    }

    fn clEnqueueCopyImageToBuffer, clCommandCopyImageToBufferKHR(
        queue,
        src: cl_mem,
        dst: cl_mem,
        src_origin: *const usize,
        region: *const usize,
        dst_offset: usize,
    ) {
        let origins = (three(src_origin)?, [dst_offset, 0, 0]);
        transfer::copy_image(queue, CL_COMMAND_COPY_IMAGE_TO_BUFFER, (&mem(src)?, &mem(dst)?), origins, three(region)?)
    }

    fn clEnqueueCopyBufferToImage, clCommandCopyBufferToImageKHR(
        queue,
        src: cl_mem,
        dst: cl_mem,
        src_offset: usize,
        dst_origin: *const usize,
        region: *const usize,
    ) {
        let origins = ([src_offset, 0, 0], three(dst_origin)?);
        transfer::copy_image(queue, CL_COMMAND_COPY_BUFFER_TO_IMAGE, (&mem(src)?, &mem(dst)?), origins, three(region)?)
    }
}

/// Creates the task that launches a kernel.
///
/// # Safety
/// The sizes are null or have `work_dim` elements.
unsafe fn launch(
    queue: &Handle<Queue>,
    kernel: cl_kernel,
    work_dim: cl_uint,
    offset: *const usize,
    global: *const usize,
    local: *const usize,
) -> Result<Task> {
    let kernel = handle::get::<Kernel>(kernel)?;
    ensure((1..=3).contains(&work_dim), CL_INVALID_WORK_DIMENSION)?;
    // SAFETY: the caller guarantees the number of elements.
    let sizes = |first: *const usize| (!first.is_null()).then(|| unsafe { raw::list(work_dim as usize, first) });
    let nothing = [0; 3];
    let global = sizes(global).unwrap_or(&nothing[..work_dim as usize]);
    launch::task(queue, &kernel, CL_COMMAND_NDRANGE_KERNEL, global, sizes(local), sizes(offset))
}

enqueue! {
    fn clEnqueueNDRangeKernel(
        queue, list,
        kernel: cl_kernel,
        work_dim: cl_uint,
        global_work_offset: *const usize,
        global_work_size: *const usize,
        local_work_size: *const usize,
    ) {
        let task = launch(&queue, kernel, work_dim, global_work_offset, global_work_size, local_work_size)?;
        submission(&queue, &list, CL_FALSE).put(task)
    }

    fn clEnqueueTask(queue, list, kernel: cl_kernel) {
        let task = launch::task(&queue, &handle::get(kernel)?, CL_COMMAND_TASK, &[1], Some(&[1]), None)?;
        submission(&queue, &list, CL_FALSE).put(task)
    }
}

record! {
    fn clCommandNDRangeKernelKHR(
        queue,
        properties: *const cl_properties,
        kernel: cl_kernel,
        work_dim: cl_uint,
        global_work_offset: *const usize,
        global_work_size: *const usize,
        local_work_size: *const usize,
    ) {
        ensure(raw::until_zero(properties, 2).is_empty(), CL_INVALID_VALUE)?;
        launch(queue, kernel, work_dim, global_work_offset, global_work_size, local_work_size)
    }

    /// A recorded command always waits for the commands before it.
    fn clCommandBarrierWithWaitListKHR(_queue) {
        Ok(Task::new(CL_COMMAND_BARRIER, || Ok(())))
    }
}

object! {
    fn clCreateCommandBufferKHR(
        num_queues: cl_uint,
        queues: *const cl_command_queue,
        properties: *const cl_command_buffer_properties_khr,
    ) -> cl_command_buffer_khr {
        ensure(num_queues == 1 && !queues.is_null(), CL_INVALID_VALUE)?;
        let queues = handle::get_all(raw::list(num_queues as usize, queues))?;
        Ok(handle::give(recording::create(&queues, raw::properties(properties))?))
    }
}

status! {
    fn clFinalizeCommandBufferKHR(command_buffer: cl_command_buffer_khr) {
        handle::get::<CommandBuffer>(command_buffer)?.finalize()
    }

    fn clRetainCommandBufferKHR(command_buffer: cl_command_buffer_khr) {
        handle::retain::<CommandBuffer>(command_buffer)
    }

    fn clReleaseCommandBufferKHR(command_buffer: cl_command_buffer_khr) {
        handle::release::<CommandBuffer>(command_buffer)
    }

    fn clEnqueueCommandBufferKHR(
        num_queues: cl_uint,
        queues: *const cl_command_queue,
        command_buffer: cl_command_buffer_khr,
        num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event,
        event: *mut cl_event,
    ) {
        let buffer = handle::get(command_buffer)?;
        let queues = handle::get_all(raw::agreed(num_queues as usize, queues, CL_INVALID_VALUE)?)?;
        let list = super::events(num_events_in_wait_list, event_wait_list)?;
        super::emit(event, recording::enqueue(&buffer, &queues, &list)?);
        Ok(())
    }

    fn clGetCommandBufferInfoKHR(
        command_buffer: cl_command_buffer_khr,
        name: cl_command_buffer_info_khr,
        size: usize,
        value: *mut c_void,
        size_ret: *mut usize,
    ) {
        recording::info(&handle::get(command_buffer)?, Answer::new(name, size, value, size_ret))
    }
}
