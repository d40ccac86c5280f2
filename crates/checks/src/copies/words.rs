//! Messages about group copies.

use crate::bug::{Mistake, found};
use visakit_machine::fault::Trap;

/// Returns the message of a mistake, and the message for the other location if there is one.
pub(crate) fn messages(mistake: Mistake) -> (Trap, Trap) {
    let noun = |is_copy: bool| if is_copy { "copy" } else { "wait" };
    let call = |is_copy: bool| if is_copy { "async_work_group_copy" } else { "wait_group_events" };
    let (code, message, help, other) = match mistake {
        Mistake::Differs { is_copy, is_same_kind: true } => (
            "check-copy",
            format!("a work item calls {} with other arguments than another work item of its group", call(is_copy)),
            "all work items of a group must pass the same arguments: compute them from \
             get_group_id, not from get_local_id",
            "the other work item makes the call here",
        ),
        Mistake::Differs { is_copy, is_same_kind: false } => (
            "check-copy",
            format!(
                "a work item reaches a {} where another work item of its group reaches a {}",
                noun(is_copy),
                noun(!is_copy)
            ),
            "all work items of a group must execute the same copies and waits in the same order",
            "the other work item is here",
        ),
        Mistake::Missing { is_copy, count, of } => (
            "check-copy",
            format!("only {count} of the group's {of} work items reach this {}", noun(is_copy)),
            "all work items of a group must reach it: move it out of the branch or loop that some of them skip",
            "",
        ),
        Mistake::Unwaited => (
            "check-copy",
            "nothing waits for this group copy: it may not be complete when the kernel ends".to_owned(),
            "keep the event that the copy returns, and pass it to wait_group_events",
            "",
        ),
        Mistake::Unknown { is_copy } => (
            "check-copy",
            if is_copy {
                "the event passed to this group copy is neither 0 nor an event of another copy of this group"
                    .to_owned()
            } else {
                "this call waits for an event that no copy of this group returned".to_owned()
            },
            "pass the event that async_work_group_copy returned, or 0 to start a new event",
            "",
        ),
        Mistake::NoBarrier => (
            "check-copy-barrier",
            "data of a group copy is loaded without a barrier after the wait".to_owned(),
            "OpenCL guarantees the copy after the wait; add a barrier for tools that track the \
             part of each work item",
            "this is the copy",
        ),
    };
    (found(code, message, help), found(code, other.to_owned(), ""))
}
