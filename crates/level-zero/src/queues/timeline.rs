//! Timelines: sequences of steps that run one after the other.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};

use visakit::isa::Platform;
use visakit_runtime::base::clock::now;
use visakit_runtime::base::failure::{Failure, guard};
use visakit_runtime::commands::pool::{self, Job};

use crate::base::result::*;
use crate::queues::completion::{Completion, Times, deadline, wait_until};

/// Work of a command, which may run several times.
pub(crate) type Work = Arc<dyn Fn() -> std::result::Result<(), Failure> + Send + Sync>;

/// Step of a timeline.
#[derive(Clone)]
pub(crate) enum Step {
    /// Waits for a signal.
    Wait(Arc<Completion>),
    /// Resets a completion.
    Reset(Arc<Completion>),
    /// Runs work, and signals the end.
    Run(Work, Option<Arc<Completion>>),
}

/// Sequence of steps. Steps that wait hold no thread.
pub(crate) struct Timeline {
    own: Weak<Self>,
    /// Platform of the device.
    target: Platform,
    /// Rank among the timelines that wait for an event: lower ones are resumed first.
    rank: u32,
    state: Mutex<State>,
    idle: Condvar,
}

#[derive(Default)]
struct State {
    steps: VecDeque<Step>,
    /// True while a thread runs steps, or a step waits.
    is_busy: bool,
    /// True if a command has failed since the last report.
    has_failed: bool,
    /// Process whose threads run the steps.
    process: u32,
}

impl State {
    /// Drops the steps of the parent process after a `fork`, because its threads do not exist in
    /// the child. The next report is a failure.
    fn after_fork(&mut self) {
        let process = std::process::id();
        if std::mem::replace(&mut self.process, process) != process && self.is_busy {
            (self.is_busy, self.has_failed) = (false, true);
            // Drops of the steps might need locks that a thread of the parent held.
            std::mem::forget(std::mem::take(&mut self.steps));
        }
    }
}

/// Priorities of queues other than the normal one.
const LOW: u32 = 1;
const HIGH: u32 = 2;

/// All timelines.
static TIMELINES: Mutex<Vec<Weak<Timeline>>> = Mutex::new(Vec::new());

/// Waits until all timelines of a device are over.
///
/// # Errors
/// `DEVICE_LOST` if a command has failed since the last report.
pub(crate) fn synchronize(target: Platform) -> Result {
    let all: Vec<_> =
        TIMELINES.lock().unwrap_or_else(PoisonError::into_inner).iter().filter_map(Weak::upgrade).collect();
    let own = all.iter().filter(|timeline| timeline.target == target);
    own.map(|timeline| timeline.synchronize(u64::MAX)).fold(Ok(()), Result::and)
}

impl Timeline {
    /// Creates a timeline of a device with the priority of its queue: normal, low or high.
    pub(crate) fn new(target: Platform, priority: u32) -> Arc<Self> {
        let rank = match priority {
            HIGH => 0,
            LOW => 2,
            _ => 1,
        };
        let timeline = Arc::new_cyclic(|own| Self {
            own: Weak::clone(own),
            target,
            rank,
            state: Mutex::default(),
            idle: Condvar::new(),
        });
        let mut all = TIMELINES.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|other| other.strong_count() > 0);
        all.push(Arc::downgrade(&timeline));
        drop(all);
        timeline
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Appends steps.
    pub(crate) fn push(self: &Arc<Self>, steps: impl IntoIterator<Item = Step>) {
        let mut state = self.state();
        state.after_fork();
        let expect = |step: &Step| {
            if let Step::Run(_, Some(signal)) = step {
                signal.expect();
            }
        };
        state.steps.extend(steps.into_iter().inspect(expect));
        if !std::mem::replace(&mut state.is_busy, true) {
            drop(state);
            pool::submit(Arc::clone(self) as Arc<dyn Job>);
        }
    }

    /// Waits until all steps are over, at most a number of nanoseconds.
    ///
    /// # Errors
    /// `DEVICE_LOST` if a command has failed since the last report.
    pub(crate) fn synchronize(&self, timeout: u64) -> Result {
        let end = deadline(timeout);
        let mut state = self.state();
        state.after_fork();
        while state.is_busy {
            let Some(next) = wait_until(&self.idle, state, end) else { return Err(NOT_READY) };
            state = next;
        }
        ensure(!std::mem::take(&mut state.has_failed), ERROR_DEVICE_LOST)
    }

    /// Runs one command.
    fn execute(&self, work: &Work, signal: Option<Arc<Completion>>) {
        let start = now();
        let has_failed = guard(|| work()).is_err();
        if has_failed {
            self.state().has_failed = true;
        }
        if let Some(signal) = signal {
            signal.signal(Times { start, end: now() }, has_failed);
        }
    }
}

impl Job for Timeline {
    fn run(&self) {
        loop {
            let mut state = self.state();
            let Some(step) = state.steps.pop_front() else {
                state.is_busy = false;
                drop(state);
                self.idle.notify_all();
                return;
            };
            drop(state);
            match step {
                Step::Wait(completion) => {
                    // Without an owner no one can see the steps that follow.
                    let Some(own) = self.own.upgrade() else { return };
                    if completion.subscribe(&(own as Arc<dyn Job>), self.rank) {
                        return;
                    }
                }
                Step::Reset(completion) => completion.restart(),
                Step::Run(work, signal) => self.execute(&work, signal),
            }
        }
    }
}
