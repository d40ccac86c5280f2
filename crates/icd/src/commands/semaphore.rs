//! Semaphores: a command signals, and a command that waits for the signal continues, in any queue.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use opencl_sys::*;

use crate::base::answer::Answer;
use crate::base::error::{Result, ensure, fail};
use crate::base::handle::{self, Handle, kind};
use crate::commands::transfer::Submission;
use crate::devices::context::Context;
use crate::devices::device::Device;
use crate::queues::event::{self, Event};
use crate::queues::schedule;

/// OpenCL semaphore.
pub(crate) struct Semaphore {
    context: Handle<Context>,
    /// Device whose queues may signal it and wait for it.
    device: Handle<Device>,
    /// Properties passed by the program, with the final zero.
    properties: Vec<cl_semaphore_properties_khr>,
    state: Mutex<State>,
}

kind!(Semaphore, CL_INVALID_SEMAPHORE_KHR);

#[derive(Default)]
struct State {
    /// True if there is a signal without a waiting command.
    is_signaled: bool,
    /// Events of the commands that wait for a signal.
    waiting: VecDeque<Handle<Event>>,
}

/// Property with the devices of a semaphore: exactly one, and a zero.
pub(crate) const DEVICES: cl_semaphore_properties_khr = CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR as _;

/// Creates a semaphore.
pub(crate) fn create(
    context: &Handle<Context>,
    properties: Vec<cl_semaphore_properties_khr>,
) -> Result<Handle<Semaphore>> {
    let (mut kind, mut device) = (None, None);
    let mut rest = properties.as_slice();
    while let [name, others @ ..] = rest {
        let known = match *name {
            0 => break,
            DEVICES => device.is_some(),
            name => name != u64::from(CL_SEMAPHORE_TYPE_KHR) || kind.is_some(),
        };
        ensure(!known, CL_INVALID_PROPERTY)?;
        rest = if *name == DEVICES {
            let end = others.iter().position(|one| *one == 0).unwrap_or(others.len());
            let [one] = others[..end] else { return fail(CL_INVALID_DEVICE) };
            device = Some(handle::get::<Device>(one as usize as cl_device_id)?);
            others.get(end + 1..).unwrap_or_default()
        } else {
            kind = others.first();
            others.get(1..).unwrap_or_default()
        };
    }
    ensure(kind == Some(&u64::from(CL_SEMAPHORE_TYPE_BINARY_KHR)), CL_INVALID_VALUE)?;
    let device = match (device, context.devices.as_slice()) {
        (Some(device), of_context) => {
            ensure(of_context.iter().any(|one| Arc::ptr_eq(one, &device)), CL_INVALID_DEVICE)?;
            device
        }
        (None, [only]) => Arc::clone(only),
        (None, _) => return fail(CL_INVALID_PROPERTY),
    };
    Ok(handle::create(Semaphore { context: Arc::clone(context), device, properties, state: Mutex::default() }))
}

impl Semaphore {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn signal(&self) {
        let mut state = self.state();
        let next = state.waiting.pop_front();
        state.is_signaled = next.is_none();
        drop(state);
        if let Some(next) = next {
            schedule::submit_all(event::advance(&next, CL_COMPLETE).into_iter().flatten());
        }
    }

    /// Takes the pending signal; otherwise returns the event that the next signal completes.
    fn take(&self) -> Option<Handle<Event>> {
        let mut state = self.state();
        if std::mem::take(&mut state.is_signaled) {
            return None;
        }
        let next = handle::create(Event::new(&self.context, None, CL_COMMAND_USER));
        state.waiting.push_back(Arc::clone(&next));
        Some(next)
    }
}

fn check(submission: &Submission<'_>, semaphores: &[Handle<Semaphore>]) -> Result {
    ensure(!semaphores.is_empty(), CL_INVALID_VALUE)?;
    let contexts = semaphores.iter().map(|semaphore| &semaphore.context);
    let contexts = contexts.chain(submission.list.iter().map(|event| &event.context));
    let mut contexts = contexts.map(|context| Arc::ptr_eq(context, &submission.queue.context));
    ensure(contexts.all(|same| same), CL_INVALID_CONTEXT)?;
    let is_of_queue = |semaphore: &Handle<Semaphore>| Arc::ptr_eq(&semaphore.device, &submission.queue.device);
    ensure(semaphores.iter().all(is_of_queue), CL_INVALID_COMMAND_QUEUE)?;
    ensure(submission.list.iter().all(|event| event.status() >= 0), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)
}

/// Enqueues a command that waits for a signal of each semaphore.
pub(crate) fn wait(submission: &Submission<'_>, semaphores: &[Handle<Semaphore>]) -> Result<Handle<Event>> {
    // All errors must be found before signals are taken.
    check(submission, semaphores)?;
    let mut list = submission.list.to_vec();
    list.extend(semaphores.iter().filter_map(|semaphore| semaphore.take()));
    Submission { list: &list, ..*submission }.submit(CL_COMMAND_SEMAPHORE_WAIT_KHR, || Ok(()))
}

/// Enqueues a command that signals each semaphore.
pub(crate) fn signal(submission: &Submission<'_>, semaphores: Vec<Handle<Semaphore>>) -> Result<Handle<Event>> {
    check(submission, &semaphores)?;
    submission.submit(CL_COMMAND_SEMAPHORE_SIGNAL_KHR, move || {
        semaphores.iter().for_each(|semaphore| semaphore.signal());
        Ok(())
    })
}

/// Answers `clGetSemaphoreInfoKHR`.
pub(crate) fn info(semaphore: &Handle<Semaphore>, answer: Answer) -> Result {
    match answer.name {
        CL_SEMAPHORE_CONTEXT_KHR => answer.value(handle::address(&semaphore.context)),
        CL_SEMAPHORE_REFERENCE_COUNT_KHR => answer.value(handle::count(semaphore)),
        CL_SEMAPHORE_PROPERTIES_KHR => answer.list(&semaphore.properties),
        CL_SEMAPHORE_PAYLOAD_KHR => answer.value(u64::from(semaphore.state().is_signaled)),
        CL_SEMAPHORE_TYPE_KHR => answer.value(CL_SEMAPHORE_TYPE_BINARY_KHR),
        CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR => answer.value(handle::address(&semaphore.device)),
        _ => fail(CL_INVALID_VALUE),
    }
}
