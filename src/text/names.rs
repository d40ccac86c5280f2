//! Names of a routine's variables: what a text calls the entries of its tables.

use std::collections::HashMap;

use super::explicit::Unique;
use super::print::Style;
use crate::isa::{DataType, GeneralId, StringId, predefined, predefined_surface};
use crate::object::Routine;
use crate::rt::{Bytes, Names, Table, Version};

/// The names of a routine for printing.
pub struct RoutineNames<'a> {
    routine: &'a Routine,
    version: Version,
    register_bytes: u32,
    style: Style,
    unique: Unique,
}

impl<'a> RoutineNames<'a> {
    /// Names as a style shows them; `register_bytes` is the platform's.
    pub fn new(routine: &'a Routine, version: Version, register_bytes: u32, style: Style) -> Self {
        let unique = if style == Style::Explicit { Unique::new(routine) } else { Unique::default() };
        Self { routine, version, register_bytes, style, unique }
    }

    /// Names that differ, in the style that has them.
    pub(super) fn unique(&self) -> &Unique {
        &self.unique
    }

    fn string(&self, id: StringId) -> Option<String> {
        self.routine.strings.get(id.0 as usize).map(Bytes::to_text)
    }

    /// Labels get suffixes in the vendor's style, so that equal names stay apart.
    fn label(&self, id: u32) -> Option<String> {
        match self.style {
            Style::Vendor => Some(self.original_label(id)?.replace(['.', '$'], "_")),
            Style::Full => self.string(self.routine.labels.get(id as usize)?.name_index),
            Style::Explicit => self.unique.labels.get(id as usize).cloned(),
        }
    }

    /// A label with its suffixes, before the vendor's printer replaces characters in it.
    pub(super) fn original_label(&self, id: u32) -> Option<String> {
        let label = self.routine.labels.get(id as usize)?;
        let mut name = self.string(label.name_index)?;
        name.push_str(&format!("_{}", label.name_index.0));
        // Only a block label is not a subroutine, a function or the target of a call.
        if label.kind != crate::isa::LabelKind::default() {
            name.push_str(&format!("_{id}"));
        }
        Some(name)
    }
}

impl Names for RoutineNames<'_> {
    fn name(&self, table: Table, id: u32) -> Option<String> {
        let r = self.routine;
        match table {
            Table::General => match id.checked_sub(predefined::DECLARED) {
                Some(declared) if self.style == Style::Explicit => {
                    self.unique.general.get(declared as usize).cloned()
                }
                Some(declared) => self.string(r.variables.get(declared as usize)?.name_index),
                None => {
                    let entry = predefined::ALL.iter().find(|p| p.id == id)?;
                    Some(entry.name.to_owned())
                }
            },
            // The vendor's printer goes by their numbers, whatever the object calls them.
            Table::Address => {
                let entry = r.addresses.get(id as usize)?;
                match self.style {
                    Style::Vendor => Some(format!("A{id}")),
                    Style::Full => self.string(entry.name_index),
                    Style::Explicit => self.unique.addresses.get(id as usize).cloned(),
                }
            }
            Table::Predicate => {
                let number = id.checked_sub(1)? as usize;
                let entry = r.predicates.get(number)?;
                match self.style {
                    Style::Vendor => Some(format!("P{id}")),
                    Style::Full => self.string(entry.name_index),
                    Style::Explicit => self.unique.predicates.get(number).cloned(),
                }
            }
            // State variables go by their number; their names stand in the declaration only.
            Table::Sampler => Some(format!("S{id}")),
            Table::Surface => match id.checked_sub(predefined_surface::DECLARED) {
                Some(_) => Some(format!("T{id}")),
                None => {
                    let entry = predefined_surface::ALL.iter().find(|p| p.id == id)?;
                    Some(entry.name.to_owned())
                }
            },
            Table::Label => self.label(id),
            Table::String => self.string(StringId(id)),
        }
    }

    fn data_type(&self, id: GeneralId) -> Option<DataType> {
        data_type(self.routine, id)
    }

    fn register_bytes(&self) -> u32 {
        self.register_bytes
    }

    fn version(&self) -> Version {
        self.version
    }

    fn full(&self) -> bool {
        self.style == Style::Full
    }
}

/// The type of a general variable of a routine.
pub fn data_type(routine: &Routine, id: GeneralId) -> Option<DataType> {
    match id.0.checked_sub(predefined::DECLARED) {
        Some(declared) => routine.variables.get(declared as usize).map(|v| v.bit_properties.type_),
        None => predefined::ALL.iter().find(|p| p.id == id.0).map(|p| p.data_type),
    }
}

/// What the names of a text stand for, table by table.
pub(super) struct NameTables {
    tables: [HashMap<String, u32>; TABLES.len()],
    /// Names that a block has hidden, with what they stood for outside of it.
    hidden: Vec<(Table, String, Option<u32>)>,
    /// How many names were hidden when each open block began.
    blocks: Vec<usize>,
}

const TABLES: [Table; 7] =
    [Table::General, Table::Address, Table::Predicate, Table::Sampler, Table::Surface, Table::Label, Table::String];

/// The tables of what a `.decl` declares.
const DECLARED: [Table; 5] = [Table::General, Table::Address, Table::Predicate, Table::Sampler, Table::Surface];

impl NameTables {
    /// The predefined variables and surfaces.
    pub(super) fn predefined() -> Self {
        let mut out = Self { tables: Default::default(), hidden: Vec::new(), blocks: Vec::new() };
        for entry in predefined::ALL {
            out.insert(Table::General, entry.name, entry.id);
        }
        for entry in predefined_surface::ALL {
            out.insert(Table::Surface, entry.name, entry.id);
            out.insert(Table::Surface, &format!("T{}", entry.id), entry.id);
        }
        out
    }

    pub(super) fn get(&self, table: Table, name: &str) -> Option<u32> {
        self.tables[table as usize].get(name).copied()
    }

    pub(super) fn insert(&mut self, table: Table, name: &str, id: u32) {
        self.tables[table as usize].insert(name.to_owned(), id);
    }

    /// Whether a name is declared already where the text stands: in the open block, if there is one.
    pub(super) fn is_declared(&self, name: &str) -> bool {
        match self.blocks.last() {
            Some(&begin) => self.hidden[begin..].iter().any(|(_, hidden, _)| hidden == name),
            None => DECLARED.iter().any(|t| self.get(*t, name).is_some()),
        }
    }

    /// Enters a variable. Inside a block it hides what has its name outside, of any kind, until the block ends.
    pub(super) fn declare(&mut self, table: Table, name: &str, id: u32) {
        if !self.blocks.is_empty() {
            for hidden in DECLARED {
                let before = self.tables[hidden as usize].remove(name);
                if before.is_some() || hidden == table {
                    self.hidden.push((hidden, name.to_owned(), before));
                }
            }
        }
        self.insert(table, name, id);
    }

    /// Begins a block.
    pub(super) fn open(&mut self) {
        self.blocks.push(self.hidden.len());
    }

    /// Ends a block; `false` when none is open.
    pub(super) fn close(&mut self) -> bool {
        let Some(begin) = self.blocks.pop() else { return false };
        for (table, name, before) in self.hidden.drain(begin..).rev() {
            match before {
                Some(id) => self.tables[table as usize].insert(name, id),
                None => self.tables[table as usize].remove(&name),
            };
        }
        true
    }

    /// How many blocks are open.
    pub(super) fn depth(&self) -> usize {
        self.blocks.len()
    }

    pub(super) fn name(&self, table: Table, id: u32) -> Option<&str> {
        self.tables[table as usize].iter().find(|(_, i)| **i == id).map(|(name, _)| name.as_str())
    }

    /// All names that a variable has here, or those of a table that is none of variables.
    pub(super) fn known(&self, table: Table) -> impl Iterator<Item = &str> {
        let tables: &[Table] = if DECLARED.contains(&table) { &DECLARED } else { &[] };
        tables.iter().flat_map(|t| self.tables[*t as usize].keys()).map(String::as_str)
    }
}
