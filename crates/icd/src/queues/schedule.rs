//! Commands: what they do, what they wait for, and the threads that do them.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use opencl_sys::*;

use crate::base::error::{Result, guard};
use crate::base::handle::{self, Handle};
use crate::queues::event::{self, Event};
use crate::queues::queue::{Order, Queue};

/// What a command does.
pub(crate) type Work = Box<dyn FnOnce() -> Result + Send>;

/// What a command does that may be done again.
pub(crate) struct Task {
    /// The command, as the API names it.
    pub(crate) kind: cl_command_type,
    work: Box<dyn Fn() -> Result + Send + Sync>,
}

impl Task {
    pub(crate) fn new(kind: cl_command_type, work: impl Fn() -> Result + Send + Sync + 'static) -> Self {
        Self { kind, work: Box::new(work) }
    }

    /// Does it once.
    pub(crate) fn run(&self) -> Result {
        (self.work)()
    }
}

/// A command that was enqueued.
pub(crate) struct Command {
    event: Handle<Event>,
    /// Events that it waits for, and one more for as long as they are counted.
    waits: AtomicUsize,
    job: Mutex<Job>,
}

/// What is left to do.
enum Job {
    Do(Work),
    /// One of the events has failed.
    GiveUp,
    /// A thread does it, or has done it.
    Taken,
}

/// Puts a command into a queue. It begins when the events of the list, and what the queue has it
/// wait for, are over; where one of the list failed it is not done. Gives its event.
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
            release(Arc::clone(&command), !counts || status == CL_COMPLETE);
        }
    }
    let event = Arc::clone(&command.event);
    release(command, true);
    event
}

/// An event that a command waits for is over; tells whether the command may still be done.
pub(crate) fn release(command: Arc<Command>, may_go_on: bool) {
    if !may_go_on {
        command.replace(Job::GiveUp);
    }
    if command.waits.fetch_sub(1, Ordering::AcqRel) == 1 {
        submit(command);
    }
}

impl Command {
    /// Its event.
    pub(crate) fn event(&self) -> &Handle<Event> {
        &self.event
    }

    fn replace(&self, job: Job) -> Job {
        std::mem::replace(&mut *self.job.lock().unwrap_or_else(PoisonError::into_inner), job)
    }

    /// Whether it could be done now and nobody does it.
    pub(crate) fn is_ready(&self) -> bool {
        let job = self.job.lock().unwrap_or_else(PoisonError::into_inner);
        self.waits.load(Ordering::Acquire) == 0 && !matches!(*job, Job::Taken)
    }

    /// Notes in its queue that it has failed, before anybody sees that it is over.
    fn fail(&self, code: cl_int) -> cl_int {
        if let Some(queue) = &self.event.queue {
            queue.note_failure(code);
        }
        code
    }

    /// Does it, unless it waits for something or somebody else has taken it.
    pub(crate) fn run(&self) {
        if self.waits.load(Ordering::Acquire) > 0 {
            return;
        }
        let status = match self.replace(Job::Taken) {
            Job::Taken => return,
            Job::GiveUp => CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
            Job::Do(work) => {
                event::advance(&self.event, CL_RUNNING);
                guard(work).map_or_else(|code| self.fail(code.0), |()| CL_COMPLETE)
            }
        };
        event::advance(&self.event, status);
    }
}

/// The threads that do commands, and the commands that could be done.
struct Pool {
    ready: VecDeque<Arc<Command>>,
    idle: usize,
    threads: usize,
    /// The process whose threads they are.
    process: u32,
}

impl Pool {
    const EMPTY: Self = Self { ready: VecDeque::new(), idle: 0, threads: 0, process: 0 };

    /// Forgets the threads of the process that this one comes of by `fork`: they are not here, nor
    /// do they come for a command.
    fn after_fork(&mut self) {
        let process = std::process::id();
        if self.process != process {
            *self = Self { process, ..Self::EMPTY };
        }
    }
}

static POOL: Mutex<Pool> = Mutex::new(Pool::EMPTY);
static READY: Condvar = Condvar::new();

/// Commands that are done at the same time at most. Kernels take all cores by themselves; but what
/// the program has done, its own functions and callbacks, may wait for each other.
const MOST_THREADS: usize = 64;

fn submit(command: Arc<Command>) {
    let mut pool = POOL.lock().unwrap_or_else(PoisonError::into_inner);
    pool.after_fork();
    pool.ready.push_back(command);
    if pool.idle >= pool.ready.len() {
        drop(pool);
        READY.notify_one();
    } else if pool.threads < MOST_THREADS {
        pool.threads += 1;
        drop(pool);
        let started = std::thread::Builder::new().name("visakit".to_owned()).spawn(work);
        if started.is_err() {
            // Those that there are do it; the first of all must be one, so this thread is.
            let mut pool = POOL.lock().unwrap_or_else(PoisonError::into_inner);
            pool.threads -= 1;
            let alone = if pool.threads == 0 { pool.ready.pop_front() } else { None };
            drop(pool);
            alone.iter().for_each(|command| command.run());
        }
    }
}

/// What a thread of the pool does, for ever.
fn work() {
    let mut pool = POOL.lock().unwrap_or_else(PoisonError::into_inner);
    loop {
        if let Some(command) = pool.ready.pop_front() {
            drop(pool);
            command.run();
            drop(command);
            pool = POOL.lock().unwrap_or_else(PoisonError::into_inner);
        } else {
            pool.idle += 1;
            pool = READY.wait(pool).unwrap_or_else(PoisonError::into_inner);
            pool.idle -= 1;
        }
    }
}
