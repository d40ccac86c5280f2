//! Detection of barriers that some channels of a thread may skip: barriers between a divergent
//! branch and the point where the channels reconverge.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::graph::labels;
use crate::isa::{Combine, DataType, ExecSize, Instruction, InstructionGroup, Operand, Stride, predefined};
use crate::object::Routine;
use crate::rt::{FieldRef, OperandRef, Table};

/// Maximum number of rounds in which varying values propagate.
const MOST_ROUNDS: usize = 64;
/// Maximum number of pairs of a branch and a back edge that are examined.
const MOST_PAIRS: usize = 1 << 22;

/// Returns the numbers of the barriers that some channels may skip.
pub(super) fn barriers(routine: &Routine) -> Vec<usize> {
    let all = || routine.instructions.iter().enumerate();
    let barriers = all().filter(|(_, one)| one.is_in(InstructionGroup::Barrier));
    let barriers: Vec<usize> = barriers.map(|(number, _)| number).collect();
    if barriers.is_empty() {
        return Vec::new();
    }
    let labels = labels(routine);
    let target = |one: &Instruction| labels.get(one.labels().next()?.0 as usize).copied().flatten();
    let branches = all().filter(|(_, one)| one.is_in(InstructionGroup::ChannelBranch));
    let gotos = branches.filter_map(|(number, one)| Some((number, by_channel(one), target(one)?)));
    let gotos: Vec<_> = gotos.collect();
    let back: Vec<Range<usize>> =
        gotos.iter().filter(|(number, _, to)| to <= number).map(|&(number, _, to)| to..number).collect();
    let mut pairs = 0;
    let mut ranges = Vec::new();
    for (number, predicate, to) in gotos.iter().filter_map(|&(number, by, to)| Some((number, by?, to))) {
        let mut range = if to > number { number + 1..to } else { to..number + 1 };
        // A channel that leaves a loop is absent in its next iteration.
        let from = back.partition_point(|round| round.end < range.start);
        for round in back[from..].iter().take_while(|round| round.end < to).take(MOST_PAIRS - pairs) {
            if round.start <= number {
                range.start = range.start.min(round.start);
            }
            pairs += 1;
        }
        ranges.push((range, predicate));
    }
    let within = |ranges: &mut dyn Iterator<Item = &Range<usize>>| {
        let depths = depths(routine.instructions.len(), ranges);
        barriers.iter().copied().filter(|&barrier| depths[barrier] > 0).collect::<Vec<_>>()
    };
    if within(&mut ranges.iter().map(|(range, _)| range)).is_empty() {
        return Vec::new();
    }
    let varying = varying(routine, &gotos);
    let apart = ranges.iter().filter(|(_, predicate)| varying.contains_key(predicate));
    within(&mut apart.map(|(range, _)| range))
}

/// Returns the number of ranges that contain each instruction.
fn depths(instructions: usize, ranges: &mut dyn Iterator<Item = &Range<usize>>) -> Vec<i32> {
    let mut depths = vec![0; instructions + 1];
    for range in ranges {
        depths[range.start] += 1;
        depths[range.end.max(range.start)] -= 1;
    }
    let mut depth = 0;
    for one in &mut depths {
        depth += *one;
        *one = depth;
    }
    depths
}

/// Returns the predicate of a branch that may diverge.
fn by_channel(branch: &Instruction) -> Option<(Table, u32)> {
    let is_wide = branch.list::<ExecSize>().is_some_and(|size| size.size.channels() > 1);
    let predicate = branch.predicate().filter(|predicate| is_wide && predicate.combine == Combine::None)?;
    Some((Table::Predicate, predicate.id.into()))
}

/// Branch: its number, its predicate if it may diverge, and the number of its target.
type Branch = (usize, Option<(Table, u32)>, usize);

/// Reason why a value varies across channels: an input with per-channel data, or channel numbers
/// alone. A value loaded from a varying address counts the same, because the compiler keeps each
/// channel's variables in memory.
type Why = u8;
const INPUT: Why = 1;
const NUMBER: Why = 2;

/// Returns the varying variables: those with per-channel data, those computed from varying ones,
/// and those that only some channels write.
fn varying(routine: &Routine, gotos: &[Branch]) -> HashMap<(Table, u32), Why> {
    let inputs: HashSet<u32> = routine.inputs.iter().map(|input| input.id).collect();
    let mut varying: HashMap<(Table, u32), Why> = HashMap::new();
    for _ in 0..MOST_ROUNDS {
        let mut changed = false;
        let by_channel = gotos.iter().filter(|(_, by, _)| by.is_some_and(|by| varying.contains_key(&by)));
        let ranges: Vec<_> = by_channel.map(|(number, _, to)| *number.min(to)..*number.max(to)).collect();
        let depths = depths(routine.instructions.len(), &mut ranges.iter());
        for (number, instruction) in routine.instructions.iter().enumerate() {
            let operands: Vec<_> = instruction.operands().collect();
            let masked = if depths[number] > 0 && !has_no_mask(instruction) { INPUT } else { 0 };
            let why = operands.iter().fold(masked, |why, operand| why | differs(routine, operand, &inputs, &varying));
            for operand in operands.iter().filter(|operand| operand.role.is_write()) {
                let is_message = matches!(operand.value, FieldRef::Raw(_));
                let why = if is_message && why & INPUT == 0 { 0 } else { why };
                let Some(used) = operand.used().filter(|_| why != 0) else { continue };
                let known = varying.entry((used.table, root(routine, used.table, used.id))).or_default();
                changed |= *known | why != *known;
                *known |= why;
            }
        }
        if !changed {
            break;
        }
    }
    varying
}

/// Returns the reason why an operand that is read varies across channels; 0 if it does not.
fn differs(
    routine: &Routine,
    operand: &OperandRef<'_>,
    inputs: &HashSet<u32>,
    varying: &HashMap<(Table, u32), Why>,
) -> Why {
    if !operand.role.is_read() {
        return 0;
    }
    let of = |table, id: u32| varying.get(&(table, root(routine, table, id))).copied().unwrap_or(0);
    let input = |id: u32| if inputs.contains(&root(routine, Table::General, id)) { INPUT } else { 0 };
    match operand.value {
        FieldRef::Vector(vector) => match &vector.operand {
            Operand::General(general) => {
                let region = &general.region;
                let is_one = region.vertical_stride == Stride::N0
                    && (region.width == Stride::N1 || region.horizontal_stride == Stride::N0);
                if is_one { 0 } else { of(Table::General, general.id.0) | input(general.id.0) }
            }
            // A packed constant has one number per channel.
            Operand::Immediate(constant) => match constant.type_ {
                DataType::V | DataType::Uv | DataType::Vf => NUMBER,
                _ => 0,
            },
            Operand::Indirect(_) => NUMBER,
            _ => operand.used().map_or(0, |used| of(used.table, used.id)),
        },
        FieldRef::Raw(raw) => {
            // An input of several elements has per-channel data.
            let declared = raw.id.0.checked_sub(predefined::DECLARED).and_then(|n| routine.variables.get(n as usize));
            let is_wide = declared.is_some_and(|of| of.num_elements > 4);
            of(Table::General, raw.id.0) | if is_wide { input(raw.id.0) } else { 0 }
        }
        FieldRef::Predicate(predicate) => of(Table::Predicate, predicate.id.into()),
        _ => 0,
    }
}

fn root(routine: &Routine, table: Table, id: u32) -> u32 {
    if table == Table::General { super::aliases::root(routine, id).unwrap_or(id) } else { id }
}

/// Returns true if an instruction ignores the execution mask of control flow.
fn has_no_mask(instruction: &Instruction) -> bool {
    instruction.list::<ExecSize>().is_some_and(|size| size.mask.no_mask())
}
