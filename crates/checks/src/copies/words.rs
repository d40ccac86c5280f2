//! Messages about group copies.

use crate::copies::Mistake;
use crate::watcher::found;
use visakit_machine::fault::Trap;

/// Returns the message of a mistake, and the message for the other location if there is one.
pub(crate) fn messages(mistake: Mistake) -> (Trap, Trap) {
    let noun = |is_copy: bool| if is_copy { "copy" } else { "wait" };
    let call = |is_copy: bool| if is_copy { "async_work_group_copy" } else { "wait_group_events" };
    let (code, message, help, other) = match mistake {
        Mistake::Differs { is_copy, is_same_kind: true } => (
            "check-copy",
            format!("a work item calls {} with other arguments than another one of its group", call(is_copy)),
            "all work items of a group have to give the same arguments: compute them from get_group_id, not from \
             get_local_id",
            "the other work item calls it here",
        ),
        Mistake::Differs { is_copy, is_same_kind: false } => (
            "check-copy",
            format!(
                "a work item makes a {} where another one of its group makes a {}",
                noun(is_copy),
                noun(!is_copy)
            ),
            "all work items of a group have to make the same copies and waits in the same order",
            "the other work item is here",
        ),
        Mistake::Missing { is_copy, count, of } => (
            "check-copy",
            format!("{count} of the group's {of} work items come to this {}", noun(is_copy)),
            "all work items of a group have to come to it: take it out of the branch or loop that some of them skip",
            "",
        ),
        Mistake::Unwaited => (
            "check-copy",
            "nothing waits for this group copy: it need not have happened when the kernel ends".to_owned(),
            "keep the event that it returns, and call wait_group_events with it",
            "",
        ),
        Mistake::Unknown { is_copy } => (
            "check-copy",
            if is_copy {
                "the event given to this group copy is neither 0 nor one that a copy of this group returned"
                    .to_owned()
            } else {
                "this waits for an event that no copy of this group returned".to_owned()
            },
            "pass the value that async_work_group_copy returned, or 0 to a copy that begins a new event",
            "",
        ),
        Mistake::NoBarrier => (
            "check-copy-barrier",
            "a load of what a group copy brought, with no barrier behind the wait".to_owned(),
            "OpenCL has the copy done behind the wait; a barrier there is what tools that count each work item's part ask for",
            "this is the copy",
        ),
    };
    (found(code, message, help), found(code, other.to_owned(), ""))
}
