//! Command buffer functions, which a program finds by name.

use std::ffi::{CStr, c_void};
use std::ptr::{null, null_mut};

use opencl_sys::*;

type Create = unsafe extern "C" fn(u32, *const cl_command_queue, *const u64, *mut cl_int) -> *mut c_void;
type One = unsafe extern "C" fn(*mut c_void) -> cl_int;
type Enqueue =
    unsafe extern "C" fn(u32, *const cl_command_queue, *mut c_void, u32, *const cl_event, *mut cl_event) -> cl_int;
type Fill = unsafe extern "C" fn(
    *mut c_void,
    cl_command_queue,
    *const u64,
    cl_mem,
    *const c_void,
    usize,
    usize,
    usize,
    u32,
    *const u32,
    *mut u32,
    *mut c_void,
) -> cl_int;
type Launch = unsafe extern "C" fn(
    *mut c_void,
    cl_command_queue,
    *const u64,
    cl_kernel,
    u32,
    *const usize,
    *const usize,
    *const usize,
    u32,
    *const u32,
    *mut u32,
    *mut *mut c_void,
) -> cl_int;
type Update = unsafe extern "C" fn(*mut c_void, u32, *const u32, *const *const c_void) -> cl_int;

/// Functions of the extension.
#[derive(Clone, Copy)]
pub(crate) struct Functions {
    create: Create,
    finalize: One,
    retain: One,
    release: One,
    enqueue: Enqueue,
    fill: Fill,
    launch: Launch,
    update: Update,
}

impl Functions {
    pub(crate) fn find() -> Self {
        fn function<T: Copy>(name: &CStr) -> T {
            // SAFETY: the name ends with a zero.
            let address = unsafe { visakit_opencl::clGetExtensionFunctionAddress(name.as_ptr()) };
            assert!(!address.is_null() && std::mem::size_of::<T>() == std::mem::size_of_val(&address), "{name:?}");
            // SAFETY: `T` is a function pointer of the type that the extension defines for the
            // name.
            unsafe { std::mem::transmute_copy(&address) }
        }
        Self {
            create: function(c"clCreateCommandBufferKHR"),
            finalize: function(c"clFinalizeCommandBufferKHR"),
            retain: function(c"clRetainCommandBufferKHR"),
            release: function(c"clReleaseCommandBufferKHR"),
            enqueue: function(c"clEnqueueCommandBufferKHR"),
            fill: function(c"clCommandFillBufferKHR"),
            launch: function(c"clCommandNDRangeKernelKHR"),
            update: function(c"clUpdateMutableCommandsKHR"),
        }
    }

    pub(crate) fn create(self, queue: cl_command_queue, flags: u64, code: &mut cl_int) -> *mut c_void {
        let properties = [CL_COMMAND_BUFFER_FLAGS_KHR, flags, 0];
        // SAFETY: the lists have as many elements as required; a handle may be anything, here and
        // below.
        unsafe { (self.create)(1, &queue, if flags == 0 { null() } else { properties.as_ptr() }, code) }
    }

    pub(crate) fn finalize(self, buffer: *mut c_void) -> cl_int {
        // SAFETY: as above.
        unsafe { (self.finalize)(buffer) }
    }

    pub(crate) fn retain(self, buffer: *mut c_void) -> cl_int {
        // SAFETY: as above.
        unsafe { (self.retain)(buffer) }
    }

    pub(crate) fn release(self, buffer: *mut c_void) -> cl_int {
        // SAFETY: as above.
        unsafe { (self.release)(buffer) }
    }

    pub(crate) fn enqueue(
        self,
        queue: Option<cl_command_queue>,
        buffer: *mut c_void,
        list: &[cl_event],
        event: &mut cl_event,
    ) -> cl_int {
        let first = if list.is_empty() { null() } else { list.as_ptr() };
        let queues = queue.as_ref().map_or(null(), std::ptr::from_ref);
        // SAFETY: as above.
        unsafe { (self.enqueue)(queue.iter().len() as u32, queues, buffer, list.len() as u32, first, event) }
    }

    /// Records a fill of a part of a buffer, after a sync point.
    pub(crate) fn fill(
        self,
        buffer: *mut c_void,
        mem: cl_mem,
        (offset, bytes): (usize, usize),
        point: u32,
    ) -> cl_int {
        let (pattern, mut own, count) = (7_u32, 0, u32::from(point > 0));
        let points = if point == 0 { null() } else { &raw const point };
        let pattern = (&raw const pattern).cast();
        // SAFETY: as above; the pattern has four bytes.
        unsafe {
            (self.fill)(
                buffer,
                null_mut(),
                null(),
                mem,
                pattern,
                4,
                offset,
                bytes,
                count,
                points,
                &mut own,
                null_mut(),
            )
        }
    }

    /// Records a launch, and returns its command at `place`.
    pub(crate) fn launch(
        self,
        buffer: *mut c_void,
        kernel: cl_kernel,
        items: usize,
        place: Option<&mut *mut c_void>,
    ) -> cl_int {
        let (none, nothing) = (null::<usize>(), null_mut());
        let place = place.map_or(null_mut(), std::ptr::from_mut);
        // SAFETY: as above; there is one size.
        unsafe {
            (self.launch)(
                buffer,
                nothing,
                none.cast(),
                kernel,
                1,
                none,
                &items,
                none,
                0,
                none.cast(),
                null_mut(),
                place,
            )
        }
    }

    /// Changes an argument and the size of a recorded launch.
    pub(crate) fn update(
        self,
        buffer: *mut c_void,
        command: *mut c_void,
        (index, mem): (u32, cl_mem),
        items: usize,
    ) -> cl_int {
        let size = std::mem::size_of::<cl_mem>();
        let argument =
            cl_mutable_dispatch_arg_khr { arg_index: index, arg_size: size, arg_value: (&raw const mem).cast() };
        let config = cl_mutable_dispatch_config_khr {
            command,
            num_args: 1,
            num_svm_args: 0,
            num_exec_infos: 0,
            work_dim: 0,
            arg_list: &raw const argument,
            arg_svm_list: null(),
            exec_info_list: null(),
            global_work_offset: null(),
            global_work_size: &raw const items,
            local_work_size: null(),
        };
        let kind = CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR;
        // SAFETY: as above; the configuration and its lists have one element each.
        unsafe { (self.update)(buffer, 1, &kind, &(&raw const config).cast()) }
    }
}
