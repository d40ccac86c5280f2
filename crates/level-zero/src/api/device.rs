//! Entry points of devices.

use visakit_runtime::base::clock::now;
use visakit_runtime::base::raw::Out;
use visakit_runtime::devices::description::memory_bytes;

use crate::api::entry::{Raw, functions};
use crate::base::chain::{each, fill, list, read, update, write};
use crate::base::handle::{self, Handle, get};
use crate::base::types::*;
use crate::devices::device::{Device, GROUPS, MOST_PATTERN};
use crate::devices::driver::Driver;
use crate::devices::ipc::OPAQUE_FD;

/// Flags of peers: accesses and atomics.
const PEER_FLAGS: u32 = 0b11;
const MEMORY_EXTENSION: u32 = 0x1_000e;
/// Type of memory without a more precise name.
const DDR: u32 = 2;

functions! {
    fn zeDeviceGet(driver: Raw, count: Out<u32>, devices: Out<Raw>) {
        let driver = get::<Driver>(driver)?;
        let all = &driver.devices;
        list(count, devices, all.len(), |n, place| *place = handle::address(&all[n]))
    }

    fn zeDeviceGetRootDevice(device: Raw, root: Out<Raw>) {
        get::<Device>(device)?;
        // No device is part of another.
        write(root, std::ptr::null_mut())
    }

    fn zeDeviceGetSubDevices(device: Raw, count: Out<u32>, devices: Out<Raw>) {
        get::<Device>(device)?;
        list(count, devices, 0, |_, _| {})
    }

    fn zeDeviceGetProperties(device: Raw, properties: Out<DeviceProperties>) {
        let device = get::<Device>(device)?;
        update(properties, |properties| device.properties(properties))?;
        // SAFETY: the program passes a valid chain.
        unsafe { device.extensions(read(properties.input())?.p_next) };
        Ok(())
    }

    fn zeDeviceGetComputeProperties(device: Raw, properties: Out<DeviceComputeProperties>) {
        let device = get::<Device>(device)?;
        update(properties, |properties| device.compute(properties))
    }

    fn zeDeviceGetModuleProperties(device: Raw, properties: Out<DeviceModuleProperties>) {
        let device = get::<Device>(device)?;
        update(properties, |properties| device.modules(properties))?;
        // SAFETY: the program passes a valid chain.
        unsafe { device.module_extensions(read(properties.input())?.p_next) };
        Ok(())
    }

    fn zeDeviceGetCommandQueueGroupProperties(
        device: Raw,
        count: Out<u32>,
        properties: Out<CommandQueueGroupProperties>,
    ) {
        get::<Device>(device)?;
        list(count, properties, GROUPS.len(), |n, group| {
            (group.flags, group.max_memory_fill_pattern_size, group.num_queues) = (GROUPS[n], MOST_PATTERN, 1);
        })
    }

    fn zeDeviceGetMemoryProperties(device: Raw, count: Out<u32>, properties: Out<DeviceMemoryProperties>) {
        get::<Device>(device)?;
        list(count, properties, 1, |_, memory| {
            Device::memory(memory);
            let extension = |out: &mut DeviceMemoryExtProperties| {
                let DeviceMemoryExtProperties { stype, p_next, .. } = *out;
                // The memory is that of the host; its bandwidths are unknown.
                let physical_size = memory_bytes();
                *out = DeviceMemoryExtProperties { stype, p_next, kind: DDR, physical_size, ..Default::default() };
            };
            // SAFETY: the program passes a valid chain; the structure has this type.
            unsafe { each(memory.p_next, |stype, place| if stype == MEMORY_EXTENSION { fill(place, extension) }) };
        })
    }

    fn zeDeviceGetMemoryAccessProperties(device: Raw, properties: Out<DeviceMemoryAccessProperties>) {
        get::<Device>(device)?;
        update(properties, Device::accesses)
    }

    fn zeDeviceGetCacheProperties(device: Raw, count: Out<u32>, properties: Out<DeviceCacheProperties>) {
        get::<Device>(device)?;
        list(count, properties, 1, |_, cache| (cache.flags, cache.cache_size) = (0, 1 << 20))
    }

    fn zeDeviceGetImageProperties(device: Raw, properties: Out<DeviceImageProperties>) {
        let device = get::<Device>(device)?;
        update(properties, |out| device.images(out))
    }

    fn zeDeviceGetExternalMemoryProperties(device: Raw, properties: Out<DeviceExternalMemoryProperties>) {
        get::<Device>(device)?;
        update(properties, |out| {
            *out = DeviceExternalMemoryProperties {
                memory_allocation_import_types: OPAQUE_FD,
                memory_allocation_export_types: OPAQUE_FD,
                stype: out.stype,
                p_next: out.p_next,
                ..Default::default()
            };
        })
    }

    fn zeDeviceGetP2PProperties(device: Raw, peer: Raw, properties: Out<DeviceP2pProperties>) {
        let _: [Handle<Device>; 2] = [get(device)?, get(peer)?];
        // All devices use the memory of the host.
        update(properties, |out| out.flags = PEER_FLAGS)
    }

    fn zeDeviceCanAccessPeer(device: Raw, peer: Raw, answer: Out<u8>) {
        let _: [Handle<Device>; 2] = [get(device)?, get(peer)?];
        write(answer, 1)
    }

    /// No device is connected to others by a fabric.
    fn zeDeviceGetStatus(device: Raw) {
        get::<Device>(device).map(drop)
    }

    fn zeDeviceGetGlobalTimestamps(device: Raw, host: Out<u64>, own: Out<u64>) {
        get::<Device>(device)?;
        let now = now();
        write(host, now)?;
        write(own, now)
    }

    fn zeDeviceGetVectorWidthPropertiesExt(
        device: Raw,
        count: Out<u32>,
        properties: Out<DeviceVectorWidthPropertiesExt>,
    ) {
        let device = get::<Device>(device)?;
        let doubles = u32::from(device.description.has_doubles);
        list(count, properties, 1, |_, out| {
            out.vector_width_size = 16;
            (out.preferred_vector_width_char, out.native_vector_width_char) = (16, 16);
            (out.preferred_vector_width_short, out.native_vector_width_short) = (8, 8);
            (out.preferred_vector_width_int, out.native_vector_width_int) = (4, 4);
            (out.preferred_vector_width_long, out.native_vector_width_long) = (1, 1);
            (out.preferred_vector_width_float, out.native_vector_width_float) = (1, 1);
            (out.preferred_vector_width_double, out.native_vector_width_double) = (doubles, doubles);
            (out.preferred_vector_width_half, out.native_vector_width_half) = (8, 8);
        })
    }

    /// The devices are on no bus: the address is zero, and the speed is unknown.
    fn zeDevicePciGetPropertiesExt(device: Raw, properties: Out<PciExtProperties>) {
        get::<Device>(device)?;
        update(properties, |out| {
            out.address = PciAddressExt::default();
            out.max_speed = PciSpeedExt { gen_version: -1, width: -1, max_bandwidth: -1 };
        })
    }

    fn zeDeviceGetCounterBasedEventMaxValue(device: Raw, most: Out<u64>) {
        get::<Device>(device)?;
        write(most, u64::MAX)
    }
}
