//! Entry points of programs and kernels.

use std::ffi::{c_char, c_void};

use opencl_sys::*;

use super::{object, status};
use crate::context::Context;
use crate::device::Device;
use crate::error::{Result, ensure, fail};
use crate::handle::{self, Handle};
use crate::kernel::{self, Argument, Kernel};
use crate::launch;
use crate::program::{self, Notify, Program};
use crate::queue::Queue;
use crate::raw::{self, Answer};

/// Returns the devices of a list; a null list is empty.
///
/// # Safety
/// `first` is null or points to `count` handles.
unsafe fn devices(count: cl_uint, first: *const cl_device_id) -> Result<Vec<Handle<Device>>> {
    // SAFETY: guaranteed by the caller.
    handle::get_all(unsafe { raw::agreed(count as usize, first, CL_INVALID_VALUE)? })
}

/// Checks that callback data have a callback.
fn check_notify(notify: Option<Notify>, data: *mut c_void) -> Result {
    ensure(notify.is_some() || data.is_null(), CL_INVALID_VALUE)
}

object! {
    fn clCreateProgramWithSource(
        context: cl_context,
        count: cl_uint,
        strings: *mut *const c_char,
        lengths: *const usize,
    ) -> cl_program {
        let context = handle::get(context)?;
        ensure(count > 0 && !strings.is_null(), CL_INVALID_VALUE)?;
        let mut text = Vec::new();
        let lengths = raw::list(count as usize, lengths);
        for (n, &string) in raw::list(count as usize, strings.cast_const()).iter().enumerate() {
            ensure(!string.is_null(), CL_INVALID_VALUE)?;
            match lengths.get(n) {
                Some(&length) if length > 0 => text.extend_from_slice(raw::list(length, string.cast::<u8>())),
                _ => text.extend_from_slice(std::ffi::CStr::from_ptr(string).to_bytes()),
            }
        }
        Ok(handle::give(program::of_text(&context, text)))
    }

    fn clCreateProgramWithIL(context: cl_context, il: *const c_void, length: usize) -> cl_program {
        let context = handle::get(context)?;
        ensure(!il.is_null() && length > 0, CL_INVALID_VALUE)?;
        Ok(handle::give(program::of_intermediate(&context, raw::list(length, il.cast::<u8>()))?))
    }

    fn clCreateProgramWithBinary(
        context: cl_context,
        num_devices: cl_uint,
        device_list: *const cl_device_id,
        lengths: *const usize,
        binaries: *mut *const u8,
        binary_status: *mut cl_int,
    ) -> cl_program {
        let context = handle::get(context)?;
        let count = num_devices as usize;
        let given = [device_list.is_null(), lengths.is_null(), binaries.is_null()];
        ensure(count > 0 && !given.contains(&true), CL_INVALID_VALUE)?;
        let devices = handle::get_all(raw::list(count, device_list))?;
        let sizes = raw::list(count, lengths);
        let files: Vec<&[u8]> =
            raw::list(count, binaries.cast_const()).iter().zip(sizes).map(|(&first, &size)| raw::list(size, first)).collect();
        let say = |n: usize, code| {
            if !binary_status.is_null() {
                raw::put(binary_status.add(n), code);
            }
        };
        Ok(handle::give(program::of_binaries(&context, devices, &files, say)?))
    }

    /// The devices have no built-in kernels.
    fn clCreateProgramWithBuiltInKernels(
        context: cl_context,
        num_devices: cl_uint,
        device_list: *const cl_device_id,
        kernel_names: *const c_char,
    ) -> cl_program {
        handle::get::<Context>(context)?;
        ensure(num_devices > 0 && !device_list.is_null() && !kernel_names.is_null(), CL_INVALID_VALUE)?;
        devices(num_devices, device_list)?;
        fail(CL_INVALID_VALUE)
    }

    fn clLinkProgram(
        context: cl_context,
        num_devices: cl_uint,
        device_list: *const cl_device_id,
        options: *const c_char,
        num_input_programs: cl_uint,
        input_programs: *const cl_program,
        pfn_notify: Option<Notify>,
        user_data: *mut c_void,
    ) -> cl_program {
        let context = handle::get(context)?;
        check_notify(pfn_notify, user_data)?;
        ensure(num_input_programs > 0 && !input_programs.is_null(), CL_INVALID_VALUE)?;
        let inputs = handle::get_all(raw::list(num_input_programs as usize, input_programs))?;
        let devices = devices(num_devices, device_list)?;
        let (program, result) = program::link(&context, devices, &raw::text(options), &inputs)?;
        result?;
        let address = handle::give(handle::Handle::clone(&program));
        program::notify(&program, pfn_notify, user_data);
        Ok(address)
    }

    fn clCreateKernel(program: cl_program, kernel_name: *const c_char) -> cl_kernel {
        let program = handle::get(program)?;
        ensure(!kernel_name.is_null(), CL_INVALID_VALUE)?;
        Ok(handle::give(kernel::create(&program, &raw::text(kernel_name))?))
    }

    fn clCloneKernel(source_kernel: cl_kernel) -> cl_kernel {
        Ok(handle::give(kernel::duplicate(&handle::get(source_kernel)?)))
    }
}

status! {
    fn clRetainProgram(program: cl_program) {
        handle::retain::<Program>(program)
    }

    fn clReleaseProgram(program: cl_program) {
        handle::release::<Program>(program)
    }

    fn clBuildProgram(
        program: cl_program,
        num_devices: cl_uint,
        device_list: *const cl_device_id,
        options: *const c_char,
        pfn_notify: Option<Notify>,
        user_data: *mut c_void,
    ) {
        let program = handle::get(program)?;
        check_notify(pfn_notify, user_data)?;
        let result = program::build(&program, &devices(num_devices, device_list)?, &raw::text(options));
        program::notify(&program, pfn_notify, user_data);
        result
    }

    fn clCompileProgram(
        program: cl_program,
        num_devices: cl_uint,
        device_list: *const cl_device_id,
        options: *const c_char,
        num_input_headers: cl_uint,
        input_headers: *const cl_program,
        header_include_names: *mut *const c_char,
        pfn_notify: Option<Notify>,
        user_data: *mut c_void,
    ) {
        let program = handle::get(program)?;
        check_notify(pfn_notify, user_data)?;
        let count = num_input_headers as usize;
        let headers = handle::get_all::<Program>(raw::agreed(count, input_headers, CL_INVALID_VALUE)?)?;
        let names = raw::agreed(count, header_include_names.cast_const(), CL_INVALID_VALUE)?;
        let headers: Vec<_> = names.iter().map(|&name| raw::text(name)).zip(headers).collect();
        let result = program::compile(&program, &devices(num_devices, device_list)?, &raw::text(options), &headers);
        program::notify(&program, pfn_notify, user_data);
        result
    }

    fn clGetProgramInfo(program: cl_program, name: cl_program_info, size: usize, value: *mut c_void, size_ret: *mut usize) {
        program::info(&handle::get(program)?, Answer::new(name, size, value, size_ret))
    }

    fn clGetProgramBuildInfo(
        program: cl_program,
        device: cl_device_id,
        name: cl_program_build_info,
        size: usize,
        value: *mut c_void,
        size_ret: *mut usize,
    ) {
        let program = handle::get(program)?;
        program::build_info(&program, &handle::get(device)?, Answer::new(name, size, value, size_ret))
    }

    /// Release callbacks are not supported, because programs have no global destructors.
    fn clSetProgramReleaseCallback(program: cl_program, _pfn_notify: Option<Notify>, _user_data: *mut c_void) {
        handle::get::<Program>(program)?;
        fail(CL_INVALID_OPERATION)
    }

    fn clSetProgramSpecializationConstant(
        program: cl_program,
        spec_id: cl_uint,
        spec_size: usize,
        spec_value: *const c_void,
    ) {
        let program = handle::get::<Program>(program)?;
        ensure(!spec_value.is_null(), CL_INVALID_VALUE)?;
        program.specialize(spec_id, raw::list(spec_size, spec_value.cast()))
    }

    fn clCreateKernelsInProgram(
        program: cl_program,
        num_kernels: cl_uint,
        kernels: *mut cl_kernel,
        num_kernels_ret: *mut cl_uint,
    ) {
        let program = handle::get(program)?;
        let names = program::kernel_names(&program)?;
        let mut made = Vec::new();
        if !kernels.is_null() {
            ensure(num_kernels as usize >= names.len(), CL_INVALID_VALUE)?;
            let all: Result<Vec<_>> = names.iter().map(|name| kernel::create(&program, name)).collect();
            made = all?.into_iter().map(handle::give).collect();
        }
        raw::handles(&made, num_kernels, kernels, std::ptr::null_mut());
        raw::put(num_kernels_ret, names.len() as cl_uint);
        Ok(())
    }

    fn clRetainKernel(kernel: cl_kernel) {
        handle::retain::<Kernel>(kernel)
    }

    fn clReleaseKernel(kernel: cl_kernel) {
        handle::release::<Kernel>(kernel)
    }

    fn clSetKernelArg(kernel: cl_kernel, arg_index: cl_uint, arg_size: usize, arg_value: *const c_void) {
        crate::error::check_room(crate::error::ROOM)?;
        let kernel = handle::get::<Kernel>(kernel)?;
        let bytes = (!arg_value.is_null()).then(|| raw::list(arg_size, arg_value.cast::<u8>()));
        kernel.set_bytes(arg_index, arg_size, bytes)
    }

    fn clSetKernelArgSVMPointer(kernel: cl_kernel, arg_index: cl_uint, arg_value: *const c_void) {
        let kernel = handle::get::<Kernel>(kernel)?;
        kernel.set_address(arg_index, arg_value as u64)
    }

    /// All shared memory of the context is always accessible to every kernel.
    fn clSetKernelExecInfo(kernel: cl_kernel, name: cl_kernel_exec_info, size: usize, value: *const c_void) {
        handle::get::<Kernel>(kernel)?;
        ensure(!value.is_null() && size > 0, CL_INVALID_VALUE)?;
        match name {
            CL_KERNEL_EXEC_INFO_SVM_PTRS | CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL => {
                ensure(size.is_multiple_of(std::mem::size_of::<usize>()), CL_INVALID_VALUE)
            }
            CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM => {
                ensure(size == std::mem::size_of::<cl_bool>(), CL_INVALID_VALUE)?;
                let wanted = raw::get::<cl_bool>(value.cast()).unwrap_or(0);
                ensure(wanted == CL_FALSE, CL_INVALID_OPERATION)
            }
            CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL
            | CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL
            | CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL => {
                ensure(size == std::mem::size_of::<cl_bool>(), CL_INVALID_VALUE)
            }
            _ => fail(CL_INVALID_VALUE),
        }
    }

    fn clGetKernelInfo(kernel: cl_kernel, name: cl_kernel_info, size: usize, value: *mut c_void, size_ret: *mut usize) {
        kernel::info(&handle::get(kernel)?, Answer::new(name, size, value, size_ret))
    }

    fn clGetKernelArgInfo(
        kernel: cl_kernel,
        arg_index: cl_uint,
        name: cl_kernel_arg_info,
        size: usize,
        value: *mut c_void,
        size_ret: *mut usize,
    ) {
        kernel::argument_info(&handle::get(kernel)?, arg_index, Answer::new(name, size, value, size_ret))
    }

    fn clGetKernelWorkGroupInfo(
        kernel: cl_kernel,
        device: cl_device_id,
        name: cl_kernel_work_group_info,
        size: usize,
        value: *mut c_void,
        size_ret: *mut usize,
    ) {
        let kernel = handle::get(kernel)?;
        kernel::group_info(&kernel, optional(device)?.as_ref(), Answer::new(name, size, value, size_ret))
    }

    fn clGetKernelSubGroupInfo(
        kernel: cl_kernel,
        device: cl_device_id,
        name: cl_kernel_sub_group_info,
        input_size: usize,
        input: *const c_void,
        size: usize,
        value: *mut c_void,
        size_ret: *mut usize,
    ) {
        let kernel = handle::get(kernel)?;
        let input = raw::list(input_size / std::mem::size_of::<usize>(), input.cast::<usize>());
        kernel::subgroup_info(&kernel, optional(device)?.as_ref(), input, Answer::new(name, size, value, size_ret))
    }

    fn clGetKernelSuggestedLocalWorkSizeKHR(
        command_queue: cl_command_queue,
        kernel: cl_kernel,
        work_dim: cl_uint,
        global_work_offset: *const usize,
        global_work_size: *const usize,
        suggested: *mut usize,
    ) {
        let (queue, kernel) = (handle::get::<Queue>(command_queue)?, handle::get::<Kernel>(kernel)?);
        ensure((1..=3).contains(&work_dim), CL_INVALID_WORK_DIMENSION)?;
        ensure(!global_work_size.is_null(), CL_INVALID_GLOBAL_WORK_SIZE)?;
        ensure(!suggested.is_null(), CL_INVALID_VALUE)?;
        let global = raw::list(work_dim as usize, global_work_size);
        let offset = (!global_work_offset.is_null()).then(|| raw::list(work_dim as usize, global_work_offset));
        launch::check_range(global, offset)?;
        let global: Vec<u64> = global.iter().map(|&side| side as u64).collect();
        kernel.snapshot()?;
        let local = kernel::suggested_local_size(&kernel, &queue.device, &global)?;
        for (n, side) in local.iter().enumerate().take(work_dim as usize) {
            suggested.add(n).write(*side as usize);
        }
        Ok(())
    }
}

/// Returns the device of a handle, or `None` for null.
fn optional(device: cl_device_id) -> Result<Option<Handle<Device>>> {
    if device.is_null() { Ok(None) } else { handle::get(device).map(Some) }
}

impl Kernel {
    /// Sets an argument to an address that the program and the kernel share.
    pub(crate) fn set_address(&self, index: cl_uint, address: u64) -> Result {
        let parameter = self.parameter(index);
        ensure((index as usize) < self.count(), CL_INVALID_ARG_INDEX)?;
        use visakit_emulator::launch::argument::ParameterKind::{Buffer, Unknown};
        let takes = parameter.is_none_or(|parameter| matches!(parameter.kind, Buffer | Unknown));
        ensure(takes, CL_INVALID_ARG_VALUE)?;
        let null = || Ok(Argument::Mem(None));
        self.set(index, if address == 0 { null()? } else { Argument::Address(address) })
    }
}
