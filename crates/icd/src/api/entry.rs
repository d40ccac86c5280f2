//! Shapes of entry points: the conversion of pointers, and the status of a call.

use opencl_sys::*;

use crate::base::error::{Code, Result};
use crate::base::handle::{self, Handle};
use crate::base::raw::{In, Out};
use crate::queues::event::Event;

/// Defines functions that return a status code. Their pointers are wrapped at once, so that bodies
/// are safe.
macro_rules! status {
    ($($(#[$meta:meta])* fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $body:block)*) => {$(
        $(#[$meta])*
        #[allow(unused_unsafe, non_snake_case)]
        #[allow(clippy::let_unit_value, clippy::too_many_arguments, clippy::unused_unit)]
        pub(crate) unsafe extern "C" fn $name($($arg: <$ty as $crate::base::raw::Caller>::Raw),*) -> cl_int {
            // SAFETY: the program obeys the contract of the call.
            let ($($arg,)*) = unsafe { ($(<$ty as $crate::base::raw::Caller>::of($arg),)*) };
            $crate::base::error::status($crate::base::error::guard(|| $body))
        }
    )*};
}
pub(super) use status;

/// Defines query functions, which return a status code. Their last parameters are the name of the
/// query and the destination of the answer.
macro_rules! query {
    ($($(#[$meta:meta])* fn $name:ident($($arg:ident: $ty:ty),*; $answer:ident) $body:block)*) => {$(
        $(#[$meta])*
        #[allow(non_snake_case, clippy::too_many_arguments)]
        pub(crate) unsafe extern "C" fn $name(
            $($arg: <$ty as $crate::base::raw::Caller>::Raw,)*
            param_name: cl_uint,
            param_value_size: usize,
            param_value: *mut std::ffi::c_void,
            param_value_size_ret: *mut usize,
        ) -> cl_int {
            // SAFETY: the program obeys the contract of the call; the value has room for its size.
            let ($($arg,)* $answer) = unsafe {
                let size_ret = $crate::base::raw::Caller::of(param_value_size_ret);
                let answer = $crate::base::answer::Answer::new(param_name, param_value_size, param_value, size_ret);
                ($(<$ty as $crate::base::raw::Caller>::of($arg),)* answer)
            };
            $crate::base::error::status($crate::base::error::guard(|| $body))
        }
    )*};
}
pub(super) use query;

/// Defines functions that return a handle or an address, and a status code through their last
/// parameter.
macro_rules! object {
    ($($(#[$meta:meta])* fn $name:ident($($arg:ident: $ty:ty),* $(,)?) -> $out:ty $body:block)*) => {$(
        $(#[$meta])*
        #[allow(non_snake_case, clippy::too_many_arguments)]
        pub(crate) unsafe extern "C" fn $name(
            $($arg: <$ty as $crate::base::raw::Caller>::Raw,)*
            errcode_ret: *mut cl_int,
        ) -> $out {
            // SAFETY: the program obeys the contract of the call.
            let ($($arg,)* errcode) = unsafe {
                let errcode: $crate::base::raw::Out<cl_int> = $crate::base::raw::Caller::of(errcode_ret);
                ($(<$ty as $crate::base::raw::Caller>::of($arg),)* errcode)
            };
            let result: $crate::base::error::Result<$out> = $crate::base::error::guard_room(|| $body);
            errcode.put(result.as_ref().map_or_else(|code| code.0, |_| CL_SUCCESS));
            result.unwrap_or(std::ptr::null_mut())
        }
    )*};
}
pub(super) use object;

/// Defines functions that enqueue a command. The first parameter is the queue; the last ones are
/// the wait list and the place for the command's event.
macro_rules! enqueue {
    ($($(#[$meta:meta])* fn $name:ident($queue:ident, $list:ident $(, $arg:ident: $ty:ty)* $(,)?) $body:block)*) => {$(
        $(#[$meta])*
        #[allow(non_snake_case, clippy::too_many_arguments)]
        pub(crate) unsafe extern "C" fn $name(
            command_queue: cl_command_queue,
            $($arg: <$ty as $crate::base::raw::Caller>::Raw,)*
            num_events_in_wait_list: cl_uint,
            event_wait_list: *const cl_event,
            event: *mut cl_event,
        ) -> cl_int {
            // SAFETY: the program obeys the contract of the call; the list has as many events as
            // its count says.
            let ($($arg,)* waits, event) = unsafe {
                let waits = $crate::base::raw::Caller::of(event_wait_list);
                let waits = $crate::api::entry::WaitList::new(num_events_in_wait_list, waits);
                let event: $crate::base::raw::Out<cl_event> = $crate::base::raw::Caller::of(event);
                ($(<$ty as $crate::base::raw::Caller>::of($arg),)* waits, event)
            };
            $crate::base::error::status($crate::base::error::guard_room(|| {
                let $queue = $crate::base::handle::get::<$crate::queues::queue::Queue>(command_queue)?;
                let $list = waits.events()?;
                let done: $crate::base::handle::Handle<$crate::queues::event::Event> = $body?;
                $crate::api::entry::emit(event, done);
                Ok(())
            }))
        }
    )*};
}
pub(super) use enqueue;

/// Wait list of a command, as the program passes it.
pub(super) struct WaitList {
    count: cl_uint,
    first: In<cl_event>,
}

impl WaitList {
    /// # Safety
    /// `first` is null or points to `count` handles until the call returns.
    pub(super) unsafe fn new(count: cl_uint, first: In<cl_event>) -> Self {
        Self { count, first }
    }

    /// Looks up the events.
    pub(super) fn events(&self) -> Result<Vec<Handle<Event>>> {
        // SAFETY: the list has `count` handles.
        let list = unsafe { self.first.agreed(self.count as usize, Code(CL_INVALID_EVENT_WAIT_LIST))? };
        handle::get_all(list).map_err(|_| Code(CL_INVALID_EVENT_WAIT_LIST))
    }
}

/// Returns an event to the program if the program requests it.
pub(super) fn emit(place: Out<cl_event>, event: Handle<Event>) {
    if !place.is_null() {
        place.put(handle::give(event));
    }
}
