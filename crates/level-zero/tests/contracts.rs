//! Behaviour that the official tests demand, and that the specification leaves open or states in
//! passing.

mod common;

use std::ffi::c_void;
use std::ptr::null_mut;

use common::{MODULE, Raw, Setup, call, launch, set, setup};
use visakit_level_zero::base::result::*;
use visakit_level_zero::base::types::*;

/// Creates a list of a queue group.
fn list(setup: &Setup, group: u32, flags: u32) -> Raw {
    let desc = CommandListDesc { command_queue_group_ordinal: group, flags, ..Default::default() };
    let mut list = null_mut();
    let result = call!(zeCommandListCreate, setup.context => Raw, setup.device => Raw,
        &desc => *const CommandListDesc, &mut list => *mut Raw);
    assert_eq!(result, 0);
    list
}

/// Creates a synchronous queue of a group.
fn queue(setup: &Setup, group: u32) -> Raw {
    let desc = CommandQueueDesc { ordinal: group, mode: 1, ..Default::default() };
    let mut queue = null_mut();
    let result = call!(zeCommandQueueCreate, setup.context => Raw, setup.device => Raw,
        &desc => *const CommandQueueDesc, &mut queue => *mut Raw);
    assert_eq!(result, 0);
    queue
}

fn fill(list: Raw, to: *mut u8, pattern: &[u8], size: usize) -> u32 {
    call!(zeCommandListAppendMemoryFill, list => Raw, to.cast() => *mut c_void, pattern.as_ptr().cast() => *const c_void,
        pattern.len() => usize, size => usize, null_mut() => Raw, 0 => u32, null_mut() => *mut Raw)
}

fn execute(queue: Raw, lists: &[Raw], fence: Raw) -> u32 {
    call!(zeCommandQueueExecuteCommandLists, queue => Raw, lists.len() as u32 => u32, lists.as_ptr() => *const Raw,
        fence => Raw)
}

/// A closed list ignores further commands until it is reset.
#[test]
fn closed_lists_ignore_commands() {
    let setup = setup();
    // Unknown flags have no effect.
    let (list, queue) = (list(&setup, 0, 0x7fff_ffff), queue(&setup, 0));
    let data: *mut u8 = setup.shared(16);
    // SAFETY: the allocation has 16 bytes, and no command runs.
    let read = || unsafe { data.cast::<[u8; 16]>().read() };
    assert_eq!((fill(list, data, &[1], 16), call!(zeCommandListClose, list => Raw)), (0, 0));
    assert_eq!((fill(list, data, &[2], 16), execute(queue, &[list], null_mut()), read()), (0, 0, [1; 16]));
    assert_eq!((call!(zeCommandListReset, list => Raw), fill(list, data, &[3], 16)), (0, 0));
    assert_eq!(execute(queue, &[list], null_mut()), ERROR_INVALID_ARGUMENT.0, "the list is open");
    assert_eq!((call!(zeCommandListClose, list => Raw), execute(queue, &[list], null_mut())), (0, 0));
    assert_eq!(read(), [3; 16]);
}

/// The pattern of a fill repeats from the start of the range, and ends within a pattern.
#[test]
fn fills_repeat_their_pattern() {
    let setup = setup();
    let list = setup.immediate(0, 1);
    for (pattern, size) in [(1, 1), (1, 1000), (4, 4), (4, 1002), (8, 4), (16, 4099)] {
        let pattern: Vec<u8> = (1..=pattern).collect();
        let data: *mut u8 = setup.shared(size + 1);
        assert_eq!(fill(list, data, &pattern, size), 0);
        // SAFETY: the allocation has as many bytes, and the fill is over.
        let found = unsafe { std::slice::from_raw_parts(data, size + 1) };
        let wanted = pattern.iter().copied().cycle().take(size).chain([0]);
        assert!(found.iter().copied().eq(wanted), "{pattern:?} {size}");
    }
}

/// Lists of the group for copies run copies and fills, and refuse kernels.
#[test]
fn copies_have_a_queue_group() {
    let setup = setup();
    let (list, queue) = (list(&setup, 1, 0), queue(&setup, 1));
    let data: *mut u8 = setup.shared(64);
    assert_eq!((fill(list, data, &[7], 64), call!(zeCommandListClose, list => Raw)), (0, 0));
    assert_eq!(execute(queue, &[list], null_mut()), 0);
    // SAFETY: the allocation has 64 bytes, and no command runs.
    assert_eq!(unsafe { data.cast::<[u8; 64]>().read() }, [7; 64]);
    let Some(spirv) = MODULE.as_ref() else { return };
    let kernel = setup.kernel(setup.module(0, spirv, c"").1, c"reverse");
    let local = call!(zeKernelSetArgumentValue, kernel => Raw, 1 => u32, 512 => usize, null_mut() => *const c_void);
    assert_eq!((set(kernel, 0, &data), local), (0, 0));
    assert_eq!(launch(list, kernel, 1, null_mut(), &[]), ERROR_INVALID_COMMAND_LIST_TYPE.0);
    let local =
        call!(zeKernelSetArgumentValue, kernel => Raw, 1 => u32, 1 << 20 => usize, null_mut() => *const c_void);
    let other = setup.immediate(0, 1);
    assert_eq!((local, launch(other, kernel, 1, null_mut(), &[])), (0, ERROR_OUT_OF_DEVICE_MEMORY.0), "local memory");
    let desc = CommandQueueDesc { ordinal: 2, ..Default::default() };
    let mut none = null_mut();
    let result = call!(zeCommandQueueCreate, setup.context => Raw, setup.device => Raw,
        &desc => *const CommandQueueDesc, &mut none => *mut Raw);
    assert_eq!(result, ERROR_INVALID_ARGUMENT.0);
}

/// A fence that is signaled must be reset before it is used again.
#[test]
fn signaled_fences_are_refused() {
    let setup = setup();
    let (list, queue) = (list(&setup, 0, 0), queue(&setup, 0));
    let (desc, mut fence) = (FenceDesc::default(), null_mut());
    let result = call!(zeFenceCreate, queue => Raw, &desc => *const FenceDesc, &mut fence => *mut Raw);
    assert_eq!((result, call!(zeCommandListClose, list => Raw)), (0, 0));
    assert_eq!((execute(queue, &[list], fence), call!(zeFenceQueryStatus, fence => Raw)), (0, 0));
    assert_eq!(execute(queue, &[list], fence), ERROR_INVALID_SYNCHRONIZATION_OBJECT.0);
    assert_eq!((call!(zeFenceReset, fence => Raw), execute(queue, &[list], fence)), (0, 0));
    let none = call!(zeCommandQueueExecuteCommandLists, queue => Raw, 0 => u32, &list => *const Raw,
        null_mut() => Raw);
    assert_eq!(none, ERROR_INVALID_SIZE.0);
}

/// Allocations obey large alignments, and the number of the memory has no effect.
#[test]
fn allocations_are_aligned() {
    let setup = setup();
    let desc = DeviceMemAllocDesc { ordinal: 1, ..Default::default() };
    let allocate = |alignment: usize| {
        let mut place = null_mut();
        let result = call!(zeMemAllocDevice, setup.context => Raw, &desc => *const DeviceMemAllocDesc, 10 => usize,
            alignment => usize, setup.device => Raw, &mut place => *mut *mut c_void);
        (result, place as usize)
    };
    for alignment in (0..24).map(|bit| 1 << bit) {
        let (result, place) = allocate(alignment);
        assert_eq!((result, place % alignment), (0, 0), "{alignment}");
    }
    assert_eq!((allocate(12).0, allocate(1 << 40).0), (0, ERROR_UNSUPPORTED_ALIGNMENT.0));
}

/// The program reads the atomic accesses that it declares for shared memory.
#[test]
fn atomic_accesses_are_kept() {
    let setup = setup();
    let data: *mut u8 = setup.shared(100);
    let get = || {
        let mut flags = u32::MAX;
        let result = call!(zeMemGetAtomicAccessAttributeExp, setup.context => Raw, setup.device => Raw,
            data.cast() => *mut c_void, 100 => usize, &mut flags => *mut u32);
        (result, flags)
    };
    let put = |flags: u32, size: usize| {
        call!(zeMemSetAtomicAccessAttributeExp, setup.context => Raw, setup.device => Raw,
            data.cast() => *mut c_void, size => usize, flags => u32)
    };
    assert_eq!((get(), put(0b100, 100), get()), ((0, 0), 0, (0, 0b100)));
    assert_eq!((put(1 << 7, 100), put(1, 1 << 20)), (ERROR_INVALID_ENUMERATION.0, ERROR_INVALID_ARGUMENT.0));
    assert_eq!((put(1 << 6, 100), get()), (ERROR_INVALID_ARGUMENT.0, (0, 0b100)), "host and device do not lock");
}

/// The size of a page is known before the size of an allocation is.
#[test]
fn pages_have_a_size() {
    let (setup, mut page) = (setup(), 0);
    let result = call!(zeVirtualMemQueryPageSize, setup.context => Raw, setup.device => Raw, 0 => usize,
        &mut page => *mut usize);
    assert_eq!((result, page), (0, 4096));
}

/// Structures in chains are filled in.
#[test]
fn chains_have_answers() {
    let setup = setup();
    let mut policies = DriverMemoryFreeExtProperties { stype: 0x1_0009, ..Default::default() };
    let mut properties = DriverProperties { stype: 1, p_next: (&raw mut policies).cast(), ..Default::default() };
    let result = call!(zeDriverGetProperties, setup.driver => Raw, &mut properties => *mut DriverProperties);
    assert_eq!((result, policies.free_policies), (0, 0b11));
    let mut units = EuCountExt { stype: 0x1_0005, ..Default::default() };
    let mut properties = DeviceProperties { stype: 3, p_next: (&raw mut units).cast(), ..Default::default() };
    assert_eq!(call!(zeDeviceGetProperties, setup.device => Raw, &mut properties => *mut DeviceProperties), 0);
    let product = properties.num_slices * properties.num_subslices_per_slice * properties.num_eus_per_subslice;
    assert_eq!(units.num_total_eus, product);
    // oneMKL divides by half of the number.
    assert!(properties.num_threads_per_eu >= 2);
    let mut hints = SchedulingHintExpProperties { stype: 0x2_0003, ..Default::default() };
    let mut modules = DeviceModuleProperties { stype: 5, p_next: (&raw mut hints).cast(), ..Default::default() };
    let result = call!(zeDeviceGetModuleProperties, setup.device => Raw, &mut modules => *mut DeviceModuleProperties);
    assert_eq!((result, hints.scheduling_hint_flags), (0, 0b111));
    let unset = u32::MAX;
    let mut memory =
        DeviceMemoryExtProperties { stype: 0x1_000e, kind: unset, read_bandwidth: unset, ..Default::default() };
    let mut properties = DeviceMemoryProperties { stype: 7, p_next: (&raw mut memory).cast(), ..Default::default() };
    let mut count = 1;
    let result = call!(zeDeviceGetMemoryProperties, setup.device => Raw, &mut count => *mut u32,
        &mut properties => *mut DeviceMemoryProperties);
    assert_eq!((result, memory.physical_size), (0, properties.total_size));
    assert!(memory.kind != unset && memory.read_bandwidth != unset);
}

/// Every device is a vertex of the fabric, and no edges connect vertices.
#[test]
fn devices_are_vertices() {
    let setup = setup();
    let (mut vertex, mut device, mut count) = (null_mut(), null_mut(), 0);
    let result = call!(zeDeviceGetFabricVertexExp, setup.device => Raw, &mut vertex => *mut Raw);
    let back = call!(zeFabricVertexGetDeviceExp, vertex => Raw, &mut device => *mut Raw);
    assert_eq!((result, back, device), (0, 0, setup.device));
    let all = call!(zeFabricVertexGetExp, setup.driver => Raw, &mut count => *mut u32, null_mut() => *mut Raw);
    assert!(all == 0 && count > 0);
    let mut properties = FabricVertexExpProperties { stype: 0x2_000b, ..Default::default() };
    let mut about = DeviceProperties { stype: 3, ..Default::default() };
    let results = [
        call!(zeFabricVertexGetPropertiesExp, vertex => Raw, &mut properties => *mut FabricVertexExpProperties),
        call!(zeDeviceGetProperties, setup.device => Raw, &mut about => *mut DeviceProperties),
        call!(zeFabricEdgeGetExp, vertex => Raw, vertex => Raw, &mut count => *mut u32, null_mut() => *mut Raw),
    ];
    assert_eq!((results, properties.vertex_type, count), ([0; 3], 1, 0));
    assert_eq!(properties.uuid.id, about.uuid.id);
    let wrong = call!(zeFabricVertexGetDeviceExp, setup.device => Raw, &mut device => *mut Raw);
    assert_eq!(wrong, ERROR_INVALID_ARGUMENT.0, "a device is no vertex");
}
