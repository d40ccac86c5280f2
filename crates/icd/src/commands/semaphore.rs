//! Semaphores: a command signals, and a command that waits for the signal continues, in any queue.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use opencl_sys::*;

use crate::base::error::{Result, ensure, fail};
use crate::base::handle::{self, Handle, kind};
use crate::base::raw::Answer;
use crate::commands::transfer::Submission;
use crate::devices::context::Context;
use crate::queues::event::{self, Event};

/// OpenCL semaphore.
pub(crate) struct Semaphore {
    context: Handle<Context>,
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

/// Creates a semaphore.
pub(crate) fn create(context: &Handle<Context>, given: &[cl_semaphore_properties_khr]) -> Result<Handle<Semaphore>> {
    let mut kind = None;
    for pair in given.chunks_exact(2) {
        ensure(pair[0] == u64::from(CL_SEMAPHORE_TYPE_KHR), CL_INVALID_PROPERTY)?;
        kind = Some(pair[1]);
    }
    ensure(kind == Some(u64::from(CL_SEMAPHORE_TYPE_BINARY_KHR)), CL_INVALID_VALUE)?;
    let (context, properties) = (Arc::clone(context), given.to_vec());
    Ok(handle::create(Semaphore { context, properties, state: Mutex::default() }))
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
            event::advance(&next, CL_COMPLETE);
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
    ensure(contexts.all(|same| same), CL_INVALID_CONTEXT)
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
        // An empty list stands for every device of the context.
        CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR => answer.list::<u64>(&[]),
        _ => fail(CL_INVALID_VALUE),
    }
}
