//! Events: how far a command is, when it got there, and who waits for it.

use std::ffi::c_void;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use opencl_sys::*;

use crate::base::error::{Result, ensure, fail};
use crate::base::handle::{self, Handle, kind};
use crate::base::raw::Answer;
use crate::devices::context::Context;
use crate::queues::queue::Queue;
use crate::queues::schedule::{self, Command};

/// How far a command is.
pub(crate) struct Event {
    pub(crate) context: Handle<Context>,
    /// The queue of its command; user events have none.
    pub(crate) queue: Option<Handle<Queue>>,
    /// The command, as the API names it.
    pub(crate) command: cl_command_type,
    state: Mutex<State>,
    changed: Condvar,
}

kind!(Event, CL_INVALID_EVENT);

/// What changes of an event.
struct State {
    /// From queued over submitted and running to complete, or an error.
    status: cl_int,
    /// When the command was queued, submitted, began and ended, in nanoseconds.
    times: [u64; 4],
    callbacks: Vec<Callback>,
    /// Commands that wait for it, and whether they must not be done when it fails.
    dependents: Vec<(Arc<Command>, bool)>,
}

/// The function of a callback.
pub(crate) type Notify = unsafe extern "C" fn(cl_event, cl_int, *mut c_void);

/// Somebody to tell when the command has come so far.
struct Callback {
    status: cl_int,
    notify: Notify,
    data: UserData,
}

/// A pointer that the program wants back.
#[derive(Clone, Copy)]
pub(crate) struct UserData(pub(crate) *mut c_void);

// SAFETY: nobody follows it; the program that is given it back knows in which threads it is.
unsafe impl Send for UserData {}
// SAFETY: as above.
unsafe impl Sync for UserData {}

impl Event {
    /// The event of a command that has just been queued.
    pub(crate) fn new(context: &Handle<Context>, queue: Option<&Handle<Queue>>, command: cl_command_type) -> Self {
        let status = if queue.is_some() { CL_QUEUED } else { CL_SUBMITTED };
        let state = State { status, times: [now(); 4], callbacks: Vec::new(), dependents: Vec::new() };
        let (context, queue) = (Arc::clone(context), queue.cloned());
        Self { context, queue, command, state: Mutex::new(state), changed: Condvar::new() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How far it is.
    pub(crate) fn status(&self) -> cl_int {
        self.state().status
    }

    /// Whether nothing will change any more.
    pub(crate) fn is_over(&self) -> bool {
        self.status() <= CL_COMPLETE
    }

    /// Has a command wait for it; tells its status where it is over already, and nobody has to
    /// wait.
    pub(crate) fn hold_back(&self, command: &Arc<Command>, counts: bool) -> Option<cl_int> {
        let mut state = self.state();
        if state.status <= CL_COMPLETE {
            return Some(state.status);
        }
        state.dependents.push((Arc::clone(command), counts));
        None
    }

    /// Waits until it is over, and tells its status.
    pub(crate) fn wait(&self) -> cl_int {
        let mut state = self.state();
        while state.status > CL_COMPLETE {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.status
    }
}

/// Brings an event to a status; tells whether it was not over yet. Callbacks are called, and those
/// who wait go on.
pub(crate) fn advance(event: &Handle<Event>, status: cl_int) -> bool {
    let mut state = event.state();
    if state.status <= CL_COMPLETE {
        return false;
    }
    let now = now();
    let first = match status {
        CL_SUBMITTED => 1,
        CL_RUNNING => 2,
        _ => 3,
    };
    state.times[first..].fill(now);
    state.status = status;
    let (due, later) = std::mem::take(&mut state.callbacks).into_iter().partition(|call| call.status >= status);
    state.callbacks = later;
    let dependents = if status <= CL_COMPLETE { std::mem::take(&mut state.dependents) } else { Vec::new() };
    drop(state);
    if status <= CL_COMPLETE {
        // A queue is empty before those that wait for its last command see it.
        if let Some(queue) = &event.queue {
            queue.forget(event);
        }
        event.changed.notify_all();
    }
    call_all(event, due, status);
    for (command, counts) in dependents {
        schedule::release(command, !counts || status == CL_COMPLETE);
    }
    true
}

fn call_all(event: &Handle<Event>, callbacks: Vec<Callback>, status: cl_int) {
    for call in callbacks {
        let told = if status < 0 { status } else { call.status };
        // SAFETY: the program gave the function for such a call, with the data that it is to get.
        unsafe { (call.notify)(handle::address(event), told, call.data.0) }
    }
}

/// Calls a function when the command has come so far, at once when it has.
pub(crate) fn set_callback(
    event: &Handle<Event>,
    status: cl_int,
    notify: Option<Notify>,
    data: *mut c_void,
) -> Result {
    let Some(notify) = notify else { return fail(CL_INVALID_VALUE) };
    ensure([CL_SUBMITTED, CL_RUNNING, CL_COMPLETE].contains(&status), CL_INVALID_VALUE)?;
    let call = Callback { status, notify, data: UserData(data) };
    let mut state = event.state();
    let now = state.status;
    if now > status {
        state.callbacks.push(call);
        return Ok(());
    }
    drop(state);
    call_all(event, vec![call], now);
    Ok(())
}

/// Makes an event that the program completes.
pub(crate) fn user(context: &Handle<Context>) -> *mut c_void {
    handle::give(handle::create(Event::new(context, None, CL_COMMAND_USER)))
}

/// Completes a user event.
pub(crate) fn set_user_status(event: &Handle<Event>, status: cl_int) -> Result {
    ensure(event.queue.is_none(), CL_INVALID_EVENT)?;
    ensure(status <= CL_COMPLETE, CL_INVALID_VALUE)?;
    ensure(advance(event, status), CL_INVALID_OPERATION)
}

/// Waits for several events of one context.
pub(crate) fn wait_for(events: &[Handle<Event>]) -> Result {
    let Some(first) = events.first() else { return fail(CL_INVALID_VALUE) };
    let same = events.iter().all(|event| Arc::ptr_eq(&event.context, &first.context));
    ensure(same, CL_INVALID_CONTEXT)?;
    let mut failed = false;
    for event in events {
        if let Some(queue) = &event.queue {
            queue.help(event);
        }
        if event.wait() < 0 {
            failed = true;
            // The program knows of it now.
            let _ = event.queue.as_ref().map(|queue| queue.report());
        }
    }
    ensure(!failed, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)
}

/// Answers `clGetEventInfo`.
pub(crate) fn info(event: &Handle<Event>, answer: Answer) -> Result {
    match answer.name {
        CL_EVENT_COMMAND_QUEUE => answer.value(handle::address_of(event.queue.as_ref())),
        CL_EVENT_CONTEXT => answer.value(handle::address(&event.context)),
        CL_EVENT_COMMAND_TYPE => answer.value(event.command),
        CL_EVENT_COMMAND_EXECUTION_STATUS => answer.value(event.status()),
        CL_EVENT_REFERENCE_COUNT => answer.value(handle::count(event)),
        _ => answer.unknown(),
    }
}

/// Answers `clGetEventProfilingInfo`.
pub(crate) fn profile(event: &Handle<Event>, answer: Answer) -> Result {
    let is_measured = event.queue.as_ref().is_some_and(|queue| queue.has(CL_QUEUE_PROFILING_ENABLE));
    let (status, times) = {
        let state = event.state();
        (state.status, state.times)
    };
    ensure(is_measured && status == CL_COMPLETE, CL_PROFILING_INFO_NOT_AVAILABLE)?;
    match answer.name {
        CL_PROFILING_COMMAND_QUEUED => answer.value(times[0]),
        CL_PROFILING_COMMAND_SUBMIT => answer.value(times[1]),
        CL_PROFILING_COMMAND_START => answer.value(times[2]),
        CL_PROFILING_COMMAND_END | CL_PROFILING_COMMAND_COMPLETE => answer.value(times[3]),
        _ => answer.unknown(),
    }
}

/// Nanoseconds of the machine's own clock, which a program can read as well: one that begins with
/// the library would be at zero milliseconds when it is first asked.
pub(crate) fn now() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the place to write to is there for the call, and the clock is one that every system
    // has.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) };
    let nanoseconds = i128::from(time.tv_sec) * 1_000_000_000 + i128::from(time.tv_nsec);
    u64::try_from(nanoseconds).unwrap_or(0)
}
