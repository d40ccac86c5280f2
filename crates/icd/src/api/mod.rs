//! Entry points of the API: they convert pointers to objects and lists, and write results to the
//! caller's memory.
//!
//! Programs call every function of these modules, through the loader's table. The contract of the
//! pointers is OpenCL's: each pointer is null, or valid for the data and the lifetime that the
//! specification of the call states.

mod absent;
mod commands;
mod memory;
mod objects;
mod program;
mod recorded;
mod semaphores;
mod shared;

pub(crate) use absent::*;
pub(crate) use commands::*;
pub(crate) use memory::*;
pub(crate) use objects::*;
pub(crate) use program::*;
pub(crate) use recorded::*;
pub(crate) use semaphores::*;
pub(crate) use shared::*;

use opencl_sys::*;

use crate::error::{Code, Result};
use crate::event::Event;
use crate::handle::{self, Handle};
use crate::raw;

/// Defines functions that return a status code.
macro_rules! status {
    ($($(#[$meta:meta])* fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $body:block)*) => {$(
        $(#[$meta])*
        #[allow(unused_unsafe, non_snake_case, clippy::too_many_arguments)]
        pub(crate) unsafe extern "C" fn $name($($arg: $ty),*) -> cl_int {
            // SAFETY: pointers are used only as the specification of this call permits, and the
            // program must pass valid pointers.
            $crate::error::status($crate::error::guard(|| unsafe { $body }))
        }
    )*};
}
use status;

/// Defines functions that return a handle or an address, and a status code through their last
/// parameter.
macro_rules! object {
    ($($(#[$meta:meta])* fn $name:ident($($arg:ident: $ty:ty),* $(,)?) -> $out:ty $body:block)*) => {$(
        $(#[$meta])*
        #[allow(unused_unsafe, non_snake_case, clippy::too_many_arguments)]
        pub(crate) unsafe extern "C" fn $name($($arg: $ty,)* errcode_ret: *mut cl_int) -> $out {
            // SAFETY: as for functions that return a status code.
            let result: $crate::error::Result<$out> = $crate::error::guard_room(|| unsafe { $body });
            // SAFETY: the pointer is null or has room for a code.
            unsafe { $crate::raw::put(errcode_ret, result.as_ref().map_or_else(|code| code.0, |_| CL_SUCCESS)) };
            result.unwrap_or(std::ptr::null_mut())
        }
    )*};
}
use object;

/// Defines functions that enqueue a command. The first parameter is the queue; the last ones are
/// the wait list and the place for the command's event.
macro_rules! enqueue {
    ($($(#[$meta:meta])* fn $name:ident($queue:ident, $list:ident $(, $arg:ident: $ty:ty)* $(,)?) $body:block)*) => {$(
        $(#[$meta])*
        #[allow(unused_unsafe, non_snake_case, clippy::too_many_arguments)]
        pub(crate) unsafe extern "C" fn $name(
            command_queue: cl_command_queue,
            $($arg: $ty,)*
            num_events_in_wait_list: cl_uint,
            event_wait_list: *const cl_event,
            event: *mut cl_event,
        ) -> cl_int {
            // SAFETY: as for functions that return a status code.
            $crate::error::status($crate::error::guard_room(|| unsafe {
                let $queue = $crate::handle::get::<$crate::queue::Queue>(command_queue)?;
                let $list = $crate::api::events(num_events_in_wait_list, event_wait_list)?;
                let done: $crate::handle::Handle<$crate::event::Event> = $body?;
                $crate::api::emit(event, done);
                Ok(())
            }))
        }
    )*};
}
use enqueue;

/// Returns the events of a wait list.
///
/// # Safety
/// `first` is null or points to `count` handles.
unsafe fn events(count: cl_uint, first: *const cl_event) -> Result<Vec<Handle<Event>>> {
    // SAFETY: guaranteed by the caller.
    let list = unsafe { raw::agreed(count as usize, first, CL_INVALID_EVENT_WAIT_LIST)? };
    handle::get_all(list).map_err(|_| Code(CL_INVALID_EVENT_WAIT_LIST))
}

/// Returns an event to the program if the program requests it.
///
/// # Safety
/// `place` is null or has room for a handle.
unsafe fn emit(place: *mut cl_event, event: Handle<Event>) {
    if !place.is_null() {
        // SAFETY: guaranteed by the caller.
        unsafe { raw::put(place, handle::give(event)) };
    }
}

/// Reads three sizes.
///
/// # Safety
/// `first` is null or points to three sizes.
unsafe fn three(first: *const usize) -> Result<[usize; 3]> {
    // SAFETY: guaranteed by the caller.
    unsafe { raw::get(first.cast()) }.ok_or(Code(CL_INVALID_VALUE))
}
