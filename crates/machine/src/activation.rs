//! Functions that call themselves: every activation has variables, predicates, addresses and
//! waiting channels of its own.
//!
//! A function's state has one place, so that operands are offsets. It is put aside when the
//! function is entered while an activation of it has not returned, and comes back when the inner
//! one does; functions that do not do this pay nothing.

use std::ops::Range;

use crate::flow::{Callee, Next, Waiting};
use crate::thread::Thread;

/// What belongs to a function, predefined variables apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Function {
    /// Its blocks without those of its subroutines: the first one, and the one behind the last.
    pub entry: (u32, u32),
    /// Its blocks with those of its subroutines.
    pub blocks: Range<u32>,
    /// Bytes of the register file.
    pub registers: Range<u32>,
    /// Predicates, by number.
    pub predicates: Range<usize>,
    /// Elements of address variables.
    pub addresses: Range<usize>,
    /// Elements of state variables.
    pub states: Range<usize>,
}

/// The state of an activation that waits for an inner one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outer {
    waiting: Waiting,
    registers: Vec<u8>,
    predicates: Vec<u32>,
    addresses: Vec<u32>,
    states: Vec<u32>,
}

/// Enters the n-th function with `taken` of the active channels, at least one; `back` is the block
/// to come back to.
#[inline]
pub fn enter(thread: &mut Thread, functions: &[Function], n: usize, taken: u32, back: u32) {
    let function = &functions[n];
    if thread.activations.len() < functions.len() {
        thread.activations.resize(functions.len(), 0);
    }
    if thread.activations[n] > 0 {
        let outer = put_aside(thread, function);
        thread.outer.push(outer);
    }
    thread.activations[n] += 1;
    thread.active =
        thread.flow.call(thread.active, taken, Callee { routine: function.entry, function: Some(n) }, back);
}

/// Leaves the routine for `leaving` of the active channels; `next` is the block behind.
#[inline]
pub fn leave(thread: &mut Thread, functions: &[Function], leaving: u32, next: u32) -> Next {
    let left = thread.flow.leave(thread.active, leaving, next);
    thread.active = left.active;
    if let Some(n) = left.function {
        thread.activations[n] -= 1;
        if thread.activations[n] > 0
            && let Some(outer) = thread.outer.pop()
        {
            take_back(thread, &functions[n], outer);
        }
    }
    left.next
}

fn put_aside(thread: &mut Thread, function: &Function) -> Outer {
    let registers = &function.registers;
    Outer {
        waiting: thread.flow.put_aside(function.blocks.clone()),
        registers: thread.registers.bytes(registers.start)[..registers.len()].to_vec(),
        predicates: thread.predicates[function.predicates.clone()].to_vec(),
        addresses: thread.addresses[function.addresses.clone()].to_vec(),
        states: thread.surfaces[function.states.clone()].to_vec(),
    }
}

fn take_back(thread: &mut Thread, function: &Function, outer: Outer) {
    thread.flow.take_back(outer.waiting);
    thread.registers.bytes_mut(function.registers.start)[..outer.registers.len()].copy_from_slice(&outer.registers);
    thread.predicates[function.predicates.clone()].copy_from_slice(&outer.predicates);
    thread.addresses[function.addresses.clone()].copy_from_slice(&outer.addresses);
    thread.surfaces[function.states.clone()].copy_from_slice(&outer.states);
}
