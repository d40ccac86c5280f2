//! Command buffers: commands that are recorded once and run many times.
//!
//! Recorded commands run in their order, so that the dependencies of a command precede it. A queue
//! treats the whole buffer as one command.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use opencl_sys::*;

use crate::base::answer::Answer;
use crate::base::error::{Code, Result, ensure, fail};
use crate::base::handle::{self, Handle, kind};
use crate::commands::mutable::{self, Change, Dispatch, Mutable, Settings, Sizes};
use crate::commands::transfer::Submission;
use crate::programs::kernel::Kernel;
use crate::queues::event::Event;
use crate::queues::queue::Queue;
use crate::queues::schedule::Task;

/// Property of a command buffer; the bindings have another value.
const ASSERTS: cl_command_buffer_properties_khr = 0x12B7;

/// OpenCL command buffer.
pub(crate) struct CommandBuffer {
    pub(crate) queue: Handle<Queue>,
    /// Properties passed by the program, with the final zero.
    properties: Vec<cl_command_buffer_properties_khr>,
    is_mutable: bool,
    /// True if no launch ever gets more groups.
    is_bounded: bool,
    state: Mutex<State>,
}

kind!(CommandBuffer, CL_INVALID_COMMAND_BUFFER_KHR);

/// Recorded commands.
#[derive(Default)]
struct State {
    is_final: bool,
    /// Tasks of the commands; `None` for a launch whose arguments are missing. A run keeps the
    /// tasks with which it was enqueued.
    tasks: Arc<Vec<Option<Task>>>,
    /// Commands that the program can change.
    commands: Vec<Handle<Mutable>>,
}

/// Creates a command buffer for a queue.
pub(crate) fn create(
    queues: &[Handle<Queue>],
    given: &[cl_command_buffer_properties_khr],
) -> Result<Handle<CommandBuffer>> {
    let [queue] = queues else { return fail(CL_INVALID_VALUE) };
    let (mut flags, mut asserts) = (None, None);
    for pair in given.chunks_exact(2) {
        let value = match pair[0] {
            CL_COMMAND_BUFFER_FLAGS_KHR => flags.replace(pair[1]),
            ASSERTS => asserts.replace(pair[1]),
            _ => return fail(CL_INVALID_VALUE),
        };
        ensure(value.is_none(), CL_INVALID_VALUE)?;
    }
    let flags = flags.unwrap_or(0);
    // Each command buffer may be enqueued while it is pending, so that the flag of simultaneous use
    // changes nothing.
    ensure(flags & !(CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR | CL_COMMAND_BUFFER_MUTABLE_KHR) == 0, CL_INVALID_VALUE)?;
    Ok(handle::create(CommandBuffer {
        queue: Arc::clone(queue),
        properties: given.to_vec(),
        is_mutable: flags & CL_COMMAND_BUFFER_MUTABLE_KHR != 0,
        is_bounded: mutable::is_bounded(asserts.unwrap_or(0))?,
        state: Mutex::default(),
    }))
}

impl State {
    /// Appends a task after the commands at the sync points, which exist already. Returns the
    /// task's sync point.
    fn append(&mut self, task: Option<Task>, points: &[cl_sync_point_khr]) -> Result<cl_sync_point_khr> {
        ensure(!self.is_final, CL_INVALID_OPERATION)?;
        let known = |point: &cl_sync_point_khr| (1..=self.tasks.len()).contains(&(*point as usize));
        ensure(points.iter().all(known), CL_INVALID_SYNC_POINT_WAIT_LIST_KHR)?;
        let tasks = Arc::make_mut(&mut self.tasks);
        tasks.push(task);
        Ok(tasks.len() as cl_sync_point_khr)
    }

    /// Returns true if all launches have their arguments.
    fn is_complete(&self) -> bool {
        self.tasks.iter().all(Option::is_some)
    }
}

impl CommandBuffer {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records a command after the commands at the sync points. Returns the command's sync point.
    pub(crate) fn record(&self, task: Task, points: &[cl_sync_point_khr]) -> Result<cl_sync_point_khr> {
        self.state().append(Some(task), points)
    }

    /// Ends the recording.
    pub(crate) fn finalize(&self) -> Result {
        let mut state = self.state();
        ensure(!state.is_final, CL_INVALID_OPERATION)?;
        state.is_final = true;
        Ok(())
    }
}

/// Records a launch after the commands at the sync points. Returns its sync point, and its command
/// if the program asks for it. Such a launch may lack arguments until it runs.
pub(crate) fn launch(
    buffer: &Handle<CommandBuffer>,
    kernel: &Handle<Kernel>,
    sizes: Sizes,
    properties: Vec<cl_command_properties_khr>,
    points: &[cl_sync_point_khr],
    is_asked: bool,
) -> Result<(cl_sync_point_khr, Option<Handle<Mutable>>)> {
    let settings = Settings::of(&properties)?;
    let is_bounded = buffer.is_bounded || settings.is_bounded;
    ensure(!is_bounded || sizes.local.is_some(), CL_INVALID_VALUE)?;
    // Only a launch that can change keeps a copy of its arguments.
    let dispatch = Dispatch::new(kernel, sizes);
    let dispatch = if is_asked { dispatch.kept() } else { dispatch };
    let task = dispatch.task(&buffer.queue)?;
    ensure(task.is_some() || is_asked && settings.has_arguments(), CL_INVALID_KERNEL_ARGS)?;
    let mut state = buffer.state();
    let point = state.append(task, points)?;
    let place = (handle::address(buffer) as usize, point as usize - 1);
    let command =
        is_asked.then(|| Mutable::new(place, &buffer.queue, kernel, (properties, settings.updatable), dispatch));
    state.commands.extend(command.clone());
    Ok((point, command))
}

/// Changes commands of a buffer for later runs: all of them, or after an error none.
pub(crate) fn update(buffer: &Handle<CommandBuffer>, changes: &[Change<'_>]) -> Result {
    let mut state = buffer.state();
    ensure(state.is_final && buffer.is_mutable, CL_INVALID_OPERATION)?;
    let mut updated: Vec<(&Handle<Mutable>, Dispatch)> = Vec::new();
    for change in changes {
        let command = &change.command;
        ensure(command.buffer == handle::address(buffer) as usize, CL_INVALID_MUTABLE_COMMAND_KHR)?;
        let earlier = updated.iter_mut().find(|(other, _)| Arc::ptr_eq(other, command));
        match earlier {
            Some((_, dispatch)) => *dispatch = command.changed(dispatch, change)?,
            None => {
                let dispatch = command.changed(&command.dispatch(), change)?;
                updated.push((command, dispatch));
            }
        }
    }
    let tasks = updated.iter().map(|(command, dispatch)| command.task(dispatch)).collect::<Result<Vec<_>>>()?;
    let all = Arc::make_mut(&mut state.tasks);
    for ((command, dispatch), task) in updated.into_iter().zip(tasks) {
        all[command.place] = task;
        *command.dispatch() = dispatch;
    }
    Ok(())
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
    ensure(state.is_final && state.is_complete(), CL_INVALID_OPERATION)?;
    let tasks = Arc::clone(&state.tasks);
    drop(state);
    Submission { queue, list, blocking: false }
        .submit(CL_COMMAND_COMMAND_BUFFER_KHR, move || tasks.iter().flatten().try_for_each(Task::run))
}

/// Answers `clGetCommandBufferInfoKHR`.
pub(crate) fn info(buffer: &Handle<CommandBuffer>, answer: Answer) -> Result {
    match answer.name {
        CL_COMMAND_BUFFER_QUEUES_KHR => answer.value(handle::address(&buffer.queue)),
        CL_COMMAND_BUFFER_NUM_QUEUES_KHR => answer.value(1_u32),
        CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR => answer.value(handle::count(buffer)),
        CL_COMMAND_BUFFER_STATE_KHR => answer.value(match &*buffer.state() {
            State { is_final: false, .. } => CL_COMMAND_BUFFER_STATE_RECORDING_KHR,
            state if !state.is_complete() => CL_COMMAND_BUFFER_STATE_FINALIZED_KHR,
            _ => CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR,
        }),
        CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR => answer.list(&buffer.properties),
        CL_COMMAND_BUFFER_CONTEXT_KHR => answer.value(handle::address(&buffer.queue.context)),
        _ => Err(Code(CL_INVALID_VALUE)),
    }
}
