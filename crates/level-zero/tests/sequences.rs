//! The sequences of calls that Triton's driver for Intel GPUs and SYCL's runtime, on which PyTorch
//! is built, make.

mod common;

use std::ffi::{CStr, c_char, c_void};
use std::ptr::{null, null_mut};

use common::{MODULE, Raw, call, launch, log_text, set, setup};
use visakit_level_zero::base::result::*;
use visakit_level_zero::base::types::*;

/// `create_module`: the log is read after every failure.
fn triton_module((context, device): (Raw, Raw), bytes: &[u8], flags: &CStr) -> Result<Raw, String> {
    let desc = ModuleDesc {
        stype: 0x1b,
        input_size: bytes.len(),
        p_input_module: bytes.as_ptr(),
        p_build_flags: flags.as_ptr(),
        ..Default::default()
    };
    // The driver leaves both handles uninitialized.
    let (mut module, mut log) = (0x10 as Raw, 0x10 as Raw);
    let result = call!(zeModuleCreate, context => Raw, device => Raw, &desc => *const ModuleDesc,
        &mut module => *mut Raw, &mut log => *mut Raw);
    if result == 0 { Ok(module) } else { Err(log_text(log)) }
}

#[test]
fn triton_builds_and_launches() {
    let Some(spirv) = MODULE.as_ref() else { return };
    let setup = setup();
    assert_eq!(call!(zeInit, 1 => u32), 0);
    let device = setup.device;
    let mut properties = DeviceProperties { stype: 3, ..Default::default() };
    assert_eq!(call!(zeDeviceGetProperties, device => Raw, &mut properties => *mut DeviceProperties), 0);
    assert!(properties.num_slices * properties.num_subslices_per_slice > 0 && properties.core_clock_rate > 0);
    let mut compute = DeviceComputeProperties { stype: 4, ..Default::default() };
    assert_eq!(call!(zeDeviceGetComputeProperties, device => Raw, &mut compute => *mut DeviceComputeProperties), 0);
    assert!(compute.max_total_group_size > 0 && compute.num_sub_group_sizes > 0);
    let memory = |count: &mut u32, place: *mut DeviceMemoryProperties| call!(zeDeviceGetMemoryProperties, device => Raw, count => *mut u32, place => *mut DeviceMemoryProperties);
    let (mut count, mut memories) = (0, [DeviceMemoryProperties { stype: 7, ..Default::default() }]);
    assert_eq!((memory(&mut count, null_mut()), count), (0, 1));
    assert_eq!(memory(&mut count, memories.as_mut_ptr()), 0);
    assert!(memories[0].max_clock_rate > 0 && memories[0].max_bus_width > 0);
    // A failed build, then a build that is repeated with more registers.
    let place = (setup.context, device);
    assert!(triton_module(place, b"no SPIR-V", c"").is_err_and(|log| log.contains("not SPIR-V")));
    let mut spills = Vec::new();
    let mut kernel = null_mut();
    for flags in [c"", c" -cl-intel-256-GRF-per-thread"] {
        let module = triton_module(place, spirv, flags).unwrap();
        let mut count = 0;
        let names = call!(zeModuleGetKernelNames, module => Raw, &mut count => *mut u32,
            null_mut() => *mut *const c_char);
        assert_eq!((names, count), (0, 6));
        let desc =
            KernelDesc { stype: 0x1d, flags: 1, p_kernel_name: c"reverse".as_ptr().cast(), ..Default::default() };
        assert_eq!(call!(zeKernelCreate, module => Raw, &desc => *const KernelDesc, &mut kernel => *mut Raw), 0);
        let mut properties = KernelProperties { stype: 0x1e, spill_mem_size: 99, ..Default::default() };
        assert_eq!(call!(zeKernelGetProperties, kernel => Raw, &mut properties => *mut KernelProperties), 0);
        spills.push(properties.spill_mem_size);
    }
    assert_eq!(spills, [0, 0]);
    // Pointer arguments are checked, and shared local memory is the last argument.
    let data: *mut i32 = setup.shared(128);
    let kind = |address: *const c_void| {
        let mut properties = MemoryAllocationProperties { stype: 0x17, kind: 9, ..Default::default() };
        let mut device = null_mut();
        let result = call!(zeMemGetAllocProperties, setup.context => Raw, address => *const c_void,
            &mut properties => *mut MemoryAllocationProperties, &mut device => *mut Raw);
        (result, properties.kind)
    };
    assert_eq!((kind(data.cast()), kind((&raw const count).cast())), ((0, 3), (0, 0)));
    // SAFETY: no command uses the memory.
    (0..128).for_each(|n| unsafe { data.add(n).write(n as i32) });
    assert_eq!(call!(zeKernelSetGroupSize, kernel => Raw, 128 => u32, 1 => u32, 1 => u32), 0);
    let local = call!(zeKernelSetArgumentValue, kernel => Raw, 1 => u32, 512 => usize, null() => *const c_void);
    let list = setup.immediate(2, 1);
    assert_eq!((set(kernel, 0, &data), local, launch(list, kernel, 1, null_mut(), &[])), (0, 0, 0));
    // SAFETY: the command is over.
    assert_eq!(unsafe { data.read() }, 127);
}

/// Devices and extensions, as the runtime lists them.
fn list_devices(driver: Raw, device: Raw) {
    let mut version = 0;
    assert_eq!(call!(zeDriverGetApiVersion, driver => Raw, &mut version => *mut u32), 0);
    let mut properties = DriverProperties { stype: 1, ..Default::default() };
    assert_eq!(call!(zeDriverGetProperties, driver => Raw, &mut properties => *mut DriverProperties), 0);
    let mut count = 0;
    let extensions = |count: &mut u32, place: *mut DriverExtensionProperties| {
        call!(zeDriverGetExtensionProperties, driver => Raw, count => *mut u32,
            place => *mut DriverExtensionProperties)
    };
    assert_eq!(extensions(&mut count, null_mut()), 0);
    let mut all = vec![DriverExtensionProperties::default(); count as usize];
    assert_eq!(extensions(&mut count, all.as_mut_ptr()), 0);
    let has = |name: &CStr| all.iter().any(|own| CStr::from_bytes_until_nul(&own.name) == Ok(name));
    assert!(has(c"ZE_experimental_module_program") && has(c"ZE_experimental_mutable_command_list"));
    let address = |name: &CStr| {
        let mut place = null_mut();
        (
            call!(zeDriverGetExtensionFunctionAddress, driver => Raw, name.as_ptr() => *const c_char,
                &mut place => *mut *mut c_void),
            !place.is_null(),
        )
    };
    for name in [
        c"zeCommandListGetNextCommandIdExp",
        c"zeCommandListUpdateMutableCommandsExp",
        c"zeCommandListUpdateMutableCommandSignalEventExp",
        c"zeCommandListUpdateMutableCommandWaitEventsExp",
        c"zeCommandListImmediateAppendCommandListsExp",
        c"zeKernelSetGlobalOffsetExp",
    ] {
        assert_eq!(address(name), (0, true), "{name:?}");
    }
    // Intel's own functions are optional.
    for name in
        [c"zexDriverImportExternalPointer", c"zexCounterBasedEventCreate2", c"zeGitsIndirectAllocationOffsets"]
    {
        assert!(!address(name).1, "{name:?}");
    }
    let mut units = EuCountExt { stype: 0x1_0005, ..Default::default() };
    let mut ip = DeviceIpVersionExt { stype: 0x1_000f, p_next: (&raw mut units).cast(), ..Default::default() };
    let mut properties = DeviceProperties { stype: 3, p_next: (&raw mut ip).cast(), ..Default::default() };
    assert_eq!(call!(zeDeviceGetProperties, device => Raw, &mut properties => *mut DeviceProperties), 0);
    assert!(units.num_total_eus > 0 && ip.ip_version > 0);
    let mut count = 9;
    assert_eq!(call!(zeDeviceGetSubDevices, device => Raw, &mut count => *mut u32, null_mut() => *mut Raw), 0);
    assert_eq!(count, 0);
    let mut accesses = DeviceMemoryAccessProperties { stype: 8, ..Default::default() };
    let result = call!(zeDeviceGetMemoryAccessProperties, device => Raw,
        &mut accesses => *mut DeviceMemoryAccessProperties);
    assert!(result == 0 && accesses.shared_single_device_alloc_capabilities & 1 == 1);
    let mut atomics = FloatAtomicExtProperties { stype: 0x1_0003, ..Default::default() };
    let mut modules = DeviceModuleProperties { stype: 5, p_next: (&raw mut atomics).cast(), ..Default::default() };
    assert_eq!(call!(zeDeviceGetModuleProperties, device => Raw, &mut modules => *mut DeviceModuleProperties), 0);
    assert!(atomics.fp32_flags > 0 && modules.spirv_version_supported > 0);
}

/// Creates a program: several inputs in one structure, and its links.
fn sycl_program((context, device): (Raw, Raw), spirv: &[u8]) -> Raw {
    let (size, input, flags) = (spirv.len(), spirv.as_ptr(), c"-ze-opt-level=2".as_ptr());
    let no_constants = null::<ModuleConstants>();
    let mut program = ModuleProgramExpDesc {
        stype: 0x2_0002,
        count: 1,
        input_sizes: &raw const size,
        p_input_modules: &raw const input,
        p_build_flags: &raw const flags,
        p_constants: &raw const no_constants,
        ..Default::default()
    };
    let desc = ModuleDesc { stype: 0x1b, p_next: (&raw mut program).cast(), ..Default::default() };
    let (mut module, mut log) = (null_mut(), null_mut());
    let result = call!(zeModuleCreate, context => Raw, device => Raw, &desc => *const ModuleDesc,
        &mut module => *mut Raw, &mut log => *mut Raw);
    assert_eq!((result, log_text(log).contains("error")), (0, false));
    let mut linkage = ModuleProperties { stype: 0x1c, ..Default::default() };
    assert_eq!(call!(zeModuleGetProperties, module => Raw, &mut linkage => *mut ModuleProperties), 0);
    assert_eq!(linkage.flags, 0);
    module
}

/// A queue with events that count, device memory beyond the usual limit, indirect access.
#[test]
fn sycl_runs_a_kernel() {
    let Some(spirv) = MODULE.as_ref() else { return };
    let setup = setup();
    let (context, device) = (setup.context, setup.device);
    list_devices(setup.driver, device);
    // Pools of counter-based events with time stamps.
    let mut counter = EventPoolCounterBasedExpDesc { stype: 0x2_0014, flags: 3, ..Default::default() };
    let desc = EventPoolDesc { stype: 0x10, p_next: (&raw mut counter).cast(), flags: 5, count: 2 };
    let (mut pool, mut event) = (null_mut(), null_mut());
    let result = call!(zeEventPoolCreate, context => Raw, &desc => *const EventPoolDesc, 1 => u32,
        &device => *const Raw, &mut pool => *mut Raw);
    let desc = EventDesc { stype: 0x11, index: 0, signal: 4, wait: 4, ..Default::default() };
    let created = call!(zeEventCreate, pool => Raw, &desc => *const EventDesc, &mut event => *mut Raw);
    assert_eq!((result, created), (0, 0));
    let list = setup.immediate(2, 2);
    // Memory: the structure of relaxed limits is in the chain.
    let mut relaxed = CommandListDesc { stype: 0x2_0001, flags: 1, ..Default::default() };
    let desc = DeviceMemAllocDesc { stype: 0x15, p_next: (&raw mut relaxed).cast(), ..Default::default() };
    let mut memory = [null_mut::<c_void>(); 2];
    for place in &mut memory {
        let result = call!(zeMemAllocDevice, context => Raw, &desc => *const DeviceMemAllocDesc, 4096 => usize,
            64 => usize, device => Raw, &raw mut *place => *mut *mut c_void);
        assert_eq!(result, 0);
    }
    let module = sycl_program((context, device), spirv);
    let kernel = setup.kernel(module, c"scale");
    assert_eq!(call!(zeKernelSetIndirectAccess, kernel => Raw, 7 => u32), 0);
    let mut most = KernelMaxGroupSizePropertiesExt { stype: 0x1_0013, ..Default::default() };
    let mut preferred =
        KernelPreferredGroupSizeProperties { stype: 0x21, p_next: (&raw mut most).cast(), ..Default::default() };
    let mut properties = KernelProperties { stype: 0x1e, p_next: (&raw mut preferred).cast(), ..Default::default() };
    assert_eq!(call!(zeKernelGetProperties, kernel => Raw, &mut properties => *mut KernelProperties), 0);
    assert!(most.max_group_size > 0 && preferred.preferred_multiple > 0 && properties.num_kernel_args == 4);
    let [mut x, mut y, mut z] = [0_u32; 3];
    let result = call!(zeKernelSuggestGroupSize, kernel => Raw, 1000 => u32, 1 => u32, 1 => u32,
        &mut x => *mut u32, &mut y => *mut u32, &mut z => *mut u32);
    assert!(result == 0 && 1000 % x == 0 && (y, z) == (1, 1));
    assert_eq!(call!(zeKernelSetGroupSize, kernel => Raw, x => u32, y => u32, z => u32), 0);
    assert_eq!(call!(zeKernelSetGlobalOffsetExp, kernel => Raw, 0 => u32, 0 => u32, 0 => u32), 0);
    let given =
        [set(kernel, 0, &memory[0]), set(kernel, 1, &memory[1]), set(kernel, 2, &3.0_f32), set(kernel, 3, &1000)];
    assert_eq!(given, [0; 4]);
    let (from, mut to) = (vec![2.0_f32; 1000], vec![0.0_f32; 1000]);
    let copy = |to: *mut c_void, from: *const c_void, signal: Raw| {
        call!(zeCommandListAppendMemoryCopy, list => Raw, to => *mut c_void, from => *const c_void, 4000 => usize,
            signal => Raw, 0 => u32, null() => *const Raw)
    };
    assert_eq!(copy(memory[0], from.as_ptr().cast(), null_mut()), 0);
    assert_eq!(launch(list, kernel, 1000 / x, event, &[]), 0);
    assert_eq!(copy(to.as_mut_ptr().cast(), memory[1], null_mut()), 0);
    assert_eq!(call!(zeEventHostSynchronize, event => Raw, u64::MAX => u64), 0);
    let mut times = KernelTimestampResult::default();
    assert_eq!(call!(zeEventQueryKernelTimestamp, event => Raw, &mut times => *mut KernelTimestampResult), 0);
    assert_eq!(call!(zeCommandListHostSynchronize, list => Raw, u64::MAX => u64), 0);
    assert!(to.iter().enumerate().all(|(n, &to)| to == 6.0 + n as f32));
    assert!(times.context.kernel_end >= times.context.kernel_start);
    let results = [
        call!(zeKernelDestroy, kernel => Raw),
        call!(zeModuleDestroy, module => Raw),
        call!(zeEventDestroy, event => Raw),
        call!(zeEventPoolDestroy, pool => Raw),
        call!(zeCommandListDestroy, list => Raw),
        call!(zeMemFree, context => Raw, memory[0] => *mut c_void),
        call!(zeMemFree, context => Raw, memory[1] => *mut c_void),
        call!(zeContextDestroy, context => Raw),
    ];
    assert_eq!(results, [0; 8]);
    assert_eq!(call!(zeContextGetStatus, context => Raw), ERROR_INVALID_ARGUMENT.0);
}
