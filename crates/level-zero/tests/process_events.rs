//! Events of several processes: pools with interprocess handles, and `fork`.

mod common;

use std::ffi::c_void;
use std::process::{Child, Command, Stdio};
use std::ptr::null_mut;
use std::time::{Duration, Instant};

use common::{Raw, Setup, call, setup};
use visakit_level_zero::base::extensions::*;
use visakit_level_zero::base::result::*;
use visakit_level_zero::base::types::*;

/// Variable that makes a test the other process, and holds a handle for it.
const OTHER: &str = "LEVEL_ZERO_OTHER";
/// Flags of pools: events of several processes, with time stamps.
const SHARED: u32 = 1 << 1 | 1 << 2;
/// Timeout in nanoseconds: events that are never signaled fail the test.
const LONG: u64 = 60_000_000_000;

fn export(pool: Raw) -> (u32, IpcEventPoolHandle) {
    let mut handle = IpcEventPoolHandle::default();
    (call!(zeEventPoolGetIpcHandle, pool => Raw, &mut handle => *mut IpcEventPoolHandle), handle)
}

fn open(setup: &Setup, handle: IpcEventPoolHandle) -> (u32, Raw) {
    let mut pool = null_mut();
    let result = call!(zeEventPoolOpenIpcHandle, setup.context => Raw, handle => IpcEventPoolHandle,
        &mut pool => *mut Raw);
    (result, pool)
}

fn event(pool: Raw, index: u32) -> Raw {
    let desc = EventDesc { stype: 0x11, index, ..Default::default() };
    let mut event = null_mut();
    assert_eq!(call!(zeEventCreate, pool => Raw, &desc => *const EventDesc, &mut event => *mut Raw), 0);
    event
}

fn signal(event: Raw) {
    assert_eq!(call!(zeEventHostSignal, event => Raw), 0);
}

fn reset(event: Raw) {
    assert_eq!(call!(zeEventHostReset, event => Raw), 0);
}

fn query(event: Raw) -> u32 {
    call!(zeEventQueryStatus, event => Raw)
}

fn wait(event: Raw, timeout: u64) -> u32 {
    call!(zeEventHostSynchronize, event => Raw, timeout => u64)
}

fn times(event: Raw) -> (u32, u64, u64) {
    let mut times = KernelTimestampResult::default();
    let result = call!(zeEventQueryKernelTimestamp, event => Raw, &mut times => *mut KernelTimestampResult);
    (result, times.global.kernel_start, times.global.kernel_end)
}

/// Appends a command that waits for an event, and signals another.
fn forward(list: Raw, from: Raw, to: Raw) {
    let result = call!(zeCommandListAppendBarrier, list => Raw, to => Raw, 1 => u32, &from => *const Raw);
    assert_eq!(result, 0);
}

/// Starts a test of this file as another process, without other tests.
fn other(test: &str, handle: &str) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", test, "--nocapture", "--test-threads=1"]).env(OTHER, handle);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn end(child: Child) {
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn pools_are_opened_in_the_same_process() {
    let setup = setup();
    let (private, [_]) = setup.events::<1>(1);
    assert_eq!(export(private).0, ERROR_UNSUPPORTED_FEATURE.0, "the pool has no flag for handles");
    assert_eq!(call!(zeEventPoolCloseIpcHandle, private => Raw), ERROR_INVALID_ARGUMENT.0);
    let (pool, [first, second]) = setup.events::<2>(SHARED);
    let (result, handle) = export(pool);
    let (opened, imported) = open(&setup, handle);
    assert_eq!((result, opened), (0, 0));
    let mut flags = 0;
    assert_eq!((call!(zeEventPoolGetFlags, imported => Raw, &mut flags => *mut u32), flags), (0, SHARED));
    signal(second);
    let (one, two) = (event(imported, 0), event(imported, 1));
    assert_eq!([query(one), query(two)], [NOT_READY.0, 0], "opened events keep their states");
    signal(one);
    assert_eq!((wait(first, LONG), query(first)), (0, 0));
    reset(first);
    assert_eq!((query(one), wait(one, 1000), times(one).0), (NOT_READY.0, NOT_READY.0, NOT_READY.0));
    // A list waits for the opened event, and a command of another list signals it.
    let (list, own) = (setup.immediate(0, 2), setup.immediate(0, 2));
    reset(two);
    forward(list, one, two);
    assert_eq!(wait(second, 20_000_000), NOT_READY.0);
    assert_eq!(call!(zeCommandListAppendSignalEvent, own => Raw, first => Raw), 0);
    assert_eq!((wait(second, LONG), times(second) == times(two)), (0, true));
    let (_, start, end) = times(two);
    assert!(0 < start && start <= end);
    // Wrong indices and handles.
    let desc = EventDesc { stype: 0x11, index: 2, ..Default::default() };
    let mut place = null_mut();
    let result = call!(zeEventCreate, imported => Raw, &desc => *const EventDesc, &mut place => *mut Raw);
    assert_eq!(result, ERROR_INVALID_ARGUMENT.0);
    let as_memory = IpcMemHandle { data: handle.data };
    let mut memory = null_mut();
    let result = call!(zeMemOpenIpcHandle, setup.context => Raw, setup.device => Raw, as_memory => IpcMemHandle,
        0 => u32, &mut memory => *mut *mut c_void);
    assert_eq!(result, ERROR_INVALID_ARGUMENT.0, "the handle has no memory");
    let put = |handle| call!(zeEventPoolPutIpcHandle, setup.context => Raw, handle => IpcEventPoolHandle);
    for n in 0..56 {
        let mut damaged = handle;
        damaged.data[n] ^= 0x5a;
        // The first descriptor leads to the file, whatever process created the handle.
        let (opened, copy) = open(&setup, damaged);
        let expected = if (16..32).contains(&n) { 0 } else { ERROR_INVALID_ARGUMENT.0 };
        assert_eq!(opened, expected, "{n}");
        assert!(opened != 0 || call!(zeEventPoolCloseIpcHandle, copy => Raw) == 0);
        // A return does not need the size, which is last.
        assert!(n >= 48 || put(damaged) == ERROR_INVALID_ARGUMENT.0, "{n}");
    }
    assert_eq!(call!(zeEventPoolCloseIpcHandle, imported => Raw), 0);
    assert_eq!(call!(zeEventPoolCloseIpcHandle, imported => Raw), ERROR_INVALID_ARGUMENT.0);
    assert_eq!((put(handle), put(handle)), (0, ERROR_INVALID_ARGUMENT.0));
    assert_eq!(open(&setup, handle).0, ERROR_INVALID_ARGUMENT.0);
}

/// Two processes signal events in turns: the host, and lists without a thread that waits.
#[test]
fn processes_wait_for_each_other() {
    let setup = setup();
    if let Ok(text) = std::env::var(OTHER) {
        return second_process(&setup, &text);
    }
    let (pool, [ping, pong, start, done, never]) = setup.events::<5>(SHARED);
    let (result, handle) = export(pool);
    assert_eq!(result, 0);
    let text: String = handle.data.iter().map(|byte| format!("{byte:02x}")).collect();
    let list = setup.immediate(0, 2);
    let local = setup.events::<1>(4).1[0];
    forward(list, done, local);
    let child = other("processes_wait_for_each_other", &text);
    for _ in 0..200 {
        signal(ping);
        assert_eq!(wait(pong, LONG), 0);
        reset(pong);
    }
    assert_eq!(query(local), NOT_READY.0);
    signal(start);
    assert_eq!(wait(local, LONG), 0, "the list resumes at the signal of the other process");
    let (result, first, last) = times(done);
    assert!(result == 0 && 0 < first && first <= last && last <= times(local).2);
    assert_eq!(wait(never, 1_000_000), NOT_READY.0);
    end(child);
    assert_eq!(query(done), 0, "the state outlives the other process");
}

fn second_process(setup: &Setup, text: &str) {
    let bytes: Vec<u8> = (0..64).map(|n| u8::from_str_radix(&text[2 * n..2 * n + 2], 16).unwrap()).collect();
    let (result, pool) = open(setup, IpcEventPoolHandle { data: bytes.try_into().unwrap() });
    assert_eq!(result, 0);
    let [ping, pong, start, done, never] = std::array::from_fn(|n| event(pool, n as u32));
    let list = setup.immediate(0, 2);
    forward(list, start, done);
    for _ in 0..200 {
        assert_eq!(wait(ping, LONG), 0);
        reset(ping);
        signal(pong);
    }
    assert_eq!(wait(done, LONG), 0);
    assert_eq!(call!(zeCommandListHostSynchronize, list => Raw, LONG => u64), 0);
    assert_eq!(wait(never, 1_000_000), NOT_READY.0);
    assert_eq!(call!(zeEventPoolCloseIpcHandle, pool => Raw), 0);
}

unsafe extern "C" {
    fn fork() -> i32;
    fn waitpid(process: i32, status: *mut i32, options: i32) -> i32;
    fn alarm(seconds: u32) -> u32;
    fn _exit(code: i32) -> !;
}

/// Commands of the parent never end in the child. Waits for their events and fences report it.
#[test]
fn a_child_does_not_wait_for_commands_of_its_parent() {
    const TEST: &str = "a_child_does_not_wait_for_commands_of_its_parent";
    if std::env::var_os(OTHER).is_none() {
        // Threads of other tests might hold locks during the `fork`.
        return end(other(TEST, "fork"));
    }
    let setup = setup();
    let [gate, done, over, free] = setup.events::<4>(1).1;
    let list = setup.immediate(0, 2);
    signal(over);
    forward(list, gate, done);
    // SAFETY: this process runs one test; the child calls the driver, as programs do.
    let child = unsafe { fork() };
    if child == 0 {
        // SAFETY: a child that waits is ended, which fails the test.
        unsafe { alarm(100) };
        let lost = ERROR_DEVICE_LOST.0;
        let start = Instant::now();
        let found = [query(done), wait(done, u64::MAX), wait(done, 5), query(over), query(free), wait(free, 1000)];
        let is_lost = found == [lost, lost, lost, 0, NOT_READY.0, NOT_READY.0];
        // A list of the child that waits for the event continues.
        let own = setup.immediate(0, 2);
        forward(own, done, free);
        let goes_on = call!(zeCommandListHostSynchronize, own => Raw, LONG => u64);
        // After a reset, the event belongs to the child.
        reset(done);
        let before = query(done);
        signal(done);
        let works = (goes_on, before, query(done), query(free)) == (0, NOT_READY.0, 0, 0);
        let is_fast = start.elapsed() < Duration::from_secs(50);
        // SAFETY: ends the child without the harness.
        unsafe { _exit(if is_lost && works && is_fast { 0 } else { 1 }) }
    }
    let mut status = -1;
    // SAFETY: the place is valid.
    assert_eq!((unsafe { waitpid(child, &raw mut status, 0) }, status), (child, 0));
    assert_eq!(query(done), NOT_READY.0);
    signal(gate);
    assert_eq!(wait(done, LONG), 0, "the parent's command ends");
}
