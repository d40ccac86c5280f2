//! Warnings about legal but suspicious code: uninitialised values, unreachable code, barriers that
//! not all channels reach. Compiler output for correct programs causes none.

use std::collections::HashMap;

use super::graph::{FLOW, Graph};
use super::slots::is_replaced;
use super::unwritten::unwritten;
use super::{Location, Violation, divergence, region};
use crate::isa::{ExecSize, Instruction, InstructionGroup, Operand, PageCheck, Platform};
use crate::limits::FINDINGS;
use crate::object::Routine;
use crate::rt::reflect::Verdict;
use crate::rt::{FieldRef, Role, Table};

/// Page that explains operands.
const OPERANDS: &str = "5_operands.md";

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
        Violation::doubt("divergent-barrier", number, message.to_owned(), FLOW)
    }));
    out.sort_by_key(|violation| match violation.place {
        Location::Instruction(number) => number,
        _ => 0,
    });
    out.truncate(FINDINGS);
    out
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
                out.push(Violation::doubt("unreachable", number, "this instruction is unreachable".to_owned(), FLOW));
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
                out.push(Violation::doubt(check.finding(), number, message, OPERANDS));
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
        Violation::doubt(
            "unread-predicate",
            number,
            format!("predicate `{name}` is written but never read"),
            OPERANDS,
        )
    };
    dead.into_iter().map(say).collect()
}
