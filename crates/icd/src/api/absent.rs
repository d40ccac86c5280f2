//! Entry points that the devices do not support: sharing with graphics objects. They exist and
//! return errors.

use std::ffi::c_void;

use opencl_sys::*;

use crate::api::entry::{object, status};
use crate::base::error::fail;
use crate::base::handle;
use crate::devices::context::Context;
use crate::queues::queue::Queue;

object! {
    fn clCreateFromGLBuffer(context: cl_context, _flags: cl_mem_flags, _name: cl_GLuint) -> cl_mem {
        handle::get::<Context>(context)?;
        fail(CL_INVALID_GL_OBJECT)
    }

    fn clCreateFromGLTexture2D(
        context: cl_context,
        _flags: cl_mem_flags,
        _target: cl_GLenum,
        _level: cl_GLint,
        _texture: cl_GLuint,
    ) -> cl_mem {
        handle::get::<Context>(context)?;
        fail(CL_INVALID_GL_OBJECT)
    }

    fn clCreateFromGLTexture3D(
        context: cl_context,
        _flags: cl_mem_flags,
        _target: cl_GLenum,
        _level: cl_GLint,
        _texture: cl_GLuint,
    ) -> cl_mem {
        handle::get::<Context>(context)?;
        fail(CL_INVALID_GL_OBJECT)
    }

    fn clCreateFromGLTexture(
        context: cl_context,
        _flags: cl_mem_flags,
        _target: cl_GLenum,
        _level: cl_GLint,
        _texture: cl_GLuint,
    ) -> cl_mem {
        handle::get::<Context>(context)?;
        fail(CL_INVALID_GL_OBJECT)
    }

    fn clCreateFromGLRenderbuffer(context: cl_context, _flags: cl_mem_flags, _name: cl_GLuint) -> cl_mem {
        handle::get::<Context>(context)?;
        fail(CL_INVALID_GL_OBJECT)
    }

    fn clCreateEventFromGLsyncKHR(context: cl_context, _sync: cl_GLsync) -> cl_event {
        handle::get::<Context>(context)?;
        fail(CL_INVALID_GL_OBJECT)
    }
}

status! {
    fn clGetGLObjectInfo(_memobj: cl_mem, _kind: *mut cl_gl_object_type, _name: *mut cl_GLuint) {
        fail(CL_INVALID_GL_OBJECT)
    }

    fn clGetGLTextureInfo(
        _memobj: cl_mem,
        _name: cl_gl_texture_info,
        _size: usize,
        _value: *mut c_void,
        _size_ret: *mut usize,
    ) {
        fail(CL_INVALID_GL_OBJECT)
    }

    fn clGetGLContextInfoKHR(
        _properties: *const cl_context_properties,
        _name: cl_gl_context_info,
        _size: usize,
        _value: *mut c_void,
        _size_ret: *mut usize,
    ) {
        fail(CL_INVALID_OPERATION)
    }

    fn clEnqueueAcquireGLObjects(
        command_queue: cl_command_queue,
        _count: cl_uint,
        _objects: *const cl_mem,
        _num_events: cl_uint,
        _event_list: *const cl_event,
        _event: *mut cl_event,
    ) {
        handle::get::<Queue>(command_queue)?;
        fail(CL_INVALID_CONTEXT)
    }

    fn clEnqueueReleaseGLObjects(
        command_queue: cl_command_queue,
        _count: cl_uint,
        _objects: *const cl_mem,
        _num_events: cl_uint,
        _event_list: *const cl_event,
        _event: *mut cl_event,
    ) {
        handle::get::<Queue>(command_queue)?;
        fail(CL_INVALID_CONTEXT)
    }
}
