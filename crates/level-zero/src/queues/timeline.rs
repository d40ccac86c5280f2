//! Timelines: sequences of steps that run one after the other.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};

use visakit::isa::Platform;
use visakit_runtime::base::clock::now;
use visakit_runtime::base::failure::{Failure, guard};
use visakit_runtime::commands::pool::{self, Job};

use crate::base::result::*;
use crate::queues::completion::{Commands, Completion, Times, deadline, wait_until};

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

impl Step {
    /// Signals without work.
    pub(crate) fn signal(completion: Option<Arc<Completion>>) -> Self {
        Self::Run(Arc::new(|| Ok(())), completion)
    }
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

/// Activity of a timeline.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Phase {
    /// There are no steps.
    #[default]
    Idle,
    /// A thread is asked to run the steps, and none does so.
    Ready,
    /// A thread runs the steps.
    Running,
    /// The first step waits for a signal.
    Waiting,
}

/// Job of the signal that a timeline waits for.
struct Resume(Arc<Timeline>);

#[derive(Default)]
struct State {
    steps: VecDeque<Step>,
    phase: Phase,
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
        if std::mem::replace(&mut self.process, process) != process && self.phase != Phase::Idle {
            (self.phase, self.has_failed) = (Phase::Idle, true);
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

    /// Appends steps. A synchronous caller waits until all are over.
    ///
    /// # Errors
    /// With a wait, fails as [`Timeline::synchronize`].
    pub(crate) fn push(self: &Arc<Self>, steps: impl IntoIterator<Item = Step>, is_synchronous: bool) -> Result {
        let is_ready = self.append(steps);
        if is_synchronous {
            return self.synchronize(u64::MAX);
        }
        if is_ready {
            pool::submit(Arc::clone(self) as Arc<dyn Job>);
        }
        Ok(())
    }

    /// Appends steps. Returns true if a thread must run them.
    fn append(&self, steps: impl IntoIterator<Item = Step>) -> bool {
        let mut state = self.state();
        state.after_fork();
        let expect = |step: &Step| {
            if let Step::Run(_, Some(signal)) = step {
                signal.expect(Weak::clone(&self.own) as Weak<dyn Commands>);
            }
        };
        state.steps.extend(steps.into_iter().inspect(expect));
        let is_idle = state.phase == Phase::Idle;
        if is_idle {
            state.phase = Phase::Ready;
        }
        is_idle
    }

    /// Waits until all steps are over, at most a number of nanoseconds. Without a limit, this
    /// thread runs steps that no thread runs yet, because the change to another thread takes longer
    /// than a small kernel.
    ///
    /// # Errors
    /// `DEVICE_LOST` if a command has failed since the last report.
    pub(crate) fn synchronize(&self, timeout: u64) -> Result {
        let end = deadline(timeout);
        let mut state = self.state();
        state.after_fork();
        if end.is_none() && state.phase == Phase::Ready {
            drop(state);
            self.run();
            state = self.state();
        }
        while state.phase != Phase::Idle {
            let Some(next) = wait_until(&self.idle, state, end, || self.state()) else { return Err(NOT_READY) };
            state = next;
        }
        ensure(!std::mem::take(&mut state.has_failed), ERROR_DEVICE_LOST)
    }

    /// Runs the steps in this thread, unless the timeline is not in a phase. After the signal of a
    /// completion, another thread runs the rest.
    fn run_from(&self, phase: Phase, until: Option<&Completion>) {
        let mut state = self.state();
        if state.phase != phase {
            return;
        }
        loop {
            let Some(step) = state.steps.pop_front() else {
                state.phase = Phase::Idle;
                drop(state);
                self.idle.notify_all();
                return;
            };
            if until.is_some_and(Completion::is_signaled)
                && let Some(own) = self.own.upgrade()
            {
                state.steps.push_front(step);
                state.phase = Phase::Ready;
                drop(state);
                return pool::submit(own);
            }
            state.phase = if matches!(step, Step::Wait(_)) { Phase::Waiting } else { Phase::Running };
            drop(state);
            match step {
                Step::Wait(completion) => {
                    // Without an owner no one can see the steps that follow.
                    let Some(own) = self.own.upgrade() else { return };
                    let resume: Arc<dyn Job> = Arc::new(Resume(own));
                    if completion.subscribe(&resume, self.rank) {
                        return;
                    }
                }
                Step::Reset(completion) => completion.restart(),
                Step::Run(work, signal) => self.execute(&work, signal),
            }
            state = self.state();
        }
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
    /// Runs the steps unless another thread has taken them.
    fn run(&self) -> Option<Arc<dyn Job>> {
        self.run_from(Phase::Ready, None);
        None
    }
}

impl Commands for Timeline {
    fn run_until(&self, completion: &Completion) {
        self.run_from(Phase::Ready, Some(completion));
    }
}

impl Job for Resume {
    fn run(&self) -> Option<Arc<dyn Job>> {
        self.0.run_from(Phase::Waiting, None);
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A thread that waits runs the commands up to the signal, and another one those that follow.
    #[test]
    fn a_thread_that_waits_runs_the_commands() {
        let timeline = Timeline::new(Platform::ALL[0], 0);
        let threads = Arc::new(Mutex::new(Vec::new()));
        let run = |signal: &Arc<Completion>| {
            let threads = Arc::clone(&threads);
            let work = move || {
                threads.lock().unwrap().push(std::thread::current().id());
                Ok(())
            };
            Step::Run(Arc::new(work), Some(Arc::clone(signal)))
        };
        let [before, awaited, after] = [(); 3].map(|()| Arc::new(Completion::default()));
        // No thread is asked to run the steps.
        assert!(timeline.append([run(&before), run(&awaited), run(&after)]));
        assert_eq!(awaited.wait(u64::MAX), Ok(()));
        assert_eq!(before.query(), Ok(()));
        assert_eq!(threads.lock().unwrap()[..2], [std::thread::current().id(); 2]);
        assert_eq!(after.wait(u64::MAX), Ok(()));
        assert_eq!(timeline.synchronize(u64::MAX), Ok(()));
    }
}
