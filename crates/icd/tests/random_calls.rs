//! Random calls, valid and invalid: each returns a code of the API, none crashes or hangs, and no
//! object is left at the end.
//!
//! `VISAKIT_CALLS=100000 cargo test --release -p visakit-opencl --test random_calls` makes more
//! calls, `VISAKIT_SEED=1` other ones.

#[path = "random/recorded.rs"]
mod recorded;

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use opencl_sys::cl_icd::_cl_icd_dispatch;
use opencl_sys::*;
use recorded::Functions;
use visakit_testing::{Random, root};

/// Caller with handles of all kinds, including released ones.
struct Caller {
    random: Random,
    api: &'static _cl_icd_dispatch,
    buffers: Functions,
    devices: Vec<cl_device_id>,
    /// Held handles by kind, once per required release.
    held: [Vec<*mut c_void>; KINDS],
    stale: Vec<*mut c_void>,
    /// Command buffers, some of which are released, and their commands.
    mutable: Vec<(*mut c_void, *mut c_void)>,
    zebins: Vec<Vec<u8>>,
    /// Memory that lives as long as there are commands.
    host: Vec<[u64; 1024]>,
    /// SVM allocations with their contexts.
    shared: Vec<(cl_context, *mut c_void)>,
    /// Numbers of calls, accepted commands and launches in this round. Each call uses separate
    /// memory.
    calls: usize,
    commands: usize,
    /// True after an argument was null, or shared memory was freed: a launch that accesses them
    /// fails on devices with flat addresses, and so does `clFinish`.
    may_fault: bool,
    launches: usize,
}

const CONTEXT: usize = 0;
const QUEUE: usize = 1;
const MEM: usize = 2;
const PROGRAM: usize = 3;
const KERNEL: usize = 4;
const EVENT: usize = 5;
const SAMPLER: usize = 6;
const USER: usize = 7;
/// Sub-devices, and command buffers.
const PART: usize = 8;
const RECORDED: usize = 9;
const KINDS: usize = 10;
/// Number of calls after which everything is released.
const ROUND: usize = 2000;

/// Calls a function of the table.
macro_rules! call {
    ($caller:expr, $function:ident($($argument:expr),* $(,)?)) => {{
        let function = $caller.api.$function.expect("the function is there");
        // SAFETY: handles may be anything, which the driver must detect. Other pointers are null or
        // point to memory of the test that is large enough.
        unsafe { function($($argument),*) }
    }};
}

impl Caller {
    fn below(&mut self, n: usize) -> usize {
        self.random.below(n)
    }

    fn device(&mut self) -> cl_device_id {
        let which = self.below(8);
        if which == 0 { self.any(PART) } else { self.devices[which % 2] }
    }

    /// Returns a handle: mostly a live one, otherwise one of another kind, a released one, or null.
    fn any(&mut self, kind: usize) -> *mut c_void {
        let kind = if self.below(40) == 0 { self.below(KINDS) } else { kind };
        let list = match self.below(40) {
            0 => return null_mut(),
            1 => &self.stale,
            _ => &self.held[kind],
        };
        if list.is_empty() { null_mut() } else { list[(self.random.bits() >> 16) as usize % list.len()] }
    }

    fn keep(&mut self, kind: usize, handle: *mut c_void, code: cl_int) {
        check(code);
        assert_eq!(handle.is_null(), code != CL_SUCCESS, "{code}");
        if !handle.is_null() {
            self.held[kind].push(handle);
        }
    }

    /// Returns a size that may be too large.
    fn size(&mut self) -> usize {
        match self.below(12) {
            0 => 0,
            1 => usize::MAX - self.below(16),
            2 => 4096 + self.below(1 << 20),
            _ => self.below(256),
        }
    }

    fn events(&mut self) -> Vec<cl_event> {
        let count = if self.below(3) == 0 { self.below(3) } else { 0 };
        (0..count).map(|_| self.any(EVENT)).collect()
    }

    fn step(&mut self) {
        let mut code = 0;
        self.calls = (self.calls + 1) % ROUND;
        let host = self.host[self.calls].as_mut_ptr().cast::<c_void>();
        let (context, queue) = (self.any(CONTEXT), self.any(QUEUE));
        match self.below(37) {
            0 if self.held[CONTEXT].len() > 1 => {}
            0 => {
                let mut devices = self.devices.clone();
                if self.below(2) == 0 && !self.held[PART].is_empty() {
                    devices.push(self.any(PART));
                }
                let (count, first) = (devices.len() as u32, devices.as_ptr());
                let made = call!(self, clCreateContext(null(), count, first, None, null_mut(), &mut code));
                self.keep(CONTEXT, made, code);
            }
            1 => {
                let device = self.device();
                let properties = [u64::from(CL_QUEUE_PROPERTIES), self.below(5) as u64, 0];
                let made =
                    call!(self, clCreateCommandQueueWithProperties(context, device, properties.as_ptr(), &mut code));
                self.keep(QUEUE, made, code);
            }
            2 | 3 => {
                let flags = [0, 1, 2, 4, 8 + 1, 32 + 1, 8, 3, 1 << 40][self.below(9)];
                let size = self.size().min(1 << 21);
                let given = if flags & 40 != 0 && size <= 8192 { host } else { null_mut() };
                let made = call!(self, clCreateBuffer(context, flags, size, given, &mut code));
                self.keep(MEM, made, code);
            }
            4 => {
                let region = cl_buffer_region { origin: self.below(3) * 64, size: self.size() };
                let of = self.any(MEM);
                let place = (&raw const region).cast();
                let made = call!(self, clCreateSubBuffer(of, 0, CL_BUFFER_CREATE_TYPE_REGION, place, &mut code));
                self.keep(MEM, made, code);
            }
            5 => {
                let order = [CL_RGBA, CL_R, CL_BGRA, 7][self.below(4)];
                let format = cl_image_format { image_channel_order: order, image_channel_data_type: CL_UNORM_INT8 };
                let desc = cl_image_desc {
                    image_type: CL_MEM_OBJECT_BUFFER + self.below(8) as u32,
                    image_width: self.below(20),
                    image_height: self.below(20),
                    image_depth: self.below(4),
                    image_array_size: self.below(4),
                    image_row_pitch: [0, 0, 16, 80][self.below(4)],
                    image_slice_pitch: 0,
                    num_mip_levels: 0,
                    num_samples: 0,
                    buffer: if self.below(4) == 0 { self.any(MEM) } else { null_mut() },
                };
                let made = call!(self, clCreateImage(context, 0, &format, &desc, null_mut(), &mut code));
                self.keep(MEM, made, code);
            }
            6 => {
                let (mode, filter) = (0x1130 + self.below(6) as u32, 0x1140 + self.below(3) as u32);
                let made = call!(self, clCreateSampler(context, self.below(2) as u32, mode, filter, &mut code));
                self.keep(SAMPLER, made, code);
            }
            7 => {
                let which = self.below(2);
                let device = if self.below(9) == 0 { self.device() } else { self.devices[which] };
                let mut zebin = self.zebins[which].clone();
                if self.below(9) == 0 {
                    let at = self.below(zebin.len());
                    zebin.truncate(at);
                }
                let (length, mut first, mut status) = (zebin.len(), zebin.as_ptr(), 0);
                let made = call!(
                    self,
                    clCreateProgramWithBinary(context, 1, &device, &length, &mut first, &mut status, &mut code)
                );
                self.keep(PROGRAM, made, code);
                check(call!(self, clBuildProgram(made, 0, null(), null(), None, null_mut())));
            }
            8 => {
                let (program, mut kernels, mut count) = (self.any(PROGRAM), [null_mut(); 4], 0);
                let made = call!(self, clCreateKernelsInProgram(program, 4, kernels.as_mut_ptr(), &mut count));
                check(made);
                if made == CL_SUCCESS {
                    self.held[KERNEL].extend(&kernels[..count as usize]);
                }
            }
            9 => {
                let made = call!(self, clCreateUserEvent(context, &mut code));
                self.keep(USER, made, code);
            }
            10 => {
                let event = self.any(USER);
                check(call!(self, clSetUserEventStatus(event, -(self.below(3) as i32))));
            }
            11 | 12 => self.valid_arguments(),
            13 => {
                let (kernel, index, value) = (self.any(KERNEL), self.below(9) as u32, self.any(MEM));
                self.may_fault |= value.is_null();
                let size = [4, 8, 8, 8, 8, 16][self.below(6)];
                let given = [value as u64, self.random.bits()];
                let given = if self.below(3) == 0 { &raw const given[1] } else { given.as_ptr() };
                // Only the first value has sixteen bytes.
                let size = if size == 16 { 4 } else { size };
                check(call!(self, clSetKernelArg(kernel, index, size, given.cast())));
            }
            14..=17 => {
                let (kernel, list) = (self.any(KERNEL), self.events());
                let global = [self.below(70), self.below(5), 1];
                let local = [1 + self.below(8), 1, 1];
                let local = if self.below(4) == 0 { local.as_ptr() } else { null() };
                let (dimensions, mut event) = (self.below(5) as u32, null_mut());
                let dimensions = if self.below(9) > 0 { 1 } else { dimensions.min(3) };
                let count = list.len() as u32;
                let first = if list.is_empty() { null() } else { list.as_ptr() };
                let code = call!(
                    self,
                    clEnqueueNDRangeKernel(
                        queue,
                        kernel,
                        dimensions,
                        null(),
                        global.as_ptr(),
                        local,
                        count,
                        first,
                        &mut event
                    )
                );
                self.launches += usize::from(code == CL_SUCCESS);
                self.enqueued(code, event);
            }
            18..=20 => {
                let (mem, list, offset, size) = (self.any(MEM), self.events(), self.size(), self.size().min(8192));
                let (count, mut event) = (list.len() as u32, null_mut());
                let first = if list.is_empty() { null() } else { list.as_ptr() };
                let code = if self.below(2) == 0 {
                    call!(self, clEnqueueReadBuffer(queue, mem, 0, offset, size, host, count, first, &mut event))
                } else {
                    call!(self, clEnqueueWriteBuffer(queue, mem, 0, offset, size, host, count, first, &mut event))
                };
                self.enqueued(code, event);
            }
            21 => {
                let (from, to, mut event) = (self.any(MEM), self.any(MEM), null_mut());
                let (a, b, size) = (self.size(), self.size(), self.size());
                let code = call!(self, clEnqueueCopyBuffer(queue, from, to, a, b, size, 0, null(), &mut event));
                self.enqueued(code, event);
            }
            22 => {
                let (mem, mut event) = (self.any(MEM), null_mut());
                let size = [1, 2, 3, 4, 16, 200][self.below(6)];
                let (offset, bytes) = (self.below(9) * 4, self.size());
                let code =
                    call!(self, clEnqueueFillBuffer(queue, mem, host, size, offset, bytes, 0, null(), &mut event));
                self.enqueued(code, event);
            }
            23 => {
                let (mem, flags, offset, size) = (self.any(MEM), self.below(9) as u64, self.size(), self.size());
                let seen = call!(
                    self,
                    clEnqueueMapBuffer(queue, mem, 0, flags, offset, size, 0, null(), null_mut(), &mut code)
                );
                check(code);
                check(call!(self, clEnqueueUnmapMemObject(queue, mem, seen, 0, null(), null_mut())));
            }
            24 => {
                let (image, mut event) = (self.any(MEM), null_mut());
                let origin = [self.below(4), self.below(4), self.below(2)];
                let region = [self.below(20), self.below(20), self.below(3)];
                let read = CL_FALSE;
                let (o, r) = (origin.as_ptr(), region.as_ptr());
                let code =
                    call!(self, clEnqueueReadImage(queue, image, read, o, r, 0, 0, host, 0, null(), &mut event));
                self.enqueued(code, event);
            }
            25 => {
                let (list, mut event) = (self.events(), null_mut());
                let first = if list.is_empty() { null() } else { list.as_ptr() };
                let count = list.len() as u32;
                let code = if self.below(2) == 0 {
                    call!(self, clEnqueueMarkerWithWaitList(queue, count, first, &mut event))
                } else {
                    call!(self, clEnqueueBarrierWithWaitList(queue, count, first, &mut event))
                };
                self.enqueued(code, event);
            }
            26 => {
                let (mem, kernel, event) = (self.any(MEM), self.any(KERNEL), self.any(EVENT));
                let (name, room, mut size) = (self.below(64) as u32, self.below(600), 0);
                check(call!(self, clGetMemObjectInfo(mem, 0x1100 + name, room, host, &mut size)));
                check(call!(self, clGetKernelInfo(kernel, 0x1190 + name % 9, room, host, &mut size)));
                check(call!(self, clGetEventInfo(event, 0x11d0 + name % 6, room, host, &mut size)));
                check(call!(self, clGetKernelArgInfo(kernel, name % 7, 0x1196 + name % 6, room, host, &mut size)));
                check(call!(self, clGetEventProfilingInfo(event, 0x1280 + name % 6, room, host, &mut size)));
            }
            27 => {
                let (device, name) = (self.device(), self.below(256) as u32);
                let (room, mut size) = (self.below(8192), 0);
                check(call!(self, clGetDeviceInfo(device, 0x1000 + name, room, host, &mut size)));
            }
            28 => {
                let bytes = self.size().min(1 << 21);
                let memory = call!(self, clSVMAlloc(context, 1, bytes, self.below(3) as u32 * 64));
                if !memory.is_null() {
                    self.shared.push((context, memory));
                    let (kernel, index) = (self.any(KERNEL), self.below(4) as u32);
                    check(call!(self, clSetKernelArgSVMPointer(kernel, index, memory)));
                }
            }
            29 => {
                if let Some((context, memory)) = self.shared.pop() {
                    self.may_fault = true;
                    call!(self, clSVMFree(context, memory));
                }
            }
            30 => {
                let kind = self.below(KINDS);
                let handle = self.any(kind);
                if self.retain(kind, handle) {
                    self.held[kind].push(handle);
                }
            }
            31 => {
                let (device, units) = (self.device(), self.below(4) as isize);
                let way = [CL_DEVICE_PARTITION_EQUALLY, CL_DEVICE_PARTITION_BY_COUNTS, 7][self.below(3)];
                let (mut parts, mut count) = ([null_mut(); 64], 0);
                let properties = [way, units, 0, 0];
                let code =
                    call!(self, clCreateSubDevices(device, properties.as_ptr(), 64, parts.as_mut_ptr(), &mut count));
                check(code);
                if code == CL_SUCCESS {
                    self.held[PART].extend(&parts[..count as usize]);
                }
            }
            32 => self.record(queue),
            _ if self.below(2) == 0 => self.give_up_one(),
            _ => {}
        }
    }

    /// Creates a command buffer, records into one, finalizes or enqueues it.
    fn record(&mut self, queue: cl_command_queue) {
        let (buffer, buffers, mut code, mut event) = (self.any(RECORDED), self.buffers, 0, null_mut());
        match self.below(11) {
            0 => {
                let made = buffers.create(queue, [0, 1, 2, 2, 3, 4][self.below(6)], &mut code);
                self.keep(RECORDED, made, code);
            }
            1 | 2 => {
                let (mem, place, point) = (self.any(MEM), (self.below(9) * 4, self.size()), self.below(3) as u32);
                check(buffers.fill(buffer, mem, place, point));
            }
            3 | 4 => {
                let mut command = null_mut();
                let is_asked = self.below(3) > 0;
                let place = is_asked.then_some(&mut command);
                check(buffers.launch(buffer, self.any(KERNEL), self.below(70), place));
                self.mutable.extend(Some((buffer, command)).filter(|_| !command.is_null()));
                // Only complete recordings change.
                if self.below(4) == 0 {
                    check(buffers.finalize(buffer));
                }
            }
            5 => check(buffers.finalize(buffer)),
            6 | 7 => {
                let place = self.below(self.mutable.len() + 1);
                let (own, command) = self.mutable.get(place).copied().unwrap_or((buffer, buffer));
                let buffer = if self.below(8) == 0 { buffer } else { own };
                let (mem, index) = (self.any(MEM), self.below(4) as u32);
                self.may_fault |= mem.is_null();
                check(buffers.update(buffer, command, (index, mem), self.below(70)));
            }
            _ => {
                let (list, queue) = (self.events(), Some(queue).filter(|_| self.below(2) == 0));
                let code = buffers.enqueue(queue, buffer, &list, &mut event);
                self.enqueued(code, event);
            }
        }
    }

    fn enqueued(&mut self, code: cl_int, event: cl_event) {
        check(code);
        if code == CL_SUCCESS {
            self.commands += 1;
            self.held[EVENT].push(event);
        }
    }

    /// Retains a handle and returns true if it is valid.
    fn retain(&mut self, kind: usize, handle: *mut c_void) -> bool {
        let code = match kind {
            CONTEXT => call!(self, clRetainContext(handle)),
            QUEUE => call!(self, clRetainCommandQueue(handle)),
            MEM => call!(self, clRetainMemObject(handle)),
            PROGRAM => call!(self, clRetainProgram(handle)),
            KERNEL => call!(self, clRetainKernel(handle)),
            SAMPLER => call!(self, clRetainSampler(handle)),
            PART => call!(self, clRetainDevice(handle)),
            RECORDED => self.buffers.retain(handle),
            _ => call!(self, clRetainEvent(handle)),
        };
        check(code);
        code == CL_SUCCESS
    }

    fn release(&mut self, kind: usize, handle: *mut c_void) -> cl_int {
        match kind {
            CONTEXT => call!(self, clReleaseContext(handle)),
            QUEUE => call!(self, clReleaseCommandQueue(handle)),
            MEM => call!(self, clReleaseMemObject(handle)),
            PROGRAM => call!(self, clReleaseProgram(handle)),
            KERNEL => call!(self, clReleaseKernel(handle)),
            SAMPLER => call!(self, clReleaseSampler(handle)),
            PART => call!(self, clReleaseDevice(handle)),
            RECORDED => self.buffers.release(handle),
            _ => call!(self, clReleaseEvent(handle)),
        }
    }

    /// Sets valid arguments of the kernel: three buffers and a number.
    fn valid_arguments(&mut self) {
        let (kernel, number) = (self.any(KERNEL), self.below(64) as u32);
        for index in 0..3 {
            let mem = self.any(MEM);
            self.may_fault |= mem.is_null();
            check(call!(self, clSetKernelArg(kernel, index, 8, (&raw const mem).cast())));
        }
        check(call!(self, clSetKernelArg(kernel, 3, 4, (&raw const number).cast())));
    }

    /// Releases a held handle.
    fn give_up_one(&mut self) {
        let kind = self.below(KINDS);
        if self.held[kind].is_empty() || self.below(9) > 0 && kind < 2 {
            return;
        }
        let index = self.below(self.held[kind].len());
        let handle = self.held[kind].swap_remove(index);
        if kind == USER {
            // Completes the event, so that no command waits for ever.
            check(call!(self, clSetUserEventStatus(handle, 0)));
        }
        assert_eq!(self.release(kind, handle), CL_SUCCESS, "{kind}");
        self.stale.push(handle);
        if self.stale.len() > 64 {
            self.stale.remove(0);
        }
    }

    /// Completes all user events and releases all handles.
    fn finish(&mut self) {
        for event in self.held[USER].clone() {
            check(call!(self, clSetUserEventStatus(event, 0)));
        }
        for queue in self.held[QUEUE].clone() {
            let code = call!(self, clFinish(queue));
            assert!(code == CL_SUCCESS || self.may_fault && code == CL_OUT_OF_RESOURCES, "{code}");
        }
        for (context, memory) in std::mem::take(&mut self.shared) {
            call!(self, clSVMFree(context, memory));
        }
        for kind in (0..KINDS).rev() {
            for handle in std::mem::take(&mut self.held[kind]) {
                assert_eq!(self.release(kind, handle), CL_SUCCESS, "{kind}");
                self.stale.push(handle);
            }
        }
        self.mutable.clear();
        // A released handle is invalid, unless a new object has the same address.
        for handle in std::mem::take(&mut self.stale) {
            check(call!(self, clReleaseMemObject(handle)));
        }
    }
}

/// Checks that a code is one of the specification.
fn check(code: cl_int) {
    assert!((-72..=0).contains(&code) || (-1141..=-1000).contains(&code), "{code}");
}

#[test]
fn random_calls_give_codes_and_leave_nothing() {
    let number = |name: &str| std::env::var(name).ok().and_then(|n| n.parse::<u64>().ok());
    let calls = number("VISAKIT_CALLS").unwrap_or(4000) as usize;
    let zebin = |name: &str| {
        let name = format!("examples/vector_add/vector_add.{name}.zebin");
        std::fs::read(root().join(name)).unwrap()
    };
    let mut caller = Caller {
        random: Random(number("VISAKIT_SEED").unwrap_or(0x5eed)),
        api: visakit_opencl::table(),
        buffers: Functions::find(),
        devices: Vec::new(),
        held: Default::default(),
        stale: Vec::new(),
        mutable: Vec::new(),
        zebins: ["dg2", "skl"].map(zebin).to_vec(),
        host: vec![[0; 1024]; ROUND],
        calls: 0,
        may_fault: false,
        shared: Vec::new(),
        commands: 0,
        launches: 0,
    };
    let mut devices = [null_mut(); 8];
    let mut count = 0;
    check(call!(caller, clGetDeviceIDs(null_mut(), CL_DEVICE_TYPE_ALL, 8, devices.as_mut_ptr(), &mut count)));
    caller.devices = devices[..count as usize].to_vec();
    let before = visakit_opencl::objects();
    for round in 0..calls.div_ceil(ROUND) {
        (0..ROUND.min(calls)).for_each(|_| caller.step());
        caller.finish();
        // The thread of the last command may still be about to release its objects.
        let left = (0..1000).find(|_| {
            std::thread::sleep(std::time::Duration::from_millis(u64::from(visakit_opencl::objects() != before)));
            visakit_opencl::objects() == before
        });
        assert!(left.is_some(), "{} objects are left in round {round}", visakit_opencl::objects() - before);
    }
    // Most calls are valid.
    let Caller { commands, launches, .. } = caller;
    eprintln!("{calls} calls: {commands} commands, {launches} of them launches");
    assert!(commands > calls / 40 && launches > calls / 1000, "{commands} commands, {launches} launches");
}
