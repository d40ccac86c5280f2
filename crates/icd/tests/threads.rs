//! Many threads create, use and release objects of shared contexts: results are correct, counts are
//! exact, and no object is left.
//!
//! `VISAKIT_ROUNDS=1000` increases the work per thread. A build with `-Zsanitizer=thread` detects
//! races in the driver.

use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use opencl_sys::cl_icd::_cl_icd_dispatch;
use opencl_sys::*;
use visakit_testing::{Random, root};

const THREADS: usize = 6;
const ITEMS: usize = 256;
/// Number of callbacks called.
static CALLED: AtomicUsize = AtomicUsize::new(0);

/// Calls a function of the table, which must exist.
macro_rules! call {
    ($function:ident($($argument:expr),* $(,)?)) => {{
        let function = api().$function.expect("the function is there");
        // SAFETY: the test holds the objects of all handles. Other pointers are null or point to
        // memory of the test that is large enough and lives until the commands are over.
        unsafe { function($($argument),*) }
    }};
}

fn api() -> &'static _cl_icd_dispatch {
    visakit_opencl::table()
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

/// Objects shared by threads; only the driver dereferences the handles.
#[derive(Clone, Copy)]
struct Shared {
    context: usize,
    device: usize,
    program: usize,
    buffer: usize,
}

/// Releases its arguments, each the last reference.
unsafe extern "C" fn let_go(event: cl_event, status: cl_int, buffer: *mut c_void) {
    assert_eq!(status, CL_COMPLETE);
    assert_eq!(call!(clReleaseMemObject(buffer)), CL_SUCCESS);
    assert_eq!(call!(clReleaseEvent(event)), CL_SUCCESS);
    CALLED.fetch_add(1, Ordering::Relaxed);
}

impl Shared {
    fn buffer_of(self, bytes: usize) -> cl_mem {
        made!(clCreateBuffer(self.context as cl_context, CL_MEM_READ_WRITE, bytes, null_mut()))
    }

    /// Adds from one buffer to the other on two queues, after an event that the thread completes.
    fn round(self, random: &mut Random) {
        let context = self.context as cl_context;
        let flags = [0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE];
        let queues = [flags[random.below(2)], flags[1]]
            .map(|flags| made!(clCreateCommandQueue(context, self.device as cl_device_id, flags)));
        let kernel = made!(clCreateKernel(self.program as cl_program, c"vector_add".as_ptr()));
        let bytes = ITEMS * 4;
        let [one, ping, pong] = [(); 3].map(|()| self.buffer_of(bytes));
        let gate = made!(clCreateUserEvent(context));
        let (mut before, mut events) = (gate, vec![gate]);
        let mut behind = |last: &mut cl_event, event: cl_event| {
            events.push(event);
            *last = event;
        };
        for (buffer, value) in [(one, 1.0_f32), (ping, 0.0)] {
            let (mut event, pattern) = (null_mut(), (&raw const value).cast());
            let fill = call!(clEnqueueFillBuffer(queues[0], buffer, pattern, 4, 0, bytes, 1, &before, &mut event));
            assert_eq!(fill, CL_SUCCESS);
            behind(&mut before, event);
        }
        let launches = 1 + random.below(6);
        for n in 0..launches {
            let (from, to) = if n.is_multiple_of(2) { (ping, pong) } else { (pong, ping) };
            for (index, buffer) in [from, one, to].iter().enumerate() {
                let place = std::ptr::from_ref(buffer).cast();
                assert_eq!(call!(clSetKernelArg(kernel, index as u32, 8, place)), CL_SUCCESS);
            }
            let count = ITEMS as u32;
            assert_eq!(call!(clSetKernelArg(kernel, 3, 4, (&raw const count).cast())), CL_SUCCESS);
            let (mut event, global) = (null_mut(), ITEMS);
            let launch = call!(clEnqueueNDRangeKernel(
                queues[random.below(2)],
                kernel,
                1,
                null(),
                &global,
                null(),
                1,
                &before,
                &mut event
            ));
            assert_eq!(launch, CL_SUCCESS);
            behind(&mut before, event);
        }
        let (mut found, mut event) = (vec![0.0_f32; ITEMS], null_mut());
        let last = if launches.is_multiple_of(2) { ping } else { pong };
        let place = found.as_mut_ptr().cast();
        let read = call!(clEnqueueReadBuffer(queues[1], last, 0, 0, bytes, place, 1, &before, &mut event));
        assert_eq!(read, CL_SUCCESS);
        assert_eq!(call!(clRetainEvent(event)), CL_SUCCESS);
        let told = call!(clSetEventCallback(event, CL_COMPLETE, Some(let_go), self.buffer_of(64)));
        assert_eq!(told, CL_SUCCESS);
        events.push(event);
        // Some objects are released before the commands have used them.
        for buffer in [one, ping, pong] {
            assert_eq!(call!(clReleaseMemObject(buffer)), CL_SUCCESS);
        }
        assert_eq!(call!(clReleaseKernel(kernel)), CL_SUCCESS);
        assert_eq!(call!(clRetainMemObject(self.buffer as cl_mem)), CL_SUCCESS);
        assert_eq!(call!(clSetUserEventStatus(gate, CL_COMPLETE)), CL_SUCCESS);
        assert_eq!(call!(clReleaseMemObject(self.buffer as cl_mem)), CL_SUCCESS);
        if random.below(2) == 0 {
            assert_eq!(call!(clFinish(queues[random.below(2)])), CL_SUCCESS);
        }
        assert_eq!(call!(clWaitForEvents(1, &event)), CL_SUCCESS);
        assert!(found.iter().all(|&sum| sum == launches as f32), "{launches}: {found:?}");
        for event in events {
            assert_eq!(call!(clReleaseEvent(event)), CL_SUCCESS);
        }
        for queue in queues {
            assert_eq!(call!(clReleaseCommandQueue(queue)), CL_SUCCESS);
        }
    }
}

#[test]
fn threads_share_contexts() {
    let rounds: usize = std::env::var("VISAKIT_ROUNDS").ok().and_then(|n| n.parse().ok()).unwrap_or(40);
    // SAFETY: no other thread runs yet.
    unsafe { std::env::set_var("VISAKIT_DEVICES", "dg2,skl") };
    let (mut devices, mut count) = ([null_mut(); 8], 0);
    assert_eq!(
        call!(clGetDeviceIDs(null_mut(), CL_DEVICE_TYPE_ALL, 8, devices.as_mut_ptr(), &mut count)),
        CL_SUCCESS
    );
    let before = visakit_opencl::objects();
    let all: Vec<Shared> =
        devices[..2].iter().zip(["dg2", "skl"]).map(|(device, name)| share(*device, name)).collect();
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let all = &all;
            scope.spawn(move || {
                let mut random = Random(thread as u64 + 1);
                (0..rounds).for_each(|_| all[random.below(all.len())].round(&mut random));
            });
        }
    });
    // The thread of the last command may still be about to call back and to release its objects.
    let mut waits = 0..10_000;
    let wanted = before + all.len() * 3;
    while visakit_opencl::objects() != wanted || CALLED.load(Ordering::Relaxed) != THREADS * rounds {
        let (left, called) = (visakit_opencl::objects(), CALLED.load(Ordering::Relaxed));
        assert!(waits.next().is_some(), "{left} objects instead of {wanted}, {called} calls");
        std::thread::sleep(Duration::from_millis(1));
    }
    for Shared { context, program, buffer, .. } in all {
        let (mut held, size) = (0_u32, size_of::<u32>());
        let place = (&raw mut held).cast();
        let told = call!(clGetMemObjectInfo(buffer as cl_mem, CL_MEM_REFERENCE_COUNT, size, place, null_mut()));
        assert_eq!((told, held), (CL_SUCCESS, 1));
        assert_eq!(call!(clReleaseMemObject(buffer as cl_mem)), CL_SUCCESS);
        assert_eq!(call!(clReleaseProgram(program as cl_program)), CL_SUCCESS);
        assert_eq!(call!(clReleaseContext(context as cl_context)), CL_SUCCESS);
    }
    assert_eq!(visakit_opencl::objects(), before);
}

/// Creates a context with a program and a buffer.
fn share(device: cl_device_id, name: &str) -> Shared {
    let zebin = std::fs::read(root().join(format!("examples/vector_add/vector_add.{name}.zebin"))).unwrap();
    let context = made!(clCreateContext(null(), 1, &device, None, null_mut()));
    let (mut bytes, size) = (zebin.as_ptr(), zebin.len());
    let program = made!(clCreateProgramWithBinary(context, 1, &device, &size, &mut bytes, null_mut()));
    assert_eq!(call!(clBuildProgram(program, 1, &device, null(), None, null_mut())), CL_SUCCESS);
    let buffer = made!(clCreateBuffer(context, CL_MEM_READ_WRITE, 64, null_mut()));
    Shared { context: context as usize, device: device as usize, program: program as usize, buffer: buffer as usize }
}
