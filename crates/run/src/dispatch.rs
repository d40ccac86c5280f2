//! Dispatch of a launch's groups to host threads.

use std::cell::Cell;
use std::ops::Range;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Mutex, PoisonError};

use crate::faults::Faults;
use crate::group::Worker;
use crate::helpers;
use crate::options::{GroupOrder, Options};
use crate::own::Own;
use crate::plan::Plan;
use crate::stats::Counts;
use visakit_machine::fault::TrapReport;
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
    let goes_on = options.policy.keep_going && (way == Way::InOrder || is_any_order);
    // An observer stays on this thread.
    let (progress, observer) = (options.observers.progress, options.observers.accesses);
    let queue = Queue::new(groups, workers, is_any_order);
    let faults: Mutex<Faults> = Mutex::default();
    let total = Mutex::new((Counts::new(plan.code), Vec::new()));
    let work = |number: usize, observer| {
        let own = Own::new(plan, observer);
        let mut worker = Worker::new(plan, &own);
        while let Some(taken) = queue.take(number) {
            let left = queue.left() + (taken.end - taken.start);
            let mut groups = taken.clone().zip(plan.range.groups_from(taken.start));
            let index = Cell::new(taken.start);
            let mut next = || {
                let (number, group) = groups.next().filter(|(number, _)| queue.is_wanted(*number))?;
                index.set(number);
                Some(group)
            };
            while let Some(group) = next() {
                if let Err(fault) = worker.run(group, left, &mut next) {
                    faults.lock().unwrap_or_else(PoisonError::into_inner).add(index.get(), *fault);
                    if !goes_on {
                        queue.end_before(index.get());
                    }
                }
                if worker.has_lost_track() {
                    queue.end_before(0);
                }
            }
            if way == Way::Settling {
                plan.settle();
            }
            if let Some(progress) = progress {
                progress(queue.note_done(&taken));
            }
        }
        let counts = worker.finish();
        let trace = own.into_trace();
        let mut total = total.lock().unwrap_or_else(PoisonError::into_inner);
        total.0.add(&counts);
        total.1.push(trace);
    };
    if workers == 1 {
        work(0, observer);
    } else {
        // A helper that arrives late has nothing to do.
        helpers::side_by_side(workers, |number| {
            if queue.left() > 0 {
                work(number, None);
            }
        });
    }
    let (total, traces) = total.into_inner().unwrap_or_else(PoisonError::into_inner);
    let faults = faults.into_inner().unwrap_or_else(PoisonError::into_inner);
    Dispatched { total, fault: faults.first(), traces }
}

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
