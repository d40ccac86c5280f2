//! Misaligned lists: each is an error with the call's code for the list, and never ignored. Single
//! values may be misaligned.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use opencl_sys::cl_icd::_cl_icd_dispatch;
use opencl_sys::*;
use visakit_testing::root;

/// Calls a function of the table, which must exist.
macro_rules! call {
    ($function:ident($($argument:expr),* $(,)?)) => {{
        let function = api().$function.expect("the function is there");
        // SAFETY: the test holds the objects of all handles. Other pointers are null or point to
        // memory of the test that is large enough.
        unsafe { function($($argument),*) }
    }};
}

/// Creates an object and asserts success.
macro_rules! made {
    ($function:ident($($argument:expr),* $(,)?)) => {{
        let mut code = 0;
        let object = call!($function($($argument,)* &mut code));
        assert_eq!(code, CL_SUCCESS, stringify!($function));
        object
    }};
}

/// Calls a function that should fail to create an object, and returns its code.
macro_rules! refused {
    ($function:ident($($argument:expr),* $(,)?)) => {{
        let mut code = 0;
        assert!(call!($function($($argument,)* &mut code)).is_null(), stringify!($function));
        code
    }};
}

fn api() -> &'static _cl_icd_dispatch {
    visakit_opencl::table()
}

/// Words at an odd address, with room for one more byte.
struct Shifted(Vec<u8>);

impl Shifted {
    fn new(words: &[usize]) -> Self {
        let bytes = words.iter().flat_map(|word| word.to_ne_bytes());
        let mut shifted = vec![0; 8 * (words.len() + 1)];
        let odd = 1 - shifted.as_ptr() as usize % 2;
        shifted.splice(odd..odd + 8 * words.len(), bytes);
        Self(shifted)
    }

    /// Returns the address of the first word.
    fn first<T>(&self) -> *const T {
        let odd = 1 - self.0.as_ptr() as usize % 2;
        self.0[odd..].as_ptr().cast()
    }
}

#[test]
fn misaligned_lists_are_errors() {
    // SAFETY: no other thread runs yet.
    unsafe { std::env::set_var("VISAKIT_DEVICES", "dg2") };
    let mut device = null_mut();
    assert_eq!(call!(clGetDeviceIDs(null_mut(), CL_DEVICE_TYPE_ALL, 1, &mut device, null_mut())), CL_SUCCESS);
    let devices = Shifted::new(&[device as usize]);
    assert_eq!(refused!(clCreateContext(null(), 1, devices.first(), None, null_mut())), CL_INVALID_VALUE);
    let properties = Shifted::new(&[0]);
    assert_eq!(refused!(clCreateContext(properties.first(), 1, &device, None, null_mut())), CL_INVALID_VALUE);

    let context = made!(clCreateContext(null(), 1, &device, None, null_mut()));
    let queue = made!(clCreateCommandQueue(context, device, 0));
    let properties = Shifted::new(&[0]);
    assert_eq!(refused!(clCreateCommandQueueWithProperties(context, device, properties.first())), CL_INVALID_VALUE);

    let buffer = made!(clCreateBuffer(context, CL_MEM_READ_WRITE, 256, null_mut()));
    let mems = Shifted::new(&[buffer as usize]);
    let migrated = call!(clEnqueueMigrateMemObjects(queue, 1, mems.first(), 0, 0, null(), null_mut()));
    assert_eq!(migrated, CL_INVALID_VALUE);

    let event = made!(clCreateUserEvent(context));
    let events = Shifted::new(&[event as usize]);
    let marker = call!(clEnqueueMarkerWithWaitList(queue, 1, events.first(), null_mut()));
    assert_eq!(marker, CL_INVALID_EVENT_WAIT_LIST, "a dropped list would let the marker go on");
    let word = 0_u32;
    let pattern = (&raw const word).cast();
    let fill = call!(clEnqueueFillBuffer(queue, buffer, pattern, 4, 0, 256, 1, events.first(), null_mut()));
    assert_eq!(fill, CL_INVALID_EVENT_WAIT_LIST);
    assert_eq!(call!(clWaitForEvents(1, events.first())), CL_INVALID_VALUE);
    assert_eq!(call!(clEnqueueWaitForEvents(queue, 1, events.first())), CL_INVALID_EVENT);

    let zebin = std::fs::read(root().join("examples/vector_add/vector_add.dg2.zebin")).unwrap();
    let (bytes, size) = (zebin.as_ptr(), zebin.len());
    let binaries = Shifted::new(&[bytes as usize]);
    let first = binaries.first::<*const u8>().cast_mut();
    assert_eq!(refused!(clCreateProgramWithBinary(context, 1, &device, &size, first, null_mut())), CL_INVALID_VALUE);
    let lengths = Shifted::new(&[size]);
    let mut given = bytes;
    assert_eq!(
        refused!(clCreateProgramWithBinary(context, 1, &device, lengths.first(), &mut given, null_mut())),
        CL_INVALID_VALUE
    );
    let program = made!(clCreateProgramWithBinary(context, 1, &device, &size, &mut given, null_mut()));
    let built = call!(clBuildProgram(program, 1, devices.first(), null(), None, null_mut()));
    assert_eq!(built, CL_INVALID_VALUE);
    assert_eq!(call!(clBuildProgram(program, 1, &device, null(), None, null_mut())), CL_SUCCESS);
    let kernel = made!(clCreateKernel(program, c"vector_add".as_ptr()));
    for index in 0..3 {
        let place = (&raw const buffer).cast::<c_void>();
        assert_eq!(call!(clSetKernelArg(kernel, index, 8, place)), CL_SUCCESS);
    }
    let count = 16_u32;
    assert_eq!(call!(clSetKernelArg(kernel, 3, 4, (&raw const count).cast())), CL_SUCCESS);
    let launch = |offset: *const usize, global: *const usize, local: *const usize| {
        call!(clEnqueueNDRangeKernel(queue, kernel, 1, offset, global, local, 0, null(), null_mut()))
    };
    let (aligned, shifted) = (16_usize, Shifted::new(&[16]));
    assert_eq!(launch(null(), shifted.first(), null()), CL_INVALID_GLOBAL_WORK_SIZE);
    assert_eq!(launch(null(), &aligned, shifted.first()), CL_INVALID_WORK_GROUP_SIZE);
    assert_eq!(launch(shifted.first(), &aligned, null()), CL_INVALID_GLOBAL_OFFSET);
    assert_eq!(launch(null(), &aligned, &aligned), CL_SUCCESS);

    // The region of a buffer is a single value, and so is the place for an event.
    let region = Shifted::new(&[0, 128]);
    let part = made!(clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, region.first()));
    let place = Shifted::new(&[0]);
    let marker = call!(clEnqueueMarkerWithWaitList(queue, 0, null(), place.first::<cl_event>().cast_mut()));
    assert_eq!(marker, CL_SUCCESS);
    // SAFETY: the marker's event was written there.
    let done = unsafe { place.first::<cl_event>().read_unaligned() };
    assert_eq!(call!(clWaitForEvents(1, &done)), CL_SUCCESS);

    assert_eq!(call!(clSetUserEventStatus(event, CL_COMPLETE)), CL_SUCCESS);
    assert_eq!(call!(clFinish(queue)), CL_SUCCESS);
    for released in [event, done] {
        assert_eq!(call!(clReleaseEvent(released)), CL_SUCCESS);
    }
    for released in [part, buffer] {
        assert_eq!(call!(clReleaseMemObject(released)), CL_SUCCESS);
    }
    assert_eq!(call!(clReleaseKernel(kernel)), CL_SUCCESS);
    assert_eq!(call!(clReleaseProgram(program)), CL_SUCCESS);
    assert_eq!(call!(clReleaseCommandQueue(queue)), CL_SUCCESS);
    assert_eq!(call!(clReleaseContext(context)), CL_SUCCESS);
}
