//! The entry points: what comes in as pointers goes on as objects and lists, and what comes out is
//! written to its place.
//!
//! Every function of these modules is called by programs, through the loader's table. The contract
//! of its pointers is OpenCL's: each is null, or points to what the specification of the call says,
//! for as long as it says.

mod absent;
mod commands;
pub(crate) mod dispatch;
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

use crate::base::error::{Code, Result};
use crate::base::handle::{self, Handle};
use crate::base::raw;
use crate::queues::event::Event;

/// Functions that return a code.
macro_rules! status {
    ($($(#[$meta:meta])* fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $body:block)*) => {$(
        $(#[$meta])*
        #[allow(unused_unsafe, non_snake_case, clippy::too_many_arguments)]
        pub(crate) unsafe extern "C" fn $name($($arg: $ty),*) -> cl_int {
            // SAFETY: what is done with pointers is what the specification of this call lets it do
            // with them, and the program gives such as it asks for.
            $crate::base::error::status($crate::base::error::guard(|| unsafe { $body }))
        }
    )*};
}
use status;

/// Functions that return a handle or an address, and their code through a last parameter.
macro_rules! object {
    ($($(#[$meta:meta])* fn $name:ident($($arg:ident: $ty:ty),* $(,)?) -> $out:ty $body:block)*) => {$(
        $(#[$meta])*
        #[allow(unused_unsafe, non_snake_case, clippy::too_many_arguments)]
        pub(crate) unsafe extern "C" fn $name($($arg: $ty,)* errcode_ret: *mut cl_int) -> $out {
            // SAFETY: as for those that return a code.
            let result: $crate::base::error::Result<$out> = $crate::base::error::guard_room(|| unsafe { $body });
            // SAFETY: it is null or points to room for a code.
            unsafe { $crate::base::raw::put(errcode_ret, result.as_ref().map_or_else(|code| code.0, |_| CL_SUCCESS)) };
            result.unwrap_or(std::ptr::null_mut())
        }
    )*};
}
use object;

/// Functions that put a command into a queue: first the queue, last the events that it waits for
/// and the place for its own.
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
            // SAFETY: as for those that return a code.
            $crate::base::error::status($crate::base::error::guard_room(|| unsafe {
                let $queue = $crate::base::handle::get::<$crate::queues::queue::Queue>(command_queue)?;
                let $list = $crate::api::events(num_events_in_wait_list, event_wait_list)?;
                let done: $crate::base::handle::Handle<$crate::queues::event::Event> = $body?;
                $crate::api::emit(event, done);
                Ok(())
            }))
        }
    )*};
}
use enqueue;

/// The events of a list.
///
/// # Safety
/// `first` is null or points to so many handles.
unsafe fn events(count: cl_uint, first: *const cl_event) -> Result<Vec<Handle<Event>>> {
    // SAFETY: the caller promises it.
    let list = unsafe { raw::agreed(count as usize, first, CL_INVALID_EVENT_WAIT_LIST)? };
    handle::get_all(list).map_err(|_| Code(CL_INVALID_EVENT_WAIT_LIST))
}

/// Gives an event to the program where it asks for it.
///
/// # Safety
/// `place` is null or points to room for a handle.
unsafe fn emit(place: *mut cl_event, event: Handle<Event>) {
    if !place.is_null() {
        // SAFETY: the caller promises it.
        unsafe { raw::put(place, handle::give(event)) };
    }
}

/// Three sizes.
///
/// # Safety
/// `first` is null or points to three of them.
unsafe fn three(first: *const usize) -> Result<[usize; 3]> {
    // SAFETY: the caller promises it.
    unsafe { raw::get(first.cast()) }.ok_or(Code(CL_INVALID_VALUE))
}
