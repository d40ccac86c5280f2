//! Entry points of the driver.

use std::ffi::{c_char, c_void};
use std::sync::OnceLock;

use visakit_runtime::base::raw::{In, Out, Text};
use visakit_runtime::devices::description::uuid;

use crate::api::entry::{Raw, functions};
use crate::base::chain::{each, fill, list, read, text, update, write};
use crate::base::function;
use crate::base::handle::{self, Handle, get};
use crate::base::result::*;
use crate::base::types::*;
use crate::devices::context::Context;
use crate::devices::driver::{self, Driver, EXTENSIONS, VERSION};

/// Flag of callers that want GPUs.
const GPUS: u32 = 1;
/// Type of the structure with policies of frees; blocking and deferred ones.
const FREE_POLICIES: u32 = 0x1_0009;
const POLICIES: u32 = 0b11;
/// Flags of a driver whose memory and event pools have interprocess handles.
const IPC: u32 = 0b11;
/// Flags that select kinds of drivers.
const KINDS: u32 = 0b11;

functions! {
    /// Without GPUs among the wanted kinds there is no driver.
    fn zeInit(flags: u32) {
        ensure(flags & !KINDS == 0, ERROR_INVALID_ENUMERATION)?;
        ensure(flags == 0 || flags & GPUS != 0, ERROR_UNINITIALIZED)?;
        ensure(!driver::the().devices.is_empty(), ERROR_UNINITIALIZED)
    }

    fn zeInitDrivers(count: Out<u32>, drivers: Out<Raw>, desc: In<InitDriverTypeDesc>) {
        let desc = read(desc)?;
        ensure(desc.flags != 0, ERROR_INVALID_ENUMERATION)?;
        let is_wanted = desc.flags & GPUS != 0 && !driver::the().devices.is_empty();
        list(count, drivers, usize::from(is_wanted), |_, place| *place = handle::address(driver::the()))
    }

    fn zeDriverGet(count: Out<u32>, drivers: Out<Raw>) {
        list(count, drivers, 1, |_, place| *place = handle::address(driver::the()))
    }

    fn zeDriverGetApiVersion(driver: Raw, version: Out<u32>) {
        get::<Driver>(driver)?;
        write(version, VERSION)
    }

    fn zeDriverGetProperties(driver: Raw, properties: Out<DriverProperties>) {
        get::<Driver>(driver)?;
        update(properties, |properties| {
            properties.uuid.id = uuid(env!("CARGO_PKG_VERSION"));
            let numbers = env!("CARGO_PKG_VERSION").split('.').map(|part| part.parse().unwrap_or(0));
            properties.driver_version = numbers.fold(0, |version: u32, number: u32| version << 8 | number);
        })?;
        // SAFETY: the program passes a valid chain; the structure has this type.
        unsafe {
            each(read(properties.input())?.p_next, |stype, place| {
                if stype == FREE_POLICIES {
                    fill(place, |out: &mut DriverMemoryFreeExtProperties| out.free_policies = POLICIES);
                }
            });
        }
        Ok(())
    }

    fn zeDriverGetIpcProperties(driver: Raw, properties: Out<DriverIpcProperties>) {
        get::<Driver>(driver)?;
        update(properties, |properties| properties.flags = IPC)
    }

    fn zeDriverGetExtensionProperties(driver: Raw, count: Out<u32>, properties: Out<DriverExtensionProperties>) {
        get::<Driver>(driver)?;
        list(count, properties, EXTENSIONS.len(), |n, place| {
            let (name, version) = EXTENSIONS[n];
            *place = DriverExtensionProperties { name: text(name), version };
        })
    }

    fn zeDriverGetExtensionFunctionAddress(driver: Raw, name: Text, address: Out<*mut c_void>) {
        get::<Driver>(driver)?;
        ensure(!name.is_null(), ERROR_INVALID_NULL_POINTER)?;
        // Functions of the tables are not extensions of this driver, but programs ask for some.
        let found = function::find(&name.get()).filter(|found| found.is_done).ok_or(ERROR_INVALID_ARGUMENT)?;
        write(address, found.address.cast_mut())
    }

    fn zeDriverGetLastErrorDescription(driver: Raw, description: Out<*const c_char>) {
        get::<Driver>(driver)?;
        // Messages are printed when they arise.
        write(description, c"".as_ptr())
    }
}

/// Returns the context of all devices, which lives until the process ends.
#[allow(non_snake_case)]
pub(crate) unsafe extern "C" fn zeDriverGetDefaultContext(driver: Raw) -> Raw {
    static CONTEXT: OnceLock<Handle<Context>> = OnceLock::new();
    let Ok(driver) = get::<Driver>(driver) else { return std::ptr::null_mut() };
    let context = CONTEXT.get_or_init(|| {
        let context = Context::new(driver.devices.clone());
        handle::create(context)
    });
    handle::address(context)
}
