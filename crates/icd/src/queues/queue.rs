//! Command queues.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use opencl_sys::*;

use crate::base::answer::Answer;
use crate::base::error::{Result, ensure, fail};
use crate::base::handle::{self, Handle, kind};
use crate::devices::context::Context;
use crate::devices::device::Device;
use crate::queues::event::Event;
use crate::queues::schedule::{self, Command};

/// OpenCL command queue.
pub(crate) struct Queue {
    pub(crate) context: Handle<Context>,
    pub(crate) device: Handle<Device>,
    flags: cl_command_queue_properties,
    /// Properties passed by the program, with the final zero.
    properties: Vec<cl_queue_properties>,
    state: Mutex<State>,
}

kind!(Queue, CL_INVALID_COMMAND_QUEUE);

#[derive(Default)]
struct State {
    /// Commands that are not over, in order.
    outstanding: VecDeque<Arc<Command>>,
    /// Last barrier that is not over, and whether it waits for all commands before it.
    barrier: Option<(Handle<Event>, bool)>,
    /// First failed command since the last launch by a program that knew of a failure.
    failure: Option<Failure>,
}

/// Failed command, whose results are stale.
struct Failure {
    code: cl_int,
    /// True if a call has returned the failure.
    is_reported: bool,
}

/// Order of a command relative to the others of its queue.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    /// Waits as the queue's kind requires.
    Plain,
    /// Without a wait list, waits for all commands before it.
    Marker,
    /// As a marker, and all later commands wait for it.
    Barrier,
}

/// Names of properties in the type of a list. `SLICES` is a property of Intel's runtime that the
/// bindings lack.
const PROPERTIES: cl_queue_properties = CL_QUEUE_PROPERTIES as cl_queue_properties;
const SIZE: cl_queue_properties = CL_QUEUE_SIZE as cl_queue_properties;
const SLICES: cl_queue_properties = 0x1_0021;
/// Names of queries in their type.
const FAMILY: cl_command_queue_info = CL_QUEUE_FAMILY_INTEL as cl_command_queue_info;
const INDEX: cl_command_queue_info = CL_QUEUE_INDEX_INTEL as cl_command_queue_info;

/// Creates a queue; `given` are the properties that the program passed as a list.
pub(crate) fn create(
    context: &Handle<Context>,
    device: &Handle<Device>,
    properties: &[cl_queue_properties],
    given: &[cl_queue_properties],
) -> Result<Handle<Queue>> {
    ensure(context.has(device), CL_INVALID_DEVICE)?;
    let mut flags = 0;
    for pair in properties.chunks_exact(2) {
        let value = pair[1];
        match pair[0] {
            PROPERTIES => flags = value,
            // Hints are accepted and ignored.
            CL_QUEUE_PRIORITY_KHR | CL_QUEUE_THROTTLE_KHR => ensure([1, 2, 4].contains(&value), CL_INVALID_VALUE)?,
            // Each device has one family with one queue, and one slice.
            CL_QUEUE_FAMILY_INTEL | CL_QUEUE_INDEX_INTEL => ensure(value == 0, CL_INVALID_QUEUE_PROPERTIES)?,
            SLICES => ensure(value <= 1, CL_INVALID_QUEUE_PROPERTIES)?,
            SIZE => return fail(CL_INVALID_QUEUE_PROPERTIES),
            _ => return fail(CL_INVALID_VALUE),
        }
    }
    let has = |name| properties.chunks_exact(2).any(|pair| pair[0] == name);
    ensure(has(CL_QUEUE_FAMILY_INTEL) == has(CL_QUEUE_INDEX_INTEL), CL_INVALID_QUEUE_PROPERTIES)?;
    let on_device = CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT;
    let known = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE | on_device;
    ensure(flags & !known == 0, CL_INVALID_VALUE)?;
    ensure(flags & on_device == 0, CL_INVALID_QUEUE_PROPERTIES)?;
    let properties = given.to_vec();
    let (context, device) = (Arc::clone(context), Arc::clone(device));
    Ok(handle::create(Queue { context, device, flags, properties, state: Mutex::default() }))
}

impl Queue {
    /// Returns true if the queue has a property.
    pub(crate) fn has(&self, flag: cl_command_queue_properties) -> bool {
        self.flags & flag != 0
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Appends a command and returns the events that it must wait for.
    pub(crate) fn append(&self, command: &Arc<Command>, order: Order, has_list: bool) -> Vec<Handle<Event>> {
        let mut state = self.state();
        let event = |command: &Arc<Command>| Arc::clone(command.event());
        let before = if !self.has(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) {
            state.outstanding.back().map(event).into_iter().collect()
        } else if order != Order::Plain && !has_list {
            // The last barrier stands for the commands that it waits for.
            let last = state.barrier.as_ref().filter(|(_, is_full)| *is_full).map(|(barrier, _)| barrier);
            let is_last = |command: &&Arc<Command>| last.is_some_and(|last| Arc::ptr_eq(last, command.event()));
            let since = state.outstanding.iter().rev().take_while(|command| !is_last(command));
            since.map(event).chain(last.cloned()).collect()
        } else {
            state.barrier.iter().map(|(barrier, _)| Arc::clone(barrier)).collect()
        };
        state.outstanding.push_back(Arc::clone(command));
        if order == Order::Barrier {
            state.barrier = Some((event(command), !has_list));
        }
        before
    }

    /// Removes a command that is over.
    pub(crate) fn forget(&self, event: &Handle<Event>) {
        let mut state = self.state();
        let found = state.outstanding.iter().position(|command| Arc::ptr_eq(command.event(), event));
        // Dropped after the queue is unlocked, because the drop may release the owner of the queue.
        let command = found.and_then(|index| state.outstanding.remove(index));
        let barrier = state.barrier.take_if(|(barrier, _)| Arc::ptr_eq(barrier, event));
        drop(state);
        drop((command, barrier));
    }

    /// Runs commands in this thread until an event is over, instead of only waiting.
    pub(crate) fn help(&self, event: &Handle<Event>) {
        let mut next: Option<Arc<Command>> = None;
        while !event.is_over() {
            let is_own = |next: &mut Arc<Command>| {
                next.event().queue.as_deref().is_some_and(|queue| std::ptr::eq(&raw const **queue, self))
            };
            let ready = || self.state().outstanding.iter().find(|command| command.is_ready()).cloned();
            let Some(command) = next.take_if(is_own).or_else(ready) else { break };
            schedule::submit_all(next);
            next = command.execute();
        }
        schedule::submit_all(next);
    }

    /// Waits until all commands are over.
    ///
    /// # Errors
    /// Fails if one of them, or an earlier command, has failed.
    pub(crate) fn finish(&self) -> Result {
        let events: Vec<_> = self.state().outstanding.iter().map(|command| Arc::clone(command.event())).collect();
        for event in events.into_iter().rev() {
            self.help(&event);
            event.wait();
        }
        self.report()
    }

    /// Records the failure of a command.
    pub(crate) fn note_failure(&self, code: cl_int) {
        self.state().failure.get_or_insert(Failure { code, is_reported: false });
    }

    /// Fails with the code of a failed command. The data of the queue are stale until a kernel is
    /// launched by a program that knows of the failure.
    pub(crate) fn report(&self) -> Result {
        match &mut self.state().failure {
            None => Ok(()),
            Some(failure) => {
                failure.is_reported = true;
                fail(failure.code)
            }
        }
    }

    /// Clears a reported failure when a kernel is launched.
    pub(crate) fn begin_anew(&self) {
        self.state().failure.take_if(|failure| failure.is_reported);
    }
}

/// Enqueues a command, and waits for it if `blocking` is set.
pub(crate) fn submit(
    queue: &Handle<Queue>,
    kind: cl_command_type,
    list: &[Handle<Event>],
    blocking: bool,
    work: schedule::Work,
) -> Result<Handle<Event>> {
    check_list(queue, list)?;
    if kind == CL_COMMAND_NDRANGE_KERNEL || kind == CL_COMMAND_TASK {
        queue.begin_anew();
    }
    let event = schedule::enqueue(queue, kind, Order::Plain, list, work);
    if blocking {
        queue.help(&event);
        let status = event.wait();
        // The data read may be stale because an earlier kernel failed.
        queue.report()?;
        ensure(status == CL_COMPLETE, status)?;
    }
    Ok(event)
}

/// Enqueues a marker or a barrier.
pub(crate) fn mark(queue: &Handle<Queue>, order: Order, list: &[Handle<Event>]) -> Result<Handle<Event>> {
    check_list(queue, list)?;
    let kind = if order == Order::Barrier { CL_COMMAND_BARRIER } else { CL_COMMAND_MARKER };
    Ok(schedule::enqueue(queue, kind, order, list, Box::new(|| Ok(()))))
}

fn check_list(queue: &Queue, list: &[Handle<Event>]) -> Result {
    let same = list.iter().all(|event| Arc::ptr_eq(&event.context, &queue.context));
    ensure(same, CL_INVALID_CONTEXT)
}

/// Answers `clGetCommandQueueInfo`.
pub(crate) fn info(queue: &Handle<Queue>, answer: Answer) -> Result {
    match answer.name {
        CL_QUEUE_CONTEXT => answer.value(handle::address(&queue.context)),
        CL_QUEUE_DEVICE => answer.value(handle::address(&queue.device)),
        CL_QUEUE_REFERENCE_COUNT => answer.value(handle::count(queue)),
        CL_QUEUE_PROPERTIES => answer.value(queue.flags),
        FAMILY | INDEX => answer.value::<cl_uint>(0),
        CL_QUEUE_PROPERTIES_ARRAY => answer.list(&queue.properties),
        // Only device queues have a size or can be the default.
        CL_QUEUE_SIZE => fail(CL_INVALID_COMMAND_QUEUE),
        CL_QUEUE_DEVICE_DEFAULT => answer.value(std::ptr::null_mut::<std::ffi::c_void>()),
        _ => answer.unknown(),
    }
}
