//! Turns of a group's threads: which threads can run, and what they wait for.

use crate::barriers::{Barriers, State};
use crate::endless::Samples;
use crate::native::{Begun, Native, Stopped};
use crate::plan::Plan;
use crate::stats::Counts;
use crate::stopped::{fault, waiting};
use visakit_kernels::code::DebugLoc;
use visakit_machine::fault::{Trap, TrapReport};
use visakit_machine::flow::Next;
use visakit_machine::observer::Observer;
use visakit_machine::thread::Thread;
use visakit_native::Lent;

/// Runs all threads of a group natively from barrier to barrier, if all can run, and those of the
/// groups that `renew` starts. Returns the time slice, of at most `turn` instructions, of a thread
/// that needs the caller.
pub(super) fn rounds(
    plan: &Plan<'_>,
    native: &Native<'_>,
    threads: &mut [Thread],
    states: &mut [State],
    counts: &mut Counts,
    turn: u64,
    renew: impl FnMut(&mut [Lent<'_>]) -> bool,
) -> Option<(usize, Begun)> {
    // Counts and observers need each step.
    if plan.count || states.iter().any(|state| *state != State::Running) {
        return None;
    }
    let Stopped { index, begun, have_ended } = native.run_together(plan, threads, counts, turn, renew)?;
    for (thread, state) in threads.iter().zip(states).take(index) {
        *state = match thread.flow.block {
            block if !have_ended => State::AtBarrier(plan.code.blocks[block as usize - 1].mark),
            _ => State::Ended,
        };
    }
    Some((index, begun?))
}

/// Returns true if a thread can run. It then has passed the barrier that it waited for.
#[inline]
pub(super) fn runs(
    plan: &Plan<'_>,
    state: State,
    barriers: &mut Barriers,
    group: [u32; 3],
    observer: Option<&dyn Observer>,
) -> bool {
    match state {
        State::Running => true,
        State::Waiting { barrier, .. } => {
            let passes = barriers.lets_pass(barrier, plan.threads(group));
            if passes && let Some(observer) = observer {
                observer.barrier();
            }
            passes
        }
        State::AtBarrier(_) | State::AtExchange { .. } | State::Ended => false,
    }
}

/// Returns the state of a thread that has stopped at `mark`.
#[inline]
pub(super) fn state_after(next: Next, mark: DebugLoc) -> State {
    match next {
        Next::Barrier => State::AtBarrier(mark),
        Next::Exchange(number) => State::AtExchange { number, mark },
        Next::Wait(barrier) => State::Waiting { barrier, mark },
        Next::Pause => State::Running,
        _ => State::Ended,
    }
}

/// Returns the report about a group whose threads all wait or have ended; `None` if all have ended.
pub(super) fn stuck(
    plan: &Plan<'_>,
    threads: &[Thread],
    states: &[State],
    group: [u32; 3],
) -> Option<Box<TrapReport>> {
    let ended = states.iter().filter(|state| **state == State::Ended).count();
    let (thread, mark, alone) = threads.iter().zip(states).find_map(|(thread, state)| match state {
        State::AtBarrier(mark) | State::Waiting { mark, .. } => Some((thread, *mark, false)),
        State::AtExchange { mark, .. } => Some((thread, *mark, true)),
        State::Running | State::Ended => None,
    })?;
    let trap = if alone {
        Trap::Illegal("the instruction needs two threads, but the second one does not reach it".to_owned())
    } else {
        Trap::UnreachedBarrier { waiting: (states.len() - ended) as u32, ended: ended as u32 }
    };
    let mut report = fault(plan, thread, group, trap, mark);
    report.waiting = waiting(plan, states);
    Some(report)
}

/// Returns the report about a group whose running threads were all sampled, and of which each
/// repeats its state.
pub(super) fn endless(
    plan: &Plan<'_>,
    threads: &[Thread],
    states: &[State],
    group: [u32; 3],
    samples: &Samples,
) -> Option<Box<TrapReport>> {
    let (index, mark, instructions) = samples.same.filter(|_| samples.all_same)?;
    let trap = Trap::Endless { waits: true, instructions };
    let mut report = fault(plan, &threads[index as usize], group, trap, mark);
    report.waiting = waiting(plan, states);
    Some(report)
}

/// Reports the locations of two threads that wait at different barriers.
pub(super) fn tell_barriers(states: &[State], observer: &dyn Observer) {
    let mut spots = (0..).zip(states).filter_map(|(thread, state)| match state {
        State::AtBarrier(mark) => Some((thread, mark.spot())),
        _ => None,
    });
    let Some(one) = spots.next() else { return };
    if let Some(other) = spots.find(|(_, spot)| spot.instruction != one.1.instruction) {
        observer.apart(one, other);
    }
}
