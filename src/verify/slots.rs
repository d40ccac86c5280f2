//! Numbers of the variables of a routine, for tables with an entry for each variable.

use super::aliases::root;
use crate::isa::{Instruction, predefined, predefined_sampler, predefined_surface};
use crate::object::Routine;
use crate::rt::{FieldRef, OperandRef, Table, Use};

/// Tables whose entries have values.
const TABLES: [Table; 5] = [Table::General, Table::Address, Table::Predicate, Table::Sampler, Table::Surface];

/// Numbering of the variables of a routine: general variables, address variables, predicates,
/// samplers and surfaces. Aliases have the number of the variable that owns their storage.
pub(super) struct Slots {
    /// Owner of the storage of each declared general variable.
    roots: Vec<Option<u32>>,
    /// First number of each table, and the number of all.
    firsts: [usize; TABLES.len() + 1],
}

impl Slots {
    pub(super) fn new(routine: &Routine) -> Self {
        let declared = (predefined::DECLARED..).zip(&routine.variables);
        let roots = declared.map(|(id, _)| root(routine, id)).collect();
        let mut firsts = [0; TABLES.len() + 1];
        for (at, table) in TABLES.into_iter().enumerate() {
            firsts[at + 1] = firsts[at] + routine.numbers(table);
        }
        Self { roots, firsts }
    }

    /// Returns the number of numbers.
    pub(super) fn len(&self) -> usize {
        self.firsts[TABLES.len()]
    }

    /// Returns the number of a declared variable; `None` for a predefined one.
    pub(super) fn of(&self, used: Use) -> Option<usize> {
        let id = match used.table {
            Table::General => (*self.roots.get(used.id.checked_sub(predefined::DECLARED)? as usize)?)?,
            Table::Surface => Some(used.id).filter(|&id| id >= predefined_surface::DECLARED)?,
            Table::Sampler => Some(used.id).filter(|id| !predefined_sampler::ALL.iter().any(|p| p.id == *id))?,
            Table::Predicate | Table::Address => used.id,
            Table::Label | Table::String => return None,
        };
        let at = TABLES.iter().position(|table| *table == used.table)?;
        let slot = self.firsts[at] + id as usize;
        (slot < self.firsts[at + 1]).then_some(slot)
    }

    /// Returns the table and the id of a number.
    pub(super) fn entry(&self, slot: usize) -> (Table, u32) {
        let at = self.firsts[1..].partition_point(|&end| end <= slot).min(TABLES.len() - 1);
        (TABLES[at], u32::try_from(slot - self.firsts[at]).unwrap_or(u32::MAX))
    }
}

/// Returns true for an operand that is stored only as a substitute: a state variable of a message
/// whose text names its state in another form, which objects cannot store.
pub(super) fn is_replaced(instruction: &Instruction, operand: &OperandRef<'_>) -> bool {
    let is_state = matches!(operand.value, FieldRef::Index(Table::Surface | Table::Sampler, _));
    is_state && instruction.says_text_only()
}
