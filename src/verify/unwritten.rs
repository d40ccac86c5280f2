//! Search for values that are read before any instruction can have written them.

use std::collections::VecDeque;

use super::Violation;
use super::graph::{FLOW, Graph};
use super::slots::{Slots, is_replaced};
use crate::isa::{InputClass, Instruction, InstructionGroup, predefined};
use crate::object::Routine;
use crate::rt::{FieldRef, OperandRef, Role, Table, Use};

/// Maximum length of a chain of copies that is followed.
const MOST_COPIES: usize = 16;
/// Maximum cost of the search, as the product of blocks and variables in words. A larger routine is
/// not searched.
const MOST_STEPS: usize = 1 << 26;

/// Reports reads of values that no instruction can have written before.
pub(super) fn unwritten(routine: &Routine, graph: &Graph, reached: &[bool]) -> Vec<Violation> {
    let slots = Slots::new(routine);
    let (numbered, events) = events(routine, graph, &slots);
    if (numbered.len() / 64 + 1).saturating_mul(graph.blocks.len()) > MOST_STEPS {
        return Vec::new();
    }
    let mut out = Vec::new();
    let mut rest = &events[..];
    for first in (0..numbered.len()).step_by(64) {
        let (own, others) = rest.split_at(rest.partition_point(|event| event.variable < first + 64));
        rest = others;
        if own.iter().all(|event| event.read.is_none()) {
            continue;
        }
        let bit = |event: &Event| 1_u64 << (event.variable - first);
        let mut writes = vec![0; graph.blocks.len()];
        own.iter().filter(|event| event.writes).for_each(|event| writes[event.block] |= bit(event));
        let before = written_before(&writes, graph, reached);
        let mut said = 0;
        for event in own.iter().filter(|event| reached[event.block]) {
            let Some(number) = event.read.filter(|_| (before[event.block] | said) & bit(event) == 0) else {
                continue;
            };
            said |= bit(event);
            let (table, id) = slots.entry(numbered[event.variable]);
            let message = format!("`{}` is read before it is written", routine.name_of(table, id));
            out.push(Violation::doubt("unwritten", number, message, FLOW));
        }
    }
    out
}

/// Returns, for each block, the set of variables that may have been written before it.
fn written_before(writes: &[u64], graph: &Graph, reached: &[bool]) -> Vec<u64> {
    let mut before = vec![0; writes.len()];
    let mut rest: VecDeque<usize> = (0..writes.len()).filter(|&at| reached[at] && writes[at] != 0).collect();
    while let Some(at) = rest.pop_front() {
        let end = before[at] | writes[at];
        for &next in &graph.blocks[at].next {
            if end & !before[next] != 0 {
                before[next] |= end;
                rest.push_back(next);
            }
        }
    }
    before
}

/// Accesses to a variable in a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Event {
    variable: usize,
    block: usize,
    /// Instruction that reads the variable before any write in the block.
    read: Option<usize>,
    /// True if the block writes the variable.
    writes: bool,
}

/// Numbers the variables without an initial value. Returns the slot of each number, and the
/// accesses to each variable in each block, sorted by variable and block. Copies of uninitialised
/// variables count neither as reads nor as writes.
fn events(routine: &Routine, graph: &Graph, slots: &Slots) -> (Vec<usize>, Vec<Event>) {
    let accesses = Accesses::new(routine, slots);
    let known = known(routine, slots, &accesses);
    let empty = empty(routine, slots, &known, &accesses);
    let mut numbered = Vec::new();
    let mut events: Vec<Event> = Vec::new();
    // Number of each slot, and the event of each number in its last block.
    let mut numbers = vec![None; slots.len()];
    let mut last: Vec<usize> = Vec::new();
    for (at, block) in graph.blocks.iter().enumerate() {
        for number in block.instructions.clone() {
            let (own, copies) = accesses.of(number);
            if copies.is_some_and(|from| empty[from].is_some()) {
                continue;
            }
            // An instruction reads its operands before it writes.
            for wants_write in [false, true] {
                for access in own.iter().filter(|access| !known[access.slot]) {
                    let counts = match wants_write {
                        true => access.role.is_write(),
                        false => access.role.is_read() && !access.is_harmless(empty[access.slot]),
                    };
                    if !counts {
                        continue;
                    }
                    let variable = *numbers[access.slot].get_or_insert_with(|| {
                        numbered.push(access.slot);
                        last.push(usize::MAX);
                        numbered.len() - 1
                    });
                    if events.get(last[variable]).is_none_or(|event| event.block != at) {
                        last[variable] = events.len();
                        events.push(Event { variable, block: at, read: None, writes: false });
                    }
                    let event = &mut events[last[variable]];
                    if wants_write {
                        event.writes = true;
                    } else if !event.writes {
                        event.read.get_or_insert(number);
                    }
                }
            }
        }
    }
    events.sort_unstable();
    (numbered, events)
}

/// Access of an instruction to a variable.
#[derive(Clone, Copy, Debug)]
struct Access {
    slot: usize,
    role: Role,
    /// True for a raw operand.
    is_raw: bool,
    /// True if another operand equals this one.
    is_twin: bool,
}

impl Access {
    /// Returns true for a harmless read: a comparison of an operand with itself, which compilers
    /// use to obtain the mask of all enabled channels, or a message that sends a copied value.
    fn is_harmless(&self, copied: Option<bool>) -> bool {
        self.is_twin || self.is_raw && copied == Some(true)
    }
}

/// Accesses of all instructions of a routine, in their order.
struct Accesses {
    all: Vec<Access>,
    /// End of each instruction's accesses, and the slot that the instruction copies.
    ends: Vec<(usize, Option<usize>)>,
}

impl Accesses {
    fn new(routine: &Routine, slots: &Slots) -> Self {
        let mut out = Self { all: Vec::new(), ends: Vec::with_capacity(routine.instructions.len()) };
        for instruction in &routine.instructions {
            let operands: Vec<_> =
                instruction.operands().filter(|operand| !is_replaced(instruction, operand)).collect();
            for operand in &operands {
                let Some((used, slot)) = operand.used().and_then(|used| Some((used, slots.of(used)?))) else {
                    continue;
                };
                let is_raw = matches!(operand.value, FieldRef::Raw(_));
                out.all.push(Access { slot, role: used.role, is_raw, is_twin: is_twin(operand, &operands) });
            }
            out.ends.push((out.all.len(), copied(slots, instruction, &operands)));
        }
        out
    }

    /// Returns the accesses of an instruction, and the slot that it copies.
    fn of(&self, number: usize) -> (&[Access], Option<usize>) {
        let first = number.checked_sub(1).map_or(0, |before| self.ends[before].0);
        let (end, copies) = self.ends[number];
        (&self.all[first..end], copies)
    }
}

/// Returns true if another source equals the operand.
fn is_twin(operand: &OperandRef<'_>, all: &[OperandRef<'_>]) -> bool {
    let FieldRef::Vector(own) = operand.value else { return false };
    let read = all.iter().filter(|other| other.role == Role::Read);
    read.filter(|other| matches!(other.value, FieldRef::Vector(other) if other == own)).nth(1).is_some()
}

/// Returns the slot of the variable that an instruction copies.
fn copied(slots: &Slots, instruction: &Instruction, operands: &[OperandRef<'_>]) -> Option<usize> {
    if !instruction.is_in(InstructionGroup::Copy) {
        return None;
    }
    slots.of(operands.iter().filter(|operand| operand.role == Role::Read).find_map(OperandRef::used)?)
}

/// Returns, for each slot, true if copies of empty variables are the only writes of the variable,
/// false if it is never written, and `None` for a variable with another write.
fn empty(routine: &Routine, slots: &Slots, known: &[bool], accesses: &Accesses) -> Vec<Option<bool>> {
    let mut empty = vec![None; slots.len()];
    let general = |id| slots.of(Use { table: Table::General, id, role: Role::Read });
    let declared = (predefined::DECLARED..).zip(&routine.variables).filter_map(|(id, _)| general(id));
    let mut rest: Vec<usize> = declared.filter(|&slot| !known[slot]).collect();
    rest.sort_unstable();
    rest.dedup();
    for round in 0..MOST_COPIES {
        let mut is_written = vec![false; slots.len()];
        for number in 0..routine.instructions.len() {
            let (own, copies) = accesses.of(number);
            if copies.is_some_and(|from| empty[from].is_some()) {
                continue;
            }
            own.iter().filter(|access| access.role.is_write()).for_each(|access| is_written[access.slot] = true);
        }
        let (written, unwritten): (Vec<_>, Vec<_>) = rest.iter().partition(|&&slot| is_written[slot]);
        if unwritten.is_empty() {
            break;
        }
        rest = written;
        unwritten.into_iter().for_each(|slot: usize| empty[slot] = Some(round > 0));
    }
    empty
}

/// Returns, for each slot, true if the variable has a value when the routine begins, or may get one
/// without being named.
fn known(routine: &Routine, slots: &Slots, accesses: &Accesses) -> Vec<bool> {
    let mut known = vec![false; slots.len()];
    let inputs = routine.inputs.iter().filter_map(|input| {
        let table = match input.kind.class {
            InputClass::General => Table::General,
            InputClass::Sampler => Table::Sampler,
            InputClass::Surface => Table::Surface,
        };
        slots.of(Use { table, id: input.id, role: Role::Read })
    });
    let referred = accesses.all.iter().filter(|access| access.role == Role::Reference).map(|access| access.slot);
    inputs.chain(referred).for_each(|slot| known[slot] = true);
    known
}
