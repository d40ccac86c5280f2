//! Interprocess handles: memory in another mapping of this process, and in another process. Also
//! `fork`: the child gets errors.

mod common;

use std::ffi::c_void;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd};
use std::process::Command;
use std::ptr::null_mut;

use common::{Raw, Setup, call, setup};
use visakit_level_zero::base::extensions::*;
use visakit_level_zero::base::result::*;
use visakit_level_zero::base::types::*;

/// Variable that holds the handle for the other process.
const HANDLE: &str = "LEVEL_ZERO_HANDLE";
const COUNT: usize = 3000;

/// Allocates device memory.
fn device_memory(setup: &Setup) -> *mut u32 {
    let (desc, mut place) = (DeviceMemAllocDesc::default(), null_mut());
    let result = call!(zeMemAllocDevice, setup.context => Raw, &desc => *const DeviceMemAllocDesc,
        COUNT * 4 => usize, 0 => usize, setup.device => Raw, &mut place => *mut *mut c_void);
    assert_eq!(result, 0);
    place.cast()
}

fn export(setup: &Setup, first: *mut c_void) -> (u32, IpcMemHandle) {
    let mut handle = IpcMemHandle::default();
    let result =
        call!(zeMemGetIpcHandle, setup.context => Raw, first => *mut c_void, &mut handle => *mut IpcMemHandle);
    (result, handle)
}

fn open(setup: &Setup, handle: IpcMemHandle) -> (u32, *mut u32) {
    let mut place = null_mut();
    let result = call!(zeMemOpenIpcHandle, setup.context => Raw, setup.device => Raw, handle => IpcMemHandle,
        0 => u32, &mut place => *mut *mut c_void);
    (result, place.cast())
}

fn put(setup: &Setup, handle: IpcMemHandle) -> u32 {
    call!(zeMemPutIpcHandle, setup.context => Raw, handle => IpcMemHandle)
}

#[test]
fn memory_is_opened_in_the_same_process() {
    let setup = setup();
    let first = device_memory(&setup);
    // SAFETY: no command uses the memory.
    unsafe { first.add(COUNT - 1).write(77) };
    let (result, handle) = export(&setup, first.wrapping_add(5).cast());
    assert_eq!((result, export(&setup, (&raw const result).cast_mut().cast()).0), (0, ERROR_INVALID_ARGUMENT.0));
    assert_eq!(export(&setup, setup.shared::<u32>(4).cast()).0, ERROR_INVALID_ARGUMENT.0);
    let ((opened, one), (_, other)) = (open(&setup, handle), open(&setup, handle));
    assert!(opened == 0 && one != other && one != first, "each call returns another address");
    // SAFETY: no command uses the memory.
    unsafe {
        assert_eq!(one.add(COUNT - 1).read(), 77);
        other.write(8);
        assert_eq!((first.read(), one.read()), (8, 8));
    }
    let (mut base, mut size) = (null_mut(), 0);
    let result = call!(zeMemGetAddressRange, setup.context => Raw, one.wrapping_add(9).cast() => *mut c_void,
        &mut base => *mut *mut c_void, &mut size => *mut usize);
    assert_eq!((result, base, size), (0, one.cast(), COUNT * 4));
    // The descriptor of the file, and a handle of a descriptor.
    let (mut descriptor, mut again) = (0, IpcMemHandle::default());
    let results = [
        call!(zeMemGetFileDescriptorFromIpcHandleExp, setup.context => Raw, handle => IpcMemHandle,
            &mut descriptor => *mut u64),
        call!(zeMemGetIpcHandleFromFileDescriptorExp, setup.context => Raw, descriptor => u64,
            &mut again => *mut IpcMemHandle),
    ];
    let (opened, third) = open(&setup, again);
    // SAFETY: no command uses the memory.
    assert_eq!((results, opened, unsafe { third.read() }), ([0, 0], 0, 8));
    let close = |place: *mut u32| call!(zeMemCloseIpcHandle, setup.context => Raw, place.cast() => *mut c_void);
    assert_eq!((close(one), close(one), close(first)), (0, ERROR_INVALID_ARGUMENT.0, ERROR_INVALID_ARGUMENT.0));
    // A program passes the descriptor by a socket, and writes the received one over the first.
    // SAFETY: the descriptor is the driver's, and the copy is the test's.
    let copy = unsafe { BorrowedFd::borrow_raw(descriptor as i32).try_clone_to_owned().unwrap() };
    let mut received = handle;
    received.data[..4].copy_from_slice(&copy.as_raw_fd().to_le_bytes());
    let (opened, fourth) = open(&setup, received);
    // SAFETY: no command uses the memory.
    assert_eq!((opened, unsafe { fourth.read() }), (0, 8));
    assert_eq!(put(&setup, received), ERROR_INVALID_ARGUMENT.0, "only its creator returns a handle");
    drop(copy);
    assert_eq!(open(&setup, received).0, ERROR_INVALID_ARGUMENT.0);
    // The memory lives until all handles are returned.
    assert_eq!(call!(zeMemFree, setup.context => Raw, first.cast() => *mut c_void), 0);
    assert_eq!((put(&setup, again), open(&setup, handle).0, put(&setup, handle)), (0, 0, 0));
    assert_eq!((put(&setup, handle), open(&setup, handle).0), (ERROR_INVALID_ARGUMENT.0, ERROR_INVALID_ARGUMENT.0));
    // Handles hold any bytes: a damaged name, process, descriptor, or identity of the file.
    let kept = export(&setup, device_memory(&setup).cast()).1;
    for n in 0..48 {
        let mut damaged = kept;
        damaged.data[n] ^= 0x5a;
        // The first descriptor leads to the file, whatever process created the handle.
        let expected = if (16..32).contains(&n) { 0 } else { ERROR_INVALID_ARGUMENT.0 };
        assert_eq!(open(&setup, damaged).0, expected, "{n}");
        assert_eq!(put(&setup, damaged), ERROR_INVALID_ARGUMENT.0, "{n}");
    }
}

/// Memory as a file whose descriptor programs pass by sockets.
#[test]
fn memory_has_descriptors() {
    let setup = setup();
    let first = device_memory(&setup);
    // SAFETY: no command uses the memory.
    unsafe { first.write(31) };
    let descriptor = |address: *mut u32, flags: u32| {
        let mut file = ExternalMemoryFd { stype: 0x1a, flags, fd: -1, ..Default::default() };
        let mut properties =
            MemoryAllocationProperties { stype: 0x17, p_next: (&raw mut file).cast(), ..Default::default() };
        let result = call!(zeMemGetAllocProperties, setup.context => Raw, address.cast() => *mut c_void,
            &mut properties => *mut MemoryAllocationProperties, null_mut() => *mut Raw);
        (result, file.fd)
    };
    let import = |fd: i32, flags: u32, size: usize| {
        let mut file = ExternalMemoryFd { stype: 0x19, flags, fd, ..Default::default() };
        let desc = DeviceMemAllocDesc { stype: 0x15, p_next: (&raw mut file).cast(), ..Default::default() };
        let mut place = null_mut();
        let result = call!(zeMemAllocDevice, setup.context => Raw, &desc => *const DeviceMemAllocDesc,
            size => usize, 0 => usize, setup.device => Raw, &mut place => *mut *mut c_void);
        (result, place.cast::<u32>())
    };
    assert_eq!(descriptor(first, 2).0, ERROR_UNSUPPORTED_ENUMERATION.0);
    assert_eq!(descriptor(setup.shared(4), 1).0, ERROR_INVALID_ARGUMENT.0);
    let (result, fd) = descriptor(first, 1);
    assert!(result == 0 && fd >= 0);
    let (imported, place) = import(fd, 1, COUNT * 4);
    // SAFETY: no command uses the memory.
    assert_eq!((imported, unsafe { place.read() }), (0, 31));
    let refused = [import(fd, 1, 1 << 20).0, import(-1, 1, 4).0, import(0, 1, 4).0, import(fd, 1, 0).0];
    let invalid = ERROR_INVALID_ARGUMENT.0;
    assert_eq!(refused, [invalid, invalid, invalid, ERROR_UNSUPPORTED_SIZE.0]);
    assert_eq!(import(fd, 2, 4).0, ERROR_UNSUPPORTED_ENUMERATION.0);
    // SAFETY: the descriptor is the test's.
    drop(unsafe { std::os::fd::OwnedFd::from_raw_fd(fd) });
    let free = |place: *mut u32| call!(zeMemFree, setup.context => Raw, place.cast() => *mut c_void);
    // SAFETY: no command uses the memory.
    assert_eq!((free(first), unsafe { place.read() }, free(place)), (0, 31, 0));
}

#[test]
fn memory_is_opened_in_another_process() {
    let setup = setup();
    if let Ok(text) = std::env::var(HANDLE) {
        return other_process(&setup, &text);
    }
    let first = device_memory(&setup);
    // SAFETY: no command uses the memory.
    unsafe { std::slice::from_raw_parts_mut(first, COUNT) }.iter_mut().zip(0..).for_each(|(to, n)| *to = n);
    let desc = PhysicalMemDesc { stype: 0x20, size: 4096, ..Default::default() };
    let mut physical = null_mut();
    let created = call!(zePhysicalMemCreate, setup.context => Raw, setup.device => Raw,
        &desc => *const PhysicalMemDesc, &mut physical => *mut Raw);
    let ((result, handle), (exported, second)) = (export(&setup, first.cast()), export(&setup, physical));
    assert_eq!((created, result, exported), (0, 0, 0));
    let text: String = handle.data.iter().chain(&second.data).map(|byte| format!("{byte:02x}")).collect();
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "memory_is_opened_in_another_process", "--nocapture"]).env(HANDLE, text);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    // SAFETY: no command uses the memory.
    assert_eq!(unsafe { (first.read(), first.add(1).read()) }, (4711, 1));
    let (opened, place) = open(&setup, second);
    // SAFETY: as above.
    assert_eq!((opened, unsafe { place.add(2).read() }), (0, 4712));
}

/// Changes the memory of the process that has created the handles.
fn other_process(setup: &Setup, text: &str) {
    let bytes: Vec<u8> = (0..128).map(|n| u8::from_str_radix(&text[2 * n..2 * n + 2], 16).unwrap()).collect();
    let handle = |first: usize| IpcMemHandle { data: bytes[first..first + 64].try_into().unwrap() };
    let ((result, place), (also, second)) = (open(setup, handle(0)), open(setup, handle(64)));
    assert_eq!((result, also), (0, 0));
    // SAFETY: no command uses the memory.
    unsafe {
        assert!((0..COUNT).all(|n| place.add(n).read() == n as u32));
        place.write(4711);
        second.add(2).write(4712);
    }
    assert_eq!(put(setup, handle(0)), ERROR_INVALID_ARGUMENT.0, "the handle is another process's");
    assert_eq!(call!(zeMemCloseIpcHandle, setup.context => Raw, place.cast() => *mut c_void), 0);
}
