//! Structures of system management, as its specification lays them out.
#![expect(missing_docs, reason = "names and fields are those of the specification")]

use std::ffi::c_void;

use crate::base::structures::structures;
use crate::base::types::{DeviceProperties, DeviceUuid, PciAddressExt, PciSpeedExt};

structures! {
    ZesDeviceProperties {
        stype: u32,
        p_next: *mut c_void,
        core: DeviceProperties,
        num_subdevices: u32,
        serial_number: [u8; 64],
        board_number: [u8; 64],
        brand_name: [u8; 64],
        model_name: [u8; 64],
        vendor_name: [u8; 64],
        driver_version: [u8; 64],
    }
    ZesDeviceExtProperties {
        stype: u32,
        p_next: *mut c_void,
        uuid: DeviceUuid,
        kind: u32,
        flags: u32,
    }
    ZesDeviceState {
        stype: u32,
        p_next: *const c_void,
        reset: u32,
        repaired: u32,
    }
    ZesPciProperties {
        stype: u32,
        p_next: *mut c_void,
        address: PciAddressExt,
        max_speed: PciSpeedExt,
        have_bandwidth_counters: u8,
        have_packet_counters: u8,
        have_replay_counters: u8,
    }
    ZesPciState {
        stype: u32,
        p_next: *const c_void,
        status: u32,
        quality_issues: u32,
        stability_issues: u32,
        speed: PciSpeedExt,
    }
    ZesMemProperties {
        stype: u32,
        p_next: *mut c_void,
        kind: u32,
        on_subdevice: u8,
        subdevice_id: u32,
        location: u32,
        physical_size: u64,
        bus_width: i32,
        num_channels: i32,
    }
    ZesMemState {
        stype: u32,
        p_next: *const c_void,
        health: u32,
        free: u64,
        size: u64,
    }
    ZesProcessState {
        stype: u32,
        p_next: *const c_void,
        process_id: u32,
        mem_size: u64,
        shared_size: u64,
        engines: u32,
    }
}
