//! Dispatch of a launch's groups to host threads.

use std::cell::Cell;
use std::ops::Range;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use typed_arena::Arena;

use crate::faults::Faults;
use crate::group::Worker;
use crate::helpers::{self, Clock};
use crate::options::{GroupOrder, Options};
use crate::own::Own;
use crate::plan::Plan;
use crate::stats::Counts;
use visakit_machine::buffer::is_available;
use visakit_machine::fault::TrapReport;
use visakit_machine::observer::Observer;
use visakit_machine::trace::Trace;

/// Execution order of a launch's groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// In parallel; accesses are recorded until buffers settle.
    Settling,
    /// In parallel; all accesses are recorded.
    Noting,
    /// Sequential.
    InOrder,
}

/// Result of running all groups.
pub(super) struct Dispatched {
    pub(super) total: Counts,
    pub(super) fault: Option<Box<TrapReport>>,
    /// Accesses recorded by each host thread.
    pub(super) traces: Vec<Trace>,
}

/// Runs the groups on `workers` host threads. If several groups fault, the first faulty group is
/// always run.
pub(super) fn dispatch(
    plan: &Plan<'_>,
    groups: Range<u64>,
    workers: usize,
    way: Way,
    options: &Options<'_>,
) -> Dispatched {
    let is_any_order = options.policy.order == GroupOrder::Any;
    let dispatch = Dispatch {
        plan,
        goes_on: options.policy.keep_going && (way == Way::InOrder || is_any_order),
        settles: way == Way::Settling,
        progress: options.observers.progress,
        queue: Queue::new(groups, workers, is_any_order),
        faults: Mutex::default(),
        total: Mutex::new((Counts::new(plan.code, plan.count), Vec::new())),
    };
    if workers == 1 {
        // An observer stays on this thread.
        dispatch.work(0, options.observers.accesses);
    } else {
        // A helper that arrives late has nothing to do.
        helpers::side_by_side(workers, |number| {
            if dispatch.queue.left() > 0 {
                dispatch.work(number, None);
            }
        });
    }
    let (total, traces) = dispatch.total.into_inner().unwrap_or_else(PoisonError::into_inner);
    let faults = dispatch.faults.into_inner().unwrap_or_else(PoisonError::into_inner);
    Dispatched { total, fault: faults.first(), traces }
}

/// State of a dispatch that its host threads share.
struct Dispatch<'a> {
    plan: &'a Plan<'a>,
    /// True if groups run after a faulty one.
    goes_on: bool,
    /// True if buffers settle.
    settles: bool,
    progress: Option<&'a (dyn Fn(u64) + Sync)>,
    queue: Queue,
    faults: Mutex<Faults>,
    /// Counts, and recorded accesses.
    total: Mutex<(Counts, Vec<Trace>)>,
}

impl Dispatch<'_> {
    /// Runs groups on host thread `number`.
    fn work(&self, number: usize, observer: Option<&dyn Observer>) {
        let (plan, queue) = (self.plan, &self.queue);
        let owns = Arena::new();
        let new_worker = || Worker::new(plan, owns.alloc(Own::new(plan, observer)));
        let mut worker = new_worker();
        let mut aside = Aside::default();
        while let Some(taken) = queue.take(number) {
            let left = queue.left() + (taken.end - taken.start);
            let mut groups = taken.clone().zip(plan.range.groups_from(taken.start));
            let index = Cell::new(taken.start);
            let mut next = || {
                let (number, group) = groups.next().filter(|(number, _)| queue.is_wanted(*number))?;
                index.set(number);
                Some(group)
            };
            let mut claimed = None;
            while let Some(group) = claimed.take().or_else(&mut next) {
                match worker.run(group, left, &mut next) {
                    Ok(other) => claimed = other,
                    Err(fault) => self.note(index.get(), *fault),
                }
                if worker.has_lost_track() {
                    queue.end_before(0);
                }
                if worker.waits_for_groups() {
                    let mut other = aside.idle.pop().unwrap_or_else(new_worker);
                    other.expect_waits();
                    aside.waiting.push((index.get(), std::mem::replace(&mut worker, other)));
                    while !aside.has_room(plan) {
                        self.continue_all(&mut aside);
                    }
                }
            }
            if self.settles {
                plan.settle();
            }
            if let Some(progress) = self.progress {
                progress(queue.note_done(&taken));
            }
        }
        while !aside.waiting.is_empty() {
            self.continue_all(&mut aside);
        }
        let mut total = self.total.lock().unwrap_or_else(PoisonError::into_inner);
        aside.idle.into_iter().chain([worker]).for_each(|worker| total.0.add(&worker.finish()));
        total.1.extend(owns.into_vec().into_iter().map(Own::into_trace));
    }

    /// Continues each group that waits for others. After a fault they may wait for the faulty one.
    fn continue_all(&self, aside: &mut Aside<'_>) {
        let insists = aside.since.as_ref().is_some_and(|since| since.elapsed() > PATIENCE);
        let (mut n, mut all_wait) = (0, true);
        while let Some((index, worker)) = aside.waiting.get_mut(n) {
            match worker.resume(insists && n == 0) {
                Ok(waits) => all_wait &= waits,
                Err(fault) => self.note(*index, *fault),
            }
            if worker.waits_for_groups() && !self.queue.has_ended() {
                n += 1;
            } else {
                aside.idle.push(aside.waiting.swap_remove(n).1);
            }
        }
        if !all_wait || aside.since.is_none() {
            aside.since = Some(Clock::start());
        }
        aside.rounds += 1;
        if aside.rounds.is_multiple_of(ROUNDS) {
            std::thread::yield_now();
        }
    }

    /// Notes the fault of a group.
    fn note(&self, index: u64, fault: TrapReport) {
        self.faults.lock().unwrap_or_else(PoisonError::into_inner).add(index, fault);
        if !self.goes_on {
            self.queue.end_before(index);
        }
    }
}

/// Groups of a host thread that wait for others or did so, with their memory and their threads.
#[derive(Default)]
struct Aside<'a> {
    /// Groups that wait for other groups, by number.
    waiting: Vec<(u64, Worker<'a>)>,
    /// States of groups that have ended, for others.
    idle: Vec<Worker<'a>>,
    /// Number of times that the waiting groups have been continued.
    rounds: u32,
    /// Last time at which one did not wait.
    since: Option<Clock>,
}

impl Aside<'_> {
    /// Returns true if another group may start: if none waits, or memory suffices for one more.
    fn has_room(&self, plan: &Plan<'_>) -> bool {
        if self.waiting.is_empty() {
            return true;
        }
        let private: usize = plan.mapped.private.iter().sum();
        let each = plan.group_bytes() + private as u64 + GROUP_BYTES;
        self.waiting.len() as u64 * each < WAITING_BYTES && is_available(each)
    }
}

/// Number of times that the waiting groups are continued before other threads of the host run.
const ROUNDS: u32 = 64;
/// Time for which all groups wait before one insists. It then reaches its limit of instructions,
/// which ends a deadlock.
const PATIENCE: Duration = Duration::from_secs(1);
/// Limit on the memory of groups that wait for other groups, for each host thread.
const WAITING_BYTES: u64 = 1 << 30;
/// Memory of a waiting group in addition to that of its threads.
const GROUP_BYTES: u64 = 1 << 16;

/// Queue of groups. In any-order mode each host thread has a part of its own, and takes from other
/// parts when its own is empty. A thread's data then stay in its core's cache for the next launch.
/// Otherwise all threads take groups in order, on which race detection depends ([`Trace`]).
struct Queue {
    parts: Vec<Part>,
    /// Divisor of a part's rest that yields the size of a chunk.
    share: u64,
    /// Groups from this number need not run.
    end: AtomicU64,
    all: u64,
    /// Number of completed groups for progress reports, counted from the first group.
    done: AtomicU64,
}

/// A part of the queue, in a separate cache line.
#[repr(align(128))]
struct Part {
    next: AtomicU64,
    end: u64,
}

impl Queue {
    fn new(groups: Range<u64>, workers: usize, any_order: bool) -> Self {
        let count = groups.end.saturating_sub(groups.start);
        let workers = workers as u64;
        let (parts, share) = if any_order { (workers, 4) } else { (1, 8 * workers) };
        let bound = |n: u64| groups.start + count / parts * n + (count % parts).min(n);
        let parts = (0..parts).map(|n| Part { next: bound(n).into(), end: bound(n + 1) }).collect();
        Self { parts, share, done: groups.start.into(), all: groups.end, end: u64::MAX.into() }
    }

    /// Takes the next groups for a thread, in order, from its own part or the first non-empty one.
    /// A group that waits for earlier groups therefore never waits forever.
    fn take(&self, number: usize) -> Option<Range<u64>> {
        // Chunks shrink, so that all threads finish together.
        let chunk = |part: &Part, next: u64| (part.end.saturating_sub(next) / self.share).clamp(1, 64);
        let from = |part: &Part| {
            let end = part.end.min(self.end.load(Relaxed));
            let more = |next: u64| (next < end).then(|| next + chunk(part, next));
            let next = part.next.fetch_update(Relaxed, Relaxed, more).ok()?;
            Some(next..next + chunk(part, next))
        };
        let own = self.parts.get(number).and_then(from);
        own.or_else(|| self.parts.iter().find_map(from))
    }

    /// Returns the number of groups left in the queue.
    fn left(&self) -> u64 {
        let end = self.end.load(Relaxed);
        self.parts.iter().map(|part| part.end.min(end).saturating_sub(part.next.load(Relaxed))).sum()
    }

    /// Returns true if a taken group must run.
    fn is_wanted(&self, group: u64) -> bool {
        group < self.end.load(Relaxed)
    }

    /// Returns true if groups have been dropped.
    fn has_ended(&self) -> bool {
        self.end.load(Relaxed) != u64::MAX
    }

    /// Drops `group` and the groups after it.
    fn end_before(&self, group: u64) {
        self.end.fetch_min(group, Relaxed);
    }

    /// Notes completed groups. Returns their total number.
    fn note_done(&self, groups: &Range<u64>) -> u64 {
        let count = groups.end - groups.start;
        (self.done.fetch_add(count, Relaxed) + count).min(self.all)
    }
}

#[cfg(test)]
mod tests {
    use super::Queue;

    #[test]
    fn each_group_is_taken_once() {
        for (groups, workers, any_order) in
            [(0..0, 2, true), (3..4, 4, true), (7..107, 3, true), (0..1000, 2, false), (0..1000, 5, true)]
        {
            let queue = Queue::new(groups.clone(), workers, any_order);
            let mut taken = vec![Vec::new(); workers];
            let mut more = true;
            while more {
                more = false;
                for (number, own) in taken.iter_mut().enumerate() {
                    let part = queue.take(number);
                    more |= part.is_some();
                    own.extend(part.into_iter().flatten());
                }
            }
            if !any_order {
                assert!(taken.iter().all(|own| own.is_sorted()), "a race is found only so");
            }
            let mut all = taken.concat();
            all.sort_unstable();
            assert_eq!((all, queue.left()), (groups.collect(), 0));
        }
    }

    #[test]
    fn first_of_faulty_groups_is_run() {
        let queue = Queue::new(0..100, 2, true);
        let (first, second) = (queue.take(0).unwrap(), queue.take(1).unwrap());
        assert_eq!((first.start, second.start), (0, 50));
        queue.end_before(52);
        assert!(queue.is_wanted(51) && !queue.is_wanted(52));
        // The other thread continues up to that group.
        let rest: Vec<u64> = std::iter::from_fn(|| queue.take(0)).flatten().collect();
        assert!(rest.contains(&49) && queue.take(1).is_none());
    }
}
