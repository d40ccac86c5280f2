//! Entry points of memory objects.

use std::ffi::c_void;

use opencl_sys::*;

use crate::api::entry::{object, query, status};
use crate::base::error::{Code, ensure, fail};
use crate::base::handle;
use crate::base::raw::{In, Out, Untyped, ZeroEnded};
use crate::devices::context::Context;
use crate::memory::image;
use crate::memory::mem::{self, Destructor, Mem};

object! {
    fn clCreateBuffer(context: cl_context, flags: cl_mem_flags, size: usize, host_ptr: *mut c_void) -> cl_mem {
        // SAFETY: the host pointer is null, or points to as many bytes as the object has.
        let object = unsafe { mem::buffer(&handle::get(context)?, &[], flags, size, host_ptr)? };
        Ok(handle::give(object))
    }

    fn clCreateBufferWithProperties(
        context: cl_context,
        properties: ZeroEnded<cl_mem_properties>,
        flags: cl_mem_flags,
        size: usize,
        host_ptr: *mut c_void,
    ) -> cl_mem {
        let properties = &properties.properties()?;
        // SAFETY: the host pointer is null, or points to as many bytes as the object has.
        let object = unsafe { mem::buffer(&handle::get(context)?, properties, flags, size, host_ptr)? };
        Ok(handle::give(object))
    }

    fn clCreateSubBuffer(
        buffer: cl_mem,
        flags: cl_mem_flags,
        create_type: cl_buffer_create_type,
        info: Untyped<cl_buffer_region>,
    ) -> cl_mem {
        let buffer = handle::get::<Mem>(buffer)?;
        ensure(create_type == CL_BUFFER_CREATE_TYPE_REGION, CL_INVALID_VALUE)?;
        let region = info.get().ok_or(Code(CL_INVALID_VALUE))?;
        Ok(handle::give(mem::part(&buffer, flags, region)?))
    }

    fn clCreateImage(
        context: cl_context,
        flags: cl_mem_flags,
        format: In<cl_image_format>,
        desc: In<cl_image_desc>,
        host_ptr: *mut c_void,
    ) -> cl_mem {
        let context = handle::get(context)?;
        // SAFETY: the host pointer is null, or points to as many bytes as the object has.
        let object = unsafe { image::create(&context, &[], flags, format.get(), desc.get(), host_ptr)? };
        Ok(handle::give(object))
    }

    fn clCreateImageWithProperties(
        context: cl_context,
        properties: ZeroEnded<cl_mem_properties>,
        flags: cl_mem_flags,
        format: In<cl_image_format>,
        desc: In<cl_image_desc>,
        host_ptr: *mut c_void,
    ) -> cl_mem {
        let (context, properties) = (handle::get(context)?, &properties.properties()?);
        // SAFETY: the host pointer is null, or points to as many bytes as the object has.
        let object = unsafe { image::create(&context, properties, flags, format.get(), desc.get(), host_ptr)? };
        Ok(handle::give(object))
    }

    fn clCreateImage2D(
        context: cl_context,
        flags: cl_mem_flags,
        format: In<cl_image_format>,
        width: usize,
        height: usize,
        row_pitch: usize,
        host_ptr: *mut c_void,
    ) -> cl_mem {
        let desc = old_desc(CL_MEM_OBJECT_IMAGE2D, [width, height, 0], (row_pitch, 0));
        // SAFETY: the host pointer is null, or points to as many bytes as the object has.
        let object = unsafe { image::create(&handle::get(context)?, &[], flags, format.get(), Some(desc), host_ptr)? };
        Ok(handle::give(object))
    }

    fn clCreateImage3D(
        context: cl_context,
        flags: cl_mem_flags,
        format: In<cl_image_format>,
        width: usize,
        height: usize,
        depth: usize,
        row_pitch: usize,
        slice_pitch: usize,
        host_ptr: *mut c_void,
    ) -> cl_mem {
        let desc = old_desc(CL_MEM_OBJECT_IMAGE3D, [width, height, depth], (row_pitch, slice_pitch));
        // SAFETY: the host pointer is null, or points to as many bytes as the object has.
        let object = unsafe { image::create(&handle::get(context)?, &[], flags, format.get(), Some(desc), host_ptr)? };
        Ok(handle::give(object))
    }

    fn clCreatePipe(
        context: cl_context,
        flags: cl_mem_flags,
        packet_size: cl_uint,
        max_packets: cl_uint,
        properties: ZeroEnded<cl_pipe_properties>,
    ) -> cl_mem {
        let context = handle::get::<Context>(context)?;
        ensure(properties.is_null(), CL_INVALID_VALUE)?;
        Ok(handle::give(mem::pipe(&context, flags, packet_size, max_packets)?))
    }
}

/// Converts an image description of the deprecated calls.
fn old_desc(kind: cl_mem_object_type, size: [usize; 3], pitches: (usize, usize)) -> cl_image_desc {
    cl_image_desc {
        image_type: kind,
        image_width: size[0],
        image_height: size[1],
        image_depth: size[2],
        image_array_size: 0,
        image_row_pitch: pitches.0,
        image_slice_pitch: pitches.1,
        num_mip_levels: 0,
        num_samples: 0,
        buffer: std::ptr::null_mut(),
    }
}

status! {
    fn clRetainMemObject(memobj: cl_mem) {
        handle::retain::<Mem>(memobj)
    }

    fn clReleaseMemObject(memobj: cl_mem) {
        handle::release::<Mem>(memobj)
    }

    fn clSetMemObjectDestructorCallback(memobj: cl_mem, pfn_notify: Option<Destructor>, user_data: *mut c_void) {
        let mem = handle::get::<Mem>(memobj)?;
        mem.on_destruction(pfn_notify.ok_or(Code(CL_INVALID_VALUE))?, user_data);
        Ok(())
    }

    fn clGetSupportedImageFormats(
        context: cl_context,
        flags: cl_mem_flags,
        image_type: cl_mem_object_type,
        num_entries: cl_uint,
        image_formats: Out<cl_image_format>,
        num_image_formats: Out<cl_uint>,
    ) {
        let context = handle::get::<Context>(context)?;
        let is_image = (CL_MEM_OBJECT_IMAGE2D..=CL_MEM_OBJECT_IMAGE1D_BUFFER).contains(&image_type);
        ensure(is_image, CL_INVALID_VALUE)?;
        ensure(image_formats.is_null() || num_entries > 0, CL_INVALID_VALUE)?;
        let has_images = context.devices.iter().any(|device| device.has_images);
        let formats = if has_images { image::formats(flags, image_type) } else { Vec::new() };
        num_image_formats.put(formats.len() as cl_uint);
        // SAFETY: the list has room for as many elements as its count says.
        Ok(unsafe { image_formats.put_list(num_entries as usize, formats) }?)
    }

    fn clCreateSubDevicesEXT(
        _device: cl_device_id,
        _properties: *const cl_device_partition_property_ext,
        _num_entries: cl_uint,
        _out_devices: *mut cl_device_id,
        _num_devices: *mut cl_uint,
    ) {
        fail(CL_INVALID_VALUE)
    }
}

query! {
    fn clGetMemObjectInfo(memobj: cl_mem; answer) {
        mem::info(&handle::get(memobj)?, answer)
    }

    fn clGetImageInfo(image: cl_mem; answer) {
        image::info(&handle::get(image)?, answer)
    }

    fn clGetPipeInfo(pipe: cl_mem; answer) {
        mem::pipe_info(&handle::get(pipe)?, answer)
    }
}
