//! Shapes of entry points: the conversion of pointers, and the result of a call.

use std::ffi::c_void;

use visakit_runtime::base::raw::{Caller, Out};

use crate::base::extensions::{IpcEventPoolHandle, IpcMemHandle};
use crate::base::handle::{self, Handle, get_optional};
use crate::base::result::*;
use crate::base::types::{DeviceUuid, GroupCount, GroupSize};
use crate::devices::context::Context;
use crate::devices::device::Device;
use crate::queues::event::Event;

/// Handle as the program passes it.
pub(super) type Raw = *mut c_void;

/// Defines functions that return a result code. Their pointers are wrapped at once, so that bodies
/// are safe.
macro_rules! functions {
    ($($(#[$meta:meta])* fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $body:block)*) => {$(
        $(#[$meta])*
        #[allow(non_snake_case, clippy::too_many_arguments)]
        pub(crate) unsafe extern "C" fn $name(
            $($arg: <$ty as visakit_runtime::base::raw::Caller>::Raw),*
        ) -> u32 {
            // SAFETY: the program obeys the contract of the call.
            #[allow(clippy::let_unit_value, clippy::unused_unit)]
            let ($($arg,)*) = unsafe { ($(<$ty as visakit_runtime::base::raw::Caller>::of($arg),)*) };
            $crate::base::result::status(visakit_runtime::base::failure::guard_room(|| $body))
        }
    )*};
}
pub(super) use functions;

/// Implements [`Caller`] for structures that are passed by value.
macro_rules! by_value {
    ($($type:ty),*) => {$(
        impl Caller for $type {
            type Raw = Self;

            unsafe fn of(raw: Self) -> Self {
                raw
            }
        }
    )*};
}
by_value!(GroupCount, GroupSize, DeviceUuid, IpcEventPoolHandle, IpcMemHandle);

/// Events of a command: the event that it signals, and those that it waits for.
pub(super) struct Events {
    pub(super) signal: Option<Handle<Event>>,
    pub(super) waits: Vec<Handle<Event>>,
}

/// Looks up the events of a command.
pub(super) fn events(signal: Raw, count: u32, waits: Out<Raw>) -> Result<Events> {
    Ok(Events { signal: get_optional(signal)?, waits: wait_list(count, waits)? })
}

/// Looks up the events of a wait list.
pub(super) fn wait_list(count: u32, waits: Out<Raw>) -> Result<Vec<Handle<Event>>> {
    ensure(count == 0 || !waits.is_null(), ERROR_INVALID_SYNCHRONIZATION_OBJECT)?;
    // SAFETY: the list has as many handles as its count says.
    let waits = unsafe { waits.input().list(count as usize)? };
    waits.iter().map(|&event| handle::get(event)).collect()
}

/// Checks that a device of a context has images.
pub(super) fn check_images(context: Raw, device: Raw) -> Result {
    let (context, device): (Handle<Context>, Handle<Device>) = (handle::get(context)?, handle::get(device)?);
    ensure(context.has(&device), ERROR_INVALID_ARGUMENT)?;
    ensure(device.description.has_images, ERROR_UNSUPPORTED_FEATURE)
}
