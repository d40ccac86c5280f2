//! Dispatch table of the entry points for the loader, and lookup of functions by name.

use std::ffi::{CStr, c_char, c_void};

use opencl_sys::cl_icd::_cl_icd_dispatch;
use opencl_sys::*;

use crate::api::absent::*;
use crate::api::commands::*;
use crate::api::memory::*;
use crate::api::objects::*;
use crate::api::program::*;
use crate::api::recorded::*;
use crate::api::semaphores::*;
use crate::api::shared::*;
use crate::base::handle;
use crate::devices::platform;

/// Returns the table of all functions. Functions for objects of other systems are absent.
pub fn table() -> &'static _cl_icd_dispatch {
    handle::register(&TABLE);
    &TABLE
}

/// Builds the table from the names of the functions.
macro_rules! table {
    ([$($field:ident $(= $function:ident)?,)*] none [$($absent:ident,)*]) => {
        _cl_icd_dispatch {
            $($field: Some(table!(@ $field $($function)?)),)*
            $($absent: None,)*
            clGetExtensionFunctionAddress: Some(address_of),
            clGetExtensionFunctionAddressForPlatform: Some(clGetExtensionFunctionAddressForPlatform),
        }
    };
    (@ $field:ident) => { $field };
    (@ $field:ident $function:ident) => { $function };
}

static TABLE: _cl_icd_dispatch = table! {
    [
    clGetPlatformIDs,
    clGetPlatformInfo,
    clGetDeviceIDs,
    clGetDeviceInfo,
    clCreateContext,
    clCreateContextFromType,
    clRetainContext,
    clReleaseContext,
    clGetContextInfo,
    clCreateCommandQueue,
    clRetainCommandQueue,
    clReleaseCommandQueue,
    clGetCommandQueueInfo,
    clSetCommandQueueProperty,
    clCreateBuffer,
    clCreateImage2D,
    clCreateImage3D,
    clRetainMemObject,
    clReleaseMemObject,
    clGetSupportedImageFormats,
    clGetMemObjectInfo,
    clGetImageInfo,
    clCreateSampler,
    clRetainSampler,
    clReleaseSampler,
    clGetSamplerInfo,
    clCreateProgramWithSource,
    clCreateProgramWithBinary,
    clRetainProgram,
    clReleaseProgram,
    clBuildProgram,
    clUnloadCompiler,
    clGetProgramInfo,
    clGetProgramBuildInfo,
    clCreateKernel,
    clCreateKernelsInProgram,
    clRetainKernel,
    clReleaseKernel,
    clSetKernelArg,
    clGetKernelInfo,
    clGetKernelWorkGroupInfo,
    clWaitForEvents,
    clGetEventInfo,
    clRetainEvent,
    clReleaseEvent,
    clGetEventProfilingInfo,
    clFlush,
    clFinish,
    clEnqueueReadBuffer,
    clEnqueueWriteBuffer,
    clEnqueueCopyBuffer,
    clEnqueueReadImage,
    clEnqueueWriteImage,
    clEnqueueCopyImage,
    clEnqueueCopyImageToBuffer,
    clEnqueueCopyBufferToImage,
    clEnqueueMapBuffer,
    clEnqueueMapImage,
    clEnqueueUnmapMemObject,
    clEnqueueNDRangeKernel,
    clEnqueueTask,
    clEnqueueNativeKernel,
    clEnqueueMarker,
    clEnqueueWaitForEvents,
    clEnqueueBarrier,
    clCreateFromGLBuffer,
    clCreateFromGLTexture2D,
    clCreateFromGLTexture3D,
    clCreateFromGLRenderbuffer,
    clGetGLObjectInfo,
    clGetGLTextureInfo,
    clEnqueueAcquireGLObjects,
    clEnqueueReleaseGLObjects,
    clGetGLContextInfoKHR,
    clSetEventCallback,
    clCreateSubBuffer,
    clSetMemObjectDestructorCallback,
    clCreateUserEvent,
    clSetUserEventStatus,
    clEnqueueReadBufferRect,
    clEnqueueWriteBufferRect,
    clEnqueueCopyBufferRect,
    clCreateSubDevicesEXT,
    clRetainDeviceEXT = clRetainDevice,
    clReleaseDeviceEXT = clReleaseDevice,
    clCreateEventFromGLsyncKHR,
    clCreateSubDevices,
    clRetainDevice,
    clReleaseDevice,
    clCreateImage,
    clCreateProgramWithBuiltInKernels,
    clCompileProgram,
    clLinkProgram,
    clUnloadPlatformCompiler,
    clGetKernelArgInfo,
    clEnqueueFillBuffer,
    clEnqueueFillImage,
    clEnqueueMigrateMemObjects,
    clEnqueueMarkerWithWaitList,
    clEnqueueBarrierWithWaitList,
    clCreateFromGLTexture,
    clCreateCommandQueueWithProperties,
    clCreatePipe,
    clGetPipeInfo,
    clSVMAlloc,
    clSVMFree,
    clEnqueueSVMFree,
    clEnqueueSVMMemcpy,
    clEnqueueSVMMemFill,
    clEnqueueSVMMap,
    clEnqueueSVMUnmap,
    clCreateSamplerWithProperties,
    clSetKernelArgSVMPointer,
    clSetKernelExecInfo,
    clGetKernelSubGroupInfoKHR = clGetKernelSubGroupInfo,
    clCloneKernel,
    clCreateProgramWithIL,
    clEnqueueSVMMigrateMem,
    clGetDeviceAndHostTimer,
    clGetHostTimer,
    clGetKernelSubGroupInfo,
    clSetDefaultDeviceCommandQueue,
    clSetProgramReleaseCallback,
    clSetProgramSpecializationConstant,
    clCreateBufferWithProperties,
    clCreateImageWithProperties,
    clGetKernelSuggestedLocalWorkSize = clGetKernelSuggestedLocalWorkSizeKHR,
    clSetContextDestructorCallback,
    ] none [
    clGetDeviceIDsFromD3D10KHR,
    clCreateFromD3D10BufferKHR,
    clCreateFromD3D10Texture2DKHR,
    clCreateFromD3D10Texture3DKHR,
    clEnqueueAcquireD3D10ObjectsKHR,
    clEnqueueReleaseD3D10ObjectsKHR,
    clGetDeviceIDsFromD3D11KHR,
    clCreateFromD3D11BufferKHR,
    clCreateFromD3D11Texture2DKHR,
    clCreateFromD3D11Texture3DKHR,
    clCreateFromDX9MediaSurfaceKHR,
    clEnqueueAcquireD3D11ObjectsKHR,
    clEnqueueReleaseD3D11ObjectsKHR,
    clGetDeviceIDsFromDX9MediaAdapterKHR,
    clEnqueueAcquireDX9MediaSurfacesKHR,
    clEnqueueReleaseDX9MediaSurfacesKHR,
    clCreateFromEGLImageKHR,
    clEnqueueAcquireEGLObjectsKHR,
    clEnqueueReleaseEGLObjectsKHR,
    clCreateEventFromEGLSyncKHR,
    ]
};

/// Returns the address of the function with a name.
macro_rules! by_name {
    ($name:expr, $($function:ident $(= $other:ident)?,)*) => {
        match $name {
            $(stringify!($function) => by_name!(@ $function $($other)?),)*
            stringify!(clIcdGetPlatformIDsKHR) => clIcdGetPlatformIDsKHR as *mut c_void,
            _ => std::ptr::null_mut(),
        }
    };
    (@ $function:ident) => { $function as *mut c_void };
    (@ $function:ident $other:ident) => { $other as *mut c_void };
}

/// Returns the address of an extension function, or null for an unknown name.
fn find(name: &str) -> *mut c_void {
    by_name! {
        name,
        // A loader requests this function before it accepts the platform.
        clGetPlatformInfo,
        clCreateCommandQueueWithPropertiesKHR = clCreateCommandQueueWithProperties,
        clGetKernelSubGroupInfoKHR = clGetKernelSubGroupInfo,
        clGetKernelSuggestedLocalWorkSizeKHR,
        clGetKernelSuggestedLocalWorkSizeINTEL = clGetKernelSuggestedLocalWorkSizeKHR,
        clGetKernelSuggestedLocalWorkSize = clGetKernelSuggestedLocalWorkSizeKHR,
        clSetProgramSpecializationConstant,
        clCreateBufferWithPropertiesINTEL = clCreateBufferWithProperties,
        clCreateImageWithPropertiesINTEL = clCreateImageWithProperties,
        clCreateProgramWithILKHR = clCreateProgramWithIL,
        clCreateCommandBufferKHR,
        clFinalizeCommandBufferKHR,
        clRetainCommandBufferKHR,
        clReleaseCommandBufferKHR,
        clEnqueueCommandBufferKHR,
        clCommandBarrierWithWaitListKHR,
        clCommandCopyBufferKHR,
        clCommandCopyBufferRectKHR,
        clCommandCopyBufferToImageKHR,
        clCommandCopyImageKHR,
        clCommandCopyImageToBufferKHR,
        clCommandFillBufferKHR,
        clCommandFillImageKHR,
        clCommandNDRangeKernelKHR,
        clCommandSVMMemcpyKHR,
        clCommandSVMMemFillKHR,
        clGetCommandBufferInfoKHR,
        clUpdateMutableCommandsKHR,
        clGetMutableCommandInfoKHR,
        clCreateSemaphoreWithPropertiesKHR,
        clEnqueueWaitSemaphoresKHR,
        clEnqueueSignalSemaphoresKHR,
        clGetSemaphoreInfoKHR,
        clGetSemaphoreHandleForTypeKHR,
        clRetainSemaphoreKHR,
        clReleaseSemaphoreKHR,
        clHostMemAllocINTEL,
        clDeviceMemAllocINTEL,
        clSharedMemAllocINTEL,
        clMemFreeINTEL,
        clMemBlockingFreeINTEL,
        clGetMemAllocInfoINTEL,
        clSetKernelArgMemPointerINTEL,
        clEnqueueMemFillINTEL,
        clEnqueueMemsetINTEL,
        clEnqueueMemcpyINTEL,
        clEnqueueMigrateMemINTEL,
        clEnqueueMemAdviseINTEL,
    }
}

/// Returns the platforms; the loader calls it first.
///
/// # Safety
/// As in the extension `cl_khr_icd`: `platforms` is null or has room for `num_entries` handles,
/// `num_platforms` is null or has room for a number.
#[allow(non_snake_case)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clIcdGetPlatformIDsKHR(
    num_entries: cl_uint,
    platforms: *mut cl_platform_id,
    num_platforms: *mut cl_uint,
) -> cl_int {
    handle::register(&TABLE);
    // SAFETY: the same contract.
    unsafe { clGetPlatformIDs(num_entries, platforms, num_platforms) }
}

/// Returns the address of an extension function, or null for an unknown name.
///
/// # Safety
/// `name` is null or a string that ends with a zero.
#[allow(non_snake_case)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clGetExtensionFunctionAddress(name: *const c_char) -> *mut c_void {
    handle::register(&TABLE);
    // SAFETY: the same contract.
    unsafe { address_of(name) }
}

/// Implements [`clGetExtensionFunctionAddress`] under a name that the loader does not export. If
/// the loader precedes this library, calls by the exported name would reach the loader.
///
/// # Safety
/// As [`clGetExtensionFunctionAddress`].
unsafe extern "C" fn address_of(name: *const c_char) -> *mut c_void {
    if name.is_null() {
        return std::ptr::null_mut();
    }
    // SAFETY: guaranteed by the caller.
    unsafe { CStr::from_ptr(name) }.to_str().map_or(std::ptr::null_mut(), find)
}

#[allow(non_snake_case)]
unsafe extern "C" fn clGetExtensionFunctionAddressForPlatform(
    platform: cl_platform_id,
    name: *const c_char,
) -> *mut c_void {
    // SAFETY: the same contract.
    platform::check(platform).map_or(std::ptr::null_mut(), |()| unsafe { address_of(name) })
}
