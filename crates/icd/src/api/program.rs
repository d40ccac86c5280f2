//! Entry points of programs and kernels.

use std::ffi::{c_char, c_void};

use opencl_sys::*;

use crate::api::entry::{object, query, status};
use crate::base::answer::Answer;
use crate::base::environment::ENVIRONMENT;
use crate::base::error::{Code, Result, ensure, fail};
use crate::base::handle::{self, Handle};
use crate::base::raw::{Caller, In, Out, Text};
use crate::commands::launch;
use crate::devices::context::Context;
use crate::devices::device::Device;
use crate::programs::kernel::{self, Argument, Kernel};
use crate::programs::program::{self, Notify, Program};
use crate::programs::query;
use crate::queues::queue::Queue;

/// Settings of `clSetKernelExecInfo` that the bindings lack: the thread arbitration policy with its
/// values, and the kernel's type: usual or concurrent.
const ARBITRATION_POLICY: cl_kernel_exec_info = 0x1_0025;
const POLICIES: [cl_uint; 4] = [0x1_0022, 0x1_0023, 0x1_0024, 0x1_0026];
const KERNEL_TYPE: cl_kernel_exec_info = 0x1_000C;
const TYPES: [cl_uint; 2] = [0x1_000D, 0x1_000E];

/// Returns the devices of a list; a null list is empty.
///
/// # Safety
/// `first` is null or points to `count` handles.
unsafe fn devices(count: cl_uint, first: In<cl_device_id>) -> Result<Vec<Handle<Device>>> {
    // SAFETY: guaranteed by the caller.
    handle::get_all(unsafe { first.agreed(count as usize, Code(CL_INVALID_VALUE))? })
}

/// Checks that callback data have a callback.
fn check_notify(notify: Option<Notify>, data: *mut c_void) -> Result {
    ensure(notify.is_some() || data.is_null(), CL_INVALID_VALUE)
}

/// Checks a setting of a kernel. None has an effect: all shared memory of the context is always
/// accessible to every kernel.
///
/// # Safety
/// `value` is null or points to `size` bytes.
pub(super) unsafe fn check_exec_info(name: cl_kernel_exec_info, size: usize, value: In<c_void>) -> Result {
    // Intel's runtime takes an empty list of pointers.
    let is_list = [CL_KERNEL_EXEC_INFO_SVM_PTRS, CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL].contains(&name);
    ensure(value.is_null() == (size == 0) && (is_list || size > 0), CL_INVALID_VALUE)?;
    // SAFETY: guaranteed by the caller.
    let number = || unsafe { value.bytes(size) }.first_chunk().map(|bytes| cl_uint::from_ne_bytes(*bytes));
    match name {
        _ if is_list => ensure(size.is_multiple_of(std::mem::size_of::<usize>()), CL_INVALID_VALUE),
        CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM => {
            ensure(size == std::mem::size_of::<cl_bool>(), CL_INVALID_VALUE)?;
            // SAFETY: the value has the size of a boolean.
            let wanted = unsafe { value.cast::<cl_bool>() }.get().unwrap_or(0);
            ensure(wanted == CL_FALSE || ENVIRONMENT.system_memory, CL_INVALID_OPERATION)
        }
        CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL
        | CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL
        | CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL => Ok(()),
        // The order of threads is a hint.
        ARBITRATION_POLICY => ensure(number().is_some_and(|policy| POLICIES.contains(&policy)), CL_INVALID_VALUE),
        // Groups of any kernel may wait for each other.
        KERNEL_TYPE => ensure(number().is_some_and(|kind| TYPES.contains(&kind)), CL_INVALID_VALUE),
        _ => fail(CL_INVALID_VALUE),
    }
}

object! {
    fn clCreateProgramWithSource(
        context: cl_context,
        count: cl_uint,
        strings: Out<*const c_char>,
        lengths: In<usize>,
    ) -> cl_program {
        let context = handle::get(context)?;
        ensure(count > 0 && !strings.is_null(), CL_INVALID_VALUE)?;
        let mut text = Vec::new();
        // SAFETY: both lists have as many elements as the count says.
        let (strings, lengths) = unsafe { (strings.input().list(count as usize)?, lengths.list(count as usize)?) };
        for (n, &string) in strings.iter().enumerate() {
            ensure(!string.is_null(), CL_INVALID_VALUE)?;
            // SAFETY: a string has as many bytes as its length says, or ends with a zero if it has
            // none.
            text.extend_from_slice(&unsafe {
                match lengths.get(n) {
                    Some(&length) if length > 0 => In::of(string.cast::<c_void>()).bytes(length).to_vec(),
                    _ => Text::of(string).bytes(),
                }
            });
        }
        Ok(handle::give(program::of_text(&context, text)))
    }

    fn clCreateProgramWithIL(context: cl_context, il: In<c_void>, length: usize) -> cl_program {
        let context = handle::get(context)?;
        ensure(!il.is_null() && length > 0, CL_INVALID_VALUE)?;
        // SAFETY: the program has as many bytes as its length says.
        Ok(handle::give(program::of_intermediate(&context, unsafe { il.bytes(length) })?))
    }

    fn clCreateProgramWithBinary(
        context: cl_context,
        num_devices: cl_uint,
        device_list: In<cl_device_id>,
        lengths: In<usize>,
        binaries: Out<*const u8>,
        binary_status: Out<cl_int>,
    ) -> cl_program {
        let context = handle::get(context)?;
        let count = num_devices as usize;
        let given = [device_list.is_null(), lengths.is_null(), binaries.is_null()];
        ensure(count > 0 && !given.contains(&true), CL_INVALID_VALUE)?;
        // SAFETY: the lists have as many elements as the count says.
        let (devices, sizes, binaries) = unsafe {
            (device_list.list(count)?, lengths.list(count)?, binaries.input().list(count)?)
        };
        let devices = handle::get_all(devices)?;
        // SAFETY: a binary has as many bytes as its length says.
        let file = |(&first, &size): (&*const u8, &usize)| unsafe { In::of(first.cast::<c_void>()).bytes(size) };
        let files: Vec<&[u8]> = binaries.iter().zip(sizes).map(file).collect();
        // SAFETY: the list of codes is null, or has room for one code per device.
        let say = |n: usize, code| unsafe { binary_status.put_at(n, code) };
        Ok(handle::give(program::of_binaries(&context, devices, &files, say)?))
    }

    /// The devices have no built-in kernels.
    fn clCreateProgramWithBuiltInKernels(
        context: cl_context,
        num_devices: cl_uint,
        device_list: In<cl_device_id>,
        kernel_names: Text,
    ) -> cl_program {
        handle::get::<Context>(context)?;
        ensure(num_devices > 0 && !device_list.is_null() && !kernel_names.is_null(), CL_INVALID_VALUE)?;
        // SAFETY: the list has as many devices as its count says.
        unsafe { devices(num_devices, device_list)? };
        fail(CL_INVALID_VALUE)
    }

    fn link(
        context: cl_context,
        num_devices: cl_uint,
        device_list: In<cl_device_id>,
        options: Text,
        num_input_programs: cl_uint,
        input_programs: In<cl_program>,
        pfn_notify: Option<Notify>,
        user_data: *mut c_void,
        failure: Out<cl_int>,
    ) -> cl_program {
        let context = handle::get(context)?;
        check_notify(pfn_notify, user_data)?;
        ensure(num_input_programs > 0 && !input_programs.is_null(), CL_INVALID_VALUE)?;
        // SAFETY: the list has as many programs as its count says.
        let inputs = handle::get_all(unsafe { input_programs.list(num_input_programs as usize)? })?;
        // SAFETY: the list has as many devices as its count says.
        let devices = unsafe { devices(num_devices, device_list)? };
        let (program, result) = program::link(&context, devices, &options.get(), &inputs)?;
        failure.put(result.err().map_or(CL_SUCCESS, |code| code.0));
        let address = handle::give(handle::Handle::clone(&program));
        program::notify(&program, pfn_notify, user_data);
        Ok(address)
    }

    fn clCreateKernel(program: cl_program, kernel_name: Text) -> cl_kernel {
        let program = handle::get(program)?;
        ensure(!kernel_name.is_null(), CL_INVALID_VALUE)?;
        Ok(handle::give(kernel::create(&program, &kernel_name.get())?))
    }

    fn clCloneKernel(source_kernel: cl_kernel) -> cl_kernel {
        Ok(handle::give(kernel::duplicate(&handle::get(source_kernel)?)))
    }
}

/// Links programs. As in Intel's runtime, a failed link returns a program with the log.
#[allow(non_snake_case, clippy::too_many_arguments)]
pub(crate) unsafe extern "C" fn clLinkProgram(
    context: cl_context,
    num_devices: cl_uint,
    device_list: *const cl_device_id,
    options: *const c_char,
    num_input_programs: cl_uint,
    input_programs: *const cl_program,
    pfn_notify: Option<Notify>,
    user_data: *mut c_void,
    errcode_ret: *mut cl_int,
) -> cl_program {
    let (mut code, mut failure) = (CL_SUCCESS, CL_SUCCESS);
    // SAFETY: the program obeys the contract of the call; both codes live until it returns.
    unsafe {
        let program = link(
            context,
            num_devices,
            device_list,
            options,
            num_input_programs,
            input_programs,
            pfn_notify,
            user_data,
            &raw mut failure,
            &raw mut code,
        );
        Out::of(errcode_ret).put(if code == CL_SUCCESS { failure } else { code });
        program
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
        device_list: In<cl_device_id>,
        options: Text,
        pfn_notify: Option<Notify>,
        user_data: *mut c_void,
    ) {
        let program = handle::get(program)?;
        check_notify(pfn_notify, user_data)?;
        // SAFETY: the list has as many devices as its count says.
        let devices = unsafe { devices(num_devices, device_list)? };
        let result = program::build(&program, &devices, &options.get());
        program::notify(&program, pfn_notify, user_data);
        result
    }

    fn clCompileProgram(
        program: cl_program,
        num_devices: cl_uint,
        device_list: In<cl_device_id>,
        options: Text,
        num_input_headers: cl_uint,
        input_headers: In<cl_program>,
        header_include_names: Out<*const c_char>,
        pfn_notify: Option<Notify>,
        user_data: *mut c_void,
    ) {
        let program = handle::get(program)?;
        check_notify(pfn_notify, user_data)?;
        let count = num_input_headers as usize;
        // SAFETY: both lists have as many elements as the count says.
        let (headers, names) = unsafe {
            let headers = input_headers.agreed(count, Code(CL_INVALID_VALUE))?;
            (headers, header_include_names.input().agreed(count, Code(CL_INVALID_VALUE))?)
        };
        let headers = handle::get_all::<Program>(headers)?;
        // SAFETY: each name is null, or ends with a zero.
        let names = names.iter().map(|&name| unsafe { Text::of(name) }.get());
        let headers: Vec<_> = names.zip(headers).collect();
        // SAFETY: the list has as many devices as its count says.
        let devices = unsafe { devices(num_devices, device_list)? };
        let result = program::compile(&program, &devices, &options.get(), &headers);
        program::notify(&program, pfn_notify, user_data);
        result
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
        spec_value: In<c_void>,
    ) {
        let program = handle::get::<Program>(program)?;
        ensure(!spec_value.is_null(), CL_INVALID_VALUE)?;
        // SAFETY: the value has as many bytes as its size says.
        program.specialize(spec_id, unsafe { spec_value.bytes(spec_size) })
    }

    fn clCreateKernelsInProgram(
        program: cl_program,
        num_kernels: cl_uint,
        kernels: Out<cl_kernel>,
        num_kernels_ret: Out<cl_uint>,
    ) {
        let program = handle::get(program)?;
        let names = program::kernel_names(&program)?;
        let mut made = Vec::new();
        if !kernels.is_null() {
            ensure(num_kernels as usize >= names.len(), CL_INVALID_VALUE)?;
            let all: Result<Vec<_>> = names.iter().map(|name| kernel::create(&program, name)).collect();
            made = all?.into_iter().map(handle::give).collect();
        }
        num_kernels_ret.put(names.len() as cl_uint);
        // SAFETY: the list has room for as many elements as its count says.
        Ok(unsafe { kernels.put_list(num_kernels as usize, made) }?)
    }

    fn clRetainKernel(kernel: cl_kernel) {
        handle::retain::<Kernel>(kernel)
    }

    fn clReleaseKernel(kernel: cl_kernel) {
        handle::release::<Kernel>(kernel)
    }

    fn clSetKernelArg(kernel: cl_kernel, arg_index: cl_uint, arg_size: usize, arg_value: In<c_void>) {
        crate::base::error::check_room(crate::base::error::ROOM)?;
        let kernel = handle::get::<Kernel>(kernel)?;
        // SAFETY: the value has as many bytes as its size says.
        let bytes = (!arg_value.is_null()).then(|| unsafe { arg_value.bytes(arg_size) });
        kernel.set_bytes(arg_index, arg_size, bytes)
    }

    fn clSetKernelArgSVMPointer(kernel: cl_kernel, arg_index: cl_uint, arg_value: *const c_void) {
        let kernel = handle::get::<Kernel>(kernel)?;
        kernel.set_address(arg_index, arg_value as u64)
    }

    fn clSetKernelExecInfo(kernel: cl_kernel, name: cl_kernel_exec_info, size: usize, value: In<c_void>) {
        handle::get::<Kernel>(kernel)?;
        // SAFETY: the value has as many bytes as its size says.
        unsafe { check_exec_info(name, size, value) }
    }

    fn clGetKernelSubGroupInfo(
        kernel: cl_kernel,
        device: cl_device_id,
        name: cl_kernel_sub_group_info,
        input_size: usize,
        input: In<c_void>,
        size: usize,
        value: *mut c_void,
        size_ret: Out<usize>,
    ) {
        let kernel = handle::get(kernel)?;
        // SAFETY: the input has as many bytes as its size says, and the value has room for its own.
        let (input, answer) = unsafe {
            let sizes = input.cast::<usize>().list(input_size / std::mem::size_of::<usize>())?;
            (sizes, Answer::new(name, size, value, size_ret))
        };
        kernel::subgroup_info(&kernel, optional(device)?.as_ref(), input, answer)
    }

    fn clGetKernelSuggestedLocalWorkSizeKHR(
        command_queue: cl_command_queue,
        kernel: cl_kernel,
        work_dim: cl_uint,
        global_work_offset: In<usize>,
        global_work_size: In<usize>,
        suggested: Out<usize>,
    ) {
        let (queue, kernel) = (handle::get::<Queue>(command_queue)?, handle::get::<Kernel>(kernel)?);
        ensure((1..=3).contains(&work_dim), CL_INVALID_WORK_DIMENSION)?;
        ensure(!global_work_size.is_null(), CL_INVALID_GLOBAL_WORK_SIZE)?;
        ensure(!suggested.is_null(), CL_INVALID_VALUE)?;
        // SAFETY: both lists have one size per dimension.
        let (global, offset) =
            unsafe { (global_work_size.list(work_dim as usize)?, global_work_offset.list(work_dim as usize)?) };
        launch::check_range(global, (!global_work_offset.is_null()).then_some(offset))?;
        let global: Vec<u64> = global.iter().map(|&side| side as u64).collect();
        kernel.snapshot()?;
        let local = kernel::suggested_local_size(&kernel, &queue.device, &global)?;
        // SAFETY: the list has room for one size per dimension.
        Ok(unsafe { suggested.put_list(work_dim as usize, local.iter().map(|&side| side as usize)) }?)
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
        let argument = if address == 0 { Argument::Mem(None) } else { Argument::Address(address) };
        self.set(index, argument)
    }
}

query! {
    fn clGetProgramInfo(program: cl_program; answer) {
        query::info(&handle::get(program)?, answer)
    }

    fn clGetProgramBuildInfo(program: cl_program, device: cl_device_id; answer) {
        let program = handle::get(program)?;
        query::build_info(&program, &handle::get(device)?, answer)
    }

    fn clGetKernelInfo(kernel: cl_kernel; answer) {
        kernel::info(&handle::get(kernel)?, answer)
    }

    fn clGetKernelArgInfo(kernel: cl_kernel, arg_index: cl_uint; answer) {
        kernel::argument_info(&handle::get(kernel)?, arg_index, answer)
    }

    fn clGetKernelWorkGroupInfo(kernel: cl_kernel, device: cl_device_id; answer) {
        let kernel = handle::get(kernel)?;
        kernel::group_info(&kernel, optional(device)?.as_ref(), answer)
    }
}
