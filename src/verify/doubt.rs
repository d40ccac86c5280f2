//! Warnings about legal but suspicious code: uninitialised values, unreachable code, barriers that
//! not all channels reach. Compiler output for correct programs causes none.

use std::collections::{HashMap, HashSet, VecDeque};

use super::aliases::root;
use super::graph::Graph;
use super::{Location, Severity, Violation, divergence, region};
use crate::isa::{
    ExecSize, InputClass, Instruction, InstructionGroup, Operand, PageCheck, Platform, predefined,
    predefined_sampler, predefined_surface,
};
use crate::limits::FINDINGS;
use crate::object::Routine;
use crate::rt::reflect::Verdict;
use crate::rt::{FieldRef, OperandRef, Role, Table, Use};

/// Page that explains control flow.
const FLOW: &str = "3_execution_model.md";
/// Page that explains operands.
const OPERANDS: &str = "5_operands.md";
/// Maximum length of a chain of copies that is followed.
const MOST_COPIES: usize = 16;
/// Maximum cost of the search for uninitialised values, as the product of blocks and variables in
/// words. A larger routine is not searched.
const MOST_STEPS: usize = 1 << 26;

/// Returns warnings about legal but suspicious code in a routine. Without a platform, registers
/// have 32 bytes.
///
/// ```
/// use visakit::{text, verify};
/// let source = ".version 4.1\n.kernel \"k\"\n.decl V32 v_type=G type=d num_elts=8 align=GRF\n\
///               .decl V33 v_type=G type=d num_elts=8 align=GRF\n    not (M1, 8) V32(0,0)<1> V33(0,0)<8;8,1>\n    ret (M1, 1)\n";
/// let parsed = text::parse(source, Default::default()).unwrap();
/// let found = verify::doubts(&parsed.routine, None);
/// assert_eq!(found[0].code, "unwritten");
/// ```
pub fn doubts(routine: &Routine, platform: Option<Platform>) -> Vec<Violation> {
    let graph = Graph::new(routine);
    let reached = graph.reached();
    let mut out = unreachable(routine, &graph, &reached);
    out.extend(outside(routine, platform));
    out.extend(unread(routine));
    out.extend(unwritten(routine, &graph, &reached));
    out.extend(divergence::barriers(routine).into_iter().map(|number| {
        let message = "channels of one thread may reach this barrier separately: a branch before \
         it is decided for each channel";
        doubt("divergent-barrier", number, message.to_owned(), FLOW)
    }));
    out.sort_by_key(|violation| match violation.place {
        Location::Instruction(number) => number,
        _ => 0,
    });
    out.truncate(FINDINGS);
    out
}

fn doubt(code: &'static str, number: usize, message: String, page: &str) -> Violation {
    let place = Location::Instruction(number);
    Violation { code, severity: Severity::Warning, place, message, page: page.to_owned() }
}

/// Reports the first instruction of each unreachable part.
fn unreachable(routine: &Routine, graph: &Graph, reached: &[bool]) -> Vec<Violation> {
    let mut out = Vec::new();
    let mut was_reached = true;
    for (block, &is_reached) in graph.blocks.iter().zip(reached) {
        // A routine's final return and pseudo-instructions do no harm.
        let does = |one: &Instruction| !one.is_in(InstructionGroup::Harmless);
        let first = block.instructions.clone().find(|&number| does(&routine.instructions[number]));
        match first {
            Some(number) if !is_reached && was_reached => {
                out.push(doubt("unreachable", number, "this instruction is unreachable".to_owned(), FLOW));
                was_reached = false;
            }
            Some(_) => was_reached = is_reached,
            None => {}
        }
    }
    out
}

/// Reports operands that extend past their variables.
fn outside(routine: &Routine, platform: Option<Platform>) -> Vec<Violation> {
    let variables = region::Variables::new(routine, platform);
    let check = PageCheck::OperandEnd;
    let mut out = Vec::new();
    for (number, instruction) in routine.instructions.iter().enumerate() {
        let mut accepted = instruction.page().accepted.iter();
        if accepted.any(|row| row.check == check && row.verdict == Verdict::Nothing) {
            continue;
        }
        let channels = instruction.list::<ExecSize>().map_or(1, |size| size.size.channels().into());
        for operand in instruction.operands().filter(|operand| !is_replaced(instruction, operand)) {
            let FieldRef::Vector(vector) = operand.value else { continue };
            let Operand::General(general) = &vector.operand else { continue };
            if operand.role == Role::Reference {
                continue;
            }
            let Some((first, end, whole)) = variables.extent(general, channels) else { continue };
            // The compiler copies the whole of register 0, even if its variable is smaller.
            let register = u64::from(Platform::register_bytes_of(platform));
            let is_register = first % register == 0 && end - first == register;
            if end > whole && !is_register {
                let name = routine.name_of(Table::General, general.id.0);
                let message = format!(
                    "{} ends at byte {end} of `{name}`, which has {whole}: {} bytes past its end",
                    operand.name,
                    end - whole
                );
                out.push(doubt(check.finding(), number, message, OPERANDS));
            }
        }
    }
    out
}

/// Reports predicates that are written and never read.
fn unread(routine: &Routine) -> Vec<Violation> {
    let mut written: HashMap<u32, usize> = HashMap::new();
    let mut read = vec![false; routine.predicates.len() + 1];
    for (number, instruction) in routine.instructions.iter().enumerate() {
        for used in instruction.uses().filter(|used| used.table == Table::Predicate) {
            if used.role.is_read()
                && let Some(read) = read.get_mut(used.id as usize)
            {
                *read = true;
            }
            if used.role.is_write() {
                written.entry(used.id).or_insert(number);
            }
        }
    }
    let dead = written.into_iter().filter(|(id, _)| read.get(*id as usize) == Some(&false));
    let mut dead: Vec<_> = dead.map(|(id, number)| (number, id)).collect();
    dead.sort_unstable();
    let say = |(number, id)| {
        let name = routine.name_of(Table::Predicate, id);
        doubt("unread-predicate", number, format!("predicate `{name}` is written but never read"), OPERANDS)
    };
    dead.into_iter().map(say).collect()
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

/// Reports reads of values that no instruction can have written before.
fn unwritten(routine: &Routine, graph: &Graph, reached: &[bool]) -> Vec<Violation> {
    let (numbers, events) = events(routine, graph);
    if (numbers.len() / 64 + 1).saturating_mul(graph.blocks.len()) > MOST_STEPS {
        return Vec::new();
    }
    let mut names = vec![(Table::General, 0); numbers.len()];
    numbers.into_iter().for_each(|(entry, number)| names[number] = entry);
    let mut out = Vec::new();
    let mut rest = &events[..];
    for first in (0..names.len()).step_by(64) {
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
            let (table, id) = names[event.variable];
            let message = format!("`{}` is read before it is written", routine.name_of(table, id));
            out.push(doubt("unwritten", number, message, FLOW));
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

/// Numbers the variables without an initial value. Returns the accesses to each in each block,
/// sorted by variable and block. Copies of uninitialised variables count neither as reads nor as
/// writes.
fn events(routine: &Routine, graph: &Graph) -> (HashMap<(Table, u32), usize>, Vec<Event>) {
    let known = known(routine);
    let empty = empty(routine, &known);
    let mut numbers = HashMap::new();
    let mut events: Vec<Event> = Vec::new();
    for (at, block) in graph.blocks.iter().enumerate() {
        let mut own: HashMap<usize, usize> = HashMap::new();
        for number in block.instructions.clone() {
            let instruction = &routine.instructions[number];
            let operands: Vec<_> =
                instruction.operands().filter(|operand| !is_replaced(instruction, operand)).collect();
            let copies = copied(routine, instruction).is_some_and(|from| empty.contains_key(&from));
            // An instruction reads its operands before it writes.
            for wants_write in [false, true] {
                for operand in &operands {
                    let Some(used) = operand.used() else { continue };
                    let Some(entry) = entry(routine, used).filter(|entry| !known.contains(entry)) else { continue };
                    let counts = match wants_write {
                        true => used.role.is_write() && !copies,
                        false => {
                            used.role.is_read() && !copies && !is_harmless(operand, &operands, empty.get(&entry))
                        }
                    };
                    if !counts {
                        continue;
                    }
                    let next = numbers.len();
                    let variable = *numbers.entry(entry).or_insert(next);
                    let place = *own.entry(variable).or_insert_with(|| {
                        events.push(Event { variable, block: at, read: None, writes: false });
                        events.len() - 1
                    });
                    let event = &mut events[place];
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
    (numbers, events)
}

/// Returns true for a harmless read: a comparison of an operand with itself, which compilers use to
/// obtain the mask of all enabled channels, or a message that sends a copied value.
fn is_harmless(operand: &OperandRef<'_>, all: &[OperandRef<'_>], copied: Option<&bool>) -> bool {
    let FieldRef::Vector(own) = operand.value else {
        return copied == Some(&true) && matches!(operand.value, FieldRef::Raw(_));
    };
    let is_twin = |other: &&OperandRef<'_>| match other.value {
        FieldRef::Vector(other) => other == own,
        _ => false,
    };
    all.iter().filter(|other| other.role == Role::Read).filter(is_twin).count() > 1
}

/// Returns the variables that are never written; the flag is true if copies of such variables are
/// their only writes.
fn empty(routine: &Routine, known: &HashSet<(Table, u32)>) -> HashMap<(Table, u32), bool> {
    let mut empty: HashMap<(Table, u32), bool> = HashMap::new();
    let general = |id| root(routine, id).map(|root| (Table::General, root));
    let all = (predefined::DECLARED..).zip(&routine.variables).filter_map(|(id, _)| general(id));
    let mut rest: HashSet<_> = all.filter(|entry| !known.contains(entry)).collect();
    for round in 0..MOST_COPIES {
        let mut candidates = rest.clone();
        for instruction in &routine.instructions {
            if copied(routine, instruction).is_some_and(|from| empty.contains_key(&from)) {
                continue;
            }
            let writes = instruction.uses().filter(|used| used.role.is_write());
            writes.filter_map(|used| entry(routine, used)).for_each(|entry| {
                candidates.remove(&entry);
            });
        }
        if candidates.is_empty() {
            break;
        }
        rest.retain(|entry| !candidates.contains(entry));
        empty.extend(candidates.into_iter().map(|entry| (entry, round > 0)));
    }
    empty
}

/// Returns true for an operand that is stored only as a substitute: a state variable of a message
/// whose text names its state in another form, which objects cannot store.
fn is_replaced(instruction: &Instruction, operand: &OperandRef<'_>) -> bool {
    let is_state = matches!(operand.value, FieldRef::Index(Table::Surface | Table::Sampler, _));
    is_state && instruction.says_text_only()
}

/// Returns the variable that an instruction copies.
fn copied(routine: &Routine, instruction: &Instruction) -> Option<(Table, u32)> {
    if !instruction.is_in(InstructionGroup::Copy) {
        return None;
    }
    let read =
        instruction.operands().filter(|operand| operand.role == Role::Read).find_map(|operand| operand.used())?;
    entry(routine, read)
}

/// Returns the declared variable of an operand, with aliases resolved; `None` for a predefined one.
fn entry(routine: &Routine, used: Use) -> Option<(Table, u32)> {
    let is_declared = match used.table {
        Table::General => return Some((Table::General, root(routine, used.id)?)),
        Table::Surface => used.id >= predefined_surface::DECLARED,
        Table::Sampler => !predefined_sampler::ALL.iter().any(|known| known.id == used.id),
        Table::Predicate | Table::Address => true,
        Table::Label | Table::String => false,
    };
    is_declared.then_some((used.table, used.id))
}

/// Returns the variables that have values when the routine begins, or that may get values without
/// being named.
fn known(routine: &Routine) -> HashSet<(Table, u32)> {
    let inputs = routine.inputs.iter().filter_map(|input| match input.kind.class {
        InputClass::General => Some((Table::General, root(routine, input.id)?)),
        InputClass::Sampler => Some((Table::Sampler, input.id)),
        InputClass::Surface => Some((Table::Surface, input.id)),
    });
    let referred =
        routine.instructions.iter().flat_map(Instruction::uses).filter(|used| used.role == Role::Reference);
    inputs.chain(referred.filter_map(|used| entry(routine, used))).collect()
}
