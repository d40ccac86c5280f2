//! Entry points of semaphores.

use std::ffi::c_void;

use opencl_sys::*;

use crate::api::commands::submission;
use crate::api::entry::{enqueue, object, query, status};
use crate::base::error::{Result, ensure, fail};
use crate::base::handle::{self, Handle};
use crate::base::raw::{In, ZeroEnded};
use crate::commands::semaphore::{self, Semaphore};

/// Returns the semaphores of a list.
///
/// # Safety
/// `first` is null or points to `count` handles.
unsafe fn semaphores(count: cl_uint, first: In<cl_semaphore_khr>) -> Result<Vec<Handle<Semaphore>>> {
    ensure(count > 0 && !first.is_null(), CL_INVALID_VALUE)?;
    // SAFETY: guaranteed by the caller.
    handle::get_all(unsafe { first.list(count as usize)? })
}

object! {
    fn clCreateSemaphoreWithPropertiesKHR(
        context: cl_context,
        sema_props: ZeroEnded<cl_semaphore_properties_khr>,
    ) -> cl_semaphore_khr {
        let context = handle::get(context)?;
        ensure(!sema_props.is_null(), CL_INVALID_VALUE)?;
        Ok(handle::give(semaphore::create(&context, sema_props.properties_with_list(semaphore::DEVICES)?)?))
    }
}

enqueue! {
    /// Only binary semaphores exist, so payloads are ignored.
    fn clEnqueueWaitSemaphoresKHR(
        queue, list,
        num_sema_objects: cl_uint,
        sema_objects: In<cl_semaphore_khr>,
        _payloads: *const cl_semaphore_payload_khr,
    ) {
        // SAFETY: the list has as many semaphores as its count says.
        let semaphores = unsafe { semaphores(num_sema_objects, sema_objects)? };
        semaphore::wait(&submission(&queue, &list, CL_FALSE), &semaphores)
    }

    fn clEnqueueSignalSemaphoresKHR(
        queue, list,
        num_sema_objects: cl_uint,
        sema_objects: In<cl_semaphore_khr>,
        _payloads: *const cl_semaphore_payload_khr,
    ) {
        // SAFETY: the list has as many semaphores as its count says.
        let semaphores = unsafe { semaphores(num_sema_objects, sema_objects)? };
        semaphore::signal(&submission(&queue, &list, CL_FALSE), semaphores)
    }
}

status! {
    fn clRetainSemaphoreKHR(sema_object: cl_semaphore_khr) {
        handle::retain::<Semaphore>(sema_object)
    }

    fn clReleaseSemaphoreKHR(sema_object: cl_semaphore_khr) {
        handle::release::<Semaphore>(sema_object)
    }
}

status! {
    /// Semaphores are not exported; clients that load all functions need this one too.
    fn clGetSemaphoreHandleForTypeKHR(
        sema_object: cl_semaphore_khr,
        _device: cl_device_id,
        _handle_type: cl_external_semaphore_handle_type_khr,
        _handle_size: usize,
        _handle_ptr: *mut c_void,
        _handle_size_ret: *mut usize,
    ) {
        handle::get::<Semaphore>(sema_object)?;
        fail(CL_INVALID_VALUE)
    }
}

query! {
    fn clGetSemaphoreInfoKHR(sema_object: cl_semaphore_khr; answer) {
        semaphore::info(&handle::get(sema_object)?, answer)
    }
}
