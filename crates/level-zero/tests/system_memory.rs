//! Kernels on memory of the process that no driver has allocated. Invalid addresses are faults of
//! the kernel, and never end the process.

mod common;

use std::ffi::c_void;
use std::process::Command;
use std::ptr::null_mut;
use std::sync::{Mutex, PoisonError};

use common::{MODULE, Raw, Setup, call, launch, set, setup};
use visakit_level_zero::base::result::*;
use visakit_level_zero::base::types::*;

const SWITCH: &str = "VISAKIT_SYSTEM_MEMORY";
const COUNT: usize = 300;
/// Access by kernels, also atomic and concurrent.
const CAPABILITIES: u32 = 0b111;

static CONSTANTS: [f32; COUNT] = [3.0; COUNT];

/// Device with the switch, and a module; `None` without a compiler.
fn start(switch: &str) -> Option<(Setup, Raw)> {
    // SAFETY: the tests of this program are other processes, with one thread.
    unsafe { std::env::set_var(SWITCH, switch) };
    let setup = setup();
    let spirv = MODULE.as_ref()?;
    let (result, module, log) = setup.module(0, spirv, c"");
    assert_eq!(result, 0, "{log}");
    Some((setup, module))
}

/// Runs a test of this file as another process. Returns true in that process.
fn is_other(test: &str, variables: &[(&str, &str)]) -> bool {
    const OTHER: &str = "LEVEL_ZERO_OTHER";
    if std::env::var_os(OTHER).is_some() {
        return true;
    }
    // The processes compile the kernels in the same folder.
    static ONE: Mutex<()> = Mutex::new(());
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", test, "--nocapture", "--test-threads=1"]).env(OTHER, "1");
    let output = command.envs(variables.iter().copied()).output().unwrap();
    assert!(output.status.success(), "{}: {}", output.status, String::from_utf8_lossy(&output.stderr));
    false
}

fn capabilities(setup: &Setup) -> u32 {
    let mut found = DeviceMemoryAccessProperties { stype: 8, ..Default::default() };
    let result = call!(zeDeviceGetMemoryAccessProperties, setup.device => Raw,
        &mut found => *mut DeviceMemoryAccessProperties);
    assert_eq!(result, 0);
    found.shared_system_alloc_capabilities & CAPABILITIES
}

/// Multiplies numbers by two, and adds their indices.
fn scale(list: Raw, kernel: Raw, from: *const f32, to: *mut f32) -> u32 {
    let results =
        [set(kernel, 0, &from), set(kernel, 1, &to), set(kernel, 2, &2.0_f32), set(kernel, 3, &(COUNT as u32))];
    assert_eq!(results, [0; 4]);
    let size = call!(zeKernelSetGroupSize, kernel => Raw, 32 => u32, 1 => u32, 1 => u32);
    assert_eq!((size, launch(list, kernel, COUNT.div_ceil(32) as u32, null_mut(), &[])), (0, 0));
    call!(zeCommandListHostSynchronize, list => Raw, u64::MAX => u64)
}

unsafe extern "C" {
    fn mmap(at: *mut c_void, bytes: usize, rights: i32, flags: i32, file: i32, offset: i64) -> *mut c_void;
    fn munmap(at: *mut c_void, bytes: usize) -> i32;
}

/// Maps pages without a file.
fn map(bytes: usize, rights: i32) -> *mut f32 {
    // SAFETY: new pages, which replace no others. Flags: private, without a file.
    unsafe { mmap(null_mut(), bytes, rights, 0x22, -1, 0) }.cast()
}

#[repr(C)]
struct Node {
    next: *const Node,
    value: i32,
}

/// Adds up the values of a list.
fn sum_up(list: Raw, kernel: Raw, first: *const Node, sum: *mut i32) -> u32 {
    assert_eq!([set(kernel, 0, &first), set(kernel, 1, &sum)], [0, 0]);
    assert_eq!(launch(list, kernel, 1, null_mut(), &[]), 0);
    call!(zeCommandListHostSynchronize, list => Raw, u64::MAX => u64)
}

#[test]
fn kernels_use_memory_of_the_process() {
    if !is_other("kernels_use_memory_of_the_process", &[]) {
        return;
    }
    let Some((setup, module)) = start("1") else { return };
    assert_eq!(capabilities(&setup), CAPABILITIES);
    let (list, kernel) = (setup.immediate(0, 2), setup.kernel(module, c"scale"));
    // Heap to stack, stack to a slot of the driver, constants to the heap at an odd place.
    let (mut heap, mut stack, own) = (vec![0.5_f32; COUNT + 1], [0.0_f32; COUNT], setup.shared::<f32>(COUNT));
    assert_eq!(scale(list, kernel, heap.as_ptr(), stack.as_mut_ptr()), 0);
    assert!((0..COUNT).all(|n| stack[n] == 1.0 + n as f32));
    assert_eq!(scale(list, kernel, stack.as_ptr(), own), 0);
    // SAFETY: no command uses the memory.
    assert!((0..COUNT).all(|n| unsafe { own.add(n).read() } == 2.0 + 3.0 * n as f32));
    assert_eq!(scale(list, kernel, CONSTANTS.as_ptr(), heap[1..].as_mut_ptr()), 0);
    assert!(heap[0] == 0.5 && (0..COUNT).all(|n| heap[n + 1] == 6.0 + n as f32));
    // Atomic accesses of heap memory.
    let (place, mut flags) = (heap.as_mut_ptr().cast::<c_void>(), 0);
    let set_flags = |flags: u32| {
        call!(zeMemSetAtomicAccessAttributeExp, setup.context => Raw, setup.device => Raw,
            place => *mut c_void, 4 => usize, flags => u32)
    };
    assert_eq!((set_flags(2), set_flags(1 << 6)), (0, ERROR_INVALID_ARGUMENT.0));
    let result = call!(zeMemGetAtomicAccessAttributeExp, setup.context => Raw, setup.device => Raw,
        place => *mut c_void, 4 => usize, &mut flags => *mut u32);
    assert_eq!((result, flags), (0, 2));
    // Pointers in memory: a list on heap and stack.
    let last = Node { next: std::ptr::null(), value: 30 };
    let middle = Box::new(Node { next: &raw const last, value: 12 });
    let first = Node { next: &raw const *middle, value: -2 };
    let (sum, mut all) = (setup.kernel(module, c"sum_list"), Box::new(0_i32));
    assert_eq!((sum_up(list, sum, &raw const first, &raw mut *all), *all), (0, 40));
    // Memory that is mapped later, and memory of a copy.
    let new = map(1 << 20, 3);
    assert_eq!(scale(list, kernel, CONSTANTS.as_ptr(), new), 0);
    let result = call!(zeCommandListAppendMemoryCopy, list => Raw, stack.as_mut_ptr().cast() => *mut c_void,
        new.cast() => *const c_void, COUNT * 4 => usize, null_mut() => Raw, 0 => u32, null_mut() => *mut Raw);
    assert_eq!((result, call!(zeCommandListHostSynchronize, list => Raw, u64::MAX => u64)), (0, 0));
    assert!((0..COUNT).all(|n| stack[n] == 6.0 + n as f32));
}

#[test]
fn other_addresses_are_faults() {
    if !is_other("other_addresses_are_faults", &[]) {
        return;
    }
    let Some((setup, module)) = start("1") else { return };
    let (list, kernel) = (setup.immediate(0, 2), setup.kernel(module, c"scale"));
    let (heap, mut to) = (vec![1.0_f32; COUNT], vec![0.0_f32; COUNT]);
    let (gone, hidden, fixed) = (map(1 << 16, 3), map(1 << 16, 0), map(1 << 16, 1));
    // SAFETY: the pages are the test's.
    assert_eq!(unsafe { munmap(gone.cast(), 1 << 16) }, 0);
    let kernel_space = 0xffff_8000_0000_1000_u64 as *mut f32;
    for wrong in [gone, hidden] {
        assert_eq!(scale(list, kernel, wrong, to.as_mut_ptr()), ERROR_DEVICE_LOST.0, "load at {wrong:?}");
        assert_eq!(scale(list, kernel, heap.as_ptr(), wrong), ERROR_DEVICE_LOST.0, "store at {wrong:?}");
    }
    // A surface without any memory reads as zero. An access by the address is a fault.
    let sum = setup.kernel(module, c"sum_list");
    for wrong in [gone, hidden, 16 as *mut f32, kernel_space, (1_u64 << 47) as *mut f32] {
        let (first, mut all) = (Node { next: wrong.cast_const().cast(), value: 1 }, 0);
        assert_eq!(sum_up(list, sum, &raw const first, &raw mut all), ERROR_DEVICE_LOST.0, "next is {wrong:?}");
    }
    assert_eq!(scale(list, kernel, fixed, to.as_mut_ptr()), 0, "pages for reading");
    for wrong in [fixed, CONSTANTS.as_ptr().cast_mut()] {
        assert_eq!(scale(list, kernel, heap.as_ptr(), wrong), ERROR_DEVICE_LOST.0, "store to constants");
    }
    assert_eq!((CONSTANTS[1], scale(list, kernel, heap.as_ptr(), to.as_mut_ptr()), to[5]), (3.0, 0, 7.0));
}

/// Without the switch, and in checked programs, the device has no such memory.
#[test]
fn the_switch_is_off() {
    if !is_other("the_switch_is_off", &[]) || !is_other("the_switch_is_off", &[("VISAKIT_CHECK", "all")]) {
        return;
    }
    let is_checked = std::env::var_os("VISAKIT_CHECK").is_some();
    let Some((setup, module)) = start(if is_checked { "1" } else { "0" }) else { return };
    assert_eq!(capabilities(&setup), 0);
    let (list, sum) = (setup.immediate(0, 2), setup.kernel(module, c"sum_list"));
    let (second, all, first) =
        (Box::new(Node { next: std::ptr::null(), value: 2 }), setup.shared(1), setup.shared::<Node>(1));
    for (next, wanted) in [(&raw const *second, ERROR_DEVICE_LOST.0), (std::ptr::null(), 0)] {
        // SAFETY: no command uses the memory.
        unsafe { first.write(Node { next, value: 1 }) };
        assert_eq!(sum_up(list, sum, first, all), wanted);
    }
}
