//! System management: devices are those of the driver, with their memory and without sensors.

mod common;

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use common::{Raw, Setup, call, setup};
use visakit_level_zero::base::result::*;
use visakit_level_zero::base::sysman::*;
use visakit_level_zero::base::types::*;
use visakit_level_zero::{Function, SYSMAN};

unsafe extern "C" {
    fn zesGetDeviceProcAddrTable(version: u32, table: *mut *const c_void) -> u32;
}

fn functions() -> impl Iterator<Item = &'static Function> {
    SYSMAN.iter().copied().flatten()
}

#[test]
fn tables_are_complete() {
    assert_eq!((SYSMAN.len(), functions().count()), (24, 157));
    let of = |version| {
        let mut table = [null(); 64];
        // SAFETY: the table has room for all functions.
        let result = unsafe { zesGetDeviceProcAddrTable(version, table.as_mut_ptr()) };
        (result, table.iter().filter(|address| !address.is_null()).count())
    };
    assert_eq!((of(0x1_0000), of(0x1_0005), of(0x1_0011)), ((0, 25), (0, 36), (0, 38)));
}

/// Every function refuses null handles and handles of no object.
#[test]
fn invalid_handles_are_errors() {
    setup();
    type Any = unsafe extern "C" fn(usize, usize, usize, usize, usize, usize) -> u32;
    let stray = Box::new([0_u64; 64]);
    for function in functions().filter(|function| !["zesInit", "zesDriverGet"].contains(&function.name)) {
        // SAFETY: the first parameter is a handle, which the function looks up first.
        let call = |first: usize| unsafe {
            let any: Any = std::mem::transmute(function.address);
            any(first, 0, 0, 0, 0, 0)
        };
        assert_eq!(call(0), ERROR_INVALID_NULL_HANDLE.0, "{}", function.name);
        for first in [1, stray.as_ptr() as usize] {
            let wanted = if function.is_done { ERROR_INVALID_ARGUMENT } else { ERROR_UNSUPPORTED_FEATURE };
            assert_eq!(call(first), wanted.0, "{}", function.name);
        }
    }
}

/// The calls by which the SYCL runtime finds the free memory of a device, and xpu-smi its
/// properties.
#[test]
fn devices_have_memory() {
    let Setup { device, .. } = setup();
    assert_eq!(call!(zesInit, 0 => u32), 0);
    let (mut count, mut driver, mut found) = (1, null_mut(), [null_mut(); 2]);
    assert_eq!(call!(zesDriverGet, &mut count => *mut u32, &mut driver => *mut Raw), 0);
    count = 0;
    assert_eq!(call!(zesDeviceGet, driver => Raw, &mut count => *mut u32, null_mut() => *mut Raw), 0);
    assert_eq!(count, 2);
    assert_eq!(call!(zesDeviceGet, driver => Raw, &mut count => *mut u32, found.as_mut_ptr() => *mut Raw), 0);
    let mut extension = ZesDeviceExtProperties { stype: 0x2d, ..Default::default() };
    let next = (&raw mut extension).cast();
    let mut properties = ZesDeviceProperties { stype: 1, p_next: next, ..Default::default() };
    let result = call!(zesDeviceGetProperties, found[0] => Raw, &mut properties => *mut ZesDeviceProperties);
    let mut core = DeviceProperties { stype: 3, ..Default::default() };
    assert_eq!((result, call!(zeDeviceGetProperties, device => Raw, &mut core => *mut DeviceProperties)), (0, 0));
    assert_eq!((properties.core.uuid.id, extension.uuid.id, extension.kind), (core.uuid.id, core.uuid.id, 1));
    assert!(properties.model_name.starts_with(b"visakit (Intel DG2)\0"));
    let (mut same, mut is_part, mut part) = (null_mut(), 9, 9);
    let result = call!(zesDriverGetDeviceByUuidExp, driver => Raw, core.uuid => DeviceUuid, &mut same => *mut Raw,
        &mut is_part => *mut u8, &mut part => *mut u32);
    assert_eq!((result, same, is_part, part), (0, found[0], 0, 0));
    // Memory: the handle of the device in either API is accepted.
    let mut module = null_mut();
    for device in [found[0], device] {
        let enumerate = |count: &mut u32, place: *mut Raw| call!(zesDeviceEnumMemoryModules, device => Raw, count => *mut u32, place => *mut Raw);
        count = 0;
        assert_eq!((enumerate(&mut count, null_mut()), count), (0, 1));
        assert_eq!(enumerate(&mut count, &mut module), 0);
    }
    let mut memory = ZesMemProperties { stype: 0xb, ..Default::default() };
    let mut state = ZesMemState { stype: 0x1e, ..Default::default() };
    assert_eq!(call!(zesMemoryGetProperties, module => Raw, &mut memory => *mut ZesMemProperties), 0);
    assert_eq!(call!(zesMemoryGetState, module => Raw, &mut state => *mut ZesMemState), 0);
    assert!(state.free > 0 && state.free <= state.size && state.size == memory.physical_size && state.health == 1);
    let (mut other, mut of_other) = (null_mut(), ZesMemProperties { stype: 0xb, ..Default::default() });
    let result = call!(zesDeviceEnumMemoryModules, found[1] => Raw, &mut count => *mut u32, &mut other => *mut Raw);
    let properties = call!(zesMemoryGetProperties, other => Raw, &mut of_other => *mut ZesMemProperties);
    let locations = (memory.location, of_other.location);
    assert_eq!((result, properties, locations), (0, 0, (1, 0)), "a card has memory of its own");
    let mut usable = DeviceUsablememSizeExtProperties { stype: 0x2_0041, ..Default::default() };
    core.p_next = (&raw mut usable).cast();
    assert_eq!(call!(zeDeviceGetProperties, device => Raw, &mut core => *mut DeviceProperties), 0);
    assert!(usable.curr_usable_mem_size > 0);
    // Nothing else is there.
    for name in ["zesDeviceEnumFrequencyDomains", "zesDeviceEnumPowerDomains", "zesDeviceEnumEngineGroups"] {
        count = 7;
        // SAFETY: the test passes the arguments that the specification requires.
        let result = unsafe {
            let function: unsafe extern "C" fn(Raw, *mut u32, *mut Raw) -> u32 =
                std::mem::transmute(common::address(name));
            function(device, &raw mut count, null_mut())
        };
        assert_eq!((result, count), (0, 0), "{name}");
    }
    let (mut pci, mut process) = (ZesPciProperties::default(), ZesProcessState::default());
    assert_eq!(call!(zesDevicePciGetProperties, device => Raw, &mut pci => *mut ZesPciProperties), 0);
    assert_eq!((pci.address.bus, pci.max_speed.width), (0, -1));
    count = 1;
    let result = call!(zesDeviceProcessesGetState, device => Raw, &mut count => *mut u32,
        &mut process => *mut ZesProcessState);
    assert_eq!((result, process.process_id), (0, std::process::id()));
}
