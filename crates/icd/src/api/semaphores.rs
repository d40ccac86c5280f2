//! Entry points of semaphores.

use std::ffi::c_void;

use opencl_sys::*;

use super::commands::submission;
use super::{enqueue, object, status};
use crate::error::{Result, ensure};
use crate::handle::{self, Handle};
use crate::raw::{self, Answer};
use crate::semaphore::{self, Semaphore};

/// Returns the semaphores of a list.
///
/// # Safety
/// `first` is null or points to `count` handles.
unsafe fn semaphores(count: cl_uint, first: *const cl_semaphore_khr) -> Result<Vec<Handle<Semaphore>>> {
    ensure(count > 0 && !first.is_null(), CL_INVALID_VALUE)?;
    // SAFETY: guaranteed by the caller.
    handle::get_all(unsafe { raw::list(count as usize, first) })
}

object! {
    fn clCreateSemaphoreWithPropertiesKHR(
        context: cl_context,
        sema_props: *const cl_semaphore_properties_khr,
    ) -> cl_semaphore_khr {
        let context = handle::get(context)?;
        ensure(!sema_props.is_null(), CL_INVALID_VALUE)?;
        Ok(handle::give(semaphore::create(&context, raw::properties(sema_props))?))
    }
}

enqueue! {
    /// Only binary semaphores exist, so payloads are ignored.
    fn clEnqueueWaitSemaphoresKHR(
        queue, list,
        num_sema_objects: cl_uint,
        sema_objects: *const cl_semaphore_khr,
        _payloads: *const cl_semaphore_payload_khr,
    ) {
        semaphore::wait(&submission(&queue, &list, CL_FALSE), &semaphores(num_sema_objects, sema_objects)?)
    }

    fn clEnqueueSignalSemaphoresKHR(
        queue, list,
        num_sema_objects: cl_uint,
        sema_objects: *const cl_semaphore_khr,
        _payloads: *const cl_semaphore_payload_khr,
    ) {
        semaphore::signal(&submission(&queue, &list, CL_FALSE), semaphores(num_sema_objects, sema_objects)?)
    }
}

status! {
    fn clRetainSemaphoreKHR(sema_object: cl_semaphore_khr) {
        handle::retain::<Semaphore>(sema_object)
    }

    fn clReleaseSemaphoreKHR(sema_object: cl_semaphore_khr) {
        handle::release::<Semaphore>(sema_object)
    }

    fn clGetSemaphoreInfoKHR(
        sema_object: cl_semaphore_khr,
        name: cl_semaphore_info_khr,
        size: usize,
        value: *mut c_void,
        size_ret: *mut usize,
    ) {
        semaphore::info(&handle::get(sema_object)?, Answer::new(name, size, value, size_ret))
    }
}
