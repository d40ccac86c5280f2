//! Entry points of the fabric: each device is a vertex, and no edge connects two devices.

use visakit_runtime::base::raw::Out;

use crate::api::entry::{Raw, functions};
use crate::base::chain::{list, update, write};
use crate::base::handle::{self, get};
use crate::base::result::*;
use crate::base::types::{FabricVertexExpProperties, PciAddressExt};
use crate::devices::device::Device;
use crate::devices::driver::{Driver, Vertex};

/// Type of vertices that are devices.
const DEVICE: u32 = 1;

functions! {
    fn zeFabricVertexGetExp(driver: Raw, count: Out<u32>, vertices: Out<Raw>) {
        let driver = get::<Driver>(driver)?;
        let all = &driver.vertices;
        list(count, vertices, all.len(), |n, place| *place = handle::address(&all[n]))
    }

    fn zeFabricVertexGetSubVerticesExp(vertex: Raw, count: Out<u32>, vertices: Out<Raw>) {
        get::<Vertex>(vertex)?;
        list(count, vertices, 0, |_, _| {})
    }

    fn zeFabricVertexGetPropertiesExp(vertex: Raw, properties: Out<FabricVertexExpProperties>) {
        let vertex = get::<Vertex>(vertex)?;
        update(properties, |properties| {
            properties.uuid.id = vertex.device.uuid();
            (properties.vertex_type, properties.remote) = (DEVICE, 0);
            properties.address = PciAddressExt::default();
        })
    }

    fn zeFabricVertexGetDeviceExp(vertex: Raw, device: Out<Raw>) {
        write(device, handle::address(&get::<Vertex>(vertex)?.device))
    }

    fn zeDeviceGetFabricVertexExp(device: Raw, vertex: Out<Raw>) {
        get::<Device>(device)?;
        let all = &crate::devices::driver::the().vertices;
        let found = all.iter().find(|vertex| handle::address(&vertex.device) == device);
        write(vertex, handle::address(found.ok_or(EXP_ERROR_DEVICE_IS_NOT_VERTEX)?))
    }

    fn zeFabricEdgeGetExp(first: Raw, second: Raw, count: Out<u32>, edges: Out<Raw>) {
        get::<Vertex>(first)?;
        get::<Vertex>(second)?;
        list(count, edges, 0, |_, _| {})
    }
}
