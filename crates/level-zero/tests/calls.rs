//! Calls of the driver's functions by the tables that the loader reads.

mod common;

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use common::{MODULE, Raw, Setup, call, launch, set, setup};
use visakit_level_zero::base::result::*;
use visakit_level_zero::base::types::*;
use visakit_level_zero::{FUNCTIONS, Function};

unsafe extern "C" {
    fn zeGetGlobalProcAddrTable(version: u32, table: *mut *const c_void) -> u32;
    fn zeGetDeviceProcAddrTable(version: u32, table: *mut *const c_void) -> u32;
}

/// Functions whose first parameter is no handle.
const WITHOUT_HANDLE: [&str; 6] = [
    "zeInit",
    "zeInitDrivers",
    "zeDriverGet",
    "zeDriverGetDefaultContext",
    "zeModuleDynamicLink",
    "zeModuleInspectLinkageExt",
];

fn functions() -> impl Iterator<Item = &'static Function> {
    FUNCTIONS.iter().copied().flatten()
}

#[test]
fn tables_are_complete() {
    assert_eq!(functions().count(), 248);
    assert!(functions().all(|function| !function.address.is_null()));
    let of = |version, get: unsafe extern "C" fn(u32, *mut *const c_void) -> u32| {
        let mut table = [null(); 64];
        // SAFETY: the table has room for all functions.
        let result = unsafe { get(version, table.as_mut_ptr()) };
        (result, table.iter().filter(|address| !address.is_null()).count())
    };
    assert_eq!(of(0x1_0011, zeGetGlobalProcAddrTable), (0, 2));
    // An old loader has room for fewer functions.
    assert_eq!(of(0x1_0000, zeGetGlobalProcAddrTable), (0, 1));
    let (old, new) = (of(0x1_0000, zeGetDeviceProcAddrTable), of(0x1_0011, zeGetDeviceProcAddrTable));
    assert!(old.1 < new.1 && new == (0, 28), "{old:?} {new:?}");
    assert_eq!(of(0x2_0000, zeGetGlobalProcAddrTable), (ERROR_UNSUPPORTED_VERSION.0, 0));
    // SAFETY: a null table is an error.
    assert_eq!(unsafe { zeGetGlobalProcAddrTable(0x1_0000, null_mut()) }, ERROR_INVALID_NULL_POINTER.0);
}

/// Every function refuses null handles and handles of no object, before it reads anything else.
#[test]
fn invalid_handles_are_errors() {
    setup();
    type Any = unsafe extern "C" fn(usize, usize, usize, usize, usize, usize, usize, usize, usize, usize) -> u32;
    let stray = Box::new([0_u64; 64]);
    for function in functions().filter(|function| !WITHOUT_HANDLE.contains(&function.name)) {
        // SAFETY: the first parameter is a handle, which the function looks up first. Further
        // parameters are numbers, handles and null pointers; surplus ones are ignored.
        let call = |first: usize| unsafe {
            let any: Any = std::mem::transmute(function.address);
            any(first, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        };
        assert_eq!(call(0), ERROR_INVALID_NULL_HANDLE.0, "{}", function.name);
        for first in [1, 0xdead_beef_usize, stray.as_ptr() as usize] {
            let result = call(first);
            let wanted = if function.is_done { ERROR_INVALID_ARGUMENT } else { ERROR_UNSUPPORTED_FEATURE };
            // Functions with two handles may refuse the second, which is null.
            let is_error = result == wanted.0 || result == ERROR_INVALID_NULL_HANDLE.0;
            assert!(is_error, "{}: 0x{result:x}", function.name);
        }
    }
}

#[test]
fn devices_describe_themselves() {
    let Setup { device, .. } = setup();
    let mut version = DeviceIpVersionExt { stype: 0x1_000f, ..Default::default() };
    let next = (&raw mut version).cast();
    let mut properties = DeviceProperties { stype: 3, p_next: next, ..Default::default() };
    assert_eq!(call!(zeDeviceGetProperties, device => Raw, &mut properties => *mut DeviceProperties), 0);
    assert_eq!((properties.kind, properties.vendor_id, properties.stype), (1, 0x8086, 3));
    assert!(properties.name.starts_with(b"visakit (Intel DG2)\0") && version.ip_version >> 22 == 12);
    let mut compute = DeviceComputeProperties { stype: 4, ..Default::default() };
    assert_eq!(call!(zeDeviceGetComputeProperties, device => Raw, &mut compute => *mut DeviceComputeProperties), 0);
    assert_eq!((compute.max_total_group_size, compute.max_shared_local_memory), (1024, 65536));
    let mut modules = DeviceModuleProperties { stype: 5, ..Default::default() };
    assert_eq!(call!(zeDeviceGetModuleProperties, device => Raw, &mut modules => *mut DeviceModuleProperties), 0);
    // The form of ZE_MAKE_VERSION, not that of a module's header.
    let version = modules.spirv_version_supported;
    assert!(matches!(version, 0 | 0x1_0002 | 0x1_0006), "{version:#x}");
    let mut count = 0;
    let get = |count: &mut u32, place: *mut CommandQueueGroupProperties| {
        call!(zeDeviceGetCommandQueueGroupProperties, device => Raw, count => *mut u32,
            place => *mut CommandQueueGroupProperties)
    };
    assert_eq!((get(&mut count, null_mut()), count), (0, 2));
    let mut groups = [CommandQueueGroupProperties { stype: 6, ..Default::default() }; 2];
    assert_eq!(get(&mut count, groups.as_mut_ptr()), 0);
    assert_eq!(groups.map(|group| (group.flags & 0b11, group.num_queues)), [(0b11, 1), (0b10, 1)]);
}

#[test]
fn memory_is_found_by_address() {
    let setup = setup();
    let first: *mut u8 = setup.shared(1000);
    let inside = first.wrapping_add(999).cast::<c_void>();
    let (mut properties, mut device) = (MemoryAllocationProperties::default(), null_mut());
    let mut lookup = |address: *mut c_void| {
        let result = call!(zeMemGetAllocProperties, setup.context => Raw, address => *mut c_void,
            &mut properties => *mut MemoryAllocationProperties, &mut device => *mut Raw);
        (result, properties.kind, device)
    };
    assert_eq!(lookup(inside), (0, 3, setup.device));
    assert_eq!(lookup(first.wrapping_add(1 << 20).cast()), (0, 0, null_mut()));
    let (mut base, mut size) = (null_mut(), 0);
    let result = call!(zeMemGetAddressRange, setup.context => Raw, inside => *mut c_void,
        &mut base => *mut *mut c_void, &mut size => *mut usize);
    assert_eq!((result, base, size), (0, first.cast(), 1000));
    let free = |address: *mut u8| call!(zeMemFree, setup.context => Raw, address.cast() => *mut c_void);
    assert_eq!(free(first.wrapping_add(4)), ERROR_INVALID_ARGUMENT.0);
    assert_eq!((free(first), free(first)), (0, ERROR_INVALID_ARGUMENT.0));
}

/// `get_work_dim` counts the dimensions up to the last one with more than one item.
#[test]
fn dimensions_follow_from_the_range() {
    let Some(spirv) = MODULE.as_ref() else { return };
    let setup = setup();
    let (result, module, log) = setup.module(0, spirv, c"");
    assert_eq!(result, 0, "{log}");
    let kernel = setup.kernel(module, c"count_dimensions");
    let out: *mut u32 = setup.shared(1);
    assert_eq!(set(kernel, 0, &out), 0);
    let list = setup.immediate(2, 1);
    for (group, groups, expected) in
        [([1, 1, 1], [1, 1, 1], 1), ([4, 1, 1], [2, 1, 1], 1), ([1, 2, 1], [1, 1, 1], 2), ([1, 1, 1], [1, 1, 3], 3)]
    {
        let [x, y, z] = group;
        assert_eq!(call!(zeKernelSetGroupSize, kernel => Raw, x => u32, y => u32, z => u32), 0);
        let count = GroupCount { group_count_x: groups[0], group_count_y: groups[1], group_count_z: groups[2] };
        let result = call!(zeCommandListAppendLaunchKernel, list => Raw, kernel => Raw,
            &count => *const GroupCount, null_mut() => Raw, 0 => u32, null() => *const Raw);
        // SAFETY: the list is synchronous, so the kernel is over.
        assert_eq!((result, unsafe { *out }), (0, expected), "{group:?} {groups:?}");
    }
}

/// Results of kernels equal those that the host computes.
#[test]
fn kernels_compute() {
    let Some(spirv) = MODULE.as_ref() else { return };
    let setup = setup();
    let (result, module, log) = setup.module(0, spirv, c"-ze-opt-level=2");
    assert_eq!(result, 0, "{log}");
    assert!(log.is_empty(), "{log}");
    let kernel = setup.kernel(module, c"scale");
    let count = 777_u32;
    let (a, b): (*mut f32, *mut f32) = (setup.shared(count as usize), setup.shared(count as usize));
    // SAFETY: both have `count` elements.
    let (a, b) = unsafe { (std::slice::from_raw_parts_mut(a, 777), std::slice::from_raw_parts_mut(b, 777)) };
    a.iter_mut().enumerate().for_each(|(n, a)| *a = (n % 31) as f32 - 7.5);
    assert_eq!(set(kernel, 9, &0_u32), ERROR_INVALID_KERNEL_ARGUMENT_INDEX.0);
    assert_eq!(set(kernel, 3, &[0_u8; 0]), ERROR_INVALID_KERNEL_ARGUMENT_SIZE.0);
    assert_eq!(set(kernel, 0, &1_u8), ERROR_INVALID_KERNEL_ARGUMENT_SIZE.0);
    let list = setup.immediate(2, 1);
    assert_eq!(launch(list, kernel, 1, null_mut(), &[]), ERROR_INVALID_ARGUMENT.0, "arguments are missing");
    let set_group = |x: u32| call!(zeKernelSetGroupSize, kernel => Raw, x => u32, 1 => u32, 1 => u32);
    assert_eq!(
        (set_group(0), set_group(4096)),
        (ERROR_INVALID_GROUP_SIZE_DIMENSION.0, ERROR_INVALID_GROUP_SIZE_DIMENSION.0)
    );
    assert_eq!(set_group(64), 0);
    let given = [
        set(kernel, 0, &a.as_ptr()),
        set(kernel, 1, &b.as_mut_ptr()),
        set(kernel, 2, &1.5_f32),
        set(kernel, 3, &count),
    ];
    assert_eq!(given, [0; 4]);
    assert_eq!(launch(list, kernel, count.div_ceil(64), null_mut(), &[]), 0);
    for (n, (a, b)) in a.iter().zip(&*b).enumerate() {
        assert_eq!(*b, a * 1.5 + n as f32, "{n}");
    }
    // Local memory, and the native file of the module.
    let mut size = 0;
    assert_eq!(call!(zeModuleGetNativeBinary, module => Raw, &mut size => *mut usize, null_mut() => *mut u8), 0);
    let mut bytes = vec![0; size];
    assert_eq!(
        call!(zeModuleGetNativeBinary, module => Raw, &mut size => *mut usize, bytes.as_mut_ptr() => *mut u8),
        0
    );
    let (result, native, log) = setup.module(1, &bytes, c"");
    assert_eq!(result, 0, "{log}");
    let kernel = setup.kernel(native, c"reverse");
    let data: *mut i32 = setup.shared(256);
    // SAFETY: it has 256 elements.
    let data = unsafe { std::slice::from_raw_parts_mut(data, 256) };
    data.iter_mut().enumerate().for_each(|(n, data)| *data = n as i32);
    assert_eq!(call!(zeKernelSetGroupSize, kernel => Raw, 128 => u32, 1 => u32, 1 => u32), 0);
    assert_eq!(set(kernel, 0, &data.as_mut_ptr()), 0);
    let local = call!(zeKernelSetArgumentValue, kernel => Raw, 1 => u32, 512 => usize, null() => *const c_void);
    assert_eq!((local, launch(list, kernel, 2, null_mut(), &[])), (0, 0));
    assert!(data.iter().enumerate().all(|(n, &data)| data == (n as i32 / 128) * 128 + 127 - n as i32 % 128));
    // Pointers in memory.
    #[repr(C)]
    struct Node(*mut Node, i32);
    let nodes: *mut Node = setup.shared(10);
    let sum: *mut i32 = setup.shared(1);
    let kernel = setup.kernel(module, c"sum_list");
    for n in 0..10 {
        let next = if n == 9 { null_mut() } else { nodes.wrapping_add(n + 1) };
        // SAFETY: there are ten nodes.
        unsafe { nodes.add(n).write(Node(next, n as i32 * n as i32)) };
    }
    assert_eq!((set(kernel, 0, &nodes), set(kernel, 1, &sum)), (0, 0));
    assert_eq!(launch(list, kernel, 1, null_mut(), &[]), 0);
    // SAFETY: the kernel is over.
    assert_eq!(unsafe { *sum }, (0..10).map(|n| n * n).sum::<i32>());
    // A fault is reported by the call that waits, and not again.
    assert_eq!(set(kernel, 0, &0x1234_5678_usize), 0);
    assert_eq!(launch(list, kernel, 1, null_mut(), &[]), ERROR_DEVICE_LOST.0);
    assert_eq!(call!(zeCommandListHostSynchronize, list => Raw, u64::MAX => u64), 0);
}

#[test]
fn failed_builds_have_a_log() {
    let Some(spirv) = MODULE.as_ref() else { return };
    let setup = setup();
    let (result, module, log) = setup.module(0, &spirv[..spirv.len() / 2], c"");
    assert!(result == ERROR_MODULE_BUILD_FAILURE.0 && module.is_null() && log.contains("error"), "{result:x} {log}");
    assert_eq!(setup.module(0, b"text", c"").0, ERROR_MODULE_BUILD_FAILURE.0);
    assert_eq!(setup.module(1, b"text", c"").0, ERROR_INVALID_NATIVE_BINARY.0);
    assert_eq!(setup.module(7, spirv, c"").0, ERROR_INVALID_ENUMERATION.0);
}

/// Commands of two lists wait for each other's events, and for the host.
#[test]
fn events_order_commands() {
    let setup = setup();
    let (first, second) = (setup.immediate(0, 2), setup.immediate(0, 2));
    let data: *mut u32 = setup.shared(4);
    let (_, [start, middle, end]) = setup.events::<3>(1);
    let fill = |list: Raw, value: u32, signal: Raw, wait: Raw| {
        let result = call!(zeCommandListAppendMemoryFill, list => Raw, data.cast() => *mut c_void,
            (&raw const value).cast() => *const c_void, 4 => usize, 16 => usize, signal => Raw, 1 => u32,
            &wait => *const Raw);
        assert_eq!(result, 0);
    };
    fill(second, 2, end, middle);
    fill(first, 1, middle, start);
    let query = |event: Raw| call!(zeEventQueryStatus, event => Raw);
    let wait = |event: Raw, timeout: u64| call!(zeEventHostSynchronize, event => Raw, timeout => u64);
    assert_eq!((query(end), wait(end, 1_000_000)), (NOT_READY.0, NOT_READY.0));
    assert_eq!(call!(zeCommandListHostSynchronize, second => Raw, 0 => u64), NOT_READY.0);
    assert_eq!(call!(zeEventHostSignal, start => Raw), 0);
    assert_eq!((wait(end, u64::MAX), query(middle)), (0, 0));
    // SAFETY: the commands are over.
    assert_eq!(unsafe { data.cast::<[u32; 4]>().read() }, [2; 4]);
    let mut times = KernelTimestampResult::default();
    let stamps = |event: Raw, times: &mut KernelTimestampResult| call!(zeEventQueryKernelTimestamp, event => Raw, times => *mut KernelTimestampResult);
    assert_eq!(stamps(middle, &mut times), 0);
    let before = times.global.kernel_end;
    assert_eq!(stamps(end, &mut times), 0);
    assert!(before > 0 && times.global.kernel_start >= before);
    assert_eq!((call!(zeEventHostReset, end => Raw), query(end)), (0, NOT_READY.0));
    // A recorded list runs again. A list that is open cannot be executed.
    let (mut list, mut queue) = (null_mut(), null_mut());
    let (list_desc, queue_desc) = (CommandListDesc::default(), CommandQueueDesc::default());
    let created = call!(zeCommandListCreate, setup.context => Raw, setup.device => Raw,
        &list_desc => *const CommandListDesc, &mut list => *mut Raw);
    let made = call!(zeCommandQueueCreate, setup.context => Raw, setup.device => Raw,
        &queue_desc => *const CommandQueueDesc, &mut queue => *mut Raw);
    assert_eq!((created, made), (0, 0));
    fill(list, 7, null_mut(), start);
    let execute =
        || call!(zeCommandQueueExecuteCommandLists, queue => Raw, 1 => u32, &list => *const Raw, null_mut() => Raw);
    assert_eq!(execute(), ERROR_INVALID_ARGUMENT.0);
    assert_eq!(call!(zeCommandListClose, list => Raw), 0);
    for _ in 0..2 {
        // SAFETY: no command runs.
        unsafe { data.write(0) };
        assert_eq!((execute(), call!(zeCommandQueueSynchronize, queue => Raw, u64::MAX => u64)), (0, 0));
        // SAFETY: as above.
        assert_eq!(unsafe { data.read() }, 7);
    }
}

/// Destroyed objects are refused, and those that commands use live on.
#[test]
fn stale_handles_are_errors() {
    let setup = setup();
    let list = setup.immediate(0, 2);
    let (pool, [event]) = setup.events::<1>(0);
    let append =
        |wait: Raw| call!(zeCommandListAppendBarrier, list => Raw, null_mut() => Raw, 1 => u32, &wait => *const Raw);
    assert_eq!(append(event), 0);
    assert_eq!(call!(zeEventHostSignal, event => Raw), 0);
    assert_eq!((call!(zeEventDestroy, event => Raw), call!(zeEventPoolDestroy, pool => Raw)), (0, 0));
    assert_eq!(
        (append(event), call!(zeEventDestroy, event => Raw)),
        (ERROR_INVALID_ARGUMENT.0, ERROR_INVALID_ARGUMENT.0)
    );
    assert_eq!(call!(zeCommandListHostSynchronize, list => Raw, u64::MAX => u64), 0);
    assert_eq!(call!(zeCommandListDestroy, list => Raw), 0);
    assert_eq!(call!(zeCommandListClose, list => Raw), ERROR_INVALID_ARGUMENT.0);
    assert_eq!(call!(zeContextDestroy, setup.context => Raw), 0);
    assert_eq!(call!(zeContextGetStatus, setup.context => Raw), ERROR_INVALID_ARGUMENT.0);
}
