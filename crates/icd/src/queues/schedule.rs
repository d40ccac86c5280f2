//! Scheduling of commands: their work, their dependencies, and the threads that run them.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use opencl_sys::*;
use visakit_runtime::commands::pool;

use crate::base::error::{Result, guard};
use crate::base::handle::{self, Handle};
use crate::queues::event::{self, Event};
use crate::queues::queue::{Order, Queue};

/// Work of a command.
pub(crate) type Work = Box<dyn FnOnce() -> Result + Send>;

/// Repeatable work of a command.
#[derive(Clone)]
pub(crate) struct Task {
    /// Command type of the API.
    pub(crate) kind: cl_command_type,
    work: Arc<dyn Fn() -> Result + Send + Sync>,
}

impl Task {
    pub(crate) fn new(kind: cl_command_type, work: impl Fn() -> Result + Send + Sync + 'static) -> Self {
        Self { kind, work: Arc::new(work) }
    }

    /// Runs the work once.
    pub(crate) fn run(&self) -> Result {
        (self.work)()
    }
}

/// Enqueued command.
pub(crate) struct Command {
    event: Handle<Event>,
    /// Number of events that it waits for, plus one until all are counted.
    waits: AtomicUsize,
    job: Mutex<Job>,
}

/// Remaining work of a command.
enum Job {
    Do(Work),
    /// Cancelled because one of the events has failed.
    GiveUp,
    /// Running or finished.
    Taken,
}

/// Enqueues a command and returns its event. The command starts when the events of its list and
/// those required by the queue are over. It is cancelled if an event of its list has failed.
pub(crate) fn enqueue(
    queue: &Handle<Queue>,
    kind: cl_command_type,
    order: Order,
    list: &[Handle<Event>],
    work: Work,
) -> Handle<Event> {
    let event = handle::create(Event::new(&queue.context, Some(queue), kind));
    let command = Arc::new(Command { event, waits: AtomicUsize::new(1), job: Mutex::new(Job::Do(work)) });
    let before = queue.append(&command, order, !list.is_empty());
    event::advance(&command.event, CL_SUBMITTED);
    for (other, counts) in before.iter().map(|other| (other, false)).chain(list.iter().map(|other| (other, true))) {
        command.waits.fetch_add(1, Ordering::Relaxed);
        if let Some(status) = other.hold_back(&command, counts) {
            // The command still waits for the end of this function.
            release(Arc::clone(&command), !counts || status == CL_COMPLETE);
        }
    }
    let event = Arc::clone(&command.event);
    submit_all(release(command, true));
    event
}

/// Called when an event that a command waits for is over. A false `may_go_on` cancels the command.
/// Returns the command if it can run now.
pub(crate) fn release(command: Arc<Command>, may_go_on: bool) -> Option<Arc<Command>> {
    if !may_go_on {
        command.replace(Job::GiveUp);
    }
    (command.waits.fetch_sub(1, Ordering::AcqRel) == 1).then_some(command)
}

/// Runs commands in threads of the pool.
pub(crate) fn submit_all(commands: impl IntoIterator<Item = Arc<Command>>) {
    commands.into_iter().for_each(|command| pool::submit(command));
}

impl Command {
    /// Returns the event of the command.
    pub(crate) fn event(&self) -> &Handle<Event> {
        &self.event
    }

    /// Runs the command unless it still waits or another thread has taken it. Returns one of the
    /// commands that can run now, and submits the others.
    pub(crate) fn execute(&self) -> Option<Arc<Self>> {
        if self.waits.load(Ordering::Acquire) > 0 {
            return None;
        }
        let status = match self.replace(Job::Taken) {
            Job::Taken => return None,
            Job::GiveUp => CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
            Job::Do(work) => {
                event::advance(&self.event, CL_RUNNING);
                guard(work).map_or_else(|code| self.fail(code.0), |()| CL_COMPLETE)
            }
        };
        let mut ready = event::advance(&self.event, status)?;
        let next = ready.next();
        submit_all(ready);
        next
    }

    fn replace(&self, job: Job) -> Job {
        std::mem::replace(&mut *self.job.lock().unwrap_or_else(PoisonError::into_inner), job)
    }

    /// Returns true if the command can run and no thread has taken it.
    pub(crate) fn is_ready(&self) -> bool {
        let job = self.job.lock().unwrap_or_else(PoisonError::into_inner);
        self.waits.load(Ordering::Acquire) == 0 && !matches!(*job, Job::Taken)
    }

    /// Records a failure in the queue before the event is seen as over.
    fn fail(&self, code: cl_int) -> cl_int {
        if let Some(queue) = &self.event.queue {
            queue.note_failure(code);
        }
        code
    }
}

impl pool::Job for Command {
    fn run(&self) -> Option<Arc<dyn pool::Job>> {
        self.execute().map(|next| next as Arc<dyn pool::Job>)
    }
}
