//! Command buffers: commands that are recorded once and run many times.
//!
//! Recorded commands run in their order, so that the dependencies of a command precede it. A queue
//! treats the whole buffer as one command.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use opencl_sys::*;

use crate::base::answer::Answer;
use crate::base::error::{Code, Result, ensure, fail};
use crate::base::handle::{self, Handle, kind};
use crate::commands::transfer::Submission;
use crate::queues::event::Event;
use crate::queues::queue::Queue;
use crate::queues::schedule::Task;

/// OpenCL command buffer.
pub(crate) struct CommandBuffer {
    pub(crate) queue: Handle<Queue>,
    /// Properties passed by the program, with the final zero.
    properties: Vec<cl_command_buffer_properties_khr>,
    state: Mutex<State>,
}

kind!(CommandBuffer, CL_INVALID_COMMAND_BUFFER_KHR);

/// Recorded commands.
enum State {
    Recording(Vec<Task>),
    Ready(Arc<Vec<Task>>),
}

/// Creates a command buffer for a queue.
pub(crate) fn create(
    queues: &[Handle<Queue>],
    given: &[cl_command_buffer_properties_khr],
) -> Result<Handle<CommandBuffer>> {
    let [queue] = queues else { return fail(CL_INVALID_VALUE) };
    // Each command buffer may be enqueued while it is pending, so that the flag changes nothing.
    let known = |pair: &[cl_command_buffer_properties_khr]| {
        pair[0] == CL_COMMAND_BUFFER_FLAGS_KHR && pair[1] & !CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR == 0
    };
    let pairs = given.chunks_exact(2);
    ensure(pairs.len() < 2 && pairs.clone().all(known), CL_INVALID_VALUE)?;
    let (queue, properties) = (Arc::clone(queue), given.to_vec());
    Ok(handle::create(CommandBuffer { queue, properties, state: Mutex::new(State::Recording(Vec::new())) }))
}

impl CommandBuffer {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records a command after the commands at the sync points, which exist already. Returns the
    /// command's sync point.
    pub(crate) fn record(&self, task: Task, points: &[cl_sync_point_khr]) -> Result<cl_sync_point_khr> {
        let mut state = self.state();
        let State::Recording(tasks) = &mut *state else { return fail(CL_INVALID_OPERATION) };
        let known = |point: &cl_sync_point_khr| (1..=tasks.len()).contains(&(*point as usize));
        ensure(points.iter().all(known), CL_INVALID_SYNC_POINT_WAIT_LIST_KHR)?;
        tasks.push(task);
        Ok(tasks.len() as cl_sync_point_khr)
    }

    /// Ends the recording.
    pub(crate) fn finalize(&self) -> Result {
        let mut state = self.state();
        let State::Recording(tasks) = &mut *state else { return fail(CL_INVALID_OPERATION) };
        *state = State::Ready(Arc::new(std::mem::take(tasks)));
        Ok(())
    }
}

/// Enqueues the recorded commands in their queue, or in another one of the same device.
pub(crate) fn enqueue(
    buffer: &Handle<CommandBuffer>,
    queues: &[Handle<Queue>],
    list: &[Handle<Event>],
) -> Result<Handle<Event>> {
    let queue = match queues {
        [] => &buffer.queue,
        [other] => other,
        _ => return fail(CL_INVALID_VALUE),
    };
    ensure(Arc::ptr_eq(&queue.context, &buffer.queue.context), CL_INVALID_CONTEXT)?;
    ensure(Arc::ptr_eq(&queue.device, &buffer.queue.device), CL_INCOMPATIBLE_COMMAND_QUEUE_KHR)?;
    let state = buffer.state();
    let State::Ready(tasks) = &*state else { return fail(CL_INVALID_OPERATION) };
    let tasks = Arc::clone(tasks);
    drop(state);
    Submission { queue, list, blocking: false }
        .submit(CL_COMMAND_COMMAND_BUFFER_KHR, move || tasks.iter().try_for_each(Task::run))
}

/// Answers `clGetCommandBufferInfoKHR`.
pub(crate) fn info(buffer: &Handle<CommandBuffer>, answer: Answer) -> Result {
    match answer.name {
        CL_COMMAND_BUFFER_QUEUES_KHR => answer.value(handle::address(&buffer.queue)),
        CL_COMMAND_BUFFER_NUM_QUEUES_KHR => answer.value(1_u32),
        CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR => answer.value(handle::count(buffer)),
        CL_COMMAND_BUFFER_STATE_KHR => answer.value(match &*buffer.state() {
            State::Recording(_) => CL_COMMAND_BUFFER_STATE_RECORDING_KHR,
            State::Ready(_) => CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR,
        }),
        CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR => answer.list(&buffer.properties),
        CL_COMMAND_BUFFER_CONTEXT_KHR => answer.value(handle::address(&buffer.queue.context)),
        _ => Err(Code(CL_INVALID_VALUE)),
    }
}
