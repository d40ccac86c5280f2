//! Messages about races.

use crate::bug::{deed, found};
use visakit_launch::argument::Parameter;
use visakit_machine::fault::Trap;
use visakit_machine::observer::{Access, AccessKind, LaunchMap, Space};
use visakit_run::place::Place;

/// Returns the messages for two conflicting accesses: the later one and the earlier one.
pub(crate) fn messages(
    now: &Access,
    (before, is_fence, copies): (AccessKind, bool, [Option<usize>; 2]),
    map: &LaunchMap,
    parameters: &[Parameter],
) -> (Trap, Trap) {
    let (what, at) = (deed(now.kind, now.size), Place::of(now, map, parameters).words());
    let earlier = match before {
        AccessKind::Load => "a load",
        AccessKind::Store => "a store",
        AccessKind::Atomic => "an atomic operation",
    };
    if copies != [None; 2] {
        return of_copies(&format!("{what} at {at}"), earlier, copies.map(|copy| copy.is_some()));
    }
    let same = format!("the other access, {earlier}, is here");
    if is_fence {
        let memory = if now.space == Space::Local { "shared local memory" } else { "global memory" };
        let message = format!(
            "{what} at {at} may not see {earlier} by another work item: the barrier between them \
             has no fence for {memory}"
        );
        let help = "pass CLK_GLOBAL_MEM_FENCE to the barrier for global memory, CLK_LOCAL_MEM_FENCE for \
             shared local memory";
        return (found("check-fence", message, help), found("check-fence", same, ""));
    }
    let help = match now.space {
        Space::Local => "put a barrier between the two accesses",
        _ => "use atomic operations between work items of different groups; within a group, a barrier is enough",
    };
    let message = format!("{what} at {at} races with {earlier} by another work item");
    (found("check-race", message, help), found("check-race", same, ""))
}

/// Returns the messages of a race that involves group copies.
fn of_copies(now: &str, before: &str, [is_before, is_now]: [bool; 2]) -> (Trap, Trap) {
    let copy = |is_copy: bool| if is_copy { " by a group copy" } else { " by a work item" };
    let message = format!("{now}{} races with {before}{}", copy(is_now), copy(is_before));
    let help = match (is_before, is_now) {
        (true, true) => "concurrent copies are unordered: call wait_group_events for one before the other begins",
        (true, false) => "call wait_group_events with the copy's event before the access",
        _ => "a group copy may begin at once: put a barrier between the access and the copy",
    };
    (found("check-race", message, help), found("check-race", format!("the other access, {before}, is here"), ""))
}
