//! Scheduling of commands: their work, their dependencies, and the threads that run them.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use opencl_sys::*;

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
            release(Arc::clone(&command), !counts || status == CL_COMPLETE);
        }
    }
    let event = Arc::clone(&command.event);
    release(command, true);
    event
}

/// Called when an event that a command waits for is over. A false `may_go_on` cancels the command.
pub(crate) fn release(command: Arc<Command>, may_go_on: bool) {
    if !may_go_on {
        command.replace(Job::GiveUp);
    }
    if command.waits.fetch_sub(1, Ordering::AcqRel) == 1 {
        submit(command);
    }
}

impl Command {
    /// Returns the event of the command.
    pub(crate) fn event(&self) -> &Handle<Event> {
        &self.event
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

    /// Runs the command unless it still waits or another thread has taken it.
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

/// Pool of threads that run commands, with the ready commands.
struct Pool {
    ready: VecDeque<Arc<Command>>,
    idle: usize,
    threads: usize,
    /// Process that owns the threads.
    process: u32,
}

impl Pool {
    const EMPTY: Self = Self { ready: VecDeque::new(), idle: 0, threads: 0, process: 0 };

    /// Forgets the threads of the parent process after a `fork`, because they do not exist in the
    /// child.
    fn after_fork(&mut self) {
        let process = std::process::id();
        if self.process != process {
            *self = Self { process, ..Self::EMPTY };
        }
    }
}

static POOL: Mutex<Pool> = Mutex::new(Pool::EMPTY);
static READY: Condvar = Condvar::new();

/// Maximum number of concurrent commands. One kernel uses all cores, but native functions and
/// callbacks of the program may wait for each other.
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
            // The existing threads run the command. If no thread exists, this one runs it.
            let mut pool = POOL.lock().unwrap_or_else(PoisonError::into_inner);
            pool.threads -= 1;
            let alone = if pool.threads == 0 { pool.ready.pop_front() } else { None };
            drop(pool);
            alone.iter().for_each(|command| command.run());
        }
    }
}

/// Main loop of a pool thread; it never ends.
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
