//! Calls of functions: every activation of a function has its own variables, predicates and waiting
//! channels.
//!
//! A function's state has one fixed location, so that operands are offsets. It is zeroed at the
//! first call in a thread. On recursive entry the state is saved, and it is restored when the inner
//! activation returns. Functions that do not recurse have no other cost.

use std::ops::Range;

use crate::flow::{Callee, Next};
use crate::thread::{Activations, Outer, Thread};

/// Parts of the thread state that belong to a function, except predefined variables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Function {
    /// The function's blocks without its subroutines: the first, and the end (exclusive).
    pub entry: (u32, u32),
    /// The function's blocks including its subroutines.
    pub blocks: Range<u32>,
    /// Byte ranges in the register file: of general variables, and of address variables.
    pub registers: [Range<u32>; 2],
    /// Predicate numbers.
    pub predicates: Range<usize>,
    /// Elements of state variables.
    pub states: Range<usize>,
}

/// Enters the n-th function with `taken`, a non-empty subset of the active channels. `back` is the
/// return block. Returns true at the first call in a thread; the caller then clears the state.
#[inline]
pub fn enter(thread: &mut Thread, functions: &[Function], n: usize, taken: u32, back: u32) -> bool {
    let function = &functions[n];
    if thread.activations.len() < functions.len() {
        thread.activations.resize(functions.len(), Activations::default());
    }
    let before = thread.activations[n];
    if before.open > 0 {
        let outer = put_aside(thread, function);
        thread.outer.push(outer);
    }
    thread.activations[n] = Activations { open: before.open + 1, is_used: true };
    thread.active =
        thread.flow.call(thread.active, taken, Callee { routine: function.entry, function: Some(n) }, back);
    !before.is_used
}

/// Leaves the routine for `leaving`, a subset of the active channels. `next` is the following
/// block.
#[inline]
pub fn leave(thread: &mut Thread, functions: &[Function], leaving: u32, next: u32) -> Next {
    let left = thread.flow.leave(thread.active, leaving, next);
    thread.active = left.active;
    if let Some(n) = left.function {
        thread.activations[n].open -= 1;
        if thread.activations[n].open > 0
            && let Some(outer) = thread.outer.pop()
        {
            take_back(thread, &functions[n], outer);
        }
    }
    left.next
}

/// Zeroes the state of a function, except registers before offset `first`.
pub fn clear(thread: &mut Thread, function: &Function, first: u32) {
    for range in &function.registers {
        let start = range.start.max(first);
        thread.registers.bytes_mut(start)[..range.end.saturating_sub(start) as usize].fill(0);
    }
    thread.predicates[function.predicates.clone()].fill(0);
    thread.surfaces[function.states.clone()].fill(0);
}

fn put_aside(thread: &mut Thread, function: &Function) -> Outer {
    Outer {
        waiting: thread.flow.put_aside(function.blocks.clone()),
        registers: function
            .registers
            .each_ref()
            .map(|range| thread.registers.bytes(range.start)[..range.len()].to_vec()),
        predicates: thread.predicates[function.predicates.clone()].to_vec(),
        states: thread.surfaces[function.states.clone()].to_vec(),
    }
}

fn take_back(thread: &mut Thread, function: &Function, outer: Outer) {
    thread.flow.take_back(outer.waiting);
    for (range, saved) in function.registers.iter().zip(&outer.registers) {
        thread.registers.bytes_mut(range.start)[..saved.len()].copy_from_slice(saved);
    }
    thread.predicates[function.predicates.clone()].copy_from_slice(&outer.predicates);
    thread.surfaces[function.states.clone()].copy_from_slice(&outer.states);
}
