//! Which variables may have the same place, because they are never in use at the same time.
//!
//! A thread starts with registers that are all zero, so the fewer there are, the sooner it starts; and those of all threads of
//! a group that wait for each other should be in the host's cache.

use std::collections::HashMap;

use crate::isa::{GeneralId, Instruction, LabelId, Operand, VecOperand, predefined};
use crate::object::Routine;
use crate::rt::{FieldRef, Visitor};

/// Most variables of a routine for which this is done: the time that it takes grows with how many are in use together.
const MOST: usize = 1 << 14;

/// For each declared variable, the first and the last instruction with which its value counts; none where no instruction
/// names it or an alias of it.
pub(super) struct Lifetimes(Vec<Option<(u32, u32)>>);

impl Lifetimes {
    /// The lifetimes in a kernel in which every channel goes through the program from its beginning to its end, but for loops:
    /// not where something is called, and not where a jump passes channels that wait, to which execution comes back later.
    /// None otherwise, and for kernels that are too large.
    pub(super) fn of(routine: &Routine) -> Option<Self> {
        use Instruction::{Call, Fcall, Ifcall, Jmp, Switchjmp};
        let leaves =
            |one: &Instruction| matches!(one, Call(_) | Fcall(_) | Ifcall(_) | Jmp(_) | Switchjmp(_));
        if routine.variables.len() > MOST || routine.instructions.iter().any(leaves) {
            return None;
        }
        let end = routine.instructions.len() as u32;
        let roots = (0..routine.variables.len()).map(|index| root(routine, index)).collect();
        let mut uses = Uses { roots, lifetimes: vec![None; routine.variables.len()], at: 0, everywhere: None };
        for (at, instruction) in routine.instructions.iter().enumerate() {
            uses.at = at as u32;
            // What has its address taken may be used at any time.
            uses.everywhere = matches!(instruction, Instruction::AddrAdd(_)).then_some(end);
            instruction.visit(&mut uses);
        }
        let mut lifetimes = uses.lifetimes;
        let loops = loops(routine);
        for lifetime in lifetimes.iter_mut().flatten() {
            // What is used in a loop may be carried from one turn to the next.
            let (first, last) = *lifetime;
            let met = || loops.iter().filter(|(start, end)| *start <= last && first <= *end);
            let start = met().map(|(start, _)| *start).min().unwrap_or(first);
            let end = met().map(|(_, end)| *end).max().unwrap_or(last);
            *lifetime = (first.min(start), last.max(end));
        }
        Some(Self(lifetimes))
    }

    /// Places variables, given as their indices and bytes, from an offset on, and gives the end of the last; `place` gets the
    /// offset of each. Those of half a register and more begin at a multiple of 64, the others at one of 8.
    pub(super) fn place(&self, variables: &[(usize, u64)], from: u64, mut place: impl FnMut(usize, u64)) -> u64 {
        let mut order: Vec<_> = variables
            .iter()
            .map(|&(index, bytes)| {
                let (first, last) = self.0.get(index).copied().flatten().unwrap_or((0, u32::MAX));
                (first, last, index, bytes)
            })
            .collect();
        order.sort_unstable();
        // What is in use, by its offset: where it begins and ends, and its last instruction.
        let mut used: Vec<(u64, u64, u32)> = Vec::new();
        let mut end = from;
        for (first, last, index, bytes) in order {
            used.retain(|(.., last)| *last >= first);
            let alignment = if bytes >= 32 { 64 } else { 8 };
            let mut offset = from.next_multiple_of(alignment);
            let mut at = 0;
            for (start, end, _) in &used {
                if offset + bytes <= *start {
                    break;
                }
                offset = offset.max(end.next_multiple_of(alignment));
                at += 1;
            }
            used.insert(at, (offset, offset + bytes, last));
            end = end.max(offset + bytes);
            place(index, offset);
        }
        end
    }
}

/// The declared variable whose storage a declared variable has; none when that is a predefined one, or the chain has no end.
fn root(routine: &Routine, index: usize) -> Option<usize> {
    let mut at = index;
    for _ in 0..=routine.variables.len() {
        match routine.variables.get(at)?.alias_index.0 {
            0 => return Some(at),
            next => at = next.checked_sub(predefined::DECLARED)? as usize,
        }
    }
    None
}

/// Instructions that may be executed again and again, as the first and the last of each outermost loop.
fn loops(routine: &Routine) -> Vec<(u32, u32)> {
    let mut places: HashMap<LabelId, u32> = HashMap::new();
    for (at, instruction) in routine.instructions.iter().enumerate() {
        if let Instruction::Label(label) = instruction {
            places.insert(label.label, at as u32);
        }
    }
    let mut all = Vec::new();
    for (at, instruction) in routine.instructions.iter().enumerate() {
        if let Instruction::Goto(inst) = instruction {
            let back = places.get(&inst.label).copied().filter(|place| *place <= at as u32);
            all.extend(back.map(|start| (start, at as u32)));
        }
    }
    all.sort_unstable();
    let mut outermost: Vec<(u32, u32)> = Vec::new();
    for (start, end) in all {
        match outermost.last_mut() {
            Some(last) if start <= last.1 => last.1 = last.1.max(end),
            _ => outermost.push((start, end)),
        }
    }
    outermost
}

struct Uses {
    roots: Vec<Option<usize>>,
    lifetimes: Vec<Option<(u32, u32)>>,
    at: u32,
    /// The end of the routine, where the current instruction takes addresses.
    everywhere: Option<u32>,
}

impl Uses {
    fn note(&mut self, id: GeneralId) {
        let index = id.0.checked_sub(predefined::DECLARED).map(|index| index as usize);
        let Some(root) = index.and_then(|index| self.roots.get(index).copied().flatten()) else { return };
        let (first, last) = self.lifetimes[root].unwrap_or((self.at, self.at));
        let now = match self.everywhere {
            Some(end) => (0, end),
            None => (self.at, self.at),
        };
        self.lifetimes[root] = Some((first.min(now.0), last.max(now.1)));
    }
}

impl Visitor for Uses {
    fn field(&mut self, _: usize, value: FieldRef<'_>) {
        match value {
            FieldRef::Vector(VecOperand { operand: Operand::General(general), .. }) => self.note(general.id),
            FieldRef::Raw(raw) => self.note(raw.id),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_used_again_when_their_variables_are_not() {
        let lifetimes = Lifetimes(vec![Some((0, 3)), Some((1, 2)), Some((3, 5)), Some((4, 6)), None]);
        let mut places = vec![0; 5];
        let variables: Vec<_> = [64, 64, 32, 128, 4].into_iter().enumerate().collect();
        let end = lifetimes.place(&variables, 8, |index, offset| places[index] = offset);
        // The last one, of which nothing is known, is always in use. The second has ended where the third begins, but the
        // first has not.
        assert_eq!(places, [64, 128, 128, 192, 8]);
        assert_eq!(end, 320);
    }
}
