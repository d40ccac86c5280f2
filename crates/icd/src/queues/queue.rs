//! Command queues.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use opencl_sys::*;

use crate::base::error::{Result, ensure, fail};
use crate::base::handle::{self, Handle, kind};
use crate::base::raw::Answer;
use crate::devices::context::Context;
use crate::devices::device::Device;
use crate::queues::event::Event;
use crate::queues::schedule::{self, Command};

/// A command queue.
pub(crate) struct Queue {
    pub(crate) context: Handle<Context>,
    pub(crate) device: Handle<Device>,
    flags: cl_command_queue_properties,
    /// The properties that the program gave, with the zero at their end.
    properties: Vec<cl_queue_properties>,
    state: Mutex<State>,
}

kind!(Queue, CL_INVALID_COMMAND_QUEUE);

#[derive(Default)]
struct State {
    /// Commands that are not over, in order.
    outstanding: VecDeque<Arc<Command>>,
    /// The last barrier that is not over.
    barrier: Option<Handle<Event>>,
    /// The first command that failed since a kernel was last launched by a program that knew of a
    /// failure.
    failure: Option<Failure>,
}

/// A command that failed: what it should have written is what was there before.
struct Failure {
    code: cl_int,
    /// Whether a call has returned it.
    is_reported: bool,
}

/// How a command stands to the others of its queue.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    /// It waits for those that the queue's kind says.
    Plain,
    /// Without a list of its own it waits for all that came before.
    Marker,
    /// The same, and all that come later wait for it.
    Barrier,
}

/// Makes a queue; properties that the program gave as a list are kept.
pub(crate) fn create(
    context: &Handle<Context>,
    device: &Handle<Device>,
    properties: &[cl_queue_properties],
    given: &[cl_queue_properties],
) -> Result<Handle<Queue>> {
    ensure(context.has(device), CL_INVALID_DEVICE)?;
    let mut flags = 0;
    for pair in properties.chunks_exact(2) {
        match pair[0] as cl_uint {
            CL_QUEUE_PROPERTIES => flags = pair[1],
            // Hints, which nobody has to take.
            name if [CL_QUEUE_PRIORITY_KHR, CL_QUEUE_THROTTLE_KHR].contains(&cl_queue_properties::from(name)) => {
                ensure([1, 2, 4].contains(&pair[1]), CL_INVALID_VALUE)?;
            }
            CL_QUEUE_SIZE => return fail(CL_INVALID_QUEUE_PROPERTIES),
            _ => return fail(CL_INVALID_VALUE),
        }
    }
    let on_device = CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT;
    let known = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE | on_device;
    ensure(flags & !known == 0, CL_INVALID_VALUE)?;
    ensure(flags & on_device == 0, CL_INVALID_QUEUE_PROPERTIES)?;
    let properties = given.to_vec();
    let (context, device) = (Arc::clone(context), Arc::clone(device));
    Ok(handle::create(Queue { context, device, flags, properties, state: Mutex::default() }))
}

impl Queue {
    /// Whether one stands for the other: the same device and the same kind of queue.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.device, &other.device) && self.flags == other.flags
    }

    /// Whether it has a property.
    pub(crate) fn has(&self, flag: cl_command_queue_properties) -> bool {
        self.flags & flag != 0
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a command in, and gives the events that it has to wait for.
    pub(crate) fn append(&self, command: &Arc<Command>, order: Order, has_list: bool) -> Vec<Handle<Event>> {
        let mut state = self.state();
        let event = |command: &Arc<Command>| Arc::clone(command.event());
        let before = if !self.has(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) {
            state.outstanding.back().map(event).into_iter().collect()
        } else if order != Order::Plain && !has_list {
            state.outstanding.iter().map(event).collect()
        } else {
            state.barrier.iter().cloned().collect()
        };
        state.outstanding.push_back(Arc::clone(command));
        if order == Order::Barrier {
            state.barrier = Some(event(command));
        }
        before
    }

    /// A command is over.
    pub(crate) fn forget(&self, event: &Handle<Event>) {
        let mut state = self.state();
        let found = state.outstanding.iter().position(|command| Arc::ptr_eq(command.event(), event));
        // They are dropped when the queue is no longer locked: with the last of them may go what
        // holds it.
        let command = found.and_then(|index| state.outstanding.remove(index));
        let barrier = state.barrier.take_if(|barrier| Arc::ptr_eq(barrier, event));
        drop(state);
        drop((command, barrier));
    }

    /// Does commands in this thread, which has to wait for an event anyway.
    pub(crate) fn help(&self, event: &Handle<Event>) {
        while !event.is_over() {
            let next = self.state().outstanding.iter().find(|command| command.is_ready()).cloned();
            match next {
                Some(command) => command.run(),
                None => return,
            }
        }
    }

    /// Waits until all commands are over.
    ///
    /// # Errors
    /// When one of them has failed, or one before them.
    pub(crate) fn finish(&self) -> Result {
        let events: Vec<_> = self.state().outstanding.iter().map(|command| Arc::clone(command.event())).collect();
        for event in events.into_iter().rev() {
            self.help(&event);
            event.wait();
        }
        self.report()
    }

    /// Notes that a command has failed.
    pub(crate) fn note_failure(&self, code: cl_int) {
        self.state().failure.get_or_insert(Failure { code, is_reported: false });
    }

    /// Fails with the code of a command that has failed. The data of the queue are stale until a
    /// kernel is launched by a program that was told.
    pub(crate) fn report(&self) -> Result {
        match &mut self.state().failure {
            None => Ok(()),
            Some(failure) => {
                failure.is_reported = true;
                fail(failure.code)
            }
        }
    }

    /// Forgets a failure that was reported, as a kernel is launched after it.
    pub(crate) fn begin_anew(&self) {
        self.state().failure.take_if(|failure| failure.is_reported);
    }
}

/// Puts a command into a queue, and waits for it when it is asked to block.
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
        // What was read may be what a kernel that failed should have written.
        queue.report()?;
        ensure(status == CL_COMPLETE, status)?;
    }
    Ok(event)
}

/// Puts a marker or a barrier into a queue.
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
        CL_QUEUE_PROPERTIES_ARRAY => answer.list(&queue.properties),
        // Only queues of devices have a size or are the default.
        CL_QUEUE_SIZE => fail(CL_INVALID_COMMAND_QUEUE),
        CL_QUEUE_DEVICE_DEFAULT => answer.value(std::ptr::null_mut::<std::ffi::c_void>()),
        _ => answer.unknown(),
    }
}
