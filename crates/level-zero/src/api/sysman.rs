//! Entry points of system management: what programs query about devices and their memory. The
//! devices have no sensors, fans or power supplies, so that lists of them are empty.

use std::ffi::c_void;

use visakit_runtime::base::raw::Out;
use visakit_runtime::devices::description::{available_bytes, memory_bytes};

use crate::api::entry::{Raw, functions};
use crate::base::chain::{each, fill, list, text, update, write};
use crate::base::handle::{self, Handle, get};
use crate::base::result::*;
use crate::base::sysman::*;
use crate::base::types::*;
use crate::devices::device::{Device, GPU, INTEGRATED, MemoryModule};
use crate::devices::driver::{self, Driver};

/// Type of the structure with more properties of a device.
const DEVICE_EXTENSION: u32 = 0x2d;
/// Type of the memory: DDR.
const DDR: u32 = 1;
/// State of memory.
const HEALTHY: u32 = 1;
/// Flags of a process: it uses the compute engine.
const COMPUTE: u32 = 1 << 1;

/// Fills in a device's structure of properties.
fn describe(device: &Device, out: &mut ZesDeviceProperties) {
    device.properties(&mut out.core);
    out.num_subdevices = 0;
    let unknown = text("unknown");
    (out.serial_number, out.board_number) = (unknown, unknown);
    (out.brand_name, out.vendor_name) = (text("visakit"), text("Intel(R) Corporation"));
    out.model_name.copy_from_slice(&out.core.name[..64]);
    out.model_name[63] = 0;
    out.driver_version = text(env!("CARGO_PKG_VERSION"));
}

functions! {
    fn zesInit(flags: u32) {
        ensure(flags == 0, ERROR_INVALID_ENUMERATION)?;
        ensure(!driver::the().devices.is_empty(), ERROR_UNINITIALIZED)
    }

    fn zesDriverGet(count: Out<u32>, drivers: Out<Raw>) {
        list(count, drivers, 1, |_, place| *place = handle::address(driver::the()))
    }

    fn zesDriverGetExtensionProperties(driver: Raw, count: Out<u32>, properties: Out<DriverExtensionProperties>) {
        get::<Driver>(driver)?;
        list(count, properties, 0, |_, _| {})
    }

    /// No device has parts.
    fn zesDriverGetDeviceByUuidExp(
        driver: Raw,
        uuid: DeviceUuid,
        device: Out<Raw>,
        is_part: Out<u8>,
        part: Out<u32>,
    ) {
        let driver = get::<Driver>(driver)?;
        ensure(!device.is_null() && !is_part.is_null() && !part.is_null(), ERROR_INVALID_NULL_POINTER)?;
        let found = driver.devices.iter().find(|device| device.uuid() == uuid.id);
        write(device, handle::address(found.ok_or(ERROR_INVALID_ARGUMENT)?))?;
        write(is_part, 0)?;
        write(part, 0)
    }

    fn zesDeviceGet(driver: Raw, count: Out<u32>, devices: Out<Raw>) {
        let all = &get::<Driver>(driver)?.devices;
        list(count, devices, all.len(), |n, place| *place = handle::address(&all[n]))
    }

    fn zesDeviceGetProperties(device: Raw, properties: Out<ZesDeviceProperties>) {
        let device: Handle<Device> = get(device)?;
        let mut next = std::ptr::null_mut();
        update(properties, |out| {
            describe(&device, out);
            next = out.p_next;
        })?;
        let more = |out: &mut ZesDeviceExtProperties| {
            (out.uuid.id, out.kind) = (device.uuid(), GPU);
            out.flags = if device.description.target.card() { 0 } else { INTEGRATED };
        };
        // SAFETY: the program passes a valid chain; the structure has this type.
        unsafe { each(next, |stype, place| if stype == DEVICE_EXTENSION { fill(place, more) }) };
        Ok(())
    }

    fn zesDeviceGetState(device: Raw, state: Out<ZesDeviceState>) {
        get::<Device>(device)?;
        // No reset is needed, and nothing was repaired.
        update(state, |out| (out.reset, out.repaired) = (0, 0))
    }

    /// Only this process is known to use the device.
    fn zesDeviceProcessesGetState(device: Raw, count: Out<u32>, states: Out<ZesProcessState>) {
        get::<Device>(device)?;
        list(count, states, 1, |_, out| {
            (out.process_id, out.engines) = (std::process::id(), COMPUTE);
            (out.mem_size, out.shared_size) = (crate::devices::context::allocated(), 0);
        })
    }

    /// The devices are on no bus.
    fn zesDevicePciGetProperties(device: Raw, properties: Out<ZesPciProperties>) {
        get::<Device>(device)?;
        update(properties, |out| {
            out.address = PciAddressExt::default();
            out.max_speed = PciSpeedExt { gen_version: -1, width: -1, max_bandwidth: -1 };
            (out.have_bandwidth_counters, out.have_packet_counters, out.have_replay_counters) = (0, 0, 0);
        })
    }

    fn zesDevicePciGetState(device: Raw, state: Out<ZesPciState>) {
        get::<Device>(device)?;
        update(state, |out| {
            (out.status, out.quality_issues, out.stability_issues) = (0, 0, 0);
            out.speed = PciSpeedExt { gen_version: -1, width: -1, max_bandwidth: -1 };
        })
    }

    fn zesDeviceEccAvailable(device: Raw, answer: Out<u8>) {
        get::<Device>(device)?;
        write(answer, 0)
    }

    fn zesDeviceEnumNothing(device: Raw, count: Out<u32>, parts: Out<*mut c_void>) {
        get::<Device>(device)?;
        list(count, parts, 0, |_, _| {})
    }

    fn zesDeviceEnumMemoryModules(device: Raw, count: Out<u32>, modules: Out<Raw>) {
        let module = get::<Device>(device)?.module();
        list(count, modules, 1, |_, place| *place = module)
    }

    fn zesMemoryGetProperties(module: Raw, properties: Out<ZesMemProperties>) {
        let module = get::<MemoryModule>(module)?;
        update(properties, |out| {
            (out.kind, out.on_subdevice, out.subdevice_id, out.location) = (DDR, 0, 0, module.is_on_card.into());
            (out.physical_size, out.bus_width, out.num_channels) = (memory_bytes(), -1, -1);
        })
    }

    fn zesMemoryGetState(module: Raw, state: Out<ZesMemState>) {
        get::<MemoryModule>(module)?;
        update(state, |out| {
            (out.health, out.free, out.size) = (HEALTHY, available_bytes(), memory_bytes());
        })
    }
}
