//! Entry points of commands that can be enqueued or recorded in a command buffer. Each command has
//! one entry point for each way.

use std::ffi::c_void;

use opencl_sys::*;

use crate::api::commands::{corner, mem, submission};
use crate::api::entry::{WaitList, emit, enqueue, object, query, status};
use crate::api::program::check_exec_info;
use crate::api::shared;
use crate::base::error::{Code, Result, ensure, fail};
use crate::base::handle::{self, Handle};
use crate::base::raw::{Caller, In, Out, Three, Untyped, ZeroEnded};
use crate::commands::launch;
use crate::commands::mutable::{self, Change, Mutable, Sizes};
use crate::commands::recording::{self, CommandBuffer};
use crate::commands::transfer;
use crate::programs::kernel::Kernel;
use crate::queues::schedule::Task;

/// Returns the command buffer of a recording function, whose queue must be null.
fn recorder(buffer: cl_command_buffer_khr, queue: cl_command_queue) -> Result<Handle<CommandBuffer>> {
    let buffer = handle::get::<CommandBuffer>(buffer)?;
    ensure(queue.is_null(), CL_INVALID_COMMAND_QUEUE)?;
    Ok(buffer)
}

/// Returns the sync points that a command waits for.
///
/// # Safety
/// `first` is null or points to `count` sync points until the call returns.
unsafe fn agreed_points<'a>(count: cl_uint, first: In<cl_sync_point_khr>) -> Result<&'a [cl_sync_point_khr]> {
    // SAFETY: guaranteed by the caller.
    unsafe { first.agreed(count as usize, Code(CL_INVALID_SYNC_POINT_WAIT_LIST_KHR)) }
}

/// Reads a size per dimension; `None` for a null pointer.
///
/// # Safety
/// `first` is null or points to `count` sizes.
unsafe fn sides(first: In<usize>, count: usize, code: cl_int) -> Result<Option<Vec<usize>>> {
    // SAFETY: guaranteed by the caller.
    let sides = unsafe { first.list(count) }.or(fail(code))?;
    Ok((!first.is_null()).then(|| sides.to_vec()))
}

/// Defines functions that record a command. The first parameters are the command buffer, a null
/// queue, and properties, none of which is supported. The last ones are the sync points to wait
/// for, the place for the own sync point, and a mutable handle, which is not supported.
macro_rules! record {
    ($($(#[$meta:meta])* fn $name:ident($queue:ident $(, $arg:ident: $ty:ty)* $(,)?) $body:block)*) => {$(
        $(#[$meta])*
        #[allow(non_snake_case, clippy::too_many_arguments)]
        pub(crate) unsafe extern "C" fn $name(
            command_buffer: cl_command_buffer_khr,
            command_queue: cl_command_queue,
            properties: *const cl_properties,
            $($arg: <$ty as $crate::base::raw::Caller>::Raw,)*
            num_sync_points_in_wait_list: cl_uint,
            sync_point_wait_list: *const cl_sync_point_khr,
            sync_point: *mut cl_sync_point_khr,
            mutable_handle: *mut cl_mutable_command_khr,
        ) -> cl_int {
            // SAFETY: the program obeys the contract of the call.
            let ($($arg,)* properties, points, sync_point) = unsafe {
                let properties: In<cl_properties> = $crate::base::raw::Caller::of(properties);
                let points: In<cl_sync_point_khr> = $crate::base::raw::Caller::of(sync_point_wait_list);
                let sync_point: Out<cl_sync_point_khr> = $crate::base::raw::Caller::of(sync_point);
                ($(<$ty as $crate::base::raw::Caller>::of($arg),)* properties, points, sync_point)
            };
            $crate::base::error::status($crate::base::error::guard(|| {
                let buffer = recorder(command_buffer, command_queue)?;
                ensure(mutable_handle.is_null() && properties.get().unwrap_or(0) == 0, CL_INVALID_VALUE)?;
                // SAFETY: the list has as many points as its count says.
                let points = unsafe { agreed_points(num_sync_points_in_wait_list, points)? };
                let $queue = &buffer.queue;
                let task: $crate::base::error::Result<Task> = $body;
                let task = task?;
                sync_point.put(buffer.record(task, points)?);
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
                let task: $crate::base::error::Result<Task> = $body;
                let task = task?;
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
        src_origin: Three,
        dst_origin: Three,
        region: Three,
        src_row_pitch: usize,
        src_slice_pitch: usize,
        dst_row_pitch: usize,
        dst_slice_pitch: usize,
    ) {
        let from = corner(src_origin, src_row_pitch, src_slice_pitch)?;
        let to = corner(dst_origin, dst_row_pitch, dst_slice_pitch)?;
        transfer::copy_buffer_box(queue, (&mem(src)?, &mem(dst)?), (from, to), region.get()?)
    }

    fn clEnqueueFillBuffer, clCommandFillBufferKHR(
        queue,
        buffer: cl_mem,
        pattern: In<c_void>,
        pattern_size: usize,
        offset: usize,
        size: usize,
    ) {
        ensure(!pattern.is_null() && (1..=128).contains(&pattern_size), CL_INVALID_VALUE)?;
        // SAFETY: the pattern has as many bytes as its size says.
        let pattern = unsafe { pattern.bytes(pattern_size) };
        transfer::fill_buffer(queue, &mem(buffer)?, pattern, (offset, size))
    }

    fn clEnqueueSVMMemFill, clCommandSVMMemFillKHR(
        queue,
        ptr: *mut c_void,
        pattern: In<c_void>,
        pattern_size: usize,
        size: usize,
    ) {
        shared::fill(queue, CL_COMMAND_SVM_MEMFILL, ptr as usize, shared::pattern_of(pattern, pattern_size)?, size)
    }

    fn clEnqueueFillImage, clCommandFillImageKHR(
        queue,
        image: cl_mem,
        fill_color: Untyped<[u32; 4]>,
        origin: Three,
        region: Three,
    ) {
        let colour = fill_color.get().ok_or(Code(CL_INVALID_VALUE))?;
        transfer::fill_image(queue, &mem(image)?, colour, (origin.get()?, region.get()?))
    }

    fn clEnqueueCopyImage, clCommandCopyImageKHR(
        queue,
        src: cl_mem,
        dst: cl_mem,
        src_origin: Three,
        dst_origin: Three,
        region: Three,
    ) {
        let origins = (src_origin.get()?, dst_origin.get()?);
        transfer::copy_image(queue, CL_COMMAND_COPY_IMAGE, (&mem(src)?, &mem(dst)?), origins, region.get()?)
    }

    fn clEnqueueCopyImageToBuffer, clCommandCopyImageToBufferKHR(
        queue,
        src: cl_mem,
        dst: cl_mem,
        src_origin: Three,
        region: Three,
        dst_offset: usize,
    ) {
        let origins = (src_origin.get()?, [dst_offset, 0, 0]);
        transfer::copy_image(queue, CL_COMMAND_COPY_IMAGE_TO_BUFFER, (&mem(src)?, &mem(dst)?), origins, region.get()?)
    }

    fn clEnqueueCopyBufferToImage, clCommandCopyBufferToImageKHR(
        queue,
        src: cl_mem,
        dst: cl_mem,
        src_offset: usize,
        dst_origin: Three,
        region: Three,
    ) {
        let origins = ([src_offset, 0, 0], dst_origin.get()?);
        transfer::copy_image(queue, CL_COMMAND_COPY_BUFFER_TO_IMAGE, (&mem(src)?, &mem(dst)?), origins, region.get()?)
    }
}

/// Sizes of a launch as the program passes them: null, or pointers to one size per dimension.
struct Given {
    offset: In<usize>,
    global: In<usize>,
    local: In<usize>,
}

impl Given {
    /// Reads the sizes. An absent global size is 0.
    ///
    /// # Safety
    /// The sizes are null or have `work_dim` elements.
    unsafe fn sizes(&self, work_dim: cl_uint) -> Result<Sizes> {
        ensure((1..=3).contains(&work_dim), CL_INVALID_WORK_DIMENSION)?;
        // SAFETY: the caller guarantees the elements.
        let list = |first, code| unsafe { sides(first, work_dim as usize, code) };
        let global = list(self.global, CL_INVALID_GLOBAL_WORK_SIZE)?;
        Ok(Sizes {
            global: global.unwrap_or_else(|| vec![0; work_dim as usize]),
            local: list(self.local, CL_INVALID_WORK_GROUP_SIZE)?,
            offset: list(self.offset, CL_INVALID_GLOBAL_OFFSET)?,
        })
    }
}

enqueue! {
    fn clEnqueueNDRangeKernel(
        queue, list,
        kernel: cl_kernel,
        work_dim: cl_uint,
        global_work_offset: In<usize>,
        global_work_size: In<usize>,
        local_work_size: In<usize>,
    ) {
        let kernel = handle::get::<Kernel>(kernel)?;
        let given = Given { offset: global_work_offset, global: global_work_size, local: local_work_size };
        // SAFETY: the sizes are null, or have one element per dimension.
        let Sizes { global, local, offset } = unsafe { given.sizes(work_dim)? };
        let kind = CL_COMMAND_NDRANGE_KERNEL;
        let task = launch::task(&queue, &kernel, kind, &global, local.as_deref(), offset.as_deref())?;
        submission(&queue, &list, CL_FALSE).put(task)
    }

    fn clEnqueueTask(queue, list, kernel: cl_kernel) {
        let task = launch::task(&queue, &handle::get(kernel)?, CL_COMMAND_TASK, &[1], Some(&[1]), None)?;
        submission(&queue, &list, CL_FALSE).put(task)
    }
}

record! {
    fn clCommandSVMMemcpyKHR(queue, dst: *mut c_void, src: *const c_void, size: usize) {
        shared::copy(queue, CL_COMMAND_SVM_MEMCPY, dst as usize, src as usize, size)
    }

    /// A recorded command always waits for the commands before it.
    fn clCommandBarrierWithWaitListKHR(_queue) {
        Ok(Task::new(CL_COMMAND_BARRIER, || Ok(())))
    }
}

object! {
    fn clCreateCommandBufferKHR(
        num_queues: cl_uint,
        queues: In<cl_command_queue>,
        properties: ZeroEnded<cl_command_buffer_properties_khr>,
    ) -> cl_command_buffer_khr {
        ensure(num_queues == 1 && !queues.is_null(), CL_INVALID_VALUE)?;
        // SAFETY: the list has as many queues as its count says.
        let queues = handle::get_all(unsafe { queues.list(num_queues as usize)? })?;
        Ok(handle::give(recording::create(&queues, &properties.properties()?)?))
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
        queues: In<cl_command_queue>,
        command_buffer: cl_command_buffer_khr,
        num_events_in_wait_list: cl_uint,
        event_wait_list: In<cl_event>,
        event: Out<cl_event>,
    ) {
        let buffer = handle::get(command_buffer)?;
        // SAFETY: the list has as many queues as its count says.
        let queues = handle::get_all(unsafe { queues.agreed(num_queues as usize, Code(CL_INVALID_VALUE))? })?;
        // SAFETY: the list has as many events as its count says.
        let list = unsafe { WaitList::new(num_events_in_wait_list, event_wait_list) }.events()?;
        emit(event, recording::enqueue(&buffer, &queues, &list)?);
        Ok(())
    }
}

/// Reads the changes of a command.
///
/// # Safety
/// The lists of the configuration have as many elements as their counts say, and values as many
/// bytes as their sizes say.
unsafe fn change<'a>(config: &cl_mutable_dispatch_config_khr) -> Result<Change<'a>> {
    let command = handle::get::<Mutable>(config.command)?;
    let dimensions = command.dispatch().sizes.global.len();
    // SAFETY: guaranteed by the caller.
    let (arguments, addresses, infos) = unsafe {
        let list = |first, count: cl_uint| In::of(first).agreed(count as usize, Code(CL_INVALID_VALUE));
        let infos: In<cl_mutable_dispatch_exec_info_khr> = In::of(config.exec_info_list);
        let infos = infos.agreed(config.num_exec_infos as usize, Code(CL_INVALID_VALUE))?;
        (list(config.arg_list, config.num_args)?, list(config.arg_svm_list, config.num_svm_args)?, infos)
    };
    for info in infos {
        // SAFETY: guaranteed by the caller.
        unsafe { check_exec_info(info.param_name, info.param_value_size, In::of(info.param_value))? };
    }
    let bytes = |argument: &cl_mutable_dispatch_arg_khr| {
        // SAFETY: guaranteed by the caller.
        let value: In<c_void> = unsafe { In::of(argument.arg_value) };
        // SAFETY: guaranteed by the caller.
        let bytes = (!value.is_null()).then(|| unsafe { value.bytes(argument.arg_size) });
        (argument.arg_index, argument.arg_size, bytes)
    };
    // SAFETY: guaranteed by the caller.
    let sides = |first| unsafe { sides(In::of(first), dimensions, CL_INVALID_VALUE) };
    Ok(Change {
        command,
        dimensions: config.work_dim as usize,
        arguments: arguments.iter().map(bytes).collect(),
        addresses: addresses.iter().map(|argument| (argument.arg_index, argument.arg_value as u64)).collect(),
        has_infos: !infos.is_empty(),
        global: sides(config.global_work_size)?,
        local: sides(config.local_work_size)?,
        offset: sides(config.global_work_offset)?,
    })
}

status! {
    fn clCommandNDRangeKernelKHR(
        command_buffer: cl_command_buffer_khr,
        command_queue: cl_command_queue,
        properties: ZeroEnded<cl_command_properties_khr>,
        kernel: cl_kernel,
        work_dim: cl_uint,
        global_work_offset: In<usize>,
        global_work_size: In<usize>,
        local_work_size: In<usize>,
        num_sync_points_in_wait_list: cl_uint,
        sync_point_wait_list: In<cl_sync_point_khr>,
        sync_point: Out<cl_sync_point_khr>,
        mutable_handle: Out<cl_mutable_command_khr>,
    ) {
        let buffer = recorder(command_buffer, command_queue)?;
        // SAFETY: the list has as many points as its count says.
        let points = unsafe { agreed_points(num_sync_points_in_wait_list, sync_point_wait_list)? };
        let kernel = handle::get::<Kernel>(kernel)?;
        let given = Given { offset: global_work_offset, global: global_work_size, local: local_work_size };
        // SAFETY: the sizes are null, or have one element per dimension.
        let sizes = unsafe { given.sizes(work_dim)? };
        let (properties, is_asked) = (properties.properties()?, !mutable_handle.is_null());
        let (point, command) = recording::launch(&buffer, &kernel, sizes, properties, points, is_asked)?;
        sync_point.put(point);
        if let Some(command) = command {
            mutable_handle.put(handle::address(&command));
        }
        Ok(())
    }

    fn clUpdateMutableCommandsKHR(
        command_buffer: cl_command_buffer_khr,
        num_configs: cl_uint,
        config_types: In<cl_command_buffer_update_type_khr>,
        configs: In<*const c_void>,
    ) {
        let buffer = handle::get::<CommandBuffer>(command_buffer)?;
        let count = num_configs as usize;
        // SAFETY: the lists have as many elements as their count says.
        let (kinds, configs) =
            unsafe { (config_types.agreed(count, Code(CL_INVALID_VALUE))?, configs.agreed(count, Code(CL_INVALID_VALUE))?) };
        let known = |kind: &cl_command_buffer_update_type_khr| *kind == CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR;
        ensure(kinds.iter().all(known), CL_INVALID_VALUE)?;
        let read = |config: &*const c_void| {
            // SAFETY: its type says that it is such a configuration.
            let config = unsafe { In::of(config.cast::<cl_mutable_dispatch_config_khr>()) };
            // SAFETY: the program obeys the contract of the configuration.
            unsafe { change(&config.get().ok_or(Code(CL_INVALID_VALUE))?) }
        };
        recording::update(&buffer, &configs.iter().map(read).collect::<Result<Vec<_>>>()?)
    }
}

query! {
    fn clGetMutableCommandInfoKHR(command: cl_mutable_command_khr; answer) {
        mutable::info(&handle::get(command)?, answer)
    }

    fn clGetCommandBufferInfoKHR(command_buffer: cl_command_buffer_khr; answer) {
        recording::info(&handle::get(command_buffer)?, answer)
    }
}
