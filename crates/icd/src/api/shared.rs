//! Entry points of memory that kernels and the program access by the same addresses.

use std::ffi::c_void;

use opencl_sys::*;

use crate::api::entry::{enqueue, object, query, status};
use crate::base::error::{Code, Result, ensure};
use crate::base::handle::{self, Handle};
use crate::base::raw::{In, Out, UserData, ZeroEnded};
use crate::base::storage;
use crate::commands::transfer::Submission;
use crate::devices::context::Context;
use crate::memory::svm;
use crate::programs::kernel::Kernel;
use crate::queues::event::Event;
use crate::queues::queue::Queue;
use crate::queues::schedule::Task;

/// Callback that frees memory in a queue.
type Free = unsafe extern "C" fn(cl_command_queue, cl_uint, *mut *mut c_void, *mut c_void);

fn submission<'a>(queue: &'a Handle<Queue>, list: &'a [Handle<Event>], blocking: cl_bool) -> Submission<'a> {
    Submission { queue, list, blocking: blocking != CL_FALSE }
}

/// Creates the task that copies bytes between two addresses.
pub(super) fn copy(queue: &Queue, kind: cl_command_type, dst: usize, src: usize, size: usize) -> Result<Task> {
    ensure(size == 0 || dst != 0 && src != 0, CL_INVALID_VALUE)?;
    ensure(size == 0 || dst.abs_diff(src) >= size, CL_MEM_COPY_OVERLAP)?;
    let allocations = &queue.context.allocations;
    let held = [allocations.find_range(dst, size)?, allocations.find_range(src, size)?];
    Ok(Task::new(kind, move || {
        let _held = &held;
        // SAFETY: the program guarantees `size` bytes at both addresses; allocations are held.
        unsafe { std::ptr::copy(src as *const u8, dst as *mut u8, size) };
        Ok(())
    }))
}

/// Returns the bytes of a pattern that the program passed.
pub(super) fn pattern_of<'a>(first: In<c_void>, size: usize) -> Result<&'a [u8]> {
    ensure(!first.is_null() && size <= 128, CL_INVALID_VALUE)?;
    // SAFETY: the pattern has as many bytes as its size says.
    Ok(unsafe { first.bytes(size) })
}

/// Creates the task that fills memory with a pattern.
pub(super) fn fill(queue: &Queue, kind: cl_command_type, first: usize, pattern: &[u8], size: usize) -> Result<Task> {
    let unit = pattern.len();
    if first == 0 && size == 0 {
        return Ok(Task::new(kind, || Ok(())));
    }
    ensure(first != 0 && unit.is_power_of_two() && unit <= 128, CL_INVALID_VALUE)?;
    ensure(first.is_multiple_of(unit) && size.is_multiple_of(unit), CL_INVALID_VALUE)?;
    let (held, pattern) = (queue.context.allocations.find_range(first, size)?, pattern.to_vec());
    Ok(Task::new(kind, move || {
        let _held = &held;
        // SAFETY: as for copies.
        unsafe { storage::fill(first as *mut u8, size, &pattern) };
        Ok(())
    }))
}

enqueue! {
    fn clEnqueueSVMMemcpy(queue, list, blocking: cl_bool, dst: *mut c_void, src: *const c_void, size: usize) {
        let task = copy(&queue, CL_COMMAND_SVM_MEMCPY, dst as usize, src as usize, size)?;
        submission(&queue, &list, blocking).put(task)
    }

    fn clEnqueueSVMMap(queue, list, blocking: cl_bool, flags: cl_map_flags, ptr: *mut c_void, size: usize) {
        ensure(!ptr.is_null() && size > 0, CL_INVALID_VALUE)?;
        let known = CL_MAP_READ | CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;
        ensure(flags & !known == 0, CL_INVALID_VALUE)?;
        queue.context.allocations.find_range(ptr as usize, size)?;
        submission(&queue, &list, blocking).submit(CL_COMMAND_SVM_MAP, || Ok(()))
    }

    fn clEnqueueSVMUnmap(queue, list, ptr: *mut c_void) {
        ensure(!ptr.is_null(), CL_INVALID_VALUE)?;
        submission(&queue, &list, CL_FALSE).submit(CL_COMMAND_SVM_UNMAP, || Ok(()))
    }

    fn clEnqueueSVMMigrateMem(
        queue, list,
        count: cl_uint,
        pointers: Out<*const c_void>,
        sizes: In<usize>,
        flags: cl_mem_migration_flags,
    ) {
        ensure(count > 0 && !pointers.is_null(), CL_INVALID_VALUE)?;
        let known = CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
        ensure(flags & !known == 0, CL_INVALID_VALUE)?;
        // A size of zero, or a null list of sizes, stands for the whole allocation.
        // SAFETY: both lists have as many elements as the count says.
        let (pointers, sizes) = unsafe { (pointers.input().list(count as usize)?, sizes.list(count as usize)?) };
        for (&pointer, &size) in pointers.iter().zip(sizes) {
            queue.context.allocations.find_range(pointer as usize, size)?;
        }
        submission(&queue, &list, CL_FALSE).submit(CL_COMMAND_SVM_MIGRATE_MEM, || Ok(()))
    }

    fn clEnqueueSVMFree(
        queue, list,
        count: cl_uint,
        pointers: Out<*mut c_void>,
        pfn_free_func: Option<Free>,
        user_data: *mut c_void,
    ) {
        // SAFETY: the list has as many pointers as its count says.
        let given = unsafe { pointers.input().agreed(count as usize, Code(CL_INVALID_VALUE))? };
        ensure(!given.is_empty(), CL_INVALID_VALUE)?;
        let (addresses, data) = (given.iter().map(|&pointer| UserData(pointer)).collect::<Vec<_>>(), UserData(user_data));
        let (context, own) = (Handle::clone(&queue.context), UserData(handle::address(&queue)));
        submission(&queue, &list, CL_FALSE).submit(CL_COMMAND_SVM_FREE, move || {
            let (own, data) = (own, data);
            let mut pointers: Vec<*mut c_void> = addresses.iter().map(|pointer| pointer.0).collect();
            match pfn_free_func {
                // SAFETY: the program passed the function for this call, with its data and these
                // addresses.
                Some(free) => unsafe { free(own.0, pointers.len() as cl_uint, pointers.as_mut_ptr(), data.0) },
                // Pointers outside the context's allocations are ignored.
                None => pointers.into_iter().for_each(|pointer| {
                    let _ = context.allocations.free(pointer);
                }),
            }
            Ok(())
        })
    }

    fn clEnqueueMemFillINTEL(queue, list, ptr: *mut c_void, pattern: In<c_void>, pattern_size: usize, size: usize) {
        let pattern = pattern_of(pattern, pattern_size)?;
        let task = fill(&queue, CL_COMMAND_MEMFILL_INTEL, ptr as usize, pattern, size)?;
        submission(&queue, &list, CL_FALSE).put(task)
    }

    fn clEnqueueMemsetINTEL(queue, list, ptr: *mut c_void, value: cl_int, size: usize) {
        let pattern = &value.to_le_bytes()[..1];
        let task = fill(&queue, CL_COMMAND_MEMFILL_INTEL, ptr as usize, pattern, size)?;
        submission(&queue, &list, CL_FALSE).put(task)
    }

    fn clEnqueueMemcpyINTEL(queue, list, blocking: cl_bool, dst: *mut c_void, src: *const c_void, size: usize) {
        let task = copy(&queue, CL_COMMAND_MEMCPY_INTEL, dst as usize, src as usize, size)?;
        submission(&queue, &list, blocking).put(task)
    }

    fn clEnqueueMigrateMemINTEL(queue, list, ptr: *const c_void, size: usize, _flags: cl_mem_migration_flags) {
        ensure(!ptr.is_null(), CL_INVALID_VALUE)?;
        queue.context.allocations.find_range(ptr as usize, size)?;
        submission(&queue, &list, CL_FALSE).submit(CL_COMMAND_MIGRATEMEM_INTEL, || Ok(()))
    }

    fn clEnqueueMemAdviseINTEL(queue, list, ptr: *const c_void, size: usize, _advice: cl_mem_advice_intel) {
        ensure(!ptr.is_null(), CL_INVALID_VALUE)?;
        queue.context.allocations.find_range(ptr as usize, size)?;
        submission(&queue, &list, CL_FALSE).submit(CL_COMMAND_MEMADVISE_INTEL, || Ok(()))
    }
}

#[allow(non_snake_case)]
pub(crate) unsafe extern "C" fn clSVMAlloc(
    context: cl_context,
    flags: cl_svm_mem_flags,
    size: usize,
    alignment: cl_uint,
) -> *mut c_void {
    let made = || svm::allocate(&handle::get(context)?, flags, size, alignment);
    crate::base::error::guard(made).unwrap_or(std::ptr::null_mut())
}

#[allow(non_snake_case)]
pub(crate) unsafe extern "C" fn clSVMFree(context: cl_context, svm_pointer: *mut c_void) {
    // The call has no way to return an error.
    let _ = crate::base::error::guard(|| Result::Ok(handle::get::<Context>(context)?.allocations.free(svm_pointer)?));
}

object! {
    fn clHostMemAllocINTEL(
        context: cl_context,
        properties: ZeroEnded<cl_mem_properties_intel>,
        size: usize,
        alignment: cl_uint,
    ) -> *mut c_void {
        let properties = &properties.until_zero(2)?;
        svm::allocate_unified(&handle::get(context)?, None, CL_MEM_TYPE_HOST_INTEL, properties, size, alignment)
    }

    fn clDeviceMemAllocINTEL(
        context: cl_context,
        device: cl_device_id,
        properties: ZeroEnded<cl_mem_properties_intel>,
        size: usize,
        alignment: cl_uint,
    ) -> *mut c_void {
        let (device, properties) = (handle::get(device)?, &properties.until_zero(2)?);
        let kind = CL_MEM_TYPE_DEVICE_INTEL;
        svm::allocate_unified(&handle::get(context)?, Some(device), kind, properties, size, alignment)
    }

    fn clSharedMemAllocINTEL(
        context: cl_context,
        device: cl_device_id,
        properties: ZeroEnded<cl_mem_properties_intel>,
        size: usize,
        alignment: cl_uint,
    ) -> *mut c_void {
        let properties = &properties.until_zero(2)?;
        let device = if device.is_null() { None } else { Some(handle::get(device)?) };
        let kind = CL_MEM_TYPE_SHARED_INTEL;
        svm::allocate_unified(&handle::get(context)?, device, kind, properties, size, alignment)
    }
}

status! {
    fn clMemFreeINTEL(context: cl_context, ptr: *mut c_void) {
        let context = handle::get::<Context>(context)?;
        if ptr.is_null() { Ok(()) } else { Ok(context.allocations.free(ptr)?) }
    }

    /// A blocking free is the same as a free, because commands hold the memory that they use.
    fn clMemBlockingFreeINTEL(context: cl_context, ptr: *mut c_void) {
        let context = handle::get::<Context>(context)?;
        if ptr.is_null() { Ok(()) } else { Ok(context.allocations.free(ptr)?) }
    }

    fn clSetKernelArgMemPointerINTEL(kernel: cl_kernel, arg_index: cl_uint, arg_value: *const c_void) {
        handle::get::<Kernel>(kernel).or(Err(Code(CL_INVALID_KERNEL)))?.set_address(arg_index, arg_value as u64)
    }
}

query! {
    fn clGetMemAllocInfoINTEL(context: cl_context, ptr: *const c_void; answer) {
        svm::info(&handle::get(context)?, ptr, answer)
    }
}
