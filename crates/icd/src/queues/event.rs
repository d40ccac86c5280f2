//! Events: status of commands, their times, and the commands and callbacks that wait for them.

use std::ffi::c_void;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use opencl_sys::*;
use visakit_runtime::base::clock::now;

use crate::base::answer::Answer;
use crate::base::error::{Code, Result, ensure, fail};
use crate::base::handle::{self, Handle, kind};
use crate::base::raw::UserData;
use crate::devices::context::Context;
use crate::queues::queue::Queue;
use crate::queues::schedule::{self, Command};

/// Event of a command, or a user event.
pub(crate) struct Event {
    pub(crate) context: Handle<Context>,
    /// Queue of the command; `None` for a user event.
    pub(crate) queue: Option<Handle<Queue>>,
    /// Command type of the API.
    pub(crate) command: cl_command_type,
    state: Mutex<State>,
    changed: Condvar,
}

kind!(Event, CL_INVALID_EVENT);

/// Mutable state of an event.
struct State {
    /// Execution status: queued, submitted, running, complete, or an error code.
    status: cl_int,
    /// Times at which the command was queued, submitted, started and ended, in nanoseconds.
    times: [u64; 4],
    callbacks: Vec<Callback>,
    /// Commands that wait for the event. The flag is true if a failure of the event cancels the
    /// command.
    dependents: Vec<(Arc<Command>, bool)>,
    /// Number of threads that wait for the event.
    waiters: usize,
}

/// Function of a callback.
pub(crate) type Notify = unsafe extern "C" fn(cl_event, cl_int, *mut c_void);

/// Callback to invoke when the command has reached a status.
struct Callback {
    status: cl_int,
    notify: Notify,
    data: UserData,
}

impl Event {
    /// Creates the event of a command that has just been queued, or a user event.
    pub(crate) fn new(context: &Handle<Context>, queue: Option<&Handle<Queue>>, command: cl_command_type) -> Self {
        let status = if queue.is_some() { CL_QUEUED } else { CL_SUBMITTED };
        let state = State { status, times: [now(); 4], callbacks: Vec::new(), dependents: Vec::new(), waiters: 0 };
        let (context, queue) = (Arc::clone(context), queue.cloned());
        Self { context, queue, command, state: Mutex::new(state), changed: Condvar::new() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the execution status.
    pub(crate) fn status(&self) -> cl_int {
        self.state().status
    }

    /// Returns true if the status is final.
    pub(crate) fn is_over(&self) -> bool {
        self.status() <= CL_COMPLETE
    }

    /// Makes a command wait for the event. If the event is over already, returns its status
    /// instead.
    pub(crate) fn hold_back(&self, command: &Arc<Command>, counts: bool) -> Option<cl_int> {
        let mut state = self.state();
        if state.status <= CL_COMPLETE {
            return Some(state.status);
        }
        state.dependents.push((Arc::clone(command), counts));
        None
    }

    /// Waits until the event is over and returns its status.
    pub(crate) fn wait(&self) -> cl_int {
        let mut state = self.state();
        while state.status > CL_COMPLETE {
            state.waiters += 1;
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.waiters -= 1;
        }
        state.status
    }
}

/// Advances an event to a status and calls the callbacks. Returns the waiting commands that can run
/// now; `None` if the event was over already.
pub(crate) fn advance(event: &Handle<Event>, status: cl_int) -> Option<impl Iterator<Item = Arc<Command>> + use<>> {
    let mut state = event.state();
    if state.status <= CL_COMPLETE {
        return None;
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
    let has_waiters = state.waiters > 0;
    drop(state);
    if status <= CL_COMPLETE {
        // The queue must forget the command before waiters see the event as over.
        if let Some(queue) = &event.queue {
            queue.forget(event);
        }
        // To notify is a system call, even if no one waits.
        if has_waiters {
            event.changed.notify_all();
        }
    }
    call_all(event, due, status);
    let release = move |(command, counts): (_, bool)| schedule::release(command, !counts || status == CL_COMPLETE);
    Some(dependents.into_iter().filter_map(release))
}

fn call_all(event: &Handle<Event>, callbacks: Vec<Callback>, status: cl_int) {
    for call in callbacks {
        let told = if status < 0 { status } else { call.status };
        // SAFETY: the program passed the function and the data for this call.
        unsafe { (call.notify)(handle::address(event), told, call.data.0) }
    }
}

/// Registers a callback for a status; calls it at once if the status is reached already.
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

/// Creates an event that the program completes.
pub(crate) fn user(context: &Handle<Context>) -> *mut c_void {
    handle::give(handle::create(Event::new(context, None, CL_COMMAND_USER)))
}

/// Completes a user event.
pub(crate) fn set_user_status(event: &Handle<Event>, status: cl_int) -> Result {
    ensure(event.queue.is_none(), CL_INVALID_EVENT)?;
    ensure(status <= CL_COMPLETE, CL_INVALID_VALUE)?;
    schedule::submit_all(advance(event, status).ok_or(Code(CL_INVALID_OPERATION))?);
    Ok(())
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
            // Reports the queue's failure, which the program knows from now on.
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
