//! Entry points of platform, devices, contexts, queues, events and samplers.

use std::ffi::c_void;

use opencl_sys::*;
use visakit_runtime::base::clock::now;

use crate::api::entry::{object, query, status};
use crate::base::error::{Code, ensure, fail};
use crate::base::handle::{self, address};
use crate::base::raw::{In, Out, ZeroEnded};
use crate::devices::answers;
use crate::devices::context::{self, Context, Destructor, Report};
use crate::devices::device::{self, Device};
use crate::devices::platform;
use crate::memory::sampler::{self, Sampler};
use crate::queues::event::{self, Event, Notify};
use crate::queues::queue::{self, Queue};

status! {
    fn clGetPlatformIDs(num_entries: cl_uint, platforms: Out<cl_platform_id>, num_platforms: Out<cl_uint>) {
        crate::base::error::check_room(crate::base::error::ROOM)?;
        ensure(!platforms.is_null() || !num_platforms.is_null(), CL_INVALID_VALUE)?;
        ensure(platforms.is_null() || num_entries > 0, CL_INVALID_VALUE)?;
        num_platforms.put(1);
        // SAFETY: the list has room for as many elements as its count says.
        Ok(unsafe { platforms.put_list(num_entries as usize, [address(platform::the())]) }?)
    }

    fn clUnloadPlatformCompiler(platform: cl_platform_id) {
        ensure(!platform.is_null(), CL_INVALID_PLATFORM)?;
        platform::check(platform)
    }

    fn clUnloadCompiler() {
        Ok(())
    }

    fn clGetDeviceIDs(
        platform: cl_platform_id,
        device_type: cl_device_type,
        num_entries: cl_uint,
        devices: Out<cl_device_id>,
        num_devices: Out<cl_uint>,
    ) {
        platform::check(platform)?;
        ensure(!devices.is_null() || !num_devices.is_null(), CL_INVALID_VALUE)?;
        ensure(devices.is_null() || num_entries > 0, CL_INVALID_VALUE)?;
        let found: Vec<_> = platform::devices(device_type)?.iter().map(address).collect();
        num_devices.put(found.len() as cl_uint);
        // SAFETY: the list has room for as many elements as its count says.
        Ok(unsafe { devices.put_list(num_entries as usize, found) }?)
    }

    fn clCreateSubDevices(
        in_device: cl_device_id,
        properties: ZeroEnded<cl_device_partition_property>,
        num_devices: cl_uint,
        out_devices: Out<cl_device_id>,
        num_devices_ret: Out<cl_uint>,
    ) {
        let device = handle::get::<Device>(in_device)?;
        ensure(!properties.is_null(), CL_INVALID_VALUE)?;
        // The zero that ends the list is part of the properties.
        let parts = device::divide(&device, &properties.with_zero(1)?)?;
        ensure(out_devices.is_null() || num_devices as usize >= parts.len(), CL_INVALID_VALUE)?;
        num_devices_ret.put(parts.len() as cl_uint);
        if out_devices.is_null() {
            return Ok(());
        }
        // SAFETY: the list has room for as many elements as its count says.
        Ok(unsafe { out_devices.put_list(num_devices as usize, parts.into_iter().map(handle::give)) }?)
    }

    fn clRetainDevice(device: cl_device_id) {
        device::hold(device, handle::retain::<Device>)
    }

    fn clReleaseDevice(device: cl_device_id) {
        device::hold(device, handle::release::<Device>)
    }

    fn clGetDeviceAndHostTimer(device: cl_device_id, device_timestamp: Out<cl_ulong>, host_timestamp: Out<cl_ulong>) {
        handle::get::<Device>(device)?;
        ensure(!device_timestamp.is_null() && !host_timestamp.is_null(), CL_INVALID_VALUE)?;
        let now = now();
        device_timestamp.put(now);
        host_timestamp.put(now);
        Ok(())
    }

    fn clGetHostTimer(device: cl_device_id, host_timestamp: Out<cl_ulong>) {
        handle::get::<Device>(device)?;
        ensure(!host_timestamp.is_null(), CL_INVALID_VALUE)?;
        host_timestamp.put(now());
        Ok(())
    }

    fn clRetainContext(context: cl_context) {
        handle::retain::<Context>(context)
    }

    fn clReleaseContext(context: cl_context) {
        handle::release::<Context>(context)
    }

    fn clSetContextDestructorCallback(context: cl_context, pfn_notify: Option<Destructor>, user_data: *mut c_void) {
        let context = handle::get::<Context>(context)?;
        context.on_destruction(pfn_notify.ok_or(Code(CL_INVALID_VALUE))?, user_data);
        Ok(())
    }

    fn clRetainCommandQueue(command_queue: cl_command_queue) {
        handle::retain::<Queue>(command_queue)
    }

    fn clReleaseCommandQueue(command_queue: cl_command_queue) {
        handle::release::<Queue>(command_queue)
    }

    /// The properties of a queue cannot be changed.
    fn clSetCommandQueueProperty(
        command_queue: cl_command_queue,
        _properties: cl_command_queue_properties,
        _enable: cl_bool,
        _old_properties: *mut cl_command_queue_properties,
    ) {
        handle::get::<Queue>(command_queue)?;
        fail(CL_INVALID_OPERATION)
    }

    /// Queues on devices are not supported.
    fn clSetDefaultDeviceCommandQueue(context: cl_context, device: cl_device_id, _command_queue: cl_command_queue) {
        handle::get::<Context>(context)?;
        handle::get::<Device>(device)?;
        fail(CL_INVALID_OPERATION)
    }

    /// Commands start as soon as possible, so a flush does nothing.
    fn clFlush(command_queue: cl_command_queue) {
        handle::get::<Queue>(command_queue).map(drop)
    }

    fn clFinish(command_queue: cl_command_queue) {
        handle::get::<Queue>(command_queue)?.finish()
    }

    fn clWaitForEvents(num_events: cl_uint, event_list: In<cl_event>) {
        ensure(num_events > 0 && !event_list.is_null(), CL_INVALID_VALUE)?;
        // SAFETY: the list has as many events as its count says.
        event::wait_for(&handle::get_all(unsafe { event_list.list(num_events as usize)? })?)
    }

    fn clRetainEvent(event: cl_event) {
        handle::retain::<Event>(event)
    }

    fn clReleaseEvent(event: cl_event) {
        handle::release::<Event>(event)
    }

    fn clSetUserEventStatus(event: cl_event, execution_status: cl_int) {
        event::set_user_status(&handle::get(event)?, execution_status)
    }

    fn clSetEventCallback(event: cl_event, callback_type: cl_int, pfn_notify: Option<Notify>, user_data: *mut c_void) {
        event::set_callback(&handle::get(event)?, callback_type, pfn_notify, user_data)
    }

    fn clRetainSampler(sampler: cl_sampler) {
        handle::retain::<Sampler>(sampler)
    }

    fn clReleaseSampler(sampler: cl_sampler) {
        handle::release::<Sampler>(sampler)
    }
}

object! {
    fn clCreateContext(
        properties: ZeroEnded<cl_context_properties>,
        num_devices: cl_uint,
        devices: In<cl_device_id>,
        pfn_notify: Option<Report>,
        user_data: *mut c_void,
    ) -> cl_context {
        ensure(num_devices > 0 && !devices.is_null(), CL_INVALID_VALUE)?;
        ensure(pfn_notify.is_some() || user_data.is_null(), CL_INVALID_VALUE)?;
        // SAFETY: the list has as many devices as its count says.
        let devices = handle::get_all(unsafe { devices.list(num_devices as usize)? })?;
        Ok(handle::give(context::create(devices, &properties.properties()?)?))
    }

    fn clCreateContextFromType(
        properties: ZeroEnded<cl_context_properties>,
        device_type: cl_device_type,
        pfn_notify: Option<Report>,
        user_data: *mut c_void,
    ) -> cl_context {
        ensure(pfn_notify.is_some() || user_data.is_null(), CL_INVALID_VALUE)?;
        let devices = platform::devices(device_type)?;
        Ok(handle::give(context::create(devices, &properties.properties()?)?))
    }

    fn clCreateCommandQueue(
        context: cl_context,
        device: cl_device_id,
        properties: cl_command_queue_properties,
    ) -> cl_command_queue {
        let (context, device) = (handle::get(context)?, handle::get(device)?);
        let known = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE;
        ensure(properties & !known == 0, CL_INVALID_VALUE)?;
        let list = [cl_queue_properties::from(CL_QUEUE_PROPERTIES), properties];
        Ok(handle::give(queue::create(&context, &device, &list, &[])?))
    }

    fn clCreateCommandQueueWithProperties(
        context: cl_context,
        device: cl_device_id,
        properties: ZeroEnded<cl_queue_properties>,
    ) -> cl_command_queue {
        let (context, device) = (handle::get(context)?, handle::get(device)?);
        let given = &properties.properties()?;
        Ok(handle::give(queue::create(&context, &device, given, given)?))
    }

    fn clCreateUserEvent(context: cl_context) -> cl_event {
        Ok(event::user(&handle::get(context)?))
    }

    fn clCreateSampler(
        context: cl_context,
        normalized_coords: cl_bool,
        addressing_mode: cl_addressing_mode,
        filter_mode: cl_filter_mode,
    ) -> cl_sampler {
        let list = [
            (CL_SAMPLER_NORMALIZED_COORDS, normalized_coords),
            (CL_SAMPLER_ADDRESSING_MODE, addressing_mode),
            (CL_SAMPLER_FILTER_MODE, filter_mode),
        ];
        let list: Vec<_> = list.iter().flat_map(|&(key, value)| [u64::from(key), u64::from(value)]).collect();
        Ok(handle::give(sampler::create(&handle::get(context)?, &list, &[])?))
    }

    fn clCreateSamplerWithProperties(context: cl_context, properties: ZeroEnded<cl_sampler_properties>) -> cl_sampler {
        let given = &properties.properties()?;
        Ok(handle::give(sampler::create(&handle::get(context)?, given, given)?))
    }
}

query! {
    fn clGetPlatformInfo(platform: cl_platform_id; answer) {
        platform::check(platform)?;
        platform::info(answer)
    }

    fn clGetDeviceInfo(device: cl_device_id; answer) {
        answers::info(&handle::get(device)?, handle::address(platform::the()), answer)
    }

    fn clGetContextInfo(context: cl_context; answer) {
        context::info(&handle::get(context)?, answer)
    }

    fn clGetCommandQueueInfo(command_queue: cl_command_queue; answer) {
        queue::info(&handle::get(command_queue)?, answer)
    }

    fn clGetEventInfo(event: cl_event; answer) {
        event::info(&handle::get(event)?, answer)
    }

    fn clGetEventProfilingInfo(event: cl_event; answer) {
        event::profile(&handle::get(event)?, answer)
    }

    fn clGetSamplerInfo(sampler: cl_sampler; answer) {
        sampler::info(&handle::get(sampler)?, answer)
    }
}
