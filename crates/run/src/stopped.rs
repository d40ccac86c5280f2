//! Reports of stopped groups, with the locations of their threads.

use crate::barriers::State;
use crate::lower::places;
use crate::place::nearest;
use crate::plan::Plan;
use crate::program::Actor;
use crate::state::state;
use crate::watched::launch_map;
use visakit_kernels::code::DebugLoc;
use visakit_machine::access::{Miss, MissKind};
use visakit_machine::fault::{Trap, TrapReport, WaitingThreads};
use visakit_machine::thread::Thread;

/// Returns the locations of waiting threads, ordered by the first thread at each location.
pub(super) fn waiting(plan: &Plan<'_>, states: &[State]) -> Vec<WaitingThreads> {
    let lines = plan.program.text_lines();
    let mut all: Vec<WaitingThreads> = Vec::new();
    for (first, state) in (0..).zip(states) {
        let (State::AtBarrier(mark) | State::AtExchange { mark, .. } | State::Waiting { mark, .. }) = state else {
            continue;
        };
        let at = plan.program.location(mark.instruction);
        match all.iter_mut().find(|other| other.instruction == at.instruction) {
            Some(other) => other.threads += 1,
            None => all.push(WaitingThreads {
                threads: 1,
                first,
                instruction: at.instruction,
                mnemonic: plan.program.mnemonic(&at, &lines),
                source_line: mark.source_line.filter(|&line| line > 0),
            }),
        }
    }
    all
}

/// Returns the report of a trap with its location.
#[cold]
pub(super) fn fault(
    plan: &Plan<'_>,
    thread: &Thread,
    group: [u32; 3],
    trap: Trap,
    mark: DebugLoc,
) -> Box<TrapReport> {
    let first = || Some(thread.active.trailing_zeros()).filter(|_| thread.active != 0);
    let channel = trap.lane().map(|lane| lane + mark.enable.shift).or_else(first);
    let actor = Actor { spot: mark.spot(), group, thread: thread.index, channel };
    let mut report = plan.program.report(plan.range, trap, &actor);
    if let Trap::Access(Miss { kind: MissKind::Outside, address, .. }) = report.trap {
        let map = launch_map(plan.program, plan.code, plan.mapped, plan.range);
        report.nearest = Some(nearest(address, &map, &plan.program.parameters()));
    }
    if plan.shows_state
        && let Ok(routines) = places(plan.program, plan.payload)
        && let Some(routine) = routines.get(report.function.map_or(0, |n| n + 1))
    {
        report.state = Some(Box::new(state(routine, report.instruction, thread)));
    }
    Box::new(report)
}
