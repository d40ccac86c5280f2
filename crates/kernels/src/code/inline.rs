//! Subroutines that are copied to their calls.
//!
//! A call and a return leave native code, which costs the time of a hundred instructions. A copy
//! has neither. In a copy, a return is a branch to the instruction after the call: channels that
//! return early wait there for the others.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use crate::lowering::step::Lowered;
use visakit::isa::LabelId;
use visakit_machine::thread::ExecMask;

/// Maximum number of instructions of a subroutine with several calls, with the copies in it.
const BODY: usize = 256;
/// Maximum number of instructions that copies add to a routine.
const ADDED: usize = 4096;
/// Maximum nesting of copies.
const DEPTH: u32 = 16;

/// The instructions of each subroutine that is copied, after its label.
pub(super) type Copied = HashMap<LabelId, Range<usize>>;

/// Selects the subroutines of a routine that are copied. `channels` are those that a thread may
/// begin with.
pub(super) fn copied(lowered: &[Lowered], channels: u32) -> Copied {
    let parts = parts(lowered);
    let steps = |part: &Part| &lowered[part.range.clone()];
    if parts.len() == 1 || !parts.iter().all(|part| has_own_targets(steps(part))) {
        return Copied::new();
    }
    let ends = |part| ends_with_return(steps(part), channels);
    let closed = parts.windows(2).filter(|pair| pair.iter().all(ends)).map(|pair| &pair[1]);
    let mut subroutines: HashMap<_, _> =
        closed.filter_map(|part| Some((part.label?, Subroutine::of(part)))).collect();
    for part in &parts {
        for step in &lowered[part.range.clone()] {
            let Lowered::Call { enable, label } = step else { continue };
            let Some(called) = subroutines.get_mut(label) else { continue };
            called.calls += 1;
            called.has_whole_calls &= is_whole(enable, channels);
            called.callers.extend(part.label);
            if let Some(caller) = part.label.and_then(|label| subroutines.get_mut(&label)) {
                caller.undecided += 1;
            }
        }
    }
    select(subroutines)
}

/// A subroutine, or the instructions before the first one.
struct Part {
    label: Option<LabelId>,
    /// Its instructions, after its label.
    range: Range<usize>,
}

/// The facts that decide about a subroutine.
struct Subroutine {
    range: Range<usize>,
    /// The number of its calls.
    calls: usize,
    /// True if all of its calls are made by all active channels.
    has_whole_calls: bool,
    /// The subroutines that call it, once for each call.
    callers: Vec<LabelId>,
    /// The number of calls in it to subroutines about which nothing is decided.
    undecided: usize,
    /// The number of its instructions, with the copies in it.
    size: usize,
    /// The nesting of copies in it.
    depth: u32,
}

impl Subroutine {
    fn of(part: &Part) -> Self {
        Self {
            range: part.range.clone(),
            calls: 0,
            has_whole_calls: true,
            callers: Vec::new(),
            undecided: 0,
            size: part.range.len(),
            depth: 1,
        }
    }
}

/// Returns the parts of a routine.
fn parts(lowered: &[Lowered]) -> Vec<Part> {
    let mut parts = vec![Part { label: None, range: 0..lowered.len() }];
    for (n, step) in lowered.iter().enumerate() {
        if let Lowered::Subroutine(label) = step {
            if let Some(before) = parts.last_mut() {
                before.range.end = n;
            }
            parts.push(Part { label: Some(*label), range: n + 1..lowered.len() });
        }
    }
    parts
}

/// Returns true if the branches of a part go to its own labels.
fn has_own_targets(part: &[Lowered]) -> bool {
    let own: HashSet<_> = part.iter().filter_map(Lowered::label).collect();
    part.iter().flat_map(Lowered::targets).all(|target| own.contains(target))
}

/// Returns true if execution cannot leave a part to the next one.
fn ends_with_return(part: &[Lowered], channels: u32) -> bool {
    let last = part.iter().rev().find(|step| !matches!(step, Lowered::Line(_) | Lowered::Nothing));
    matches!(last, Some(Lowered::Return { enable }) if is_whole(enable, channels))
}

/// Decides about each subroutine after those that it calls. Nothing is decided about recursive
/// ones, which are not copied.
fn select(mut subroutines: HashMap<LabelId, Subroutine>) -> Copied {
    let mut due: Vec<_> = subroutines.iter().filter(|(_, it)| it.undecided == 0).map(|(label, _)| *label).collect();
    // The order of a map is random.
    due.sort_unstable_by_key(|label| std::cmp::Reverse(label.0));
    let (mut copied, mut added) = (Copied::new(), 0_usize);
    while let Some(label) = due.pop() {
        let Some(it) = subroutines.get(&label) else { continue };
        let (size, depth, callers) = (it.size, it.depth, it.callers.clone());
        let adds = size.saturating_mul(it.calls.saturating_sub(1));
        let is_small = it.calls == 1 || size <= BODY && added.saturating_add(adds) <= ADDED;
        let is_copied = it.has_whole_calls && is_small && it.calls > 0 && depth <= DEPTH;
        if is_copied {
            added += adds;
            copied.insert(label, it.range.clone());
        }
        for caller in callers {
            let Some(caller_of) = subroutines.get_mut(&caller) else { continue };
            if is_copied {
                caller_of.size = caller_of.size.saturating_add(size);
                caller_of.depth = caller_of.depth.max(depth + 1);
            }
            caller_of.undecided -= 1;
            if caller_of.undecided == 0 {
                due.push(caller);
            }
        }
    }
    copied
}

/// Returns true if all active channels take a branch.
pub(super) fn is_whole(enable: &ExecMask, channels: u32) -> bool {
    enable.predicate == 0 && (enable.is_single() || channels & !(enable.lanes << enable.shift) == 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use Lowered::{Label, Nothing, Subroutine as Sub};

    fn call(label: u32) -> Lowered {
        Lowered::Call { enable: ExecMask::all(16), label: LabelId(label) }
    }

    fn back(channels: usize) -> Lowered {
        Lowered::Return { enable: ExecMask::all(channels) }
    }

    fn branch(label: u32) -> Lowered {
        Lowered::Branch { enable: ExecMask { predicate: 1, ..ExecMask::all(16) }, label: LabelId(label) }
    }

    fn labels(lowered: &[Lowered], channels: u32) -> Vec<u32> {
        let mut labels: Vec<_> = copied(lowered, channels).into_keys().map(|label| label.0).collect();
        labels.sort_unstable();
        labels
    }

    #[test]
    fn small_subroutines_and_single_calls() {
        let small = [call(1), call(1), back(1), Sub(LabelId(1)), Nothing, back(16)];
        assert_eq!(copied(&small, 0xffff), Copied::from([(LabelId(1), 4..6)]));
        let mut large: Vec<_> = vec![call(1), back(1), Sub(LabelId(1))];
        large.extend((0..BODY).map(|_| Nothing));
        large.push(back(16));
        assert_eq!(labels(&large, 0xffff), [1]);
        large.insert(0, call(1));
        assert!(labels(&large, 0xffff).is_empty());
    }

    #[test]
    fn copies_have_a_budget() {
        let calls = |count| {
            let steps = (0..count).map(|_| call(1)).chain([back(1), Sub(LabelId(1))]);
            steps.chain((1..BODY).map(|_| Nothing)).chain([back(16)]).collect::<Vec<_>>()
        };
        assert_eq!(labels(&calls(1 + ADDED / BODY), 0xffff), [1]);
        assert!(labels(&calls(2 + ADDED / BODY), 0xffff).is_empty());
        // Each copy of the second contains two of the first.
        let mut nested = vec![call(2), call(2), back(1), Sub(LabelId(1))];
        nested.extend((0..BODY / 2).map(|_| Nothing).chain([back(16), Sub(LabelId(2)), call(1), call(1), back(16)]));
        assert_eq!(labels(&nested, 0xffff), [1]);
    }

    #[test]
    fn chains_and_recursion_end() {
        let mut chain = vec![call(1), back(1)];
        for n in 1..1000 {
            chain.extend([Sub(LabelId(n)), call(n + 1), back(16)]);
        }
        chain.extend([Sub(LabelId(1000)), back(16)]);
        // One of seventeen is called, so that the copies in it are nested less deeply.
        assert_eq!(labels(&chain, 0xffff).len() as u32, 1000 - 1000 / (DEPTH + 1));
        let recursive = [call(1), back(1), Sub(LabelId(1)), call(2), back(16), Sub(LabelId(2)), call(1), back(16)];
        assert!(labels(&recursive, 0xffff).is_empty());
    }

    #[test]
    fn only_whole_calls_of_closed_subroutines() {
        let body = || [Sub(LabelId(1)), branch(3), Label(LabelId(3)), back(16)];
        let with = |first: Vec<Lowered>| first.into_iter().chain(body()).collect::<Vec<_>>();
        assert_eq!(labels(&with(vec![call(1), back(1)]), 0xffff), [1]);
        // Half of the channels call, or some of them, or none.
        assert!(labels(&with(vec![call(1), back(1)]), u32::MAX).is_empty());
        let some = Lowered::Call { enable: ExecMask { predicate: 1, ..ExecMask::all(16) }, label: LabelId(1) };
        assert!(labels(&with(vec![some, back(1)]), 0xffff).is_empty());
        assert!(labels(&with(vec![back(1)]), 0xffff).is_empty());
        // The first part is empty in compiled programs.
        let main = with(vec![Sub(LabelId(2)), call(1), back(1)]);
        assert_eq!(labels(&main, 0xffff), [1]);
        // Execution falls into the subroutine, or branches into it.
        assert!(labels(&with(vec![call(1)]), 0xffff).is_empty());
        assert!(labels(&with(vec![branch(3), call(1), back(1)]), 0xffff).is_empty());
    }
}
